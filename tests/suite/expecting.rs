//! `--expect`, `--fencing both`, and the scripts that `--explore` finds: for pipelines, and for
//! exercises that grade themselves.

use std::io::Read;
use std::process::{Command, Stdio};

use fencing_demo::script::built_in::BuiltIn;

use crate::program::{Program, full_disk};

#[test]
fn a_story_that_comes_to_what_is_expected_is_no_error() {
    for (command, expected) in [
        ("--scenario 1", "corrupted"),
        ("--scenario 2", "safe"),
        ("--scenario 1 --fencing on", "safe"),
        ("--scenario 9 --fencing both", "corrupted"),
        ("--scenario 4 --fencing both", "safe"),
        ("--scenario 1 --explore --fencing on", "safe"),
        ("--scenario 1 --explore --fencing off", "corrupted"),
        ("--scenario 9 --explore", "corrupted"),
    ] {
        let shown = Program::line(command).stdout();
        let expecting = format!("{command} --expect {expected}");
        assert_eq!(Program::line(&expecting).stdout(), shown, "{expecting}");
    }
}

#[test]
fn a_story_that_does_not_is_shown_and_then_an_error() {
    for (command, expected, error) in [
        (
            "--scenario 1",
            "safe",
            "expected SAFE, but scenario 1 with fencing off is CORRUPTED",
        ),
        (
            "--scenario 2",
            "corrupted",
            "expected CORRUPTED, but scenario 2 with fencing on is SAFE",
        ),
        (
            "",
            "corrupted",
            "expected CORRUPTED, but scenario 2 with fencing on is SAFE and scenario 3 with fencing \
             on is SAFE",
        ),
        (
            "--scenario 10 --fencing both",
            "safe",
            "expected SAFE, but scenario 10 with fencing off is CORRUPTED and scenario 10 with \
             fencing on is CORRUPTED",
        ),
        (
            "--scenario 1 --explore",
            "safe",
            "expected SAFE, but scenario 1 with fencing off is CORRUPTED in 10 of 21 interleavings",
        ),
        (
            "--scenario 1 --explore",
            "corrupted",
            "expected CORRUPTED, but scenario 1 with fencing on is SAFE in 21 of 21 interleavings",
        ),
    ] {
        let shown = Program::line(command).stdout();
        let told = Program::line(&format!("{command} --expect {expected}"))
            .exits(1, format!("error: {error}\n"))
            .stdout();
        assert_eq!(told, shown, "{command}");
    }
}

#[test]
fn a_script_of_ones_own_is_named_as_in_its_errors() {
    Program::line("--script - --expect safe")
        .input(
            "a acquires the lease\na's lease expires\nb acquires the lease\nb writes 'b'\n\
             a writes 'a'\n",
        )
        .exits(
            1,
            "error: expected SAFE, but standard input with fencing off is CORRUPTED\n",
        )
        .stdout();
}

#[test]
fn stepping_through_judges_what_was_told_to_its_end() {
    for (input, status) in [("", 1), ("\n\n\n\n\n\n\n\n\n\n\n\n", 1), ("\n\nq\n", 0)] {
        let stepped = Program::line("--scenario 1 --step --expect safe").input(input);
        let (found, _, said) = stepped.run();
        assert_eq!(found, Some(status), "{input:?}: {said}");
        let error = "error: expected SAFE, but scenario 1 with fencing off is CORRUPTED\n";
        assert_eq!(said.ends_with(error), status == 1, "{said}");
    }
}

#[test]
fn a_reader_that_goes_away_does_not_change_the_verdict() {
    // More than a pipe holds, so that it breaks in the middle.
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("long.script");
    let begin = "a acquires the lease\na's lease expires\nb acquires the lease\nb writes 'b'\n";
    std::fs::write(&path, begin.to_owned() + &"a writes 'a'\n".repeat(5_000)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencing-demo"))
        .arg("--script")
        .arg(&path)
        .args(["--expect", "safe"])
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(said.starts_with("error: expected SAFE, but "), "{said}");

    let Some(full) = full_disk() else { return };
    Program::line("--scenario 1 --expect safe")
        .into_file(full)
        .fails(
            1,
            "error: expected SAFE, but scenario 1 with fencing off is CORRUPTED\n",
        );
}

#[test]
fn both_settings_are_shown_off_first() {
    for number in BuiltIn::all().map(BuiltIn::number) {
        let under = |fencing: &str| {
            Program::line(&format!("--scenario {number} --fencing {fencing}")).stdout()
        };
        assert_eq!(under("both"), [under("off"), under("on")].join("\n"));
    }
    let [off, on, both] = ["off", "on", "both"]
        .map(|fencing| Program::line(&format!("--explore --scenario 4 --fencing {fencing}")))
        .map(Program::stdout);
    assert!(off.contains("\nfencing off: 72 interleavings, 10 CORRUPTED\n"));
    assert!(on.contains("\nfencing on:  72 interleavings, 0 CORRUPTED\n"));
    assert!(!off.contains("fencing on") && !on.contains("fencing off"));
    assert_eq!(both, Program::line("--explore --scenario 4").stdout());
}

#[test]
fn an_exploration_to_a_script_prints_the_first_corrupted_of_each_setting() {
    let found =
        |options: &str| Program::line(&format!("--explore --format script {options}")).stdout();
    let [off, on] =
        ["off", "on"].map(|fencing| found(&format!("--scenario 9 --fencing {fencing}")));
    assert_eq!(found("--scenario 9"), [off.as_str(), &on].join("\n"));
    for script in [off, on, found("--scenario 1")] {
        Program::line("--script - --expect corrupted")
            .input(script)
            .stdout();
    }
    Program::line("--scenario 2 --explore --format script --fencing on").fails(
        1,
        "error: expected CORRUPTED, but scenario 2 with fencing on is SAFE in 21 of 21 \
         interleavings\n",
    );
}

#[test]
fn the_command_that_a_report_gives_runs_its_script() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("it's a folder");
    std::fs::create_dir_all(&folder).unwrap();
    let script = Program::line("--scenario 11 --format script").stdout();
    std::fs::write(folder.join("my own.script"), script).unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_fencing-demo"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mine = folder.join("my own.script");
    for source in [["--scenario", "11"], ["--script", mine.to_str().unwrap()]] {
        let report = Program::new(source.iter().chain(&["--explore"])).stdout();
        let commands = report.split(" To run it:\n").skip(1);
        let commands: Vec<&str> = commands
            .map(|text| text.split("\n\n").next().unwrap())
            .collect();
        assert_eq!(commands.len(), 2, "{report}");
        for (command, fencing) in commands.into_iter().zip(["off", "on"]) {
            let output = Command::new("sh")
                .args(["-c", command])
                .env("PATH", &path)
                .output()
                .unwrap();
            let told = String::from_utf8(output.stdout).unwrap();
            let heading = format!(
                "SCRIPT standard input -- the first CORRUPTED interleaving, fencing {fencing}\n"
            );
            assert!(told.starts_with(&heading), "{command}: {told}");
            assert!(told.contains("  >> CORRUPTED: "), "{command}: {told}");
        }
    }
}
