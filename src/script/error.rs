//! A message for the person who wrote the script: where, what, in their own words, and what would
//! be right.

use std::fmt;

use crate::script::header::EXPECTED_TOKEN;
use crate::text::quoted;

/// What keeps a text from being a script, and on which line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptError {
    /// The line, counted from 1.
    pub line: u32,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line of a script. Texts are as the script has them, unescaped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// A byte that is part of no UTF-8 text.
    NotUtf8 { byte: u8 },
    /// A character that a script must not contain.
    ForbiddenCharacter { line: String, character: char },
    /// Nothing but headers, comments and blanks.
    NoSteps,
    /// No header of that name. These there are.
    UnknownHeader {
        name: String,
        known: Vec<&'static str>,
    },
    /// A header that stood on line `first` already.
    DuplicateHeader { name: &'static str, first: u32 },
    /// A header after the first step.
    MisplacedHeader { name: &'static str },
    /// A value that its header does not take.
    BadHeader {
        name: &'static str,
        value: String,
        expected: String,
    },
    /// No step and no header is written like this. What is wrong stands before the line, and what
    /// would be right behind it.
    Mistake {
        wrong: String,
        line: String,
        right: String,
    },
    /// No client can be called this.
    BadName { name: String, expected: String },
    /// No data can be this: too little or too much between the quotes.
    BadData { data: String, expected: String },
    /// No storage is called this. These there are.
    UnknownStorage { name: String, known: Vec<String> },
    /// A step that names this storage twice.
    RepeatedStorage { name: String, line: String },
    /// No token can be this.
    BadToken { word: String },
    /// A step that cannot happen when its turn comes.
    Impossible { step: String, why: String },
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NotUtf8 { byte } => {
                write!(
                    f,
                    "found the byte \"\\x{byte:02x}\", which is not UTF-8: expected UTF-8 text"
                )
            }
            Problem::ForbiddenCharacter { line, character } => write!(
                f,
                "forbidden character \"{}\" in {}: expected no control characters but tab, and no \
                 marks that change the direction of text",
                character.escape_unicode(),
                quoted(line)
            ),
            Problem::NoSteps => {
                write!(
                    f,
                    "found no steps: expected one at least, such as \"C acquires the lease\""
                )
            }
            Problem::UnknownHeader { name, known } => {
                write!(
                    f,
                    "unknown header {}: expected {}:",
                    quoted(name),
                    known.join(":, ")
                )
            }
            Problem::DuplicateHeader { name, first } => {
                write!(
                    f,
                    "duplicate header \"{name}:\": expected it once; it stands on line {first}"
                )
            }
            Problem::MisplacedHeader { name } => {
                write!(
                    f,
                    "misplaced header \"{name}:\": expected it before the first step"
                )
            }
            Problem::BadHeader {
                name,
                value,
                expected,
            } => {
                write!(
                    f,
                    "bad value {} of \"{name}:\": expected {expected}",
                    quoted(value)
                )
            }
            Problem::Mistake { wrong, line, right } => {
                write!(f, "{wrong} {}: {right}", quoted(line))
            }
            Problem::BadName { name, expected } => {
                write!(f, "bad name {}: expected {expected}", quoted(name))
            }
            Problem::BadData { data, expected } => {
                write!(f, "bad data {}: expected {expected}", quoted(data))
            }
            Problem::UnknownStorage { name, known } => {
                write!(f, "unknown storage {}: expected ", quoted(name))?;
                match &known[..] {
                    [only] => write!(f, "\"{only}\", or a \"storages:\" header that names it"),
                    several => write!(f, "one of {}", several.join(", ")),
                }
            }
            Problem::RepeatedStorage { name, line } => write!(
                f,
                "storage {} named twice in {}: expected each once",
                quoted(name),
                quoted(line)
            ),
            Problem::BadToken { word } => {
                write!(f, "bad token {}: expected {EXPECTED_TOKEN}", quoted(word))
            }
            Problem::Impossible { step, why } => {
                write!(f, "impossible step {}: {why}", quoted(step))
            }
        }
    }
}

impl std::error::Error for ScriptError {}
