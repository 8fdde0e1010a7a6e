//! The step language: what it takes, and what it says to what it does not take. Every message
//! stands here in full.

use std::fs::{self, File};
use std::path::PathBuf;

use fencing_demo::script::Scenario;
use fencing_demo::script::form::FORMS;

use crate::program::Program;

/// A script that is right, to be made wrong.
const RIGHT: &str = "client1 acquires the lease";

/// Asserts what is said of a script, which comes in on standard input.
#[track_caller]
fn assert_error(script: impl Into<Vec<u8>>, message: &str) {
    let message = format!("error: standard input:{message}\n");
    Program::line("--script -").input(script).fails(1, message);
}

fn file(name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, contents).unwrap();
    path
}

#[test]
fn what_cannot_be_read() {
    Program::line("--script no-such.script").fails(
        1,
        "error: no-such.script: cannot be read: No such file or directory (os error 2); expected a \
         script\n",
    );
    Program::line("--script /").fails(
        1,
        "error: /: cannot be read: Is a directory (os error 21); expected a script\n",
    );
    Program::new(["--script", "no\x1b[2J\tsuch"]).fails(
        1,
        "error: no\\u{1b}[2J\\tsuch: cannot be read: No such file or directory (os error 2); expected \
         a script\n",
    );
}

#[test]
fn what_is_too_large() {
    let sixteen = 16 << 20;
    let line = format!("{RIGHT}\n");
    let comment = |length: usize| format!("{line}#{}", "x".repeat(length - line.len() - 1));
    let script = Program::line("--script -").input(comment(sixteen)).stdout();
    assert!(script.starts_with("SCRIPT standard input\n"));
    Program::line("--script -")
        .input(comment(sixteen + 1))
        .fails(
            1,
            "error: standard input: too large: expected a script of at most 16 MiB\n",
        );
    Program::line("--script /dev/zero").fails(
        1,
        "error: /dev/zero: too large: expected a script of at most 16 MiB\n",
    );
    // An endless standard input is given up as well.
    Program::line("--script -")
        .input_from(File::open("/dev/zero").unwrap())
        .fails(
            1,
            "error: standard input: too large: expected a script of at most 16 MiB\n",
        );
}

#[test]
fn what_is_not_utf_8() {
    let script = [RIGHT.as_bytes(), b"\nclient1 writes '\xff'\n"].concat();
    assert_error(
        script,
        "2: found the byte \"\\xff\", which is not UTF-8: expected UTF-8 text",
    );
    assert_error(
        b"\x80",
        "1: found the byte \"\\x80\", which is not UTF-8: expected UTF-8 text",
    );
}

#[test]
fn what_has_no_steps() {
    let message = "found no steps: expected one at least, such as \"C acquires the lease\"";
    for (script, line) in [
        ("", 1),
        ("\n\n", 2),
        ("# a comment\n", 1),
        ("title: x\n# y\n\n", 3),
    ] {
        assert_error(script, &format!("{line}: {message}"));
    }
}

#[test]
fn empty_or_overlong_data() {
    assert_error(
        "client1 writes ''",
        "1: bad data \"\": expected 1 to 200 characters between the quotes, found 0",
    );
    assert_error(
        format!("client1 writes '{}'", "ä".repeat(201)),
        &format!(
            "1: bad data \"{}…\": expected 1 to 200 characters between the quotes, found 201",
            "ä".repeat(60)
        ),
    );
}

#[test]
fn an_overlong_name() {
    let name = "n".repeat(33);
    assert_error(
        format!("{name} pauses"),
        &format!("1: bad name \"{name}\": expected at most 32 characters, found 33"),
    );
}

#[test]
fn a_name_that_no_client_can_have() {
    let expected = "expected an ASCII letter, then ASCII letters, digits, '_' or '-'";
    for name in [
        "1client", "-client", "_client", "cli.ent", "clïent", "\"", "cl'ient",
    ] {
        assert_error(
            format!("{name} pauses"),
            &format!("1: bad name {name:?}: {expected}"),
        );
    }
    assert_error(
        "storage pauses",
        "1: bad name \"storage\": expected another, for that is the storage service",
    );
}

#[test]
fn forbidden_characters_wherever_they_are() {
    let expected = "expected no control characters but tab, and no marks that change the direction \
                    of text";
    let forbidden = [
        '\0', '\x07', '\x08', '\x0b', '\x0c', '\x1b', '\x7f', '\u{80}', '\u{9b}', '\u{61c}',
        '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}', '\u{202e}', '\u{2066}',
        '\u{2069}',
    ];
    for character in forbidden {
        for line in [
            "cli?ent pauses",
            "client1 writes 'a?b'",
            "title: a?b",
            "# a?b",
            "?",
            "x\r?",
        ] {
            let line = line.replace('?', &character.to_string());
            let escaped = character.escape_unicode();
            let shown: String = line.chars().flat_map(escape_as_quoted).collect();
            assert_error(
                format!("{RIGHT}\n{line}\n"),
                &format!(
                    "2: forbidden character \"{}\" in \"{shown}\": {expected}",
                    if line.contains('\r') {
                        '\r'.escape_unicode()
                    } else {
                        escaped
                    }
                ),
            );
        }
    }
}

/// How an error message quotes a character that it must not print.
fn escape_as_quoted(character: char) -> Vec<char> {
    if character == '\'' {
        vec![character]
    } else {
        character.escape_debug().collect()
    }
}

#[test]
fn no_message_prints_a_raw_control_character() {
    for character in (0..=0x2100).filter_map(char::from_u32) {
        if character == '\n' {
            continue;
        }
        let script = format!("client1 {character} 'x{character}");
        let Err(error) = Scenario::parse(&script) else {
            continue;
        };
        let message = error.to_string();
        let first = message.lines().next().unwrap();
        assert!(
            !first.chars().any(fencing_demo::text::is_forbidden),
            "{message:?}"
        );
        assert!(!first.contains('\t'), "{message:?}");
    }
}

#[test]
fn a_carriage_return_is_part_of_a_line_ending_or_forbidden() {
    let is_fine = |script: &str| Scenario::parse(script).is_ok();
    assert!(is_fine("a pauses\r\na wakes\r\n"));
    assert!(is_fine("a pauses\r\na wakes\r"));
    assert!(!is_fine("a pauses\r\r\n"));
    assert!(!is_fine("a pauses\ra wakes\n"));
}

#[test]
fn a_colon_alone_makes_no_header() {
    for line in [": x", "a b: x", "client1's: x"] {
        let error = Scenario::parse(line).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("1: unknown step \"{line}\": ")),
            "{error}"
        );
    }
}

#[test]
fn headers() {
    assert_error(
        format!("heading: x\n{RIGHT}"),
        "1: unknown header \"heading\": expected title:, fencing:, storages:, tokens:, predict:, see:",
    );
    assert_error(
        format!("title: x\n\ntitle: y\n{RIGHT}"),
        "3: duplicate header \"title:\": expected it once; it stands on line 1",
    );
    assert_error(
        format!("{RIGHT}\nfencing: on"),
        "2: misplaced header \"fencing:\": expected it before the first step",
    );
    assert_error(
        format!("fencing: maybe\n{RIGHT}"),
        "1: bad value \"maybe\" of \"fencing:\": expected on or off",
    );
    for (header, expected) in [
        ("title", "a title"),
        ("fencing", "on or off"),
        (
            "tokens",
            "whole numbers from 0 to 18446744073709551615, such as 87, 34",
        ),
        ("predict", "a question"),
        ("see", "where to read about it"),
    ] {
        assert_error(
            format!("{header}:  \n{RIGHT}"),
            &format!("1: bad value \"\" of \"{header}:\": expected {expected}"),
        );
    }
}

#[test]
fn storages() {
    let expected = "expected two to five names with commas between, such as replica1, replica2";
    for (value, told, why) in [
        ("", "", ""),
        (
            "a",
            "a",
            "; a single one has no header, and is called storage",
        ),
        (
            "a b",
            "a b",
            "; a single one has no header, and is called storage",
        ),
        ("a 1, a 2", "a 1", ""),
        ("a, b, c, d, e, f", "a, b, c, d, e, f", ""),
        ("a, b # c", "b # c", "; a comment has a line of its own"),
    ] {
        assert_error(
            format!("storages: {value}\n{RIGHT}"),
            &format!("1: bad value \"{told}\" of \"storages:\": {expected}{why}"),
        );
    }
    for (value, told, expected) in [
        ("a, a", "a", "each name once"),
        (
            "a, storage",
            "storage",
            "another, for that is the storage service",
        ),
        (
            "a, ü",
            "ü",
            "an ASCII letter, then ASCII letters, digits, '_' or '-'",
        ),
    ] {
        assert_error(
            format!("storages: {value}\n{RIGHT}"),
            &format!("1: bad value \"{told}\" of \"storages:\": expected {expected}"),
        );
    }
    for (step, message) in [
        (
            "a pauses",
            "bad name \"a\": expected another, for that is a storage",
        ),
        (
            "storage forgets its max_token",
            "unknown storage \"storage\": expected one of a, b",
        ),
        (
            "c writes 'x' to d",
            "unknown storage \"d\": expected one of a, b",
        ),
        (
            "c writes 'x' to a and a",
            "storage \"a\" named twice in \"c writes 'x' to a and a\": expected each once",
        ),
    ] {
        assert_error(format!("storages: a, b\n{step}"), &format!("2: {message}"));
    }
    assert_error(
        "c writes 'x' to d",
        "1: unknown storage \"d\": expected \"storage\", or a \"storages:\" header that names it",
    );
}

#[test]
fn a_comment_behind_the_value_of_a_header() {
    for (header, told, expected) in [
        ("fencing: on # x", "on # x", "on or off"),
        (
            "tokens: 87, 34 # x",
            "34 # x",
            "whole numbers from 0 to 18446744073709551615, such as 87, 34",
        ),
    ] {
        let (name, _) = header.split_once(':').unwrap();
        assert_error(
            format!("{header}\n{RIGHT}"),
            &format!(
                "1: bad value \"{told}\" of \"{name}:\": expected {expected}; a comment has a line of \
                 its own"
            ),
        );
    }
}

#[test]
fn a_token_that_is_none() {
    for word in ["x", "-1", "1.5", "18446744073709551616"] {
        assert_error(
            format!("client1 writes 'x' with token {word}"),
            &format!(
                "1: bad token \"{word}\": expected a whole number from 0 to 18446744073709551615"
            ),
        );
    }
}

#[test]
fn tokens() {
    let bad = [
        "",
        "x",
        "-1",
        "+1",
        "1.5",
        "0x10",
        "18446744073709551616",
        "1 2",
        "٣",
    ];
    for entry in bad {
        assert_error(
            format!("tokens: 87, {entry}, 34\n{RIGHT}"),
            &format!(
                "1: bad value \"{entry}\" of \"tokens:\": expected whole numbers from 0 to \
                 18446744073709551615, such as 87, 34"
            ),
        );
    }
    let good = "tokens: 0,18446744073709551615 ,\t7\nfencing: on\na acquires the lease\n\
                a releases the lease\na acquires the lease";
    let transcript = Program::line("--script -").input(good).stdout();
    assert!(transcript.contains("  a acquires the lease (token 18446744073709551615)\n"));
}

#[test]
fn a_step_that_cannot_happen() {
    for (script, message) in [
        (
            "a pauses;a writes 'x'",
            "2: impossible step \"a writes 'x'\": a is paused; expected \"a wakes\" before it",
        ),
        (
            "a pauses;a pauses",
            "2: impossible step \"a pauses\": a is paused; expected \"a wakes\" before it",
        ),
        (
            "a is suspended;a acquires the lease",
            "2: impossible step \"a acquires the lease\": a is suspended; expected \"a resumes\" \
             before it",
        ),
        (
            "a wakes",
            "1: impossible step \"a wakes\": a is running; expected \"a pauses\" before it",
        ),
        (
            "a is suspended;a wakes",
            "2: impossible step \"a wakes\": a is suspended; expected \"a resumes\" before it",
        ),
        (
            "a pauses;a resumes",
            "2: impossible step \"a resumes\": a is paused; expected \"a wakes\" before it",
        ),
        (
            "a resumes",
            "1: impossible step \"a resumes\": a is running; expected \"a is suspended\" before it",
        ),
        (
            "a's packet arrives",
            "1: impossible step \"a's packet arrives\": a has no packet in flight; expected \"a \
             sends 'data'\" before it",
        ),
        (
            "a sends 'x';a's packet 'y' arrives",
            "2: impossible step \"a's packet 'y' arrives\": a has no such packet in flight; \
             expected \"a sends 'y'\" before it",
        ),
        (
            "a acquires the lease;b's lease expires",
            "2: impossible step \"b's lease expires\": b does not hold the lease; expected \"b \
             acquires the lease\" before it, and nothing that ended the lease since",
        ),
        (
            "tokens: 7;a acquires the lease;a releases the lease;b acquires the lease",
            "4: impossible step \"b acquires the lease\": the list of tokens has run out; expected \
             \"tokens:\" to have one for every grant",
        ),
    ] {
        assert_error(script.replace(';', "\n"), message);
    }
}

#[test]
fn an_error_names_the_file() {
    let path = file("wrong.script", "client1 walks\n");
    let path = path.to_str().unwrap();
    Program::new(["--script", path]).fails(
        1,
        format!("error: {path}:1: unknown step \"client1 walks\": expected \"client1 wakes\"\n"),
    );
}

#[test]
fn what_is_fine() {
    let plain =
        "title: t\nfencing: on\n\n# comment\nclient1 acquires the lease\nclient1 writes 'x  y'\n";
    let whole = Program::line("--script -").input(plain).stdout();
    assert!(whole.starts_with("SCRIPT standard input -- t\n"));
    for variant in [
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}"),
        plain.trim_end().to_owned(),
        plain
            .replace('\n', "\r\n")
            .trim_end_matches('\n')
            .to_owned(),
        plain.replace("\nclient1 ", "\n \t client1\t \t"),
        plain.replace('\n', " \t\n"),
        plain
            .replace("title: t", "title:t")
            .replace("fencing: on", "fencing :\ton"),
        plain.replace("# comment", "  # comment: 'x'\n\n\t\n#\n"),
    ] {
        assert_eq!(
            Program::line("--script -").input(variant.clone()).stdout(),
            whole,
            "{variant:?}"
        );
    }
}

#[test]
fn data_are_what_stands_between_the_first_and_the_last_quote() {
    for data in ["it's", "'", "a' b 'c", " x ", "\t", "ü€𝄞", "writes 'x'"] {
        let script = format!("client1 writes '{data}'\n");
        let scenario = Scenario::parse(&script).unwrap();
        assert!(scenario.to_string().ends_with(&script), "{data}");
        let transcript = Program::line("--script -").input(script).stdout();
        assert!(
            transcript.contains(&format!("FINAL storage contents: '{data}'\n")),
            "{data}"
        );
    }
    let script = "client1 sends 'it's'\nclient1's packet 'it's' arrives\n";
    assert!(
        Scenario::parse(script)
            .unwrap()
            .to_string()
            .ends_with(script)
    );
}

#[test]
fn the_heading_of_a_script_is_its_base_name_and_its_title() {
    let first_line = |program: Program| program.stdout().lines().next().unwrap().to_owned();
    let titled = file("titled.script", format!("title: a title\n{RIGHT}"));
    let titled = titled.to_str().unwrap();
    let heading = first_line(Program::new(["--script", titled]));
    assert_eq!(heading, "SCRIPT titled.script -- a title");
    let heading = first_line(Program::new(["--script", titled, "--fencing", "off"]));
    assert_eq!(heading, "SCRIPT titled.script -- a title");
    let heading = first_line(Program::new(["--script", titled, "--fencing", "on"]));
    assert_eq!(
        heading,
        "SCRIPT titled.script -- a title (fencing switched on)"
    );
    let untitled = file("un\x1btitled", RIGHT);
    let heading = first_line(Program::new(["--script", untitled.to_str().unwrap()]));
    assert_eq!(heading, "SCRIPT un\\u{1b}titled");
}

#[test]
fn every_form_is_parsed_and_printed_alike() {
    for form in FORMS {
        let line = form
            .text
            .replacen('C', "client1", 1)
            .replace("token N", "token 99");
        let scenario = Scenario::parse(&line).unwrap();
        assert_eq!(scenario.steps.len(), 1, "{line}");
        assert_eq!(
            scenario.steps[0].step.display(&scenario.names).to_string(),
            line
        );
    }
}

#[test]
fn a_printed_scenario_has_its_toggle_as_it_is_in_effect() {
    let own = Program::line("--scenario 9 --format script").stdout();
    let switched = Program::line("--scenario 9 --fencing off --format script").stdout();
    let (_, own_steps) = own.split_once("\n\n").unwrap();
    let (headers, steps) = switched.split_once("\n\n").unwrap();
    assert_eq!(steps, own_steps);
    assert_eq!(
        headers,
        "title: unique tokens, but not monotonic (fencing switched off)\nfencing: off\n\
         tokens: 87, 34"
    );
}

#[test]
fn nothing_written_leaves_storage_empty() {
    let transcript = Program::line("--script -").input("a pauses").stdout();
    assert_eq!(
        transcript,
        "SCRIPT standard input\n\
         ====================================================================\n  \
           a enters a long GC pause ........ (frozen; cannot act)\n\
         \n  \
           FINAL storage contents: (empty)\n  \
           >> SAFE: no lease was ever granted, and nothing was written.\n"
    );
}
