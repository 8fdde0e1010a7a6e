//! Mistakes on the command line: status 2, and a message that says what would be right.

use std::ffi::OsString;

use fencing_demo::cli::{self, Answer};
use fencing_demo::script::Scenario;
use fencing_demo::script::built_in::BuiltIn;
use fencing_demo::script::form::FORMS;
use fencing_demo::script::header::Header;
use fencing_demo::script::reference::EXAMPLE;

use crate::program::Program;

#[track_caller]
fn assert_usage(command: &str, message: &str) {
    let try_help = "For more information, try '--help'.\n";
    Program::line(command).fails(2, format!("error: {message}\n\n{try_help}"));
}

#[test]
fn a_scenario_that_there_is_not() {
    let last = BuiltIn::all().count();
    for (option, number) in [
        ("--scenario=", "0"),
        ("--scenario=", "99"),
        ("--scenario=", "two"),
        ("--scenario ", "-1"),
        ("--scenario=", "-1"),
        ("--scenario=", "1.5"),
        ("--scenario=", "18446744073709551616"),
        ("--scenario=", "+1"),
        ("--scenario=", "01"),
    ] {
        assert_usage(
            &format!("{option}{number}"),
            &format!(
                "invalid value '{number}' for '--scenario <N>': the scenarios are 1 to {last}; \
                 --list shows them\n\n  tip: a scenario goes by its number: '--scenario 2'"
            ),
        );
    }
}

#[test]
fn a_word_without_its_option() {
    for (command, word, tip) in [
        ("2", "2", "a scenario goes by its number: '--scenario 2'"),
        (
            "7 --step",
            "7",
            "a scenario goes by its number: '--scenario 7'",
        ),
        (
            "scenario 2",
            "scenario",
            "a scenario goes by its number: '--scenario 2'",
        ),
        (
            "scenario two",
            "scenario",
            "a scenario goes by its number: '--scenario 2'",
        ),
        ("list", "list", "an option begins with two dashes: '--list'"),
        (
            "mine.script",
            "mine.script",
            "a script of your own goes by its file: '--script mine.script'",
        ),
    ] {
        assert_usage(
            command,
            &format!(
                "unexpected argument '{word}' found\n\n  tip: {tip}\n\nUsage: fencing-demo [OPTIONS]"
            ),
        );
    }
}

#[test]
fn a_value_that_there_is_not() {
    for (option, value, expected) in [
        ("--fencing <on|off|both>", "maybe", "on, off or both"),
        (
            "--color <auto|always|never>",
            "sometimes",
            "auto, always or never",
        ),
        (
            "--format <FORMAT>",
            "json",
            "transcript, diagram, ascii, svg, mermaid or script",
        ),
        ("--expect <safe|corrupted>", "fine", "safe or corrupted"),
    ] {
        let (name, _) = option.split_once(' ').unwrap();
        assert_usage(
            &format!("--scenario 1 {name} {value}"),
            &format!("invalid value '{value}' for '{option}': expected {expected}"),
        );
    }
}

#[test]
fn an_option_that_there_is_not() {
    assert_usage(
        "--scenaro 2",
        "unexpected argument '--scenaro' found\n\n  tip: a similar argument exists: \
         '--scenario'\n\nUsage: fencing-demo --scenario <N>",
    );
}

#[test]
fn an_option_without_its_value_or_with_one_that_it_does_not_take() {
    assert_usage(
        "--scenario",
        "a value is required for '--scenario <N>' but none was supplied",
    );
    assert_usage(
        "--step=2",
        "unexpected value '2' for '--step' found; no more were expected\n\n\
         Usage: fencing-demo --step",
    );
}

#[test]
fn options_that_do_not_go_together() {
    let lists = "it lists all scenarios, and shows none";
    for (command, one, other, why) in [
        (
            "--scenario 1 --script x",
            "--scenario <N>",
            "--script <FILE>",
            "a run is of one or the other",
        ),
        ("--list --scenario 1", "--list", "--scenario <N>", lists),
        ("--list --script x", "--list", "--script <FILE>", lists),
        (
            "--list --fencing on",
            "--list",
            "--fencing <on|off|both>",
            lists,
        ),
        ("--list --step", "--list", "--step", lists),
        (
            "--list --format script",
            "--list",
            "--format <FORMAT>",
            lists,
        ),
        ("--list --explore", "--list", "--explore", lists),
        (
            "--list --expect safe",
            "--list",
            "--expect <safe|corrupted>",
            lists,
        ),
        (
            "--explore --step",
            "--explore",
            "--step",
            "it counts many orders of the steps, and --step reveals one",
        ),
        (
            "--scenario 1 --explore --format transcript",
            "--explore",
            "--format transcript",
            "it counts many orders of the steps, and a transcript tells one",
        ),
        (
            "--scenario 1 --format script --step",
            "--step",
            "--format script",
            "it tells a story, and a script is only printed",
        ),
        (
            "--script - --step",
            "--step",
            "--script -",
            "both read standard input",
        ),
        (
            "--scenario 1 --expect safe --format script",
            "--expect <safe|corrupted>",
            "--format script",
            "a script is only printed",
        ),
        (
            "--scenario 1 --explore --expect safe --format script",
            "--expect <safe|corrupted>",
            "--format script",
            "a script is only printed",
        ),
        (
            "--scenario 1 --fencing both --format script",
            "--fencing both",
            "--format script",
            "a script has one setting",
        ),
    ] {
        assert_conflict(command, one, other, why);
    }
}

#[track_caller]
fn assert_conflict(command: &str, one: &str, other: &str, why: &str) {
    assert_usage(
        command,
        &format!(
            "the argument '{one}' cannot be used with '{other}': {why}\n\n\
             Usage: fencing-demo [OPTIONS]"
        ),
    );
}

#[test]
fn what_does_not_go_with_pictures() {
    for format in ["diagram", "ascii", "svg", "mermaid"] {
        let format = format!("--format {format}");
        assert_conflict(
            &format!("--scenario 1 --explore {format}"),
            "--explore",
            &format,
            "it counts many orders of the steps, and a picture shows one",
        );
        assert_conflict(
            &format!("--scenario 1 --step {format}"),
            "--step",
            &format,
            "it reveals step after step, and a picture shows them all",
        );
    }
    assert_conflict(
        "--scenario 1 --fencing both --format svg",
        "--fencing both",
        "--format svg",
        "an SVG file holds one picture",
    );
}

#[test]
fn an_svg_file_is_of_one_story() {
    assert_usage(
        "--format svg",
        "the argument '--format svg' needs '--scenario <N>' or '--script <FILE>': an SVG file holds \
         one picture\n\nUsage: fencing-demo [OPTIONS]",
    );
}

#[test]
fn a_script_is_of_one_scenario() {
    for command in ["--format script", "--explore --format script"] {
        assert_usage(
            command,
            "the argument '--format script' needs '--scenario <N>' or '--script <FILE>': a script is \
             one story\n\nUsage: fencing-demo [OPTIONS]",
        );
    }
}

#[test]
fn nothing_in_an_argument_drives_the_terminal() {
    let hostile = "\u{1b}[31m\u{202e}\u{7}\r\n";
    let escaped = "\\u{1b}[31m\\u{202e}\\u{7}\\r\\n";
    let tip = "\n\nFor more information, try '--help'.\n";
    let last = BuiltIn::all().count();
    Program::new([format!("--scenario={hostile}")]).fails(
        2,
        format!(
            "error: invalid value '{escaped}' for '--scenario <N>': the scenarios are 1 to {last}; \
             --list shows them\n\n  tip: a scenario goes by its number: '--scenario 2'{tip}"
        ),
    );
    Program::new([format!("--{hostile}")]).fails(
        2,
        format!(
            "error: unexpected argument '--{escaped}' found\n\nUsage: fencing-demo [OPTIONS]{tip}"
        ),
    );
}

#[test]
fn help_does_not_depend_on_what_the_program_is_called() {
    let help = |name: &str| match cli::parse([name, "--help"].map(OsString::from)) {
        Err(Answer::Information(text)) => text,
        other => panic!("no help: {other:?}"),
    };
    assert_eq!(help("\u{1b}[31m"), help("fencing-demo"));
}

#[test]
fn the_short_help_is_a_page() {
    assert!(Program::line("-h").stdout().lines().count() <= 24);
}

#[test]
fn the_long_help_has_every_step_and_every_header_with_its_meaning() {
    let help = Program::line("--help").stdout();
    let has = |written: &str, meaning: &str| {
        let mut lines = help.lines().filter_map(|line| line.strip_prefix("  "));
        lines.any(|line| {
            let row = line.strip_prefix(written).map(str::trim_start);
            row == Some(meaning)
        })
    };
    for form in FORMS {
        assert!(has(form.text, form.meaning), "{}", form.text);
        assert!(form.meaning.chars().count() <= 40, "{}", form.meaning);
    }
    for header in Header::ALL {
        let written = format!("{}: {}", header.name(), header.example());
        assert!(has(&written, header.meaning()), "{written}");
    }
    assert!(has("to A and B", "writes, sends, announces"));
    assert!(has("from A and B", "reads"));
}

#[test]
fn the_steps_that_the_long_help_says_can_name_storages_can() {
    for form in FORMS {
        let parses = |preposition: &str| {
            let step = form
                .text
                .replacen('C', "client1", 1)
                .replace("token N", "token 99");
            let storages = format!(" {preposition} A and B");
            let step = match step.split_once("'data'") {
                Some((before, behind)) => format!("{before}'data'{storages}{behind}"),
                None => step + &storages,
            };
            Scenario::parse(&format!("storages: A, B\n{step}")).is_ok()
        };
        let verb = form.text.split(' ').nth(1).unwrap();
        let can = |verbs: &[&str]| form.text.starts_with("C ") && verbs.contains(&verb);
        assert_eq!(
            parses("to"),
            can(&["writes", "sends", "announces"]),
            "{}",
            form.text
        );
        assert_eq!(parses("from"), can(&["reads"]), "{}", form.text);
    }
}

#[test]
fn the_script_in_the_long_help_comes_to_what_it_says() {
    let help = Program::line("--help").stdout();
    let lines = EXAMPLE.lines().map(|line| format!("  {line}\n"));
    assert_eq!(EXAMPLE.lines().count(), 5);
    assert!(help.contains(&format!(
        "A script of five lines:\n{}",
        lines.collect::<String>()
    )));
    for command in ["--expect corrupted", "--fencing on --expect safe"] {
        Program::line(&format!("--script - {command}"))
            .input(EXAMPLE)
            .stdout();
    }
}

#[test]
fn the_long_help_spells_stonith_out() {
    let help = Program::line("--help").stdout();
    let at = help.find("STONITH").unwrap();
    assert!(help[at..].starts_with("STONITH         \"shoot the other node in the head\""));
}
