//! What holds for every script, over generated ones.

use std::ops::RangeInclusive;

use fencing_demo::run::run;
use fencing_demo::script::Scenario;
use fencing_demo::script::built_in::BuiltIn;
use fencing_demo::script::form::FORMS;
use fencing_demo::verdict::finding::Finding;
use fencing_demo::view::palette::Palette;
use fencing_demo::view::transcript::Transcript;
use fencing_demo::world::event::Event;
use fencing_demo::world::grant::GrantSeq;
use fencing_demo::world::storage_service::{Fencing, Rejection};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A script that runs, of so many steps by two or three clients: its headers, and the lines
/// of its steps.
pub fn scripts(steps: RangeInclusive<usize>) -> impl Strategy<Value = (String, Vec<String>)> {
    let tokens = prop_oneof![Just(None), vec(30_u64..36, 2..6).prop_map(Some)];
    (2..=3_usize, vec(any::<u16>(), steps), tokens).prop_map(|(clients, choices, tokens)| {
        let headers = tokens.map_or(String::new(), |tokens| {
            let tokens: Vec<String> = tokens.iter().map(ToString::to_string).collect();
            format!("tokens: {}\n", tokens.join(", "))
        });
        let steps = runnable(&headers, clients, &choices, |_| true);
        (headers, steps)
    })
}

/// The same with tokens that are sound: counted, and with nothing forgotten.
fn sound_scripts(steps: RangeInclusive<usize>) -> impl Strategy<Value = (String, Vec<String>)> {
    (2..=3_usize, vec(any::<u16>(), steps)).prop_map(|(clients, choices)| {
        let remembers = |form: &str| !form.contains("forgets");
        (String::new(), runnable("", clients, &choices, remembers))
    })
}

/// Chooses, one after another, among the steps of these forms that are possible then.
fn runnable(
    headers: &str,
    clients: usize,
    choices: &[u16],
    with_form: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    for form in FORMS.iter().filter(|form| with_form(form.text)) {
        for client in &["ann", "bob", "cy"][..clients] {
            for data in ["'x'", "'y'"] {
                let line = form
                    .text
                    .replacen('C', client, 1)
                    .replacen("'data'", data, 1);
                lines.extend(std::iter::repeat_n(line, weight(form.text)));
            }
        }
    }
    let all = Scenario::parse(&(headers.to_owned() + &lines.join("\n"))).unwrap();
    let mut world = all.world();
    let mut chosen = Vec::new();
    for &choice in choices {
        let possible = lines.iter().zip(&all.steps);
        let possible: Vec<_> = possible
            .filter(|(_, step)| world.possible(step.step).is_ok())
            .collect();
        let (line, step) = possible[usize::from(choice) % possible.len()];
        world.take(step.step).unwrap();
        chosen.push(line.clone());
    }
    chosen
}

/// How often a form is offered, so that stories come about.
fn weight(form: &str) -> usize {
    match form {
        form if form.contains("expires") => 24,
        form if form.contains("acquires") => 12,
        form if form.contains("writes") || form.contains("arrives") => 10,
        form if form.contains("sends") || form.contains("forgets") => 3,
        _ => 1,
    }
}

fn scenario((headers, steps): &(String, Vec<String>), fencing: Fencing) -> Scenario {
    let text = format!(
        "{headers}fencing: {}\n{}\n",
        fencing.word(),
        steps.join("\n")
    );
    Scenario::parse(&text).unwrap()
}

fn is_corrupted(scenario: &Scenario) -> bool {
    matches!(run(scenario).unwrap().finding, Finding::Corrupted(_))
}

/// The verdict, read naively: is there an accepted write, and a later one under an older grant?
pub fn naively_corrupted(events: &[Event]) -> bool {
    let accepted = |event: &Event| match event {
        Event::Wrote(write) | Event::Arrived { write, .. } if write.outcome.is_ok() => {
            Some(write.grant.map(|grant| grant.seq))
        }
        _ => None,
    };
    let accepted: Vec<Option<GrantSeq>> = events.iter().filter_map(accepted).collect();
    (1..accepted.len()).any(|later| (0..later).any(|earlier| accepted[later] < accepted[earlier]))
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
    fn whatever_a_guard_lets_through_gets_in_without_one(script in scripts(1..=40)) {
        if is_corrupted(&scenario(&script, Fencing::On)) {
            prop_assert!(is_corrupted(&scenario(&script, Fencing::Off)));
        }
    }

    #[test]
    fn the_verdict_is_what_a_naive_reading_finds(script in scripts(1..=40), on in any::<bool>()) {
        let fencing = if on { Fencing::On } else { Fencing::Off };
        let run = run(&scenario(&script, fencing)).unwrap();
        let corrupted = matches!(run.finding, Finding::Corrupted(_));
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
            let before = world.max_token();
            let event = world.take(step.step).unwrap();
            if !matches!(event, Event::MaxTokenForgotten { .. }) {
                prop_assert!(before <= world.max_token());
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
        let is_rejected = |event: &Event| matches!(event, Event::Wrote(write) if matches!(write.outcome, Err(Rejection::LowerToken { .. })));
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
