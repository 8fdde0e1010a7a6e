//! What is known of a run so far, from its events alone: the facts that explain a verdict.

use std::collections::{BTreeMap, BTreeSet};

use crate::verdict::finding::{Learned, Leaseless};
use crate::world::event::{Event, Write};
use crate::world::grant::{Grant, GrantSeq, Token};
use crate::world::names::{ClientId, Data};
use crate::world::network::PacketId;

/// A place in the run: how many events came before.
pub type Moment = usize;

/// Hears the events of a run, one at a time, and remembers.
pub struct History {
    now: Moment,
    /// All grants, in their order.
    pub grants: Vec<GrantHistory>,
    clients: Vec<ClientHistory>,
    in_flight: BTreeMap<PacketId, Departure>,
    /// Storage has restarted.
    pub storage_restarted: bool,
    /// When storage last forgot a `max_token` that it had.
    pub max_token_forgotten: Option<Moment>,
    /// How often the lock service has begun to count its tokens anew.
    countings: u32,
    /// All tokens, each once.
    tokens: BTreeSet<Token>,
    /// A write has reached storage.
    pub wrote: bool,
    /// What storage holds came from the leaseholder of that moment.
    pub holds_live: bool,
}

/// What is known of one grant.
#[derive(Clone, Copy)]
pub struct GrantHistory {
    /// Who was granted the lease.
    pub client: ClientId,
    /// With which token.
    pub token: Token,
    /// How it ended, if it did.
    pub end: LeaseEnd,
    /// How often the lock service had begun to count anew before.
    pub counting: u32,
    /// When fenced storage last let its token in.
    pub last_heard: Option<Moment>,
    /// Of the accepted writes under it, the one that left its client last.
    pub last_write: Option<(Moment, Data)>,
}

/// How a grant ended, if it did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaseEnd {
    /// The lease is out.
    NotYet,
    /// It expired.
    Expired,
    /// Its client gave it back.
    Released,
    /// The lock service forgot its client.
    Forgotten,
}

/// What is known of one client.
#[derive(Clone, Copy, Default)]
pub struct ClientHistory {
    /// Its last grant, whether it still believes in it or not.
    pub grant: Option<GrantSeq>,
    /// It believes in that grant.
    pub believes: bool,
    /// Its own check has passed under that grant.
    pub check: Option<PassedCheck>,
    /// How it learned that it has no lease.
    pub learned: Option<Learned>,
    /// A power-off of it got no answer.
    pub power_off_unanswered: bool,
    /// How many grants there were when it was powered off.
    pub off_after: Option<usize>,
}

/// When a client's own check last passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassedCheck {
    /// While it held the lease.
    WhileHeld,
    /// After it had lost it.
    AfterLoss,
}

/// How a write left its client.
#[derive(Clone, Copy)]
pub struct Departure {
    /// When.
    pub at: Moment,
    /// How the client stood then.
    pub standing: Standing,
    /// The token of its grant.
    pub token: Option<Token>,
}

/// How a client stood with the lock service, whatever it believed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It held the lease.
    Holder,
    /// It had lost the lease that it believed in.
    Lost,
    /// It did not take itself for the leaseholder.
    Leaseless(Leaseless),
}

/// A write that reaches storage.
#[derive(Clone, Copy)]
pub struct Arrival {
    /// The write.
    pub write: Write,
    /// How it left its client.
    pub departure: Departure,
    /// Whether it was delayed in the network.
    pub delayed: bool,
    /// The place of its grant; none if it has no lease.
    pub order: Option<GrantSeq>,
    /// A newer grant exists.
    pub stale: bool,
    /// It comes from the leaseholder, under its lease.
    pub rightful: bool,
}

impl Departure {
    /// How its client came to have no lease, of a write without a grant.
    pub fn leaseless(self) -> Leaseless {
        match self.standing {
            Standing::Leaseless(leaseless) => leaseless,
            Standing::Holder | Standing::Lost => Leaseless::Never,
        }
    }
}

impl History {
    /// Before the first event of a run with so many clients.
    pub fn new(client_count: usize) -> Self {
        History {
            now: 0,
            grants: Vec::new(),
            clients: vec![ClientHistory::default(); client_count],
            in_flight: BTreeMap::new(),
            storage_restarted: false,
            max_token_forgotten: None,
            countings: 0,
            tokens: BTreeSet::new(),
            wrote: false,
            holds_live: false,
        }
    }

    /// What is known of the client.
    pub fn client(&self, client: ClientId) -> &ClientHistory {
        &self.clients[client.index()]
    }

    /// What is known of the grant.
    pub fn grant(&self, order: GrantSeq) -> &GrantHistory {
        &self.grants[order.index()]
    }

    /// The grant under which the lease is out.
    pub fn holder(&self) -> Option<&GrantHistory> {
        self.grants
            .last()
            .filter(|last| last.end == LeaseEnd::NotYet)
    }

    /// Whether no two grants had one token.
    pub fn tokens_are_unique(&self) -> bool {
        self.tokens.len() == self.grants.len()
    }

    /// Of the packets still in flight, the one that was sent first.
    pub fn first_in_flight(&self) -> Option<(PacketId, Departure)> {
        let first = self
            .in_flight
            .iter()
            .min_by_key(|(_, departure)| departure.at);
        first.map(|(&packet, &departure)| (packet, departure))
    }

    /// The write that reaches storage in the next event, if one does.
    pub fn arrival(&self, next: &Event) -> Option<Arrival> {
        let (write, sent) = if let Event::Wrote(write) = *next {
            (write, None)
        } else if let Event::Arrived { write, packet, .. } = *next {
            (write, self.in_flight.get(&packet).copied())
        } else {
            return None;
        };
        let order = write.grant.map(|grant| grant.seq);
        let is_newest = order.is_some_and(|order| order.index() + 1 == self.grants.len());
        Some(Arrival {
            write,
            departure: sent.unwrap_or_else(|| self.departure(write.client, write.grant)),
            delayed: sent.is_some(),
            order,
            stale: !is_newest && !self.grants.is_empty(),
            rightful: is_newest && self.holder().is_some(),
        })
    }

    /// Takes in one event, and the write that it brings to storage, as [`History::arrival`] gives
    /// it.
    pub fn observe(&mut self, event: &Event, arrival: Option<Arrival>) {
        if let Some(arrival) = arrival {
            self.hear_write(arrival);
        }
        match *event {
            Event::Granted { client, grant } => self.hear_grant(client, grant),
            Event::AcquisitionRefused { client, .. } | Event::RenewalRefused { client, .. } => {
                let history = self.client_mut(client);
                history.believes = false;
                history.learned = Some(Learned::Asked);
            }
            Event::Released { client, .. } => {
                self.end_lease(LeaseEnd::Released);
                self.hear_release(client);
            }
            Event::ReleasedTooLate { client } | Event::ReleasedNothing { client } => {
                self.hear_release(client);
            }
            Event::LeaseExpired { .. } => self.end_lease(LeaseEnd::Expired),
            Event::HolderForgotten { holder: Some(_) } => self.end_lease(LeaseEnd::Forgotten),
            Event::Sent { packet, grant, .. } => {
                self.in_flight
                    .insert(packet, self.departure(packet.sender, grant));
            }
            Event::Arrived { packet, .. } => {
                self.in_flight.remove(&packet);
            }
            Event::Announced {
                grant,
                outcome: Ok(_),
                ..
            } => self.hear_token(grant),
            Event::Checked {
                client,
                outcome: Ok(()),
            } => {
                let holds = self.holder().is_some_and(|holder| holder.client == client);
                let check = if holds {
                    PassedCheck::WhileHeld
                } else {
                    PassedCheck::AfterLoss
                };
                self.client_mut(client).check = Some(check);
            }
            Event::Checked {
                client,
                outcome: Err(_),
            } => {
                let history = self.client_mut(client);
                history.believes = false;
                history.learned.get_or_insert(Learned::Checked);
            }
            Event::PoweredOff { client } => {
                self.client_mut(client).off_after = Some(self.grants.len());
            }
            Event::PowerOffUnanswered { client } => {
                self.client_mut(client).power_off_unanswered = true;
            }
            Event::MaxTokenForgotten { was } => {
                self.storage_restarted = true;
                self.max_token_forgotten = was.map(|_| self.now).or(self.max_token_forgotten);
            }
            Event::CounterForgotten { .. } => self.countings += 1,
            Event::Wrote(_)
            | Event::HeldAlready { .. }
            | Event::Renewed { .. }
            | Event::Paused { .. }
            | Event::Woke { .. }
            | Event::Suspended { .. }
            | Event::Resumed { .. }
            | Event::HeldBack { .. }
            | Event::Announced {
                outcome: Err(_), ..
            }
            | Event::CameToNothing { .. }
            | Event::HolderForgotten { holder: None } => {}
        }
        self.now += 1;
    }

    fn client_mut(&mut self, client: ClientId) -> &mut ClientHistory {
        &mut self.clients[client.index()]
    }

    fn hear_grant(&mut self, client: ClientId, grant: Grant) {
        self.tokens.insert(grant.token);
        self.grants.push(GrantHistory {
            client,
            token: grant.token,
            end: LeaseEnd::NotYet,
            counting: self.countings,
            last_heard: None,
            last_write: None,
        });
        let history = self.client_mut(client);
        history.grant = Some(grant.seq);
        history.believes = true;
        history.check = None;
        history.learned = None;
    }

    fn end_lease(&mut self, end: LeaseEnd) {
        if let Some(last) = self.grants.last_mut() {
            last.end = end;
        }
    }

    fn hear_release(&mut self, client: ClientId) {
        let history = self.client_mut(client);
        history.believes = false;
        history.learned = None;
    }

    /// Fenced storage let this grant's token in.
    fn hear_token(&mut self, grant: Option<Grant>) {
        if let Some(grant) = grant {
            self.grants[grant.seq.index()].last_heard = Some(self.now);
        }
    }

    fn hear_write(&mut self, arrival: Arrival) {
        self.wrote = true;
        if arrival.write.outcome.is_err() {
            return;
        }
        self.hear_token(arrival.write.grant);
        self.holds_live = arrival.rightful;
        if let Some(order) = arrival.order {
            let left = arrival.departure.at;
            let history = &mut self.grants[order.index()];
            if history.last_write.is_none_or(|(last, _)| last <= left) {
                history.last_write = Some((left, arrival.write.data));
            }
        }
    }

    /// How a write under this grant leaves its client now.
    fn departure(&self, client: ClientId, grant: Option<Grant>) -> Departure {
        let end = |order| self.grant(order).end;
        let standing = match (grant, self.client(client).grant.map(end)) {
            (Some(grant), _) if end(grant.seq) == LeaseEnd::NotYet => Standing::Holder,
            (Some(_), _) => Standing::Lost,
            (None, None) => Standing::Leaseless(Leaseless::Never),
            (None, Some(LeaseEnd::Released)) => Standing::Leaseless(Leaseless::GaveBack),
            (None, Some(_)) => Standing::Leaseless(Leaseless::GaveUpLost),
        };
        Departure {
            at: self.now,
            standing,
            token: grant.map(|grant| grant.token),
        }
    }
}
