//! Pipes, full disks and colours.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use fencing_demo::view::palette::{ColorChoice, Palette, Role};

use crate::program::{Program, full_disk};

/// Every kind of output there is.
const COMMANDS: [&str; 16] = [
    "",
    "--scenario 2",
    "--scenario 2 --fencing both",
    "--scenario 2 --expect safe",
    "--scenario 2 --step",
    "--list",
    "--help",
    "-h",
    "--version",
    "--scenario 1 --format script",
    "--scenario 12 --format diagram",
    "--scenario 12 --format ascii",
    "--scenario 12 --format svg",
    "--scenario 12 --format mermaid",
    "--explore",
    "--scenario 9 --explore --format script",
];

#[test]
fn a_full_disk_is_an_error() {
    for command in COMMANDS {
        let Some(full) = full_disk() else { return };
        let (status, _, said) = Program::line(command).into_file(full).run();
        let error = "error: No space left on device (os error 28)\n";
        assert_eq!(status, Some(1), "{command}: {said}");
        // A question comes before anything that could fail to be shown.
        if command.contains("--step") {
            assert!(said.ends_with(error), "{command}: {said}");
        } else {
            assert_eq!(said, error, "{command}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_none() {
    for command in COMMANDS {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fencing-demo"))
            .args(command.split_whitespace())
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Gone before the program has written anything that a pipe could hold back.
        drop(child.stdout.take());
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        assert!(child.wait().unwrap().success(), "{command}: {stderr}");
        if !command.contains("--step") {
            assert_eq!(stderr, "", "{command}");
        }
    }
}

#[test]
fn a_reader_may_go_away_in_the_middle() {
    // Far more than a pipe holds, so that the program is still writing when its reader goes.
    let script = "a acquires the lease\na releases the lease\n".repeat(20_000);
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencing-demo"))
        .args(["--script", "-"])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"SCRIPT sta");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn colour_carries_no_information_of_its_own() {
    for command in COMMANDS
        .iter()
        .filter(|command| !command.contains("--step"))
    {
        let plain = Program::line(command).stdout();
        assert!(!plain.contains('\x1b'), "{command}: escape codes in a pipe");
        let coloured = Program::line(&format!("{command} --color always")).stdout();
        let uncoloured = without_escapes(&coloured);
        assert_eq!(uncoloured, plain, "{command}");
    }
    assert!(
        Program::line("--scenario 2 --color always")
            .stdout()
            .contains("\x1b[")
    );
}

#[test]
fn the_environment_decides_where_the_command_line_does_not() {
    for (color, variables, is_coloured) in [
        ("", &[][..], false),
        ("", &[("CLICOLOR_FORCE", "1")], true),
        ("", &[("CLICOLOR_FORCE", "0")], false),
        ("", &[("CLICOLOR_FORCE", "")], false),
        ("", &[("FORCE_COLOR", "1")], true),
        ("", &[("FORCE_COLOR", "0")], false),
        ("", &[("FORCE_COLOR", "")], false),
        ("", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        ("", &[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], false),
        ("", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")], true),
        ("", &[("FORCE_COLOR", "1"), ("CLICOLOR", "0")], true),
        ("", &[("FORCE_COLOR", "1"), ("TERM", "dumb")], true),
        ("", &[("CLICOLOR", "1")], false),
        ("--color always", &[("NO_COLOR", "1")], true),
        (
            "--color always",
            &[("TERM", "dumb"), ("CLICOLOR", "0")],
            true,
        ),
        ("--color auto", &[("FORCE_COLOR", "1")], true),
        ("--color never", &[("CLICOLOR_FORCE", "1")], false),
    ] {
        let mut program = Program::line(&format!("--list {color}"));
        for (name, value) in variables {
            program = program.env(name, value);
        }
        let list = program.stdout();
        assert_eq!(list.contains('\x1b'), is_coloured, "{color} {variables:?}");
    }
}

#[test]
fn a_terminal_gets_colour_unless_told_otherwise() {
    let is_coloured = |choice, variables: &[(&str, &str)], to_terminal| {
        let variable = |name: &str| {
            let mut variables = variables.iter();
            let (_, value) = variables.find(|(it, _)| *it == name)?;
            Some(value.into())
        };
        let palette = Palette::decide(choice, variable, to_terminal);
        palette.style(Role::Safe).style("SAFE").to_string() != "SAFE"
    };
    let auto = ColorChoice::Auto;
    assert!(is_coloured(auto, &[], true));
    assert!(is_coloured(
        auto,
        &[("TERM", "xterm"), ("CLICOLOR", "1")],
        true
    ));
    assert!(!is_coloured(auto, &[("NO_COLOR", "1")], true));
    assert!(!is_coloured(auto, &[("CLICOLOR", "0")], true));
    assert!(!is_coloured(auto, &[("TERM", "dumb")], true));
    assert!(is_coloured(ColorChoice::Always, &[("TERM", "dumb")], true));
    assert!(!is_coloured(ColorChoice::Never, &[], true));
    assert!(!is_coloured(auto, &[], false));
}

#[test]
fn the_colours_are_legible_on_black_and_on_white() {
    let coloured: String = ["--fencing both", "--scenario 14", "--explore", "--list"]
        .map(|command| Program::line(&format!("{command} --color always")).stdout())
        .concat();
    let codes = coloured.split("\x1b[").skip(1);
    let codes: BTreeSet<&str> = codes.map(|code| code.split_once('m').unwrap().0).collect();
    for code in codes.iter().flat_map(|codes| codes.split(';')) {
        // Bold, red, green, blue and magenta: no yellow, no cyan, nothing dim.
        assert!(
            ["0", "1", "31", "32", "34", "35", "39"].contains(&code),
            "{code}"
        );
    }
}

#[test]
fn a_stale_write_that_gets_in_does_not_look_like_a_good_one() {
    let palette = Palette::coloured();
    let [good, stale] = [Role::Accepted, Role::AcceptedStale]
        .map(|role| palette.style(role).style("ACCEPTED").to_string());
    assert_ne!(good, stale);
    // Scenario 12: stale and let in, good, then stale and rejected.
    let coloured = Program::line("--scenario 12 --color always").stdout();
    let rows = coloured.lines().filter(|line| line.contains(" -> "));
    let looks: Vec<[bool; 2]> = rows
        .map(|row| [row.contains(&good), row.contains(&stale)])
        .collect();
    assert_eq!(looks, [[false, true], [true, false], [false, false]]);
    // A packet of scenario 6, long after its sender is off.
    let coloured = Program::line("--scenario 6 --color always").stdout();
    let row = coloured
        .lines()
        .rfind(|line| line.contains(" -> "))
        .unwrap();
    assert!(row.contains(&stale), "{row}");
}

/// The text without `ESC [ … m`.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    plain.extend(parts.map(|part| part.split_once('m').unwrap().1));
    plain
}
