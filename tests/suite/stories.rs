//! The built-in scenarios, judged by their events: blessing a golden file cannot bless a bug.

use fencing_demo::run::run;
use fencing_demo::script::Scenario;
use fencing_demo::script::built_in::BuiltIn;
use fencing_demo::world::event::Event;
use fencing_demo::world::storage_service::Fencing;

use crate::scripts::Told;

fn story(number: usize, fencing: Fencing) -> Told {
    let built_in = BuiltIn::all().nth(number - 1).unwrap();
    let scenario = built_in.scenario().unwrap().with_fencing(fencing);
    let run = run(&scenario).unwrap();
    Told { scenario, run }
}

/// Asserts which writes reached storage and how it took them, what it holds, and the verdict.
#[track_caller]
fn assert_story(
    (number, fencing): (usize, Fencing),
    writes: &[(&str, &str, &str)],
    contents: &str,
    corrupted: bool,
) {
    let told = story(number, fencing);
    assert_eq!(told.writes(), writes);
    assert_eq!(told.contents(), Some(contents));
    assert_eq!(told.is_corrupted(), corrupted);
}

const LIVE: (&str, &str, &str) = ("client2", "client2 data", "accepted");
const STALE_IN: (&str, &str, &str) = ("client1", "client1 stale data", "accepted");
const STALE_OUT: (&str, &str, &str) = ("client1", "client1 stale data", "lower token");

#[test]
fn unfenced_the_zombie_overwrites() {
    for number in [1, 2, 5, 7, 8, 10, 11, 14] {
        let told = story(number, Fencing::Off);
        assert_eq!(told.writes()[..2], [LIVE, STALE_IN], "scenario {number}");
        assert_eq!(
            told.contents(),
            Some("client1 stale data"),
            "scenario {number}"
        );
        assert!(told.is_corrupted(), "scenario {number}");
    }
}

#[test]
fn fenced_the_zombie_is_rejected() {
    for number in [1, 2, 5, 7, 8, 14] {
        assert_story(
            (number, Fencing::On),
            &[LIVE, STALE_OUT],
            "client2 data",
            false,
        );
    }
}

#[test]
fn grants_get_tokens_33_and_34() {
    let tokens = |event: &Event| match event {
        Event::Granted { grant, .. } => Some(grant.token.0),
        _ => None,
    };
    for number in (1..=14).filter(|number| ![9, 11].contains(number)) {
        let told = story(number, Fencing::On);
        let tokens: Vec<u64> = told.run.events.iter().filter_map(tokens).collect();
        assert_eq!(tokens, [33, 34], "scenario {number}");
    }
}

#[test]
fn a_delayed_packet_is_like_a_zombie() {
    for number in [3, 6] {
        let late = |outcome| ("client1", "client1 delayed data", outcome);
        let unfenced = [LIVE, late("accepted")];
        assert_story(
            (number, Fencing::Off),
            &unfenced,
            "client1 delayed data",
            true,
        );
        let fenced = [LIVE, late("lower token")];
        assert_story((number, Fencing::On), &fenced, "client2 data", false);
    }
}

#[test]
fn stonith_in_time_needs_no_guard() {
    assert_story((4, Fencing::Off), &[LIVE], "client2 data", false);
    assert_story((4, Fencing::On), &[LIVE], "client2 data", false);
    let nothing = |event: &&Event| matches!(event, Event::CameToNothing { .. });
    assert_eq!(
        story(4, Fencing::Off)
            .run
            .events
            .iter()
            .filter(nothing)
            .count(),
        2
    );
}

#[test]
fn checks_of_the_client_s_own_pass_on_stale_knowledge() {
    for number in [7, 8] {
        let told = story(number, Fencing::Off);
        let passed = |event: &Event| {
            matches!(
                event,
                Event::Checked {
                    outcome: Ok(()),
                    ..
                }
            )
        };
        assert!(told.run.events.iter().any(passed), "scenario {number}");
    }
}

#[test]
fn unordered_tokens_let_the_zombie_in_and_shut_the_leaseholder_out() {
    let more = |outcome| ("client2", "client2 more data", outcome);
    let fenced = [LIVE, STALE_IN, more("lower token")];
    assert_story((9, Fencing::On), &fenced, "client1 stale data", true);
    let unfenced = [LIVE, STALE_IN, more("accepted")];
    assert_story((9, Fencing::Off), &unfenced, "client2 more data", true);
}

#[test]
fn what_is_forgotten_lets_the_zombie_in() {
    for number in [10, 11] {
        assert_story(
            (number, Fencing::On),
            &[LIVE, STALE_IN],
            "client1 stale data",
            true,
        );
    }
}

#[test]
fn the_window_is_open_until_the_new_leaseholder_writes() {
    let again = |outcome| ("client1", "client1 stale again", outcome);
    let fenced = [STALE_IN, LIVE, again("lower token")];
    assert_story((12, Fencing::On), &fenced, "client2 data", false);
    let unfenced = [STALE_IN, LIVE, again("accepted")];
    assert_story((12, Fencing::Off), &unfenced, "client1 stale again", true);
}

#[test]
fn a_lease_given_back_leaves_a_packet_behind() {
    let data = |outcome| ("client1", "client1 data", outcome);
    let unfenced = [data("accepted"), LIVE, data("accepted")];
    assert_story((13, Fencing::Off), &unfenced, "client1 data", true);
    let fenced = [data("accepted"), LIVE, data("lower token")];
    assert_story((13, Fencing::On), &fenced, "client2 data", false);
}

#[test]
fn fencing_does_not_change_a_client_s_mind_but_asking_does() {
    let told = story(14, Fencing::On);
    let [.., woke, rejected, refused, held_back] = &told.run.events[..] else {
        panic!("too short")
    };
    assert!(matches!(
        woke,
        Event::Woke {
            stale_belief: true,
            ..
        }
    ));
    assert!(
        matches!(rejected, Event::Wrote(write) if write.answers.iter().all(|it| !it.is_accepted()))
    );
    assert!(matches!(refused, Event::RenewalRefused { .. }));
    assert!(matches!(held_back, Event::HeldBack { .. }));
}

#[test]
fn flipping_the_toggle_changes_nothing_but_the_toggle_and_the_title() {
    for built_in in BuiltIn::all() {
        let scenario = built_in.scenario().unwrap();
        assert_eq!(
            scenario.clone().with_fencing(scenario.headers.fencing),
            scenario
        );
        let flipped = match scenario.headers.fencing {
            Fencing::Off => scenario.clone().with_fencing(Fencing::On),
            Fencing::On => scenario.clone().with_fencing(Fencing::Off),
        };
        let switched = format!("fencing switched {}", flipped.headers.fencing.word());
        let title = scenario.headers.title.as_deref().unwrap();
        let title = if title.contains("fencing") {
            switched
        } else {
            format!("{title} ({switched})")
        };
        assert_eq!(flipped.headers.title.as_deref(), Some(title.as_str()));
        assert_eq!(
            flipped.headers.predict, None,
            "it may speak of a guard that is not there"
        );
        assert_eq!(flipped.steps, scenario.steps);
    }
    let [first, second] =
        [(1, Fencing::On), (2, Fencing::On)].map(|(number, fencing)| story(number, fencing));
    assert_eq!(
        first.run, second.run,
        "scenario 1 with fencing on is scenario 2's story"
    );
}

#[test]
fn only_a_title_that_speaks_of_fencing_is_replaced() {
    let flipped = |header: &str| {
        let scenario = Scenario::parse(&format!("{header}\na pauses")).unwrap();
        scenario.with_fencing(Fencing::On).headers.title.unwrap()
    };
    assert_eq!(&*flipped("title: no Fencing!"), "fencing switched on");
    assert_eq!(&*flipped(""), "fencing switched on");
    assert_eq!(
        &*flipped("title: unfenced, self-fencing2"),
        "unfenced, self-fencing2 (fencing switched on)"
    );
}
