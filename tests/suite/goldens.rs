//! The files in `expected/` are standard output, byte for byte. A file's name is its command line:
//! `scenario-3.fencing-off.txt` is `--scenario 3 --fencing off`, and `default.txt` no arguments. A
//! picture's name ends as its format does: `scenario-2.svg` is `--scenario 2 --format svg`.
//!
//! `SNAPSHOTS=overwrite cargo test` blesses what the program prints now.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fencing_demo::script::built_in::BuiltIn;
use fencing_demo::world::storage_service::Fencing;
use snapbox::Data;
use snapbox::report::{Palette, write_diff};

use crate::program::Program;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/expected");
const HOW_TO_BLESS: &str = "if this is as it should be: SNAPSHOTS=overwrite cargo test";

/// Whether differences are to be blessed instead of reported.
pub fn blessing() -> bool {
    std::env::var_os("SNAPSHOTS").is_some_and(|action| action == "overwrite")
}

/// Compares the file with what it should hold: how they differ, unless they are equal byte for byte
/// or the difference was blessed.
pub fn difference(path: &Path, actual: &str) -> Option<String> {
    let expected = fs::read(path).unwrap_or_default();
    if expected == actual.as_bytes() {
        return None;
    }
    if blessing() {
        fs::write(path, actual).unwrap();
        return None;
    }
    let expected = Data::text(String::from_utf8_lossy(&expected).into_owned());
    let mut diff = String::new();
    let name = path.display();
    let actual = Data::text(actual.to_owned());
    write_diff(
        &mut diff,
        &expected,
        &actual,
        Some(&name),
        Some(&"printed"),
        Palette::plain(),
    )
    .unwrap();
    // Lines can be equal where bytes are not: line endings, or the last newline.
    Some(format!("{name} differs:\n{diff}"))
}

#[track_caller]
pub fn report(differences: &[String]) {
    assert!(
        differences.is_empty(),
        "{}\n{HOW_TO_BLESS}",
        differences.concat()
    );
}

/// A story in which every role of the palette comes up.
const IN_COLOUR: &str = "scenario-12.fencing-both.color-always";

/// The book's figures, which are drawn in every format.
const FIGURES: [&str; 6] = [
    "scenario-1",
    "scenario-2",
    "scenario-3",
    "scenario-3.fencing-off",
    "scenario-6",
    "scenario-21",
];

/// Stories that are drawn for the terminal under the other setting as well as their own.
const DRAWN_TWICE: [(usize, &str); 7] = [
    (3, "off"),
    (17, "off"),
    (18, "off"),
    (19, "on"),
    (20, "on"),
    (21, "off"),
    (22, "off"),
];

/// The files that there must be: every scenario as it is, with its toggle flipped, and explored; the
/// default run, plain and explored; the list and the help; pictures.
fn required() -> BTreeSet<String> {
    let mut names: BTreeSet<String> = ["default", "explore", "help", "list", IN_COLOUR]
        .map(|name| format!("{name}.txt"))
        .into();
    for built_in in BuiltIn::all() {
        let number = built_in.number();
        let flipped = match built_in.scenario().unwrap().headers.fencing {
            Fencing::Off => "on",
            Fencing::On => "off",
        };
        names.insert(format!("scenario-{number}.txt"));
        names.insert(format!("scenario-{number}.fencing-{flipped}.txt"));
        names.insert(format!("scenario-{number}.explore.txt"));
        names.insert(format!("scenario-{number}.diagram.txt"));
    }
    for figure in FIGURES {
        names.extend(["diagram.txt", "svg", "mmd"].map(|format| format!("{figure}.{format}")));
    }
    for (number, other) in DRAWN_TWICE {
        names.insert(format!("scenario-{number}.fencing-{other}.diagram.txt"));
    }
    names.insert("scenario-2.ascii.txt".to_owned());
    names
}

/// The command line that a file's name stands for.
fn arguments(name: &str) -> Vec<String> {
    let parts = name
        .split('.')
        .filter(|&part| !["default", "txt"].contains(&part));
    parts
        .flat_map(|part| match (part, part.split_once('-')) {
            ("mmd", _) => vec!["--format".to_owned(), "mermaid".to_owned()],
            ("diagram" | "ascii" | "svg", _) => vec!["--format".to_owned(), part.to_owned()],
            (_, Some((option, value))) => vec![format!("--{option}"), value.to_owned()],
            (_, None) => vec![format!("--{part}")],
        })
        .collect()
}

#[test]
fn every_golden_file_is_what_the_program_prints() {
    let present = fs::read_dir(FOLDER).unwrap();
    let present = present.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: BTreeSet<String> = present.collect();
    let missing: Vec<String> = required().difference(&names).cloned().collect();
    if blessing() {
        names.extend(missing);
    } else {
        assert!(
            missing.is_empty(),
            "no golden file {missing:?}; {HOW_TO_BLESS}"
        );
    }

    let differences = names.iter().filter_map(|name| {
        let printed = Program::new(arguments(name)).stdout();
        difference(&Path::new(FOLDER).join(name), &printed)
    });
    report(&differences.collect::<Vec<_>>());
}

#[test]
fn the_default_run_is_the_three_of_the_book_with_a_blank_line_between() {
    let one = |number: &str| Program::new(["--scenario", number]).stdout();
    assert_eq!(
        Program::line("").stdout(),
        [one("1"), one("2"), one("3")].join("\n")
    );
}

#[test]
fn everything_that_the_program_prints_of_its_own_fits_80_columns() {
    let mut commands: Vec<String> = ["-h", "--help", "--list", "--fencing both", "--explore"]
        .map(str::to_owned)
        .into();
    for number in BuiltIn::all().map(BuiltIn::number) {
        for how in ["--fencing both", "--explore"] {
            commands.push(format!("--scenario {number} {how}"));
        }
        // The questions: its own, and the general one.
        commands.push(format!("--scenario {number} --fencing both --step"));
    }
    for command in commands {
        let (printed, said) = Program::line(&command).output();
        for line in printed.lines().chain(said.lines()) {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
    }
}
