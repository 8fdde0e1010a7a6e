//! What an exploration forgets, so that worlds with one future are equal, whatever their pasts.
//!
//! Each kind is forgotten for a reason of its own:
//!
//! - *Data* decide nothing. What a storage holds is asked only by a read that compares several
//!   storages, and then which write is the newest, not how many there were.
//! - Of a client's *look*, all that counts is whether the contents have changed since.
//! - *Under which grants* writes were accepted is asked only by the verdict, until it is final.
//! - *What a client believes* is asked only by its own steps: by none after its last, or once it is
//!   off.
//! - One *spent grant* is as good as another. A grant is spent when every storage has accepted a write
//!   under a newer one, and has seen a higher token, if it checks tokens. It stays so, for neither ever
//!   falls. No guard lets it pass again; if a write under it gets in all the same, for fencing is off
//!   or the guard evaded, then the run is CORRUPTED, whichever spent grant it was. When the verdict is
//!   final, it asks for no grant any more. Two kinds of steps could tell spent grants apart, so in
//!   scripts that have one of them none is forgotten: a storage that forgets its `max_token` may let
//!   one pass and reject another, and a client that hears an answer asks whether it is to the very
//!   grant that it believes in.

use crate::world::client::{Belief, Client, Condition, Memory};
use crate::world::grant::{Grant, GrantSeq, Token};
use crate::world::names::{ClientId, Storages};
use crate::world::requests::Storage;
use crate::world::step::Step;
use crate::world::storage_service::Fencing;
use crate::world::world::World;

/// What the steps of a script can ask of a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Questions {
    /// Which of the values that storages hold is the newest.
    pub newest_value: bool,
    /// Which of its grants a client was given that is spent.
    pub spent_grant: bool,
}

impl Questions {
    /// What these steps can ask, under that setting of the toggle.
    pub fn of(steps: impl Iterator<Item = Step>, fencing: Fencing) -> Questions {
        let mut questions = Questions {
            newest_value: false,
            spent_grant: false,
        };
        for step in steps {
            if let Step::Reads(_, from) = step {
                questions.newest_value |= from.len() > 1;
            } else if let Step::HearsAnswer(_) = step {
                questions.spent_grant = true;
            } else if let Step::StorageForgetsMaxToken(_) = step {
                questions.spent_grant |= fencing == Fencing::On;
            }
        }
        questions
    }
}

impl World {
    /// Forgets whatever cannot make a difference to which steps are possible or to the verdict, if
    /// the steps that are left ask no more than this.
    pub fn forget_what_decides_nothing(&mut self, questions: Questions, verdict_is_final: bool) {
        if !questions.spent_grant {
            self.forget_spent_grants(verdict_is_final);
        }
        if questions.newest_value {
            self.forget_data();
        } else {
            self.forget_contents();
        }
        self.forget_changes();
        if verdict_is_final {
            self.forget_what_was_accepted();
        }
    }

    /// Forgets what only the client's own steps ask, if none of them is to come: what it believes and
    /// has seen, and whether it runs, unless it is off.
    pub fn forget_belief(&mut self, client: ClientId) {
        let forgotten = self.client_mut(client);
        if forgotten.condition != Condition::PoweredOff {
            forgotten.condition = Condition::Running;
        }
        forgotten.belief = Belief::NoLease;
        forgotten.has_read = false;
        forgotten.memory = Memory::default();
        if let Some(unheard) = self.unheard.get_mut(client.index()) {
            *unheard = None;
        }
        if !self.looks.is_empty() {
            let storages = self.storages.len();
            self.looks[client.index() * storages..][..storages].fill(None);
        }
    }

    /// Makes all spent grants one.
    fn forget_spent_grants(&mut self, verdict_is_final: bool) {
        let is_checked = self.fencing() == Fencing::On;
        let accepted = self.storages.iter().map(|it| it.newest_accepted).min();
        let accepted = accepted.flatten();
        let max_token = self.storages.iter().map(|it| it.service.max_token()).min();
        let max_token = max_token.flatten();
        if (accepted.is_none() && !verdict_is_final) || (max_token.is_none() && is_checked) {
            return;
        }
        let is_spent = |grant: &&mut Grant| {
            (Some(grant.seq) < accepted || verdict_is_final)
                && (Some(grant.token) < max_token || !is_checked)
        };
        let believed = self.clients.iter_mut().filter_map(Client::grant_mut);
        let sent = self.network.grants_mut();
        for grant in believed.chain(sent).filter(is_spent) {
            *grant = Grant {
                seq: GrantSeq::after(0),
                token: Token(0),
            };
        }
    }

    /// Forgets under which grants storages have accepted what they hold and held.
    fn forget_what_was_accepted(&mut self) {
        for storage in &mut self.storages {
            storage.newest_accepted = None;
            if let Some(origin) = &mut storage.origin {
                origin.grant = None;
            }
        }
    }

    /// Forgets what storages hold.
    fn forget_contents(&mut self) {
        for storage in &mut self.storages {
            storage.service.drop_contents();
            storage.origin = None;
        }
    }

    /// Forgets the data that storages hold, and numbers the writes that brought them by how many
    /// storages hold older ones: which of two came first is all that counts.
    fn forget_data(&mut self) {
        let write = |storage: &Storage| storage.origin.map(|origin| origin.write);
        let mut writes = [None; Storages::MOST as usize];
        for (slot, storage) in writes.iter_mut().zip(&self.storages) {
            *slot = write(storage);
        }
        for storage in &mut self.storages {
            storage.service.forget_data();
            if let Some(origin) = &mut storage.origin {
                let older = writes.iter().flatten().filter(|&&it| it < origin.write);
                origin.write = older.map(|_| 1).sum();
            }
        }
    }
}
