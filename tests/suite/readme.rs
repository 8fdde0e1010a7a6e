//! The README is executed: what its `console` blocks show is what the program prints. A `text` block
//! with a name is a file for them.
//!
//! `SNAPSHOTS=overwrite cargo test` rewrites the blocks.

use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use fencing_demo::script::built_in::{BuiltIn, Group};
use fencing_demo::script::form::FORMS;
use fencing_demo::script::header::Header;

use crate::goldens::{difference, report};
use crate::program::Program;

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

#[test]
fn the_console_blocks_show_what_the_program_prints() {
    let readme = fs::read_to_string(README).unwrap();
    // One folder for all blocks: one can write a script that a later one runs.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();

    let mut executed = String::new();
    let (mut in_block, mut commands) = (false, 0);
    let mut written = None;
    for line in readme.lines() {
        let is_fence = line.starts_with("```");
        if is_fence {
            let name = line.strip_prefix("```text ");
            written = name.map(|name| File::create(folder.join(name)).unwrap());
        } else if let Some(file) = &mut written {
            writeln!(file, "{line}").unwrap();
        }
        if !in_block || is_fence || line.starts_with("$ ") {
            executed += line;
            executed.push('\n');
        }
        if in_block && let Some(command) = line.strip_prefix("$ ") {
            executed += &execute(command, &folder);
            commands += 1;
        }
        in_block = if is_fence {
            line == "```console"
        } else {
            in_block
        };
    }
    assert!(commands > 0, "the README shows no command");
    report(
        &difference(Path::new(README), &executed)
            .into_iter()
            .collect::<Vec<_>>(),
    );
}

/// What the command prints. It must succeed, and say nothing on standard error.
fn execute(command: &str, folder: &Path) -> String {
    let output = shell(command, folder);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && stderr.is_empty(),
        "{command}: {stderr}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the command in a shell that finds the program under test.
fn shell(command: &str, folder: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_fencing-demo"))
        .parent()
        .unwrap();
    let path = format!(
        "{}:{}",
        program.display(),
        env::var("PATH").unwrap_or_default()
    );
    Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .output()
        .unwrap()
}

#[test]
fn the_table_of_steps_has_every_form() {
    let readme = fs::read_to_string(README).unwrap();
    let (_, table) = readme
        .split_once("| step | meaning |\n| --- | --- |\n")
        .unwrap();
    let rows = table.lines().take_while(|line| line.starts_with("| `"));
    // A row can have several forms, such as a pause and its end.
    let forms: Vec<&str> = rows
        .flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2))
        .collect();
    let expected: Vec<&str> = FORMS.iter().map(|form| form.text).collect();
    assert_eq!(forms, expected);
}

#[test]
fn the_table_of_headers_has_every_one() {
    let readme = fs::read_to_string(README).unwrap();
    let (_, table) = readme
        .split_once("| header | meaning |\n| --- | --- |\n")
        .unwrap();
    let rows = table.lines().take_while(|line| line.starts_with("| `"));
    let headers: Vec<&str> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
    let expected = Header::ALL.map(|header| format!("{}: {}", header.name(), header.example()));
    assert_eq!(headers, expected);
}

#[test]
fn the_loop_compares_every_golden_file() {
    let readme = fs::read_to_string(README).unwrap();
    let blocks = readme.split("\n```sh\n").skip(1);
    let mut blocks = blocks.map(|block| block.split_once("```").unwrap().0);
    let compare = blocks
        .find(|block| block.contains("for file in expected/"))
        .unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(execute(compare, root), "");

    // In a folder of its own, where each golden file is wrong in turn.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("loop");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("expected")).unwrap();
    for name in [
        "default",
        "list",
        "scenario-3.fencing-off",
        "scenario-9.explore.format-script",
    ] {
        let golden = format!("expected/{name}.txt");
        let right = fs::read_to_string(root.join(&golden)).unwrap();
        fs::write(folder.join(&golden), &right).unwrap();
        assert_eq!(execute(compare, &folder), "");
        fs::write(folder.join(&golden), right.replacen('l', "L", 1)).unwrap();
        assert!(!shell(compare, &folder).status.success(), "{name}");
        fs::remove_file(folder.join(golden)).unwrap();
    }
}

#[test]
fn the_exercises_can_be_solved() {
    let script =
        |number: usize| Program::line(&format!("--scenario {number} --format script")).stdout();
    let moved = "client2 writes 'client2 data'\n";
    let forgotten = "storage forgets its max_token\nclient1 writes 'client1 stale";
    for (number, answer, options) in [
        (
            1,
            script(1).replace(moved, "") + moved,
            "--fencing off --expect safe",
        ),
        (9, script(9).replace("87, 34", "34, 87"), "--expect safe"),
        (
            2,
            script(2).replace("client1 writes 'client1 stale", forgotten),
            "--fencing on --expect corrupted",
        ),
    ] {
        assert!(answer.len() >= script(number).len(), "{answer}");
        let run = |script| {
            Program::line(&format!("--script - {options}"))
                .input(script)
                .run()
        };
        assert_eq!(
            run(script(number)).0,
            Some(1),
            "scenario {number} is to be changed"
        );
        assert_eq!(run(answer).0, Some(0), "scenario {number} can be changed");
        let readme = fs::read_to_string(README).unwrap();
        let exercise = format!("scenario {number}");
        let mut lines = readme.lines();
        assert!(
            lines.any(|line| line.contains(&exercise) && line.ends_with(&format!("`{options}`.")))
        );
    }
}

#[test]
fn the_tables_of_scenarios_have_every_one_that_is_not_of_the_story() {
    let readme = fs::read_to_string(README).unwrap();
    let tables = readme.split("\n| scenario | ").skip(1);
    let rows = tables.flat_map(|table| {
        let rows = table.lines().skip(2);
        rows.take_while(|line| line.starts_with("| "))
    });
    let numbers: Vec<usize> = rows
        .map(|row| row.split(' ').nth(1).unwrap().parse().unwrap())
        .collect();
    let others = BuiltIn::all().filter(|built_in| built_in.group() != Group::TheStory);
    assert_eq!(numbers, others.map(BuiltIn::number).collect::<Vec<_>>());
}
