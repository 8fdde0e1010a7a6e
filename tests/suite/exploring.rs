//! `--explore`, against a naive enumeration that lists every interleaving one by one.

use std::collections::{BTreeMap, BTreeSet};

use fencing_demo::explore::{Blocked, Exploration, GivenUp, Limits, explore};
use fencing_demo::run::run;
use fencing_demo::script::built_in::BuiltIn;
use fencing_demo::script::{Scenario, ScriptStep};
use fencing_demo::verdict::Verdict;
use fencing_demo::world::World;
use fencing_demo::world::event::{Event, Moment};
use fencing_demo::world::grant::GrantSeq;
use fencing_demo::world::names::ClientId;
use fencing_demo::world::step::WriteMode;
use fencing_demo::world::storage_service::Fencing;
use proptest::prelude::*;

use crate::program::Program;
use crate::properties::{
    HAS_TWO_WAYS, any_scripts, naively_corrupted, plain_scripts, scripts_with_answers, taken,
};

fn parse(script: &str, fencing: Fencing) -> Scenario {
    Scenario::parse(script).unwrap().with_fencing(fencing)
}

fn explored(script: &str, fencing: Fencing) -> Exploration {
    explore(&parse(script, fencing), Limits::DEFAULT).unwrap()
}

/// The five counts: of interleavings, CORRUPTED ones, SAFE ones in which a stale write got in, ones
/// that were cut short, and SAFE ones in which an update was lost.
fn counts(explored: &Exploration) -> [u128; 5] {
    let Exploration {
        interleavings,
        corrupted,
        stale_accepted,
        cut_short,
        update_lost,
        ..
    } = *explored;
    [
        interleavings,
        corrupted,
        stale_accepted,
        cut_short,
        update_lost,
    ]
}

/// One interleaving, as the naive enumeration lists it.
struct Interleaving {
    steps: Vec<ScriptStep>,
    events: Vec<Event>,
    is_cut_short: bool,
}

/// Lists all interleavings, by trying at each point every thread.
fn list(scenario: &Scenario) -> Vec<Interleaving> {
    let mut threads: BTreeMap<String, Vec<ScriptStep>> = BTreeMap::new();
    for &step in &scenario.steps {
        let line = step.step.display(&scenario.names).to_string();
        threads.entry(thread_of(&line)).or_default().push(step);
    }
    threads.remove("none");
    let mut found = Vec::new();
    let threads: Vec<Vec<ScriptStep>> = threads.into_values().collect();
    let mut start = Enumeration {
        scenario,
        world: scenario.world(),
        steps: Vec::new(),
        events: Vec::new(),
    };
    start.go_on(&threads, &mut found);
    found
}

/// Which thread a step is of, by its words.
fn thread_of(line: &str) -> String {
    let client = line.split([' ', '\'']).next().unwrap();
    if line.ends_with("cannot be powered off") {
        "none".to_owned()
    } else if line.ends_with(" hears storage's answer") {
        client.to_owned()
    } else if line.starts_with("the lock service forgets") {
        "the lock service".to_owned()
    } else if line.ends_with("is powered off") || line.contains("'s ") {
        // A named arrival's line has the data in it, so each has a thread of its own.
        line.to_owned()
    } else {
        client.to_owned()
    }
}

#[derive(Clone)]
struct Enumeration<'scenario> {
    scenario: &'scenario Scenario,
    world: World,
    steps: Vec<ScriptStep>,
    events: Vec<Event>,
}

impl Enumeration<'_> {
    fn go_on(&mut self, threads: &[Vec<ScriptStep>], found: &mut Vec<Interleaving>) {
        let mut is_end = true;
        for (index, thread) in threads.iter().enumerate() {
            let Some(&next) = thread.first() else {
                continue;
            };
            let line = next.step.display(&self.scenario.names).to_string();
            let mut then = self.clone();
            if self.must_wait(&line) {
                continue;
            }
            let now = Moment::at(self.events.len());
            let Ok(event) = then.world.take(next.step, now) else {
                continue;
            };
            is_end = false;
            then.events.push(event);
            then.steps.push(next);
            let mut left = threads.to_vec();
            left[index].remove(0);
            then.go_on(&left, found);
        }
        if is_end {
            found.push(Interleaving {
                steps: self.steps.clone(),
                events: self.events.clone(),
                is_cut_short: threads.iter().any(|thread| !thread.is_empty()),
            });
        }
    }

    /// Whether the step would be possible in a run, but does not come here.
    fn must_wait(&self, line: &str) -> bool {
        let name = |client: ClientId| self.scenario.names.client(client);
        let (mut off, mut holder) = (Vec::new(), None);
        for event in &self.events {
            match *event {
                Event::PoweredOff { client } => off.push(name(client)),
                Event::Granted { client, .. } => holder = Some(name(client)),
                Event::Released { .. }
                | Event::LeaseExpired { .. }
                | Event::HolderForgotten { .. } => holder = None,
                _ => {}
            }
        }
        let client = line.split([' ', '\'']).next().unwrap();
        let happens_to_it = line.contains("'s ") && !line.contains(" hears ");
        (off.contains(&client) && !happens_to_it)
            || (line.ends_with(" acquires the lease") && holder.is_some_and(|it| it != client))
    }
}

/// Whether a write was accepted although a newer grant existed.
fn stale_accepted(events: &[Event]) -> bool {
    let mut newest: Option<GrantSeq> = None;
    for event in events {
        match event {
            Event::Granted { grant, .. } => newest = Some(grant.seq),
            Event::Wrote(write) | Event::Arrived { request: write, .. } => {
                let accepted = write.answers.iter().any(|it| it.outcome.is_ok());
                if accepted && write.grant.map(|grant| grant.seq) < newest {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether a client that has read before overwrote directly, without a condition, what somebody else
/// had brought to a storage since the client last looked there.
fn update_lost(events: &[Event]) -> bool {
    let taken = taken(events);
    // Of each client, whether it has read, and at which event it last looked at each storage.
    let mut has_read = BTreeSet::new();
    let mut looked = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Read(read) => {
                has_read.insert(read.client);
                for reply in &read.replies {
                    looked.insert((read.client, reply.storage), at);
                }
            }
            Event::Wrote(write) => {
                for answer in write.answers.iter().filter(|it| it.outcome.is_ok()) {
                    let looks = looked.insert((write.client, answer.storage), at);
                    let before = taken
                        .iter()
                        .filter(|&&(storage, .., then)| storage == answer.storage && then < at);
                    let is_unread =
                        before
                            .into_iter()
                            .next_back()
                            .is_some_and(|&(_, by, _, then)| {
                                by != write.client && looks.is_some_and(|looked| looked < then)
                            });
                    if is_unread
                        && has_read.contains(&write.client)
                        && write.mode != WriteMode::IfUnchanged
                    {
                        return true;
                    }
                }
            }
            _ => {}
        }
    }
    false
}

fn naive_counts(interleavings: &[Interleaving]) -> [u128; 5] {
    let mut counts = [0; 5];
    for Interleaving {
        events,
        is_cut_short,
        ..
    } in interleavings
    {
        let corrupted = naively_corrupted(events);
        counts[0] += 1;
        counts[1] += u128::from(corrupted);
        counts[2] += u128::from(!corrupted && stale_accepted(events));
        counts[3] += u128::from(*is_cut_short);
        counts[4] += u128::from(!corrupted && update_lost(events));
    }
    counts
}

fn text((headers, steps): &(String, Vec<String>)) -> String {
    format!("{headers}{}\n", steps.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_counts_and_the_first_corrupted_are_what_a_naive_enumeration_finds(
        script in prop_oneof![plain_scripts(1..=8), scripts_with_answers(1..=7)],
        on in any::<bool>(),
    ) {
        let fencing = if on { Fencing::On } else { Fencing::Off };
        let scenario = parse(&text(&script), fencing);
        let explored = explore(&scenario, Limits::DEFAULT).unwrap();
        let listed = list(&scenario);
        prop_assert_eq!(counts(&explored), naive_counts(&listed));

        let corrupted = listed.into_iter().filter(|one| naively_corrupted(&one.events));
        let lines = |steps: &[ScriptStep]| steps.iter().map(|step| step.line).collect::<Vec<_>>();
        let first = corrupted.map(|one| lines(&one.steps)).min();
        prop_assert_eq!(explored.counterexample.map(|steps| lines(&steps)), first);
    }

    #[test]
    fn every_interleaving_run_as_a_script_has_the_same_verdict(
        script in scripts_with_answers(1..=6),
        on in any::<bool>(),
    ) {
        let fencing = if on { Fencing::On } else { Fencing::Off };
        let scenario = parse(&text(&script), fencing);
        for Interleaving { steps, events, .. } in list(&scenario) {
            if steps.is_empty() {
                continue;
            }
            let printed = Scenario { steps, ..scenario.clone() }.to_string();
            let run = run(&Scenario::parse(&printed).unwrap()).unwrap();
            prop_assert_eq!(naively_corrupted(&run.events), naively_corrupted(&events));
        }
    }

    #[test]
    fn both_settings_have_the_same_interleavings_and_a_guard_corrupts_none(
        script in any_scripts(1..=12, |form| !HAS_TWO_WAYS.iter().any(|word| form.contains(word))),
    ) {
        let [off, on] = [Fencing::Off, Fencing::On].map(|fencing| explored(&text(&script), fencing));
        prop_assert_eq!(off.interleavings, on.interleavings);
        prop_assert_eq!(off.cut_short, on.cut_short);
        prop_assert!(on.corrupted <= off.corrupted);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_settings_have_the_same_interleavings_however_values_are_preferred(
        script in any_scripts(1..=9, |form| {
            !["if unchanged", "hears"].iter().any(|word| form.contains(word))
        }),
    ) {
        let [off, on] = [Fencing::Off, Fencing::On].map(|fencing| explored(&text(&script), fencing));
        prop_assert_eq!(off.interleavings, on.interleavings);
        prop_assert_eq!(off.cut_short, on.cut_short);
    }
}

/// Each client writes once under its lease, pauses past its expiry, wakes and writes again.
fn zombies(clients: usize) -> String {
    let mut lines = Vec::new();
    for client in 1..=clients {
        for step in [
            " acquires the lease",
            " writes 'first'",
            " pauses",
            "'s lease expires",
        ] {
            lines.push(format!("c{client}{step}\n"));
        }
    }
    for client in 1..=clients {
        for step in [" wakes", " writes 'late'"] {
            lines.push(format!("c{client}{step}\n"));
        }
    }
    lines.concat()
}

#[test]
fn one_stale_grant_is_as_stale_as_another() {
    let limits = Limits {
        states: 28_000,
        ..Limits::DEFAULT
    };
    let counts = |fencing| {
        let explored = explore(&parse(&zombies(4), fencing), limits);
        counts(&explored.unwrap())
    };
    // These counts were found with all grants told apart, in four times as many states.
    let all = 834_566_040_000;
    let unfenced = [all, 834_564_214_488, 1_810_512, 0, 0];
    assert_eq!(counts(Fencing::Off), unfenced);
    assert_eq!(counts(Fencing::On), [all, 0, 484_026_991_560, 0, 0]);
}

#[test]
fn grants_that_something_can_tell_apart_are_not_taken_for_one() {
    // The last steps of each: whether a's or b's comes first, the older grant's or the newer one's,
    // makes the difference, though storage has accepted a write under a newer one.
    let under_way = "a acquires the lease;a's lease expires;b acquires the lease;b's lease expires;\
                     c acquires the lease;";
    for last in [
        "c writes 'c';storage forgets its max_token;a announces its token;b writes 'b'",
        "c writes 'c';a announces its token;b announces its token",
        "c announces its token;a writes 'a' past the guard;b writes 'b' past the guard",
        "c announces its token;a writes 'a' with token 99;b writes 'b' with token 99",
    ] {
        compare_with_naive(&format!("{under_way}{last}"));
    }
    let storages = format!("storages: s, t;{under_way}");
    for last in [
        "c writes 'c' to s;a writes 'a';b writes 'b'",
        "c writes 'c' to s;a writes 'a' to t;b writes 'b' to t",
        "c writes 'c' to s;b writes 'b' to t;a reads",
        "c writes 'c' to s;c writes 'c' to t past the guard;b announces its token;a writes 'a'",
    ] {
        compare_with_naive(&format!("{storages}{last}"));
    }
    // The answer is to a's first grant, and a has its second by then.
    compare_with_naive(
        "a acquires the lease;a's lease expires;b acquires the lease;b writes 'b';a writes 'a';\
         b releases the lease;a acquires the lease;a's lease expires;b acquires the lease;\
         b writes 'c';a hears storage's answer;a sends 'd';a's packet arrives",
    );
}

#[track_caller]
fn compare_with_naive(script: &str) {
    for fencing in [Fencing::Off, Fencing::On] {
        let scenario = parse(&script.replace(';', "\n"), fencing);
        let explored = explore(&scenario, Limits::DEFAULT).unwrap();
        let listed = list(&scenario);
        assert_eq!(counts(&explored), naive_counts(&listed), "{script}");
    }
}

/// The explorations of a built-in scenario, with fencing off and on.
fn built_in(number: usize) -> [Exploration; 2] {
    let scenario = BuiltIn::all().nth(number - 1).unwrap().scenario().unwrap();
    [Fencing::Off, Fencing::On]
        .map(|fencing| explore(&scenario.clone().with_fencing(fencing), Limits::DEFAULT).unwrap())
}

#[test]
fn the_counts_of_the_built_in_scenarios() {
    let both = |number| built_in(number).map(|explored| counts(&explored));
    assert_eq!(both(1), [[21, 10, 6, 1, 0], [21, 0, 6, 1, 0]]);
    assert_eq!(
        both(2),
        both(1),
        "the order of scenario 2 is that of scenario 1"
    );
    assert_eq!(both(4), [[72, 10, 12, 37, 0], [72, 0, 12, 37, 0]]);
    let blocked = [Blocked::LeaseHeld, Blocked::ClientOff].into();
    assert_eq!(built_in(4)[0].blocked, blocked);
    for number in BuiltIn::all().map(BuiltIn::number) {
        let [unfenced, fenced] = both(number);
        let scenario = BuiltIn::all().nth(number - 1).unwrap().scenario().unwrap();
        for (fencing, counts) in [(Fencing::Off, unfenced), (Fencing::On, fenced)] {
            let listed = list(&scenario.clone().with_fencing(fencing));
            assert_eq!(counts, naive_counts(&listed), "scenario {number}");
        }
        let sound = ![9, 10, 11, 24, 29, 32].contains(&number);
        assert_eq!(fenced[1] == 0, sound, "scenario {number}: {fenced:?}");
    }
}

#[test]
fn why_an_interleaving_was_cut_short() {
    let blocked = |script: &str| explored(&script.replace(';', "\n"), Fencing::On).blocked;
    let only = |blocked: Blocked| [blocked].into();
    assert_eq!(
        blocked("a acquires the lease;a releases the lease;b acquires the lease"),
        only(Blocked::LeaseHeld)
    );
    assert_eq!(
        blocked("a pauses;a is powered off"),
        only(Blocked::ClientOff)
    );
    assert_eq!(
        blocked("tokens: 7;a acquires the lease;b acquires the lease;a's lease expires"),
        [Blocked::LeaseHeld, Blocked::OutOfTokens].into()
    );
    assert_eq!(
        blocked(
            "tokens: 7;a acquires the lease;a is powered off;b pauses;a's lease expires;\
                 a acquires the lease"
        ),
        [Blocked::ClientOff].into()
    );
    assert_eq!(
        blocked("a sends 'x';a's packet arrives;a is powered off"),
        only(Blocked::ClientOff)
    );
    assert_eq!(
        blocked("a is powered off;a wakes"),
        only(Blocked::ClientOff)
    );
    assert_eq!(
        blocked("a sends 'x';a sends 'y';a's packet 'x' arrives;a's packet arrives"),
        only(Blocked::NoPacket)
    );
    assert_eq!(
        blocked(
            "a acquires the lease;the lock service forgets its holder;a acquires the lease;\
                 a's lease expires"
        ),
        only(Blocked::NoLease)
    );
    assert!(blocked("a pauses;b pauses").is_empty());
}

#[test]
fn the_first_corrupted_can_be_saved_and_run() {
    for (number, fencing) in [(1, "off"), (4, "off"), (9, "off"), (9, "on"), (11, "on")] {
        let survey = Program::line(&format!("--scenario {number} --explore")).stdout();
        let blocks = survey.split("\n\n");
        let header = format!("\nfencing: {fencing}\n");
        let script = blocks
            .into_iter()
            .find(|block| block.contains(&header))
            .unwrap();
        let transcript = Program::line("--script -").input(script).stdout();
        assert!(transcript.contains("\n  >> CORRUPTED: "), "{script}");
    }
}

#[test]
fn an_order_that_is_an_error_is_reported_as_a_run_does() {
    Program::line("--script - --explore").input("a pauses\na pauses\n").fails(
        1,
        "error: standard input:2: impossible step \"a pauses\": a is paused; expected \"a wakes\" \
         before it\n",
    );
}

#[test]
fn a_script_with_nothing_to_interleave_has_one_interleaving() {
    let survey = Program::line("--script - --explore")
        .input("a cannot be powered off")
        .stdout();
    assert!(
        survey.contains("\nfencing off: 1 interleaving, 0 CORRUPTED\n"),
        "{survey}"
    );
}

/// Two threads of so many steps each.
fn two_threads(steps: usize) -> String {
    ["a", "b"]
        .map(|client| format!("{client} pauses\n{client} wakes\n").repeat(steps / 2))
        .concat()
}

#[test]
fn counts_are_exact_as_far_as_128_bits_go() {
    // 128 over 64, and 132 over 66, which is more than 2^128.
    let many: u128 = 23_951_146_041_928_082_866_135_587_776_380_551_750;
    assert_eq!(explored(&two_threads(64), Fencing::On).interleavings, many);
    Program::line("--script - --explore")
        .input(two_threads(66))
        .fails(
            1,
            "error: standard input: more than 2^128 interleavings: the count is too large, not the \
         work; expected a script with fewer steps that can come in any order\n",
        );
}

#[test]
fn an_exploration_gives_up_at_its_limits() {
    let clients = |count: usize| -> String {
        (0..count)
            .map(|client| format!("client{client} pauses\n"))
            .collect()
    };
    let limits = Limits {
        states: 1000,
        bytes: 1 << 20,
        work: 1 << 30,
    };
    let explore = |script: &str| explore(&parse(script, Fencing::Off), limits);
    assert!(explore(&clients(9)).is_ok(), "2^9 states");
    let exactly = Limits {
        states: 1 << 9,
        ..limits
    };
    assert!(fencing_demo::explore::explore(&parse(&clients(9), Fencing::Off), exactly).is_ok());
    let too_many = |count| {
        Err(GivenUp::TooManyStates {
            steps: count,
            threads: count,
            limits,
        })
    };
    assert_eq!(explore(&clients(10)), too_many(10), "2^10 states");
    assert_eq!(
        explore(&clients(2000)),
        too_many(2000),
        "few states, but large ones"
    );
    assert_eq!(
        GivenUp::TooManyStates {
            steps: 36,
            threads: 12,
            limits: Limits::DEFAULT
        }
        .to_string(),
        "36 steps in 12 threads come to more than 2,000,000 distinct states, 1,024 MiB of them, or \
         12 GiB of steps between them; expected fewer: leave out clients, or steps that do not matter"
    );
}

#[test]
fn the_size_of_the_states_is_limited_as_well_as_their_number() {
    // One thread, so few states; but each has all packets in flight.
    let sends = "a sends 'x'\n".repeat(200);
    let limits = Limits {
        states: 1000,
        bytes: 1 << 20,
        work: 1 << 30,
    };
    let given_up = explore(&parse(&sends, Fencing::Off), limits);
    assert_eq!(
        given_up,
        Err(GivenUp::TooManyStates {
            steps: 200,
            threads: 1,
            limits
        })
    );
}

#[test]
fn threads_that_cannot_move_are_work_too() {
    // 41 states and 40 steps, and at each state a thousand packets that are not in flight.
    let packets = (0..1000).map(|packet| format!("a's packet '{packet}' arrives\n"));
    let script = format!(
        "{}{}",
        "b pauses\nb wakes\n".repeat(20),
        packets.collect::<String>()
    );
    let given_up = |work| {
        let limits = Limits {
            work,
            ..Limits::DEFAULT
        };
        explore(&parse(&script, Fencing::Off), limits).is_err()
    };
    assert!(given_up(1 << 20));
    assert!(!given_up(1 << 24));
}

#[test]
fn whether_an_exploration_gives_up_does_not_depend_on_the_order_of_independent_lines() {
    let sends = "a sends 'x'\n".repeat(40);
    let pauses: String = (1..=5)
        .map(|client| format!("c{client} pauses\n"))
        .collect();
    let orders = [format!("{sends}{pauses}"), format!("{pauses}{sends}")];
    let answered = |order: &str, bytes, work| {
        let limits = Limits {
            states: 100_000,
            bytes,
            work,
        };
        explore(&parse(order, Fencing::Off), limits).is_ok()
    };
    let mut answers = BTreeSet::new();
    for size in (14..30).map(|power| 1 << power) {
        for (bytes, work) in [(size, usize::MAX), (usize::MAX, size)] {
            let [one, other] = [&orders[0], &orders[1]].map(|order| answered(order, bytes, work));
            assert_eq!(one, other, "{bytes} bytes, {work} of work");
            answers.insert(one);
        }
    }
    assert_eq!(answers.len(), 2, "some limits suffice, and some do not");
}

#[test]
fn packets_of_many_clients_tell_states_apart() {
    // Seven clients in every order: only the grants of the packets tell the orders apart, and what
    // they hash to. With one hash for all this would take minutes.
    let script: String = (1..=7)
        .map(|client| {
            format!(
                "c{client} acquires the lease\nc{client} sends 'x'\nc{client} releases the lease\n"
            )
        })
        .collect();
    let explored = explored(&script, Fencing::On);
    assert_eq!(explored.interleavings, 5040, "7 factorial");
    assert!(explored.states > 5040);
}

#[test]
fn nothing_recurses_and_the_cost_grows_with_the_states() {
    let explored = explored(
        &two_threads(2000).replace("b pauses\nb wakes\n", ""),
        Fencing::On,
    );
    assert_eq!((explored.interleavings, explored.states), (1, 2001));
    let [unfenced, fenced] = built_in(1);
    assert!(unfenced.states < 25 && fenced.states < 25);
    // What storage holds makes no difference.
    assert_eq!(explored_states("a writes 'x'\nb writes 'y'\n"), 4);
}

fn explored_states(script: &str) -> u32 {
    explored(script, Fencing::Off).states
}

/// Whether a stale write gets in in the script's own order, and the run is SAFE.
fn lets_stale_in(script: &str) -> bool {
    let scenario = parse(&script.replace(';', "\n"), Fencing::On);
    let verdict = run(&scenario).unwrap().verdict;
    matches!(verdict, Verdict::Safe(blemishes) if blemishes.stale_accepted)
}

#[test]
fn a_stale_write_that_got_in_counts_whatever_storage_had_seen() {
    let two = "a acquires the lease;a's lease expires;b acquires the lease";
    assert!(lets_stale_in(&format!("{two};a writes 'a'")));
    assert!(lets_stale_in(&format!(
        "tokens: 87, 34;{two};b announces its token;a writes 'a'"
    )));
    assert!(lets_stale_in(&format!(
        "{two};b announces its token;storage forgets its max_token;a writes 'a'"
    )));
    assert!(!lets_stale_in(&format!(
        "{two};b announces its token;a writes 'a'"
    )));
    // The newer token was heard and forgotten, or it is lower: in one interleaving more than before.
    let forgotten =
        format!("{two};b announces its token;storage forgets its max_token;a writes 'stale'");
    assert_eq!(
        explored(&forgotten.replace(';', "\n"), Fencing::On).stale_accepted,
        7
    );
    let unordered = format!("tokens: 34, 33;{two};b announces its token;a writes 'stale'");
    assert_eq!(
        explored(&unordered.replace(';', "\n"), Fencing::On).stale_accepted,
        2
    );
}
