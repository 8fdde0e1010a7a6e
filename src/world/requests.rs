//! What becomes of a request at each storage that it reaches, and of a read.
//!
//! The services decide. The world notes how things stood just then: who held the lease, which grant
//! was the newest, what the client had seen. No service and no client knows any of that.

use crate::world::client::UnheardAnswer;
use crate::world::event::{
    Answer, Answers, Choice, Held, Moment, Preference, Read, Reply, Request,
};
use crate::world::grant::{Grant, GrantSeq, Token};
use crate::world::names::{ClientId, Data, StorageId, Storages};
use crate::world::step::WriteMode;
use crate::world::storage_service::{Fencing, Rejection, StorageService, Value};
use crate::world::world::World;

/// A storage service, and what the world notes of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Storage {
    pub(super) service: StorageService,
    pub(super) origin: Option<Origin>,
    pub(super) newest_accepted: Option<GrantSeq>,
    /// How often its contents have changed.
    pub(super) changes: u32,
}

/// Where what a storage holds came from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// Which write brought it. Of those whose data are held, the highest was taken last.
    pub(super) write: u32,
    pub(super) grant: Option<Grant>,
    left: Moment,
    taken: Moment,
}

/// A request that has left its client.
#[derive(Clone, Copy)]
pub struct Outgoing {
    /// Who sent it.
    pub client: ClientId,
    /// What it writes; nothing if it announces a token.
    pub data: Option<Data>,
    /// On what terms.
    pub mode: WriteMode,
    /// To which storages.
    pub to: Storages,
    /// The grant that its client believed in.
    pub grant: Option<Grant>,
    /// When it left.
    pub left: Moment,
    /// Whether the network has delayed it.
    pub is_delayed: bool,
}

impl Storage {
    /// Empty storage.
    pub fn new(fencing: Fencing) -> Self {
        Storage {
            service: StorageService::new(fencing),
            origin: None,
            newest_accepted: None,
            changes: 0,
        }
    }

    /// When its contents last changed. In an exploration, which forgets it, all happens at the first
    /// moment.
    pub(super) fn last_change(&self) -> Option<Moment> {
        let taken = self.origin.map_or(Moment::FIRST, |origin| origin.taken);
        (self.changes > 0).then_some(taken)
    }

    /// What it holds, and since when.
    fn held(&self) -> Option<Held> {
        let (value, origin) = self.service.contents().zip(self.origin)?;
        Some(Held {
            data: value.data,
            grant: origin.grant,
            left: origin.left,
            taken: origin.taken,
        })
    }

    /// Notes that it took the data of this write.
    fn note(&mut self, origin: Origin) {
        self.origin = Some(origin);
        let seq = origin.grant.map(|grant| grant.seq);
        self.newest_accepted = self.newest_accepted.max(seq);
        self.changes += 1;
    }
}

impl Outgoing {
    /// The token that it shows. With fencing off nothing carries one.
    fn token(&self, fencing: Fencing) -> Option<Token> {
        match (fencing, self.mode) {
            (Fencing::Off, _) | (Fencing::On, WriteMode::PastTheGuard) => None,
            (Fencing::On, WriteMode::Plain | WriteMode::IfUnchanged) => {
                self.grant.map(|grant| grant.token)
            }
            (Fencing::On, WriteMode::WithToken(token)) => Some(token),
        }
    }
}

impl World {
    /// The request reaches its storages, and each of them answers.
    pub(super) fn request(&mut self, mut outgoing: Outgoing, at: Moment) -> Request {
        let fencing = self.fencing();
        if let (Fencing::Off, WriteMode::PastTheGuard | WriteMode::WithToken(_)) =
            (fencing, outgoing.mode)
        {
            // There is no guard to pass, and none to show a token to.
            outgoing.mode = WriteMode::Plain;
        }
        let Outgoing {
            client,
            data,
            mode,
            to,
            grant,
            left,
            ..
        } = outgoing;
        let (newest, holder) = (self.lock_service.newest(), self.holder());
        let token = outgoing.token(fencing);
        let origin = Origin {
            write: self.next_write(),
            grant,
            left,
            taken: at,
        };
        let mut answer = |storage| self.answer(&outgoing, token, storage, origin);
        let answers = match to.only() {
            Some(storage) => Answers::One(answer(storage)),
            None => Answers::Several(to.iter().map(answer).collect()),
        };
        let request = Request {
            client,
            data,
            mode,
            grant,
            token,
            left,
            newest,
            holder,
            answers,
        };
        self.send_answer(&request, at);
        request
    }

    /// Which number the next write gets: more than all whose data are held.
    fn next_write(&self) -> u32 {
        let held = self.storages.iter().filter_map(|storage| storage.origin);
        held.map(|origin| origin.write + 1).max().unwrap_or(0)
    }

    /// The request reaches this storage.
    fn answer(
        &mut self,
        outgoing: &Outgoing,
        token: Option<Token>,
        id: StorageId,
        origin: Origin,
    ) -> Answer {
        let client = outgoing.client;
        let known = self.look(client, id);
        let look = known.filter(|_| !outgoing.is_delayed);
        let is_unchanged = look.is_some_and(|look| look.changed.is_none());
        let storage = &mut self.storages[id.index()];
        let (held, newest_accepted) = (storage.held(), storage.newest_accepted);
        let service = &mut storage.service;
        let outcome = match (outgoing.data, outgoing.mode) {
            (None, _) => service.announce(token),
            (Some(data), WriteMode::Plain | WriteMode::WithToken(_)) => service.write(data, token),
            (Some(data), WriteMode::IfUnchanged) => service.write_if(is_unchanged, data, token),
            (Some(data), WriteMode::PastTheGuard) => {
                service.write_past_the_guard(data);
                Ok(())
            }
        };
        let max_token = service.max_token();
        let mut lost = None;
        if let (Some(data), Ok(())) = (outgoing.data, outcome) {
            storage.note(origin);
            if outgoing.is_delayed {
                let missed = known.and_then(|look| look.changed);
                self.own_packet_came(client, id, missed);
            } else {
                let overwrites_unread = self.client(client).has_read
                    && outgoing.mode != WriteMode::IfUnchanged
                    && look.is_some_and(|look| look.is_unread);
                lost = look
                    .and_then(|look| look.changed)
                    .filter(|_| overwrites_unread);
                self.looks_at(client, id, Some(data), origin.taken);
            }
        }
        Answer {
            storage: id,
            outcome,
            max_token,
            held,
            newest_accepted,
            look,
            lost,
        }
    }

    /// The answer travels back. It gets through if the script says so; what is not remembered will
    /// never be asked for.
    fn send_answer(&mut self, request: &Request, at: Moment) {
        if !self.client(request.client).memory.answers {
            return;
        }
        let is_for_its_token = |answer: &Answer| match answer.outcome {
            Err(Rejection::LowerToken | Rejection::NoToken) => true,
            Err(Rejection::Changed) | Ok(()) => false,
        };
        let is_rejected = request.answers.iter().any(is_for_its_token);
        self.unheard[request.client.index()] = Some(UnheardAnswer {
            request: at,
            rejected: request.seq().filter(|_| is_rejected),
        });
    }

    /// The client asks these storages what they hold, takes the newest value, and repairs those that
    /// hold another, or none (Figure 9-7).
    pub(super) fn read(&mut self, client: ClientId, from: Storages, at: Moment) -> Read {
        let reply = |id: StorageId| {
            let storage = &self.storages[id.index()];
            Reply {
                storage: id,
                value: storage.service.contents(),
                held: storage.held(),
            }
        };
        let replies = from.iter().map(reply).collect();
        let newest = self.newest_value(from);
        let mut read = Read {
            client,
            replies,
            choice: None,
            repairs: Box::default(),
        };
        if let Some((value, origin)) = newest {
            let holds_another = |id: &StorageId| {
                let held = self.storages[id.index()].origin;
                held.map(|origin| origin.write) != Some(origin.write)
            };
            let behind: Vec<StorageId> = from.iter().filter(holds_another).collect();
            if !behind.is_empty() {
                read.choice = Some(Choice {
                    value,
                    grant: origin.grant,
                    why: self.why_newest(from, value, origin),
                });
            }
            let taken = at;
            let origin = Origin { taken, ..origin };
            let repairs = behind.into_iter().map(|id| self.repair(id, value, origin));
            read.repairs = repairs.collect();
        }
        self.client_mut(client).has_read = true;
        let saw = newest.map(|(value, _)| value.data);
        for id in from.iter() {
            self.looks_at(client, id, saw, at);
        }
        read
    }

    /// The value that a reader of these storages takes: that of the highest token if they keep any,
    /// and of several such the one that was taken last.
    fn newest_value(&self, from: Storages) -> Option<(Value, Origin)> {
        let held = from.iter().filter_map(|id| self.value(id));
        held.max_by_key(|(value, origin)| (value.token, origin.write))
    }

    fn value(&self, id: StorageId) -> Option<(Value, Origin)> {
        let storage = &self.storages[id.index()];
        storage.service.contents().zip(storage.origin)
    }

    fn why_newest(&self, from: Storages, value: Value, origin: Origin) -> Preference {
        let held = from.iter().filter_map(|id| self.value(id));
        let others = held.filter(|(_, other)| other.write != origin.write);
        match others.map(|(other, _)| other.token).max() {
            None => Preference::Only,
            Some(highest) if highest < value.token => Preference::HigherToken(highest),
            Some(_) => Preference::Later,
        }
    }

    /// Read repair of this storage.
    fn repair(&mut self, id: StorageId, value: Value, origin: Origin) -> Answer {
        let storage = &mut self.storages[id.index()];
        let (held, newest_accepted) = (storage.held(), storage.newest_accepted);
        storage.service.repair(value);
        storage.note(origin);
        Answer {
            storage: id,
            outcome: Ok(()),
            max_token: storage.service.max_token(),
            held,
            newest_accepted,
            look: None,
            lost: None,
        }
    }
}
