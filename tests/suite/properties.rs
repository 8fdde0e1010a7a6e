//! What holds for every script, over generated ones.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use fencing_demo::run::run;
use fencing_demo::script::built_in::BuiltIn;
use fencing_demo::script::form::FORMS;
use fencing_demo::script::header::Headers;
use fencing_demo::script::{Scenario, ScriptStep};
use fencing_demo::verdict::Verdict;
use fencing_demo::view::palette::Palette;
use fencing_demo::view::transcript::Transcript;
use fencing_demo::world::World;
use fencing_demo::world::event::{Event, Moment};
use fencing_demo::world::grant::{GrantSeq, Token};
use fencing_demo::world::lock_service::Tokens;
use fencing_demo::world::names::{ClientId, Names, StorageId};
use fencing_demo::world::storage_service::{Fencing, Rejection};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A script that runs under either setting of the toggle: its headers, and the lines of its steps.
pub type Script = (String, Vec<String>);

/// Scripts of so many steps by two or three clients, with one storage or three. No client hears an
/// answer: whether there is one depends on the toggle.
pub fn scripts(steps: RangeInclusive<usize>) -> impl Strategy<Value = Script> {
    any_scripts(steps, |form| !form.contains("hears"))
}

/// Scripts that know no more than one storage, writes, packets, announcements and leases.
pub fn plain_scripts(steps: RangeInclusive<usize>) -> impl Strategy<Value = Script> {
    any_scripts(steps, |form| {
        NEWER_WORDS.iter().all(|word| !form.contains(word))
    })
}

/// Scripts in which clients may hear answers as well.
pub fn scripts_with_answers(steps: RangeInclusive<usize>) -> impl Strategy<Value = Script> {
    any_scripts(steps, |_| true)
}

/// The same with tokens that are sound: counted, with nothing forgotten, shown as they are, and
/// checked on every path.
fn sound_scripts(steps: RangeInclusive<usize>) -> impl Strategy<Value = Script> {
    let is_sound = |form: &str| {
        !["forgets", "past the guard", "with token"]
            .iter()
            .any(|it| form.contains(it))
    };
    let cast = (2..=3_usize, prop_oneof![Just(1_usize), Just(3)]);
    (cast, vec(any::<u16>(), steps)).prop_map(move |((clients, storages), choices)| {
        let cast = Cast::of(clients, storages, None);
        (cast.headers(), cast.runnable(&choices, is_sound))
    })
}

/// These stories, of `ann`, `bob` and `cy`, with so many other steps put in between. A step of a story
/// that has become impossible is left out. Clients may hear answers.
pub fn variations(
    stories: &'static [&'static str],
    others: RangeInclusive<usize>,
) -> impl Strategy<Value = Script> {
    let story = prop::sample::select(stories);
    (casts(), story, vec(any::<(u16, u16)>(), others)).prop_map(|(cast, story, others)| {
        let storages = match story {
            story if story.contains("s1") => 3,
            story if story.contains("storage forgets") => 1,
            _ => cast.storages,
        };
        let cast = Cast::of(3, storages, cast.tokens);
        (cast.headers(), cast.vary(story, &others))
    })
}

pub fn any_scripts(
    steps: RangeInclusive<usize>,
    with_form: fn(&str) -> bool,
) -> impl Strategy<Value = Script> {
    (casts(), vec(any::<u16>(), steps))
        .prop_map(move |(cast, choices)| (cast.headers(), cast.runnable(&choices, with_form)))
}

/// Two or three clients, one storage or three, and tokens as they are or out of order.
fn casts() -> impl Strategy<Value = Cast> {
    let tokens = prop_oneof![Just(None), vec(30_u64..36, 2..6).prop_map(Some)];
    let storages = prop_oneof![3 => Just(1_usize), 1 => Just(3)];
    (2..=3_usize, storages, tokens)
        .prop_map(|(clients, storages, tokens)| Cast::of(clients, storages, tokens))
}

/// What only the newer forms have in them.
const NEWER_WORDS: [&str; 6] = [
    "reads",
    "if unchanged",
    "past the guard",
    "with token",
    "hears",
    "slow",
];

/// What can go one way with a guard and another without, whatever the tokens: a condition is met or
/// not by what was accepted, an answer tells what was rejected, and a reader of several storages takes
/// the highest token or the latest write.
pub const HAS_TWO_WAYS: [&str; 3] = ["if unchanged", "hears", "reads"];

/// Who and what there is in a generated script.
#[derive(Debug)]
struct Cast {
    storages: usize,
    tokens: Option<Vec<u64>>,
    /// All steps that there can be, and the text and the form of each.
    offers: &'static Offers,
}

#[derive(Debug)]
struct Offers {
    names: Names,
    steps: Vec<ScriptStep>,
    lines: Vec<(String, &'static str)>,
}

impl Cast {
    fn of(clients: usize, storages: usize, tokens: Option<Vec<u64>>) -> Cast {
        /// Parsed once: two or three clients, one storage or three.
        static OFFERS: LazyLock<[[Offers; 2]; 2]> = LazyLock::new(|| {
            [2, 3].map(|clients| [1, 3].map(|storages| Offers::new(clients, storages)))
        });
        Cast {
            storages,
            tokens,
            offers: &OFFERS[clients - 2][storages / 2],
        }
    }

    fn headers(&self) -> String {
        let mut headers = storages_header(self.storages).to_owned();
        if let Some(tokens) = &self.tokens {
            let tokens: Vec<String> = tokens.iter().map(ToString::to_string).collect();
            headers += &format!("tokens: {}\n", tokens.join(", "));
        }
        headers
    }

    /// Chooses, one after another, among the steps of these forms that are possible then under
    /// either setting.
    fn runnable(&self, choices: &[u16], with_form: impl Fn(&str) -> bool) -> Vec<String> {
        let Offers { steps, lines, .. } = self.offers;
        let mut worlds = self.worlds();
        let offers = lines.iter().zip(steps);
        let offers: Vec<_> = offers.filter(|((_, form), _)| with_form(form)).collect();
        let mut chosen = Vec::new();
        for &choice in choices {
            let is_possible =
                |step: ScriptStep| worlds.iter().all(|world| world.possible(step.step).is_ok());
            let possible: Vec<_> = offers
                .iter()
                .filter(|&&(_, step)| is_possible(*step))
                .collect();
            let ((line, _), step) = possible[usize::from(choice) % possible.len()];
            for world in &mut worlds {
                world.take(step.step, Moment::FIRST).unwrap();
            }
            chosen.push(line.clone());
        }
        chosen
    }

    /// Takes the steps of the story, with others in between: each of those has a number that says
    /// where, and one that says which.
    fn vary(&self, story: &str, others: &[(u16, u16)]) -> Vec<String> {
        let Offers { steps, lines, .. } = self.offers;
        let story: Vec<&str> = story.split(';').collect();
        let mut worlds = self.worlds();
        let mut chosen = Vec::new();
        let mut take = |offer: usize| {
            let step = steps[offer].step;
            let is_possible = worlds.iter().all(|world| world.possible(step).is_ok());
            if is_possible {
                for world in &mut worlds {
                    world.take(step, Moment::FIRST).unwrap();
                }
                chosen.push(lines[offer].0.clone());
            }
            is_possible
        };
        for place in 0..=story.len() {
            for (_, which) in others
                .iter()
                .filter(|(place_of, _)| usize::from(*place_of) % (story.len() + 1) == place)
            {
                let mut offers =
                    (0..lines.len()).map(|it| (it + usize::from(*which)) % lines.len());
                offers.find(|&offer| take(offer)).unwrap();
            }
            if let Some(step) = story.get(place) {
                let offer = lines.iter().position(|(line, _)| line == step);
                take(offer.unwrap_or_else(|| panic!("{step} is not offered")));
            }
        }
        chosen
    }

    /// The world before the first step, under either setting.
    fn worlds(&self) -> [World; 2] {
        [Fencing::Off, Fencing::On].map(|fencing| {
            let Offers { names, steps, .. } = self.offers;
            let mut scenario = Scenario {
                headers: Headers {
                    fencing,
                    ..Headers::default()
                },
                names: names.clone(),
                steps: steps.clone(),
            };
            if let Some(tokens) = &self.tokens {
                let tokens = tokens.iter().copied().map(Token);
                scenario.headers.tokens = Tokens::Listed(tokens.collect());
            }
            scenario.world()
        })
    }
}

fn storages_header(storages: usize) -> &'static str {
    match storages {
        1 => "",
        _ => "storages: s1, s2, s3\n",
    }
}

impl Offers {
    fn new(clients: usize, storages: usize) -> Offers {
        let mut lines = Vec::new();
        for form in FORMS {
            let mut texts = vec![form.text.to_owned()];
            if storages > 1 {
                texts = match form.text {
                    "storage forgets its max_token" => {
                        vec![
                            "s1 forgets its max_token".to_owned(),
                            "s3 forgets its max_token".to_owned(),
                        ]
                    }
                    "C reads" => [" from s1 and s2", " from s3", ""]
                        .map(|it| format!("C reads{it}"))
                        .into(),
                    text if text.contains("writes 'data'") || text.contains("sends 'data'") => {
                        [" to s1", " to s2 and s3", ""]
                            .map(|it| text.replace("'data'", &format!("'data'{it}")))
                            .into()
                    }
                    "C announces its token" => {
                        [" to s1", ""].map(|it| form.text.to_owned() + it).into()
                    }
                    text => vec![text.to_owned()],
                };
            }
            for text in texts {
                for client in &["ann", "bob", "cy"][..clients] {
                    for data in ["'x'", "'y'"] {
                        let line = text
                            .replacen('C', client, 1)
                            .replacen("'data'", data, 1)
                            .replace("token N", "token 34");
                        lines.extend(std::iter::repeat_n((line, form.text), weight(form.text)));
                    }
                }
            }
        }
        let steps: Vec<&str> = lines.iter().map(|(line, _)| line.as_str()).collect();
        let text = storages_header(storages).to_owned() + &steps.join("\n");
        let scenario = Scenario::parse(&text).unwrap();
        let Scenario { names, steps, .. } = scenario;
        Offers {
            names,
            steps,
            lines,
        }
    }
}

/// How often a form is offered, so that stories come about.
fn weight(form: &str) -> usize {
    match form {
        form if form.contains("expires") => 24,
        form if form.contains("acquires") => 12,
        "C writes 'data'" => 10,
        form if form.contains("arrives") => 10,
        form if ["reads", "if unchanged", "hears"]
            .iter()
            .any(|it| form.contains(it)) =>
        {
            6
        }
        form if form.contains("sends") || form.contains("forgets") => 3,
        _ => 1,
    }
}

pub fn scenario((headers, steps): &Script, fencing: Fencing) -> Scenario {
    let text = format!(
        "{headers}fencing: {}\n{}\n",
        fencing.word(),
        steps.join("\n")
    );
    Scenario::parse(&text).unwrap()
}

fn is_corrupted(scenario: &Scenario) -> bool {
    run(scenario).unwrap().verdict == Verdict::Corrupted
}

/// Which writes each storage took, read naively: by whom, under which grant, and in which event.
pub fn taken(events: &[Event]) -> Vec<(StorageId, ClientId, Option<GrantSeq>, usize)> {
    let mut taken = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Wrote(request) | Event::Arrived { request, .. } => {
                let accepted = request.answers.iter().filter(|it| it.outcome.is_ok());
                let seq = request.grant.map(|grant| grant.seq);
                taken.extend(accepted.map(|it| (it.storage, request.client, seq, at)));
            }
            Event::Read(read) => {
                let seq = read
                    .choice
                    .and_then(|choice| choice.grant)
                    .map(|grant| grant.seq);
                let repairs = read.repairs.iter();
                taken.extend(repairs.map(|it| (it.storage, read.client, seq, at)));
            }
            _ => {}
        }
    }
    taken
}

/// The verdict, read naively: did a storage take a write, and later one under an older grant?
pub fn naively_corrupted(events: &[Event]) -> bool {
    let taken = taken(events);
    (1..taken.len()).any(|later| {
        (0..later).any(|earlier| {
            let (storage, _, seq, _) = taken[earlier];
            storage == taken[later].0 && taken[later].2 < seq
        })
    })
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 500,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_bytes_make_the_parser_or_a_run_panic(bytes in vec(any::<u8>(), 0..200)) {
        survive(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_damaged_script_makes_the_parser_or_a_run_panic(
        script in scripts(1..=12),
        damage in vec((any::<prop::sample::Index>(), any::<char>(), any::<bool>()), 1..4),
    ) {
        let mut characters: Vec<char> = scenario(&script, Fencing::On).to_string().chars().collect();
        for (at, character, insert) in damage {
            let at = at.index(characters.len());
            if insert { characters.insert(at, character) } else { characters[at] = character }
        }
        survive(&characters.into_iter().collect::<String>());
    }

    #[test]
    fn with_a_guard_and_sound_tokens_nothing_is_corrupted(script in sound_scripts(1..=40)) {
        prop_assert!(!is_corrupted(&scenario(&script, Fencing::On)));
    }

    #[test]
    fn whatever_a_guard_lets_through_gets_in_without_one(
        script in any_scripts(1..=40, |form| !HAS_TWO_WAYS.iter().any(|word| form.contains(word))),
    ) {
        if is_corrupted(&scenario(&script, Fencing::On)) {
            prop_assert!(is_corrupted(&scenario(&script, Fencing::Off)));
        }
    }

    #[test]
    fn the_verdict_is_what_a_naive_reading_finds(script in scripts(1..=40), on in any::<bool>()) {
        let fencing = if on { Fencing::On } else { Fencing::Off };
        let run = run(&scenario(&script, fencing)).unwrap();
        let corrupted = run.verdict == Verdict::Corrupted;
        prop_assert_eq!(corrupted, naively_corrupted(&run.events));
    }

    #[test]
    fn the_lease_never_has_two_holders(script in scripts(1..=40)) {
        let mut holder = None;
        for event in run(&scenario(&script, Fencing::On)).unwrap().events {
            match event {
                Event::Granted { client, .. } => prop_assert_eq!(holder.replace(client), None),
                Event::Released { client, .. } | Event::LeaseExpired { client, .. } => {
                    prop_assert_eq!(holder.take(), Some(client));
                }
                Event::HolderForgotten { holder: forgotten } => {
                    prop_assert_eq!(holder.take(), forgotten);
                }
                Event::Renewed { client, .. } | Event::HeldAlready { client, .. } => {
                    prop_assert_eq!(holder, Some(client));
                }
                _ => {}
            }
        }
    }

    #[test]
    fn the_highest_token_never_falls_unless_storage_forgets_it(script in scripts(1..=40)) {
        let scenario = scenario(&script, Fencing::On);
        let mut world = scenario.world();
        for step in &scenario.steps {
            let max_tokens = |world: &World| -> Vec<_> {
                let storages = scenario.names.storages();
                storages.iter().map(|it| world.storage(it).max_token()).collect()
            };
            let before = max_tokens(&world);
            let event = world.take(step.step, Moment::FIRST).unwrap();
            if !matches!(event, Event::MaxTokenForgotten { .. }) {
                prop_assert!(before.iter().zip(max_tokens(&world)).all(|(before, now)| *before <= now));
            }
        }
    }

    #[test]
    fn events_tell_who_holds_the_lease_and_who_believes_so(
        script in scripts_with_answers(1..=60),
        on in any::<bool>(),
    ) {
        let fencing = if on { Fencing::On } else { Fencing::Off };
        let scenario = scenario(&script, fencing);
        let mut world = scenario.world();
        let mut holder = None;
        let mut beliefs = vec![None; scenario.names.client_count()];
        for step in &scenario.steps {
            let event = world.take(step.step, Moment::FIRST).unwrap();
            if let Some(lease) = event.lease() {
                holder = lease.map(|(client, _)| client);
            }
            if let Some((client, belief)) = event.belief() {
                beliefs[client.index()] = belief;
            }
            prop_assert_eq!(world.holder(), holder);
            for client in scenario.names.clients().filter(|&client| !world.is_off(client)) {
                prop_assert_eq!(world.client(client).believes_in(), beliefs[client.index()]);
            }
        }
    }

    #[test]
    fn parsing_what_is_printed_gives_the_same_scenario(
        script in scripts(1..=40),
        title in "[ -~ü€]{0,30}",
        data in "[ -~ü€]{1,200}",
    ) {
        let (headers, mut steps) = script;
        steps.push(format!("zed writes '{data}'"));
        let title = if title.trim().is_empty() { String::new() } else { format!("title: {title}\n") };
        assert_round_trip(&Scenario::parse(&format!("{title}{headers}{}", steps.join("\n"))).unwrap());
    }
}

#[test]
fn parsing_what_is_printed_gives_the_same_built_in_scenario() {
    for built_in in BuiltIn::all() {
        let scenario = built_in.scenario().unwrap();
        assert_round_trip(&scenario);
        assert_round_trip(&scenario.clone().with_fencing(Fencing::On));
        assert_round_trip(&scenario.with_fencing(Fencing::Off));
    }
}

fn assert_round_trip(scenario: &Scenario) {
    for printed in [scenario.to_string(), format!("{scenario:#}")] {
        let parsed = Scenario::parse(&printed).unwrap();
        assert_eq!(parsed.headers, scenario.headers);
        assert_eq!(parsed.names, scenario.names);
        let steps = |scenario: &Scenario| -> Vec<_> {
            scenario.steps.iter().map(|step| step.step).collect()
        };
        assert_eq!(steps(&parsed), steps(scenario));
    }
}

/// Whatever the text is, it is run and told, or there is a reason why not.
fn survive(script: &str) {
    let Ok(scenario) = Scenario::parse(script) else {
        return;
    };
    let Ok(run) = run(&scenario) else { return };
    let transcript = Transcript::new("TEST", &scenario, &run, Palette::default());
    transcript.write(&mut std::io::sink()).unwrap();
}

/// Properties of scripts that never do anything prove nothing.
#[test]
fn the_generated_scripts_are_worth_generating() {
    let mut runner = TestRunner::deterministic();
    let (mut fenced, mut unfenced, mut rejected, mut sound) = (0, 0, 0, 0);
    for _ in 0..500 {
        let script = scripts(1..=40).new_tree(&mut runner).unwrap().current();
        let with_guard = scenario(&script, Fencing::On);
        fenced += usize::from(is_corrupted(&with_guard));
        unfenced += usize::from(is_corrupted(&scenario(&script, Fencing::Off)));
        let events = run(&with_guard).unwrap().events;
        let is_rejected = |event: &Event| matches!(event, Event::Wrote(write) if write.answers.iter().any(|it| it.outcome == Err(Rejection::LowerToken)));
        rejected += usize::from(events.iter().any(is_rejected));
        let script = sound_scripts(1..=40)
            .new_tree(&mut runner)
            .unwrap()
            .current();
        sound += usize::from(is_corrupted(&scenario(&script, Fencing::Off)));
    }
    let counts = [fenced, unfenced, rejected, sound];
    assert!(
        fenced > 10 && unfenced > 100 && rejected > 20 && sound > 100,
        "{counts:?}"
    );
}
