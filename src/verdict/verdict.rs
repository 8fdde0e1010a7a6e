//! The verdict: CORRUPTED if a storage accepted a write made under an older grant than one whose
//! write it had accepted before; else SAFE.
//!
//! It compares grants, not tokens, so it also judges tokens that fail. A write without a lease
//! counts as older than every grant, and a read repair as a write of the grant whose value it brings.

use crate::verdict::outcome::Outcome;
use crate::world::event::{Answer, Event};
use crate::world::grant::GrantSeq;

/// What the events so far come to. Observes one event at a time, and remembers no more than what is
/// said of a run: two runs that agree on it can be judged as one from there on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// No write was accepted after one under a newer grant.
    Safe(Blemishes),
    /// One was, and nothing changes that.
    Corrupted,
}

/// What went wrong although nothing was corrupted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Blemishes {
    /// A write was accepted although there was a newer grant.
    pub stale_accepted: bool,
    /// A write overwrote what its client, which reads, had not read.
    pub update_lost: bool,
}

impl Default for Verdict {
    /// Before the first event.
    fn default() -> Self {
        Verdict::Safe(Blemishes::default())
    }
}

impl Verdict {
    /// Which of the two it is.
    pub fn outcome(&self) -> Outcome {
        match self {
            Verdict::Safe(_) => Outcome::Safe,
            Verdict::Corrupted => Outcome::Corrupted,
        }
    }

    /// Observes one event.
    pub fn observe(&mut self, event: &Event) {
        let Verdict::Safe(blemishes) = self else {
            return;
        };
        if let Some(write) = event.write() {
            for answer in write.answers.iter().filter(|answer| answer.is_accepted()) {
                if corrupts(write.seq(), answer) {
                    *self = Verdict::Corrupted;
                    return;
                }
                blemishes.stale_accepted |= write.is_stale();
                blemishes.update_lost |= answer.lost.is_some();
            }
        } else if let Event::Read(read) = event
            && let Some(choice) = read.choice
        {
            let seq = choice.grant.map(|grant| grant.seq);
            if read.repairs.iter().any(|repair| corrupts(seq, repair)) {
                *self = Verdict::Corrupted;
            }
        }
    }
}

/// Whether the storage accepted a write of this grant after one of a newer grant.
pub fn corrupts(seq: Option<GrantSeq>, answer: &Answer) -> bool {
    answer.is_accepted() && seq < answer.newest_accepted
}
