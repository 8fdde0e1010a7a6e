//! What a beginner's script goes wrong in, and what is said to it. Every message stands here in full.

use std::fmt::Write;

use fencing_demo::script::Scenario;
use fencing_demo::script::built_in::BuiltIn;
use fencing_demo::text::{is_forbidden, quoted};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::program::Program;

/// Asserts what is said of each script. What is said is indented, below its script.
#[track_caller]
fn assert_said(scripts: &str) {
    let mut script = String::new();
    let mut differences = String::new();
    for line in scripts.lines().filter(|line| !line.is_empty()) {
        let Some(expected) = line.strip_prefix("    ") else {
            script += line;
            script += "\n";
            continue;
        };
        let said = Scenario::parse(&script).map_err(|error| error.to_string());
        if said.as_ref().err().map(String::as_str) != Some(expected) {
            writeln!(differences, "{script}    {said:?}").unwrap();
        }
        script.clear();
    }
    assert!(script.is_empty() && differences.is_empty(), "{differences}");
}

/// Asserts what the program says of a script on standard input.
#[track_caller]
fn assert_error(script: &str, message: &str) {
    let error = format!("error: standard input:{message}\n");
    Program::line("--script -").input(script).fails(1, error);
}

#[test]
fn a_space_in_a_name() {
    assert_said(
        r#"
client 1 pauses
    1: space in a name in "client 1 pauses": expected "client1 pauses"
client 1's lease expires
    1: space in a name in "client 1's lease expires": expected "client1's lease expires"
client 1 writes 'x  y'
    1: space in a name in "client 1 writes 'x  y'": expected "client1 writes 'x  y'"
node A pauses
    1: space in a name in "node A pauses": expected "nodeA pauses"
client #1 pauses
    1: space in a name in "client #1 pauses": expected "client1 pauses"
client one acquires the lease
    1: space in a name in "client one acquires the lease": expected "client-one acquires the lease"
storages: r1, r2
client1 writes 'x' to r 1 and r 2 if unchanged
    2: space in a name in "client1 writes 'x' to r 1 and r 2 if unchanged": expected "client1 writes 'x' to r1 and r2 if unchanged"
"#,
    );
}

#[test]
fn quotes_that_are_not_straight() {
    assert_said(
        r#"
client1’s lease expires
    1: curly quote "’" in "client1’s lease expires": expected "client1's lease expires", with straight quotes
client1´s packet arrives
    1: quote "´" in "client1´s packet arrives": expected "client1's packet arrives", with straight quotes
client1 writes ‘x’
    1: curly quote "‘" in "client1 writes ‘x’": expected "client1 writes 'x'", with straight quotes
client1 writes “it's mine”
    1: curly quote "“" in "client1 writes “it's mine”": expected "client1 writes 'it's mine'", with straight quotes
client1 writes `x`
    1: quote "`" in "client1 writes `x`": expected "client1 writes 'x'", with straight quotes
client1's packet «x» arrives
    1: quote "«" in "client1's packet «x» arrives": expected "client1's packet 'x' arrives", with straight quotes
"#,
    );
}

#[test]
fn double_quotes() {
    assert_said(
        r#"
client1 writes "x"
    1: double quotes in "client1 writes \"x\"": expected "client1 writes 'x'", with single quotes
client1 writes "it's  # mine"
    1: double quotes in "client1 writes \"it's  # mine\"": expected "client1 writes 'it's  # mine'", with single quotes
client1's packet "x" arrives
    1: double quotes in "client1's packet \"x\" arrives": expected "client1's packet 'x' arrives", with single quotes
"#,
    );
}

#[test]
fn quotes_around_a_step() {
    assert_said(
        r#"
"client1 pauses"
    1: quotes around "\"client1 pauses\"": expected "client1 pauses", without them
'client1 pauses'
    1: quotes around "'client1 pauses'": expected "client1 pauses", without them
`client1 writes 'x'`
    1: quotes around "`client1 writes 'x'`": expected "client1 writes 'x'", without them
"#,
    );
}

#[test]
fn a_comment_behind_a_step() {
    assert_said(
        r#"
client1 pauses # like this
    1: comment at the end of "client1 pauses # like this": expected "client1 pauses", and the comment on a line of its own
client1 writes 'x' # it's a comment
    1: comment at the end of "client1 writes 'x' # it's a comment": expected "client1 writes 'x'", and the comment on a line of its own
client1 writes "x" # like this
    1: comment at the end of "client1 writes \"x\" # like this": expected "client1 writes 'x'", and the comment on a line of its own
client1 writes 'it's # x' # like this
    1: comment at the end of "client1 writes 'it's # x' # like this": expected "client1 writes 'it's # x'", and the comment on a line of its own
client 1 pauses # like this
    1: comment at the end of "client 1 pauses # like this": expected "client1 pauses", and the comment on a line of its own
"#,
    );
}

#[test]
fn a_comment_of_another_language() {
    assert_said(
        r#"
// like this
    1: unknown step "// like this": expected a comment to begin with #
"#,
    );
}

#[test]
fn characters_that_cannot_be_seen() {
    assert_said(
        "\
client1\u{a0}pauses
    1: invisible character \"\\u{a0}\" in \"client1\\u{a0}pauses\": expected \"client1 pauses\", with plain blanks
client1 pauses\u{200b}
    1: invisible character \"\\u{200b}\" in \"client1 pauses\\u{200b}\": expected \"client1 pauses\", with plain blanks
client1 writes\u{3000}'a\u{a0}b'
    1: invisible character \"\\u{3000}\" in \"client1 writes\\u{3000}'a\\u{a0}b'\": expected \"client1 writes 'a b'\", with plain blanks
",
    );
}

#[test]
fn what_stands_before_a_step() {
    assert_said(
        r#"
1. client1 pauses
    1: "1." before the step in "1. client1 pauses": expected "client1 pauses"
(2) client1 pauses
    1: "(2)" before the step in "(2) client1 pauses": expected "client1 pauses"
- client1 pauses
    1: "-" before the step in "- client1 pauses": expected "client1 pauses"
then client1 pauses
    1: "then" before the step in "then client1 pauses": expected "client1 pauses"
Step 1: client1 pauses
    1: "Step 1:" before the step in "Step 1: client1 pauses": expected "client1 pauses"
step: client1 pauses
    1: "step:" before the step in "step: client1 pauses": expected "client1 pauses"
1: client1 pauses
    1: "1:" before the step in "1: client1 pauses": expected "client1 pauses"
client1 pauses
slowly client1 wakes
    2: "slowly" before the step in "slowly client1 wakes": expected "client1 wakes"
"#,
    );
}

#[test]
fn a_colon_behind_a_name() {
    assert_said(
        r#"
client1: pauses
    1: colon in "client1: pauses": expected "client1 pauses"
"#,
    );
}

#[test]
fn what_stands_within_a_step() {
    assert_said(
        r#"
client1 then pauses
    1: unknown step "client1 then pauses": expected "client1 pauses"
client1 pauses
client1 slowly wakes
    2: unknown step "client1 slowly wakes": expected "client1 wakes"
"#,
    );
}

#[test]
fn what_stands_behind_a_step() {
    assert_said(
        r#"
client1 pauses.
    1: "." at the end of "client1 pauses.": expected "client1 pauses"
client1 writes 'x';
    1: ";" at the end of "client1 writes 'x';": expected "client1 writes 'x'"
client1 pauses for ten seconds
    1: too much in "client1 pauses for ten seconds": expected "client1 pauses", with nothing behind it: one step a line
client1 pauses pauses
    1: too much in "client1 pauses pauses": expected "client1 pauses", with nothing behind it: one step a line
client1 acquires the lease and pauses
    1: too much in "client1 acquires the lease and pauses": expected "client1 acquires the lease", with nothing behind it: one step a line
client1 pauses, client2 acquires the lease
    1: too much in "client1 pauses, client2 acquires the lease": expected "client1 pauses", with nothing behind it: one step a line
client1 writes 'x' now
    1: too much in "client1 writes 'x' now": expected "client1 writes 'x'", with nothing behind it: one step a line
client1 reads 'x'
    1: too much in "client1 reads 'x'": expected "client1 reads", with nothing behind it: one step a line
client1 writes 'x' to
    1: too much in "client1 writes 'x' to": expected "client1 writes 'x'", with nothing behind it: one step a line
client1 writes 'x' to storage and
    1: too much in "client1 writes 'x' to storage and": expected "client1 writes 'x' to storage", with nothing behind it: one step a line
"#,
    );
}

#[test]
fn a_step_in_other_words() {
    assert_said(
        r#"
client1 gets the lease
    1: unknown step "client1 gets the lease": expected "client1 acquires the lease" (granted, unless another client holds it)
client1 takes the lock
    1: unknown step "client1 takes the lock": expected "client1 acquires the lease" (granted, unless another client holds it)
client1 grabs a lease
    1: unknown step "client1 grabs a lease": expected "client1 acquires the lease" (granted, unless another client holds it)
client1 acquires the lock
    1: unknown step "client1 acquires the lock": expected "client1 acquires the lease" (granted, unless another client holds it)
client1 acquires
    1: unknown step "client1 acquires": expected "client1 acquires the lease" (granted, unless another client holds it)
client1 loses its lease
    1: unknown step "client1 loses its lease": expected "client1's lease expires" (the lock service takes the lease back)
client1 times out
    1: unknown step "client1 times out": expected "client1's lease expires" (the lock service takes the lease back)
client1's lease times out
    1: unknown step "client1's lease times out": expected "client1's lease expires" (the lock service takes the lease back)
client1 unlocks
    1: unknown step "client1 unlocks": expected "client1 releases the lease" (gives it back, and forgets it)
client1 freezes
    1: unknown step "client1 freezes": expected "client1 pauses" (its process stops, for a GC, say) or "client1 is suspended" (its machine sleeps, the clock included)
client1 stops
    1: unknown step "client1 stops": expected "client1 pauses" (its process stops, for a GC, say) or "client1 is suspended" (its machine sleeps, the clock included)
client1 hangs
    1: unknown step "client1 hangs": expected "client1 pauses" (its process stops, for a GC, say) or "client1 is suspended" (its machine sleeps, the clock included)
client1 sleeps
    1: unknown step "client1 sleeps": expected "client1 pauses" (its process stops, for a GC, say) or "client1 is suspended" (its machine sleeps, the clock included)
client1 goes to sleep
    1: unknown step "client1 goes to sleep": expected "client1 pauses" (its process stops, for a GC, say) or "client1 is suspended" (its machine sleeps, the clock included)
client1 is paused
    1: unknown step "client1 is paused": expected "client1 pauses" (its process stops, for a GC, say) or "client1 is suspended" (its machine sleeps, the clock included)
client1 wakes up
    1: unknown step "client1 wakes up": expected "client1 wakes" (its process goes on)
client1 crashes
    1: unknown step "client1 crashes": expected "client1 is powered off" (does nothing of its own from here on)
client1 dies
    1: unknown step "client1 dies": expected "client1 is powered off" (does nothing of its own from here on)
client1 saves 'x' to storage
    1: unknown step "client1 saves 'x' to storage": expected "client1 writes 'x' to storage" (reaches storage at once)
client1 writes 'x' unless it has changed
    1: unknown step "client1 writes 'x' unless it has changed": expected "client1 writes 'x' if unchanged" (only if nobody else wrote since C looked)
storage restarts
    1: unknown step "storage restarts": expected "storage forgets its max_token" (it no longer knows its highest token)
storages: a, b
a crashes
    2: unknown step "a crashes": expected "a forgets its max_token" (it no longer knows its highest token)
the lock service restarts
    1: unknown step "the lock service restarts": expected "the lock service forgets its counter" (it counts from the first token again) or "the lock service forgets its holder" (the lease is free, and no client hears)
lock service crashes
    1: unknown step "lock service crashes": expected "the lock service forgets its counter" (it counts from the first token again) or "the lock service forgets its holder" (the lease is free, and no client hears)
"#,
    );
}

#[test]
fn two_mistakes_at_once() {
    assert_said(
        r#"
client1 writes “x” now
    1: curly quote "“" in "client1 writes “x” now": expected "client1 writes 'x'", with nothing behind it: one step a line, with straight quotes
Client 1 gets the lease.
    1: "." at the end of "Client 1 gets the lease.": expected "Client1 acquires the lease" (granted, unless another client holds it)
client 1 writes “x” # like this
    1: comment at the end of "client 1 writes “x” # like this": expected "client1 writes 'x'", and the comment on a line of its own
1. client 1 aquires the lease
    1: "1." before the step in "1. client 1 aquires the lease": expected "client1 acquires the lease"
"#,
    );
}

#[test]
fn capital_letters() {
    assert_said(
        r#"
client1 WAKES
    1: capital letters in "client1 WAKES": expected "client1 wakes"
client1 Acquires The Lease
    1: capital letters in "client1 Acquires The Lease": expected "client1 acquires the lease"
The lock service forgets its counter
    1: capital letters in "The lock service forgets its counter": expected "the lock service forgets its counter"
"#,
    );
}

#[test]
fn a_name_that_is_missing() {
    assert_said(
        r#"
acquires the lease
    1: missing name in "acquires the lease": expected "C acquires the lease", where C is a client
writes 'x'
    1: missing name in "writes 'x'": expected "C writes 'x'", where C is a client
's lease expires
    1: missing name in "'s lease expires": expected "C's lease expires", where C is a client
lease expires
    1: missing name in "lease expires": expected "C's lease expires", where C is a client
the lease expires
    1: missing name in "the lease expires": expected "C's lease expires", where C is a client
is powered off
    1: missing name in "is powered off": expected "C is powered off", where C is a client
storages: a, b
reads from a
    2: missing name in "reads from a": expected "C reads from a", where C is a client
"#,
    );
}

#[test]
fn an_apostrophe_that_is_missing() {
    assert_said(
        r#"
client1 lease expires
    1: missing "'s" in "client1 lease expires": expected "client1's lease expires"
client1s packet arrives
    1: missing "'s" in "client1s packet arrives": expected "client1's packet arrives"
alices clock runs slow
    1: missing "'s" in "alices clock runs slow": expected "alice's clock runs slow" or "alices's clock runs slow"
client1' lease expires
    1: missing "'s" in "client1' lease expires": expected "client1's lease expires"
alices pauses
alices lease expires
    2: missing "'s" in "alices lease expires": expected "alices's lease expires"
"#,
    );
}

#[test]
fn data_that_are_missing() {
    assert_said(
        r#"
client1 sends
    1: missing data in "client1 sends": expected "client1 sends 'data'", with data of yours
storages: a, b
client1 writes to a
    2: missing data in "client1 writes to a": expected "client1 writes 'data' to a", with data of yours
client1 writes if unchanged
    1: missing data in "client1 writes if unchanged": expected "client1 writes 'data' if unchanged", with data of yours
"#,
    );
}

#[test]
fn quotes_that_are_missing() {
    assert_said(
        r#"
client1 writes data
    1: missing quotes in "client1 writes data": expected "client1 writes 'data'"
client1 writes 'data
    1: missing quotes in "client1 writes 'data": expected "client1 writes 'data'"
client1 writes data'
    1: missing quotes in "client1 writes data'": expected "client1 writes 'data'"
client1 writes 42
    1: missing quotes in "client1 writes 42": expected "client1 writes '42'"
client1 writes it's fine if unchanged
    1: missing quotes in "client1 writes it's fine if unchanged": expected "client1 writes 'it's fine' if unchanged"
client1's packet 'data arrives
    1: missing quotes in "client1's packet 'data arrives": expected "client1's packet 'data' arrives"
storages: a, b
client1 sends data to a
    2: missing quotes in "client1 sends data to a": expected "client1 sends 'data' to a"
client1 writes a letter to bob
    1: missing quotes in "client1 writes a letter to bob": expected "client1 writes 'a letter to bob'"
"#,
    );
}

#[test]
fn storages_that_are_named_otherwise() {
    assert_said(
        r#"
storages: a, b
c writes 'x' to a, b
    2: "," between storages in "c writes 'x' to a, b": expected "c writes 'x' to a and b", with "and" between two
storages: a, b
c writes 'x' to a,b
    2: "," between storages in "c writes 'x' to a,b": expected "c writes 'x' to a and b", with "and" between two
storages: a, b
c reads from a & b
    2: "&" between storages in "c reads from a & b": expected "c reads from a and b", with "and" between two
storages: a, b
c writes 'x' if unchanged to a
    2: storages in the wrong place in "c writes 'x' if unchanged to a": expected "c writes 'x' to a if unchanged"
storages: a, b
c writes to a 'x  y'
    2: storages in the wrong place in "c writes to a 'x  y'": expected "c writes 'x  y' to a"
storages: a, b
c announces to a and b its token
    2: storages in the wrong place in "c announces to a and b its token": expected "c announces its token to a and b"
storages: a, b
c reads to a
    2: "to" instead of "from" in "c reads to a": expected "c reads from a"
storages: a, b
c reads in a
    2: "in" instead of "from" in "c reads in a": expected "c reads from a"
storages: a, b
c reads a
    2: missing "from" in "c reads a": expected "c reads from a"
storages: a, b
c writes 'x  y' into a if unchanged
    2: "into" instead of "to" in "c writes 'x  y' into a if unchanged": expected "c writes 'x  y' to a if unchanged"
storages: a, b
c writes 'x' to d, b
    2: unknown storage "d": expected one of a, b
"#,
    );
}

#[test]
fn endings_that_do_not_go_together() {
    assert_said(
        r#"
c writes 'x' if unchanged past the guard
    1: two endings in "c writes 'x' if unchanged past the guard": expected "c writes 'x' if unchanged" or "c writes 'x' past the guard", for a write has one ending at most
c writes 'x' with token 42 if unchanged
    1: two endings in "c writes 'x' with token 42 if unchanged": expected "c writes 'x' if unchanged" or "c writes 'x' with token 42", for a write has one ending at most
storages: a, b
c writes 'x' to a past the guard with token 7
    2: two endings in "c writes 'x' to a past the guard with token 7": expected "c writes 'x' to a past the guard" or "c writes 'x' to a with token 7", for a write has one ending at most
c sends 'x' if unchanged
    1: unknown step "c sends 'x' if unchanged": expected "c sends 'x'" or "c writes 'x' if unchanged", for only what C writes can end like this
c sends 'x' with token 4
    1: unknown step "c sends 'x' with token 4": expected "c sends 'x'" or "c writes 'x' with token 4", for only what C writes can end like this
"#,
    );
}

#[test]
fn a_token_that_is_said_otherwise() {
    assert_said(
        r#"
c writes 'x' with token
    1: unknown step "c writes 'x' with token": expected "c writes 'x' with token 99"
c writes 'x' with token: 5
    1: unknown step "c writes 'x' with token: 5": expected "c writes 'x' with token 5"
c writes 'x' with the token 5
    1: unknown step "c writes 'x' with the token 5": expected "c writes 'x' with token 5"
"#,
    );
}

#[test]
fn a_step_that_is_misspelt() {
    assert_said(
        r#"
client1 aquires the lease
    1: unknown step "client1 aquires the lease": expected "client1 acquires the lease"
client1 wrotes 'x'
    1: unknown step "client1 wrotes 'x'": expected "client1 writes 'x'"
client1's lease expire
    1: unknown step "client1's lease expire": expected "client1's lease expires"
client1 puases
    1: unknown step "client1 puases": expected "client1 pauses"
storage forget its max_token
    1: unknown step "storage forget its max_token": expected "storage forgets its max_token"
the lock service forgets its folder
    1: unknown step "the lock service forgets its folder": expected "the lock service forgets its holder"
cli.ent aquires the lease
    1: unknown step "cli.ent aquires the lease": expected "C acquires the lease", where C is a client
"#,
    );
}

#[test]
fn a_step_that_is_not_finished() {
    assert_said(
        r#"
client1 is
    1: unknown step "client1 is": expected "client1 is suspended" or "client1 is powered off"
client1's packet
    1: unknown step "client1's packet": expected "client1's packet arrives" or "client1's packet 'data' arrives"
client1 w
    1: unknown step "client1 w": expected one of "client1 wakes", "client1 writes 'data'", "client1 writes 'data' if unchanged", "client1 writes 'data' past the guard", "client1 writes 'data' with token 99"
the lock service
    1: unknown step "the lock service": expected "the lock service forgets its counter" or "the lock service forgets its holder"
storage
    1: unknown step "storage": expected "storage forgets its max_token"
"#,
    );
}

#[test]
fn a_header_that_is_misspelt() {
    assert_said(
        r#"
titel: x
    1: unknown header "titel": expected "title: x"
Title: x
    1: unknown header "Title": expected "title: x"
storage: a, b
    1: unknown header "storage": expected "storages: a, b"
fencing on
    1: missing colon in "fencing on": expected "fencing: on"
fencing=on
    1: missing colon in "fencing=on": expected "fencing: on"
Fencing = off
    1: missing colon in "Fencing = off": expected "fencing: off"
"#,
    );
}

#[test]
fn a_line_that_is_near_to_nothing() {
    assert_said(
        r#"
let there be light
    1: unknown step "let there be light": expected a step, such as "client1 acquires the lease"; fencing-demo --help lists them
client1
    1: unknown step "client1": expected a step, such as "client1 acquires the lease"; fencing-demo --help lists them
client1 restarts
    1: unknown step "client1 restarts": expected a step, such as "client1 acquires the lease"; fencing-demo --help lists them
the lock service pauses
    1: unknown step "the lock service pauses": expected a step, such as "client1 acquires the lease"; fencing-demo --help lists them
client1 steals the lease
    1: unknown step "client1 steals the lease": expected a step, such as "client1 acquires the lease"; fencing-demo --help lists them
client1 pauses
fencing on
    2: unknown step "fencing on": expected a step, such as "client1 acquires the lease"; fencing-demo --help lists them
: x
    1: unknown step ": x": expected a step, such as "client1 acquires the lease"; fencing-demo --help lists them
a b: x
    1: unknown step "a b: x": expected a step, such as "client1 acquires the lease"; fencing-demo --help lists them
"#,
    );
}

#[test]
fn a_transcript_handed_in_as_a_script() {
    let script = "expected a script, such as fencing-demo --scenario 1 --format script prints";
    for number in BuiltIn::all().map(BuiltIn::number) {
        for fencing in ["off", "on"] {
            let command = format!("--scenario {number} --fencing {fencing}");
            let transcript = Program::line(&command).stdout();
            let heading = transcript.lines().next().unwrap();
            let heading = quoted(heading);
            assert_error(
                &transcript,
                &format!("1: unknown step {heading}: a transcript begins like this; {script}"),
            );
        }
    }
    let transcript = Program::line("--script -").input("a pauses").stdout();
    assert_error(
        &transcript,
        &format!(
            "1: unknown step \"SCRIPT standard input\": a transcript begins like this; {script}"
        ),
    );
    // Or a part of one.
    for line in [
        "client1 acquires the lease (would-be token 33)",
        "client1 enters a long GC pause ........ (frozen; cannot act)",
        "... while client1 is paused, its lease EXPIRES ...",
        "client1 writes 'x'  token 33  -> REJECTED  token 33 < 34",
        "storage now holds 'x'  [max_token=34]",
        "FINAL storage contents: 'x'",
        ">> SAFE: no lease was ever granted, and nothing was written.",
    ] {
        assert_error(
            line,
            &format!("1: unknown step {line:?}: a transcript has such lines; {script}"),
        );
    }
}

#[test]
fn an_offending_text_is_escaped_and_cut() {
    let list =
        "expected a step, such as \"client1 acquires the lease\"; fencing-demo --help lists them";
    let long = "x".repeat(1_000_000);
    let cut = "x".repeat(58);
    assert_error(
        &format!("\"\\{long}"),
        &format!("1: unknown step \"\\\"\\\\{cut}…\": {list}"),
    );
    let cut = "y".repeat(44);
    assert_error(
        &format!("client1 writes \"{}\"", "y".repeat(100)),
        &format!(
            "1: double quotes in \"client1 writes \\\"{cut}…\": expected \"client1 writes '{cut}…\", with \
             single quotes"
        ),
    );
}

#[test]
fn what_is_wrong_with_a_step_is_said_once_it_is_one() {
    assert_error(
        &format!("client1 writes \"{}\"", "x".repeat(201)),
        &format!(
            "1: bad data \"{}…\": expected 1 to 200 characters between the quotes, found 201",
            "x".repeat(60)
        ),
    );
    assert_said(
        r#"
the storage pauses
    1: bad name "storage": expected another, for that is the storage service
storage 1 forgets its max_token
    1: unknown storage "storage1": expected "storage", or a "storages:" header that names it
"#,
    );
}

const WORDS: &[&str] = &[
    "client1",
    "client",
    "1",
    "a",
    "b",
    "storage",
    "the",
    "lock",
    "service",
    "'s",
    "s",
    "lease",
    "acquires",
    "gets",
    "writes",
    "sends",
    "reads",
    "pauses",
    "stops",
    "is",
    "powered",
    "off",
    "packet",
    "arrives",
    "'x'",
    "'x",
    "\"x\"",
    "‘x’",
    "’s",
    "x",
    "to",
    "from",
    "in",
    "and",
    ",",
    "if",
    "unchanged",
    "past",
    "guard",
    "with",
    "token",
    "99",
    "forgets",
    "its",
    "max_token",
    "# x",
    "//",
    ".",
    "then",
    ":",
    "fencing",
    "on",
    "title",
    "\u{a0}",
    "\t",
];

/// Lines of words that beginners use, most of which are no steps.
fn lines() -> impl Strategy<Value = String> {
    let words = vec((select(WORDS), any::<bool>()), 1..8);
    words.prop_map(|words| {
        let words = words.into_iter();
        let words = words.map(|(word, blank)| format!("{word}{}", if blank { " " } else { "" }));
        words.collect()
    })
}

/// The lines that a message expects, unless they are cut or escaped.
fn expected_lines(message: &str) -> Vec<String> {
    let Some((_, expected)) = message.split_once(": expected ") else {
        return Vec::new();
    };
    if !expected.starts_with('"') && !expected.starts_with("one of \"") {
        return Vec::new();
    }
    // A quote that is escaped is no end.
    let expected = expected.replace("\\\"", "\\");
    let lines = expected.split('"').skip(1).step_by(2);
    lines
        .filter(|line| !line.contains(['…', '\\']))
        .map(str::to_owned)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_expected_is_right(line in lines(), has_several in any::<bool>()) {
        let header = if has_several { "storages: a, b\n" } else { "" };
        let Err(error) = Scenario::parse(&format!("{header}{line}")) else {
            return Ok(());
        };
        let message = error.to_string();
        prop_assert_eq!(message.lines().count(), 1, "{}", message);
        prop_assert!(!message.contains(is_forbidden), "{:?}", message);
        // A storage that there is not can be named in a header.
        if message.contains("unknown storage") || message.contains("with \"and\" between") {
            return Ok(());
        }
        for expected in expected_lines(&message) {
            let script = format!("{header}{expected}\nc pauses");
            let parsed = Scenario::parse(&script);
            prop_assert!(parsed.is_ok(), "{}: {}: {:?}", line, message, parsed);
        }
    }
}
