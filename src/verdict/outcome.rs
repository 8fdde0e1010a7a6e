//! The two things that a verdict can come to, in words: what a transcript ends with, what a reader
//! bets on, and what a pipeline expects.

/// What a whole run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No write was accepted after one under a newer grant.
    Safe,
    /// One was.
    Corrupted,
}

impl Outcome {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Safe => "SAFE",
            Outcome::Corrupted => "CORRUPTED",
        }
    }
}
