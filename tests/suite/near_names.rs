//! A slip in a name: a note on standard error, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fencing_demo::script::Scenario;
use fencing_demo::script::built_in::BuiltIn;
use fencing_demo::script::near_name::{is_slip, near_names};
use proptest::prelude::*;

use crate::program::Program;

/// Scenario 1, its last write by somebody else.
const SLIPPED: &str = "client1 acquires the lease\n\
                       client1's lease expires\n\
                       client2 acquires the lease\n\
                       client2 writes 'client2 data'\n\
                       clinet1 writes 'client1 stale data'\n";
const NOTE: &str = "note: clinet1 never asks for the lease; did you mean client1?\n";

#[test]
fn a_slip_is_noted_once_and_changes_nothing_else() {
    let right = SLIPPED.replace("clinet1", "client1");
    for options in [
        "",
        "--fencing on",
        "--fencing both",
        "--explore",
        "--explore --fencing both",
        "--format script",
        "--expect corrupted --fencing off",
    ] {
        let run = |script: &str| Program::line(&format!("--script - {options}")).input(script);
        run(&right).stdout();
        let printed = run(SLIPPED).says(NOTE).stdout();
        assert!(printed.contains("clinet1 writes"), "{options}: {printed}");
    }
}

#[test]
fn a_slip_is_noted_before_the_question() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("slipped.script");
    fs::write(&path, SLIPPED).unwrap();
    let stepped = Program::new(["--step", "--script", path.to_str().unwrap()]);
    let (_, said) = stepped.output();
    assert!(
        said.starts_with(&format!("{NOTE}SCRIPT slipped.script")),
        "{said}"
    );
    assert_eq!(said.matches("note: ").count(), 1);
}

#[test]
fn a_slip_is_noted_before_an_error() {
    Program::line("--script -")
        .input("client1 acquires the lease\nclient1 pauses\nclinet1 wakes\n")
        .fails(
            1,
            "note: clinet1 never asks for the lease; did you mean client1?\n\
             error: standard input:3: impossible step \"clinet1 wakes\": clinet1 is running; expected \
             \"clinet1 pauses\" before it\n",
        );
}

#[test]
fn every_slip_is_noted() {
    Program::line("--script -")
        .input("alice acquires the lease\nbob2 acquires the lease\nalcie pauses\nBob2 pauses\n")
        .says(
            "note: alcie never asks for the lease; did you mean alice?\n\
             note: Bob2 never asks for the lease; did you mean bob2?\n",
        )
        .stdout();
}

#[test]
fn whoever_asks_or_is_called_otherwise_is_meant() {
    for script in [
        // It asks for itself.
        "client1 acquires the lease\nclinet1 acquires the lease",
        "client1 acquires the lease\nclient2 writes 'x'",
        "leader acquires the lease\nstandby writes 'x'",
        // Nobody asks.
        "client1 writes 'x'\nclinet1 writes 'x'",
        // The one that is near does not.
        "client1 writes 'x'\nclinet1 writes 'x'\nleader acquires the lease",
    ] {
        Program::line("--script -").input(script).stdout();
    }
}

#[test]
fn no_built_in_scenario_has_one() {
    for built_in in BuiltIn::all() {
        assert_eq!(near_names(&built_in.scenario().unwrap()), []);
    }
}

#[test]
fn a_script_with_very_many_clients_is_not_slow() {
    let steps = (0..100_000_u32).map(|number| {
        let letters =
            (0..4).map(|place| b'a' + u8::try_from(number / 26_u32.pow(place) % 26).unwrap());
        let name = String::from_utf8(letters.collect()).unwrap();
        format!(
            "{name} {}\n",
            if number % 2 == 0 {
                "reads"
            } else {
                "acquires the lease"
            }
        )
    });
    let scenario = Scenario::parse(&steps.collect::<String>()).unwrap();
    assert_eq!(near_names(&scenario), []);
}

#[test]
fn what_is_a_slip() {
    for (name, meant) in [
        ("clinet2", "client2"),
        ("cleint2", "client2"),
        ("lcient2", "client2"),
        ("cient2", "client2"),
        ("lient2", "client2"),
        ("clieent2", "client2"),
        ("cclient2", "client2"),
        ("cliemt2", "client2"),
        ("dlient2", "client2"),
        ("Client2", "client2"),
        ("CLIENT2", "client2"),
        ("leade", "leader"),
        ("leaderr", "leader"),
        ("leadre", "leader"),
        ("reader", "leader"),
        ("jon", "john"),
        ("A", "a"),
    ] {
        assert!(is_slip(name, meant), "{name} for {meant}");
    }
    for (name, meant) in [
        // It is itself.
        ("client2", "client2"),
        // Digits tell clients apart.
        ("client1", "client2"),
        ("client", "client2"),
        ("client22", "client2"),
        ("client12", "client21"),
        ("clien2t", "client2"),
        ("c1ient2", "client2"),
        ("clientx", "client2"),
        // No letter.
        ("node1", "node-1"),
        ("node_1", "node-1"),
        // A letter that is not doubled, but new.
        ("clients2", "client2"),
        ("leaders", "leader"),
        // Too short.
        ("bbo", "bob"),
        ("bo", "bob"),
        ("bobb", "bob"),
        ("b", "a"),
        // Two slips.
        ("clinte2", "client2"),
        ("Clinet2", "client2"),
        ("eladre", "leader"),
        ("clnt2", "client2"),
        ("standby", "leader"),
    ] {
        assert!(!is_slip(name, meant), "{name} for {meant}");
    }
}

/// All that becomes of a name by a slip, by the letter.
fn slips(meant: &str) -> BTreeSet<String> {
    let letters: Vec<char> = meant.chars().collect();
    let mut slips = BTreeSet::new();
    if letters.len() >= 4 {
        for (at, letter) in letters.iter().enumerate() {
            if letter.is_ascii_digit() {
                continue;
            }
            let (before, behind) = (&letters[..at], &letters[at + 1..]);
            slips.insert([before, behind].concat());
            slips.insert([before, &[*letter, *letter], behind].concat());
            for other in 'a'..='z' {
                slips.insert([before, &[other], behind].concat());
                slips.insert([before, &[other.to_ascii_uppercase()], behind].concat());
            }
            if let Some((next, behind)) = behind.split_first()
                && !next.is_ascii_digit()
            {
                slips.insert([before, &[*next, *letter], behind].concat());
            }
        }
    }
    // Each letter in either case.
    let cases = (0..1_u32 << letters.len()).map(|upper| {
        let cased = letters.iter().enumerate().map(|(at, letter)| {
            if upper & 1 << at == 0 {
                letter.to_ascii_lowercase()
            } else {
                letter.to_ascii_uppercase()
            }
        });
        cased.collect()
    });
    slips.extend(cases);
    slips.remove(&letters);
    slips.into_iter().map(String::from_iter).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_slip_is_what_becomes_of_a_name(meant in "[abAB][ab12]{0,6}", names in prop::collection::vec("[abAB][ab12]{0,7}", 20)) {
        let slips = slips(&meant);
        for slip in &slips {
            prop_assert!(is_slip(slip, &meant), "{} for {}", slip, meant);
        }
        for name in names {
            prop_assert_eq!(is_slip(&name, &meant), slips.contains(&name), "{} for {}", name, meant);
        }
    }
}
