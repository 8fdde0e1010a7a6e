//! Mistakes on the command line: status 2, and a message that says what would be right.

use std::ffi::OsString;

use fencing_demo::cli;
use fencing_demo::script::built_in::BuiltIn;

use crate::program::Program;

#[track_caller]
fn assert_usage(command: &str, message: &str) {
    let try_help = "For more information, try '--help'.\n";
    Program::line(command).fails(2, format!("error: {message}\n\n{try_help}"));
}

#[test]
fn a_scenario_that_there_is_not() {
    let last = BuiltIn::all().count();
    for number in [
        "0",
        "99",
        "two",
        "-1",
        "1.5",
        "18446744073709551616",
        "+1",
        "01",
    ] {
        assert_usage(
            &format!("--scenario={number}"),
            &format!(
                "invalid value '{number}' for '--scenario <N>': the scenarios are 1 to {last}; \
                 --list shows them"
            ),
        );
    }
}

#[test]
fn a_value_that_there_is_not() {
    assert_usage(
        "--fencing maybe",
        "invalid value 'maybe' for '--fencing <WHETHER>'\n  [possible values: on, off]",
    );
    assert_usage(
        "--color sometimes",
        "invalid value 'sometimes' for '--color <WHEN>'\n  [possible values: auto, always, never]",
    );
    assert_usage(
        "--scenario 1 --format json",
        "invalid value 'json' for '--format <FORMAT>'\n  [possible values: script]",
    );
}

#[test]
fn an_option_or_argument_that_there_is_not() {
    assert_usage(
        "--scenaro 2",
        "unexpected argument '--scenaro' found\n\n  tip: a similar argument exists: \
         '--scenario'\n\nUsage: fencing-demo --scenario <N>",
    );
    assert_usage(
        "2",
        "unexpected argument '2' found\n\nUsage: fencing-demo [OPTIONS]",
    );
}

#[test]
fn an_option_without_its_value() {
    assert_usage(
        "--scenario",
        "a value is required for '--scenario <N>' but none was supplied",
    );
}

#[test]
fn options_that_do_not_go_together() {
    for (command, first, second) in [
        (
            "--scenario 1 --script x",
            "--scenario <N>",
            "--script <FILE>",
        ),
        (
            "--scenario 1 --explore --fencing on",
            "--explore",
            "--fencing <WHETHER>",
        ),
        ("--explore --step", "--explore", "--step"),
        (
            "--scenario 1 --explore --format script",
            "--explore",
            "--format <FORMAT>",
        ),
        (
            "--scenario 1 --format script --step",
            "--format <FORMAT>",
            "--step",
        ),
        ("--list --scenario 1", "--list", "--scenario <N>"),
        ("--list --script x", "--list", "--script <FILE>"),
        ("--list --fencing on", "--list", "--fencing <WHETHER>"),
        ("--list --step", "--list", "--step"),
        ("--list --explore", "--explore", "--list"),
    ] {
        let output = conflict(command);
        let [first, second] = [first, second].map(|option| format!("'{option}'"));
        assert!(
            output.contains(&first) && output.contains(&second),
            "{command}: {output}"
        );
        assert!(
            output.contains("cannot be used with"),
            "{command}: {output}"
        );
    }
    assert_usage(
        "--script - --step",
        "the argument '--step' cannot be used with '--script -': both read standard input\n\n\
         Usage: fencing-demo [OPTIONS]",
    );
}

#[test]
fn a_format_goes_with_one_scenario_or_script() {
    assert_usage(
        "--format script",
        "the following required arguments were not provided:\n  <--scenario <N>|--script <FILE>>\n\n\
         Usage: fencing-demo --format <FORMAT> <--scenario <N>|--script <FILE>>",
    );
}

/// What the program says of a conflict; it must exit with status 2.
#[track_caller]
fn conflict(command: &str) -> String {
    let arguments = command.split_whitespace();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_fencing-demo"))
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!(
        (output.status.code(), output.stdout),
        (Some(2), Vec::new()),
        "{command}"
    );
    String::from_utf8(output.stderr).unwrap()
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
             --list shows them{tip}"
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
    let help = |name: &str| {
        cli::parse([name, "--help"].map(OsString::from))
            .unwrap_err()
            .text
    };
    assert_eq!(help("\u{1b}[31m"), help("fencing-demo"));
}
