//! Pipes, full disks and colours.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use fencing_demo::view::palette::{ColorChoice, Palette};

use crate::program::Program;

/// Every kind of output there is.
const COMMANDS: [&str; 9] = [
    "",
    "--scenario 2",
    "--scenario 2 --step",
    "--list",
    "--help",
    "-h",
    "--version",
    "--scenario 1 --format script",
    "--explore",
];

#[test]
fn a_full_disk_is_an_error() {
    for command in COMMANDS {
        let full = File::create("/dev/full").unwrap();
        Program::line(command)
            .into_file(full)
            .fails(1, "error: No space left on device (os error 28)\n");
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
    let is_coloured = |program: Program| program.stdout().contains('\x1b');
    let list = |color: &str| Program::line(&format!("--list {color}"));
    assert!(!is_coloured(list("")));
    assert!(is_coloured(list("").env("CLICOLOR_FORCE", "1")));
    assert!(!is_coloured(list("").env("CLICOLOR_FORCE", "0")));
    assert!(!is_coloured(list("").env("CLICOLOR_FORCE", "")));
    assert!(!is_coloured(
        list("").env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1")
    ));
    assert!(is_coloured(
        list("").env("CLICOLOR_FORCE", "1").env("NO_COLOR", "")
    ));
    assert!(is_coloured(list("--color always").env("NO_COLOR", "1")));
    assert!(!is_coloured(
        list("--color never").env("CLICOLOR_FORCE", "1")
    ));
}

#[test]
fn a_terminal_gets_colour_unless_told_otherwise() {
    let is_coloured = |choice, no_color: Option<&str>, to_terminal| {
        let no_color = no_color.map(AsRef::as_ref);
        let palette = Palette::decide(choice, no_color, None, to_terminal);
        palette.safe.style("SAFE").to_string() != "SAFE"
    };
    assert!(is_coloured(ColorChoice::Auto, None, true));
    assert!(!is_coloured(ColorChoice::Auto, Some("1"), true));
    assert!(!is_coloured(ColorChoice::Never, None, true));
    assert!(!is_coloured(ColorChoice::Auto, None, false));
}

/// The text without `ESC [ … m`.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    plain.extend(parts.map(|part| part.split_once('m').unwrap().1));
    plain
}
