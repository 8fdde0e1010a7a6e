//! The README is executed: what its `console` blocks show is what the program prints.
//!
//! `SNAPSHOTS=overwrite cargo test` rewrites the blocks.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use fencing_demo::script::built_in::{BuiltIn, Group};
use fencing_demo::script::form::FORMS;

use crate::goldens::{difference, report};

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
    for line in readme.lines() {
        let is_fence = line.starts_with("```");
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

/// What the command prints. It runs in a shell that finds the program under test, and must succeed.
fn execute(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_fencing-demo"))
        .parent()
        .unwrap();
    let path = format!(
        "{}:{}",
        program.display(),
        env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && stderr.is_empty(),
        "{command}: {stderr}"
    );
    String::from_utf8(output.stdout).unwrap()
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
