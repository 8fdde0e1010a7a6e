//! The verdict: CORRUPTED if storage accepted a write made under an older grant than one owner
//! write it had accepted before; else SAFE.
//!
//! It compares grants, not tokens, so it also judges tokens that fail. A write without a lease
//! counts as older than every grant.

use crate::world::event::{Accepted, Event};
use crate::world::grant::GrantSeq;

/// What the events so far come to. Hears one event at a time, and remembers no more than what can
/// still change the judgement: two runs that agree on it can be judged as one from there on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// No write was accepted after one under a newer grant.
    Safe(Record),
    /// One was, and nothing changes that.
    Corrupted,
}

/// What a verdict goes by. Nothing yet is less than any grant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Record {
    /// The newest grant there is.
    pub newest_granted: Option<GrantSeq>,
    /// The newest grant under which a write was accepted.
    pub newest_written: Option<GrantSeq>,
    /// The newest grant whose token fenced storage has accepted, by a write or an announcement.
    pub newest_heard: Option<GrantSeq>,
    /// A write was accepted although there was a newer grant, whose token storage had not heard.
    pub let_stale_in: bool,
}

impl Default for Verdict {
    /// Before the first event.
    fn default() -> Self {
        Verdict::Safe(Record::default())
    }
}

impl Verdict {
    /// Takes in one event.
    pub fn observe(&mut self, event: &Event) {
        let Verdict::Safe(record) = self else { return };
        match *event {
            Event::Granted { grant, .. } => record.newest_granted = Some(grant.seq),
            Event::Wrote(write) | Event::Arrived { write, .. } => {
                let order = write.grant.map(|grant| grant.seq);
                match write.outcome {
                    Ok(_) if order < record.newest_written => *self = Verdict::Corrupted,
                    Ok(accepted) => record.accept(order, accepted),
                    Err(_) => {}
                }
            }
            Event::Announced {
                grant,
                outcome: Ok(accepted),
                ..
            } => record.hear(grant.map(|grant| grant.seq), accepted),
            Event::Announced {
                outcome: Err(_), ..
            }
            | Event::AcquisitionRefused { .. }
            | Event::HeldAlready { .. }
            | Event::Renewed { .. }
            | Event::RenewalRefused { .. }
            | Event::Released { .. }
            | Event::ReleasedTooLate { .. }
            | Event::ReleasedNothing { .. }
            | Event::Paused { .. }
            | Event::Woke { .. }
            | Event::Suspended { .. }
            | Event::Resumed { .. }
            | Event::LeaseExpired { .. }
            | Event::Sent { .. }
            | Event::HeldBack { .. }
            | Event::Checked { .. }
            | Event::PoweredOff { .. }
            | Event::PowerOffUnanswered { .. }
            | Event::CameToNothing { .. }
            | Event::MaxTokenForgotten { .. }
            | Event::CounterForgotten { .. }
            | Event::HolderForgotten { .. } => {}
        }
    }
}

impl Record {
    fn accept(&mut self, order: Option<GrantSeq>, accepted: Accepted) {
        self.let_stale_in |= order < self.newest_granted && self.newest_heard <= order;
        self.newest_written = order;
        self.hear(order, accepted);
    }

    /// Unfenced storage hears no token.
    fn hear(&mut self, order: Option<GrantSeq>, accepted: Accepted) {
        if accepted.max_token.is_some() {
            self.newest_heard = order.max(self.newest_heard);
        }
    }
}
