//! The built-in scenarios, judged by their events: blessing a golden file cannot bless a bug.

use fencing_demo::explore::{Limits, explore};
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
fn grants_get_tokens_33_34_and_so_on_unless_a_scenario_is_about_that() {
    let tokens = |event: &Event| match event {
        Event::Granted { grant, .. } => Some(grant.token.0),
        _ => None,
    };
    for number in BuiltIn::all().map(BuiltIn::number) {
        let told = story(number, Fencing::On);
        let tokens: Vec<u64> = told.run.events.iter().filter_map(tokens).collect();
        let counted = 33_u64..33 + tokens.len() as u64;
        let is_sound = tokens.iter().copied().eq(counted);
        assert_eq!(
            is_sound,
            ![9, 11, 29].contains(&number),
            "scenario {number}"
        );
        assert!(!tokens.is_empty(), "scenario {number}");
    }
}

/// The verdicts of the rest of the section and of the incidents, with fencing off and on: whether
/// storage is CORRUPTED, and what the first storage holds at the end.
#[test]
fn what_the_rest_of_the_section_and_the_incidents_come_to() {
    for (number, off, on) in [
        (15, (true, "client1 stale data"), (false, "client2 data")),
        (16, (false, ""), (false, "")),
        (17, (true, "client1 more data"), (false, "client2 data")),
        (
            18,
            (false, "stock 9, sold one"),
            (false, "stock 9, sold one"),
        ),
        (19, (false, "client2 data"), (false, "client2 data")),
        (20, (true, "client1 data"), (false, "client2 data")),
        (21, (true, "client1 stale data"), (false, "client2 data")),
        (22, (true, "album 1"), (false, "album 2")),
        (23, (true, "client1 stale data"), (false, "client2 data")),
        (24, (true, "client1 more data"), (true, "forged data")),
        (25, (true, "client1 data"), (false, "client2 data")),
        (
            26,
            (true, "last status by the standby"),
            (false, "status by the leader"),
        ),
        (
            27,
            (false, "log entry 7 of client2"),
            (false, "log entry 7 of client2"),
        ),
        (28, (false, "value 1"), (false, "value 1")),
        (29, (true, "before the lapse"), (true, "before the lapse")),
        (30, (false, "client2 data"), (false, "client2 data")),
        (
            31,
            (false, "one order, shipped"),
            (false, "one order, shipped"),
        ),
        (
            32,
            (true, "owner: client2, still"),
            (true, "owner: client2, still"),
        ),
    ] {
        for (fencing, expected) in [(Fencing::Off, off), (Fencing::On, on)] {
            let told = story(number, fencing);
            let found = (told.is_corrupted(), told.contents().unwrap_or_default());
            assert_eq!(found, expected, "scenario {number}, {fencing:?}");
        }
    }
}

/// Of every interleaving, with fencing off and on: how many there are, and how many are CORRUPTED.
#[test]
fn what_every_other_order_of_their_steps_comes_to() {
    for (number, interleavings, off, on) in [
        (15, 128, 30, 0),
        (16, 66, 3, 0),
        (17, 57, 35, 0),
        (18, 71, 35, 0),
        (19, 71, 1, 0),
        (20, 211, 50, 0),
        (21, 163, 80, 0),
        (22, 71, 35, 0),
        (23, 73, 13, 0),
        (24, 4, 2, 2),
        (30, 47, 14, 0),
    ] {
        for (fencing, corrupted) in [(Fencing::Off, off), (Fencing::On, on)] {
            let explored = explore(&story(number, fencing).scenario, Limits::DEFAULT).unwrap();
            let found = (explored.interleavings, explored.corrupted);
            assert_eq!(
                found,
                (interleavings, corrupted),
                "scenario {number}, {fencing:?}"
            );
        }
    }
}

#[test]
fn every_storage_holds_what_the_last_story_with_several_says() {
    let all = |number, fencing| {
        let told = story(number, fencing);
        let contents = told.run.contents.iter();
        contents
            .map(|data| told.scenario.names.data(data.unwrap()).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(all(21, Fencing::On), ["client2 data"; 3]);
    assert_eq!(all(22, Fencing::On), ["album 2", "album 1"]);
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
