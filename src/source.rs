//! A story is a scenario with its name: what a heading calls it, and what an error message does.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use crate::explore::GivenUp;
use crate::script::Scenario;
use crate::script::built_in::BuiltIn;
use crate::script::error::{Problem, ScriptError};
use crate::text::printable;
use crate::world::storage_service::Fencing;

/// Where a scenario comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// It is built in.
    BuiltIn(BuiltIn),
    /// It is in a file.
    File(PathBuf),
    /// It comes in on standard input.
    StandardInput,
}

impl Source {
    /// The arguments that name it on a command line, for a shell.
    pub fn arguments(&self) -> String {
        match self {
            Source::BuiltIn(built_in) => format!("--scenario {}", built_in.number()),
            Source::File(path) => format!("--script {}", shell_word(&shown(path))),
            Source::StandardInput => "--script -".to_owned(),
        }
    }
}

/// The largest script, in bytes: 16 MiB.
pub const LARGEST_SCRIPT: u64 = 16 << 20;

/// A scenario, and what to call it.
#[derive(Clone)]
pub struct LoadedScenario {
    /// What its heading begins with, such as `SCENARIO 1`.
    pub label: String,
    /// What its error messages call it, such as `scenario 1`.
    pub origin: String,
    /// The scenario itself.
    pub scenario: Scenario,
}

impl LoadedScenario {
    /// Reads the scenario. Standard input is touched only if it comes from there.
    pub fn read(source: &Source, standard_input: &mut dyn BufRead) -> Result<LoadedScenario> {
        let (label, origin) = match source {
            Source::BuiltIn(built_in) => {
                let number = built_in.number();
                (format!("SCENARIO {number}"), format!("scenario {number}"))
            }
            Source::File(path) => (format!("SCRIPT {}", base_name(path)), shown(path)),
            Source::StandardInput => (
                "SCRIPT standard input".to_owned(),
                "standard input".to_owned(),
            ),
        };
        let parsed = match source {
            Source::BuiltIn(built_in) => built_in.scenario(),
            Source::File(path) => parse(&read(&origin, File::open(path))?),
            Source::StandardInput => parse(&read(&origin, Ok(standard_input))?),
        };
        match parsed {
            Ok(scenario) => Ok(LoadedScenario {
                label,
                origin,
                scenario,
            }),
            Err(error) => Err(anyhow!("{origin}:{error}")),
        }
    }

    /// The same story under this setting of the toggle.
    #[must_use]
    pub fn with_fencing(self, fencing: Fencing) -> LoadedScenario {
        LoadedScenario {
            scenario: self.scenario.with_fencing(fencing),
            ..self
        }
    }

    /// An error of this story's script, with where it is.
    pub fn locate(&self, error: &ScriptError) -> anyhow::Error {
        anyhow!("{}:{error}", self.origin)
    }

    /// Why this story could not be explored.
    pub fn give_up(&self, given_up: GivenUp) -> anyhow::Error {
        anyhow!("{}: {given_up}", self.origin)
    }
}

/// Reads a whole script, or as much of it as is too much.
fn read(origin: &str, script: io::Result<impl Read>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = script.and_then(|script| script.take(LARGEST_SCRIPT + 1).read_to_end(&mut bytes));
    match read {
        Ok(length) if length as u64 <= LARGEST_SCRIPT => Ok(bytes),
        Ok(_) => Err(anyhow!(
            "{origin}: too large: expected a script of at most 16 MiB"
        )),
        Err(error) => Err(anyhow!(
            "{origin}: cannot be read: {error}; expected a script"
        )),
    }
}

fn parse(script: &[u8]) -> Result<Scenario, ScriptError> {
    match std::str::from_utf8(script) {
        Ok(script) => Scenario::parse(script),
        Err(error) => {
            let (valid, rest) = script.split_at(error.valid_up_to());
            let lines = (1..).zip(valid.split(|&byte| byte == b'\n'));
            let line = lines.last().map_or(1, |(line, _)| line);
            Err(ScriptError {
                line,
                problem: Problem::NotUtf8 { byte: rest[0] },
            })
        }
    }
}

/// The last part of the path, or all of it where it has no such part, as in `..`.
fn base_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| shown(path), |name| shown(Path::new(name)))
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// The word as a shell takes it: in quotes if it has a character that may mean something to one.
fn shell_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
