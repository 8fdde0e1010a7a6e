//! The built-in scenarios: one small text file each, in the step language.
//!
//! To add one, write its file, list it here, and bless its golden files.

use crate::script::Scenario;
use crate::script::error::ScriptError;

/// The scripts, scenario 1 first.
const SCRIPTS: &[&str] = &[
    include_str!("scenarios/01-zombie.script"),
    include_str!("scenarios/02-fenced.script"),
    include_str!("scenarios/03-delayed-packet.script"),
    include_str!("scenarios/04-stonith.script"),
    include_str!("scenarios/05-stonith-unanswered.script"),
    include_str!("scenarios/06-packet-outlives-sender.script"),
    include_str!("scenarios/07-check-then-pause.script"),
    include_str!("scenarios/08-suspended-machine.script"),
    include_str!("scenarios/09-unique-tokens.script"),
    include_str!("scenarios/10-storage-forgets.script"),
    include_str!("scenarios/11-one-token-twice.script"),
    include_str!("scenarios/12-window.script"),
    include_str!("scenarios/13-polite-release.script"),
    include_str!("scenarios/14-belief.script"),
];

/// How many of them, from the first, are the book's own.
const OF_THE_BOOK: usize = 3;

/// A built-in scenario, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuiltIn(usize);

impl BuiltIn {
    /// All of them, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = BuiltIn> {
        (0..SCRIPTS.len()).map(BuiltIn)
    }

    /// The book's three scenarios.
    pub fn book() -> impl Iterator<Item = BuiltIn> {
        (0..OF_THE_BOOK).map(BuiltIn)
    }

    /// Its number, from 1.
    pub fn number(self) -> usize {
        self.0 + 1
    }

    /// Whether it is one of the book's three.
    pub fn is_of_the_book(self) -> bool {
        self.0 < OF_THE_BOOK
    }

    /// Reads its script.
    pub fn scenario(self) -> Result<Scenario, ScriptError> {
        Scenario::parse(SCRIPTS[self.0])
    }
}
