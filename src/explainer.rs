//! A fold over the events of a run, and nothing else: so its finding follows from what happened,
//! in any script and under either setting of the toggle.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::event::{Event, Request, Write};
use crate::finding::{
    Circumstance, Corruption, Finding, Gap, Learned, LeaseEnd, LetIn, LetInWhy, Safety, StaleKind,
};
use crate::grant::{Grant, GrantOrder, Token};
use crate::names::{ClientId, Data};
use crate::network::PacketId;
use crate::step::Step;
use crate::storage_service::{Fencing, Rejection};
use crate::verdict::{Record, Verdict};

/// Hears the events of a run, one at a time, and explains its verdict at the end.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a thing that happened or did not"
)]
pub struct Explainer {
    fencing: Fencing,
    verdict: Verdict,
    /// How many events were heard.
    heard: usize,
    grants: Vec<GrantHistory>,
    clients: Vec<ClientHistory>,
    in_flight: BTreeMap<PacketId, (Departure, Option<Token>)>,
    storage_restarted: bool,
    /// Storage forgot its `max_token` after it had heard the newest grant that it has heard.
    newest_heard_forgotten: bool,
    counter_forgotten: bool,
    wrote: bool,
    corruption: Option<Corruption>,
    safety: Safety,
}

/// What is known of one grant.
struct GrantHistory {
    client: ClientId,
    token: Token,
    end: LeaseEnd,
    /// Of the accepted writes under this grant, the one that left its client last.
    last_write: Option<(Departure, Data)>,
}

/// What is known of one client.
#[derive(Clone, Default)]
struct ClientHistory {
    was_granted: bool,
    /// Its own check has passed under its last grant.
    check: Option<PassedCheck>,
    learned: Option<Learned>,
    power_off_unanswered: bool,
    /// How many grants there were when it was powered off.
    off_after: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PassedCheck {
    WhileHeld,
    AfterLoss,
}

/// When a write left its client: after how many events.
type Departure = usize;

/// A write that reaches storage.
struct Arrival {
    write: Write,
    departure: Departure,
    delayed: bool,
    /// The place of its grant; none if it has no lease.
    order: Option<GrantOrder>,
    /// A newer grant exists.
    stale: bool,
    /// It comes from the leaseholder, under its lease.
    rightful: bool,
}

impl Explainer {
    /// Before the first event of a run with so many clients.
    pub fn new(fencing: Fencing, client_count: usize) -> Self {
        Explainer {
            fencing,
            verdict: Verdict::default(),
            heard: 0,
            grants: Vec::new(),
            clients: vec![ClientHistory::default(); client_count],
            in_flight: BTreeMap::new(),
            storage_restarted: false,
            newest_heard_forgotten: false,
            counter_forgotten: false,
            wrote: false,
            corruption: None,
            safety: Safety::NothingStale,
        }
    }

    /// Takes in one event.
    pub fn hear(&mut self, event: &Event) {
        let before = self.verdict;
        self.verdict.hear(event);
        match *event {
            Event::Granted { client, grant } => self.hear_grant(client, grant),
            Event::AcquisitionRefused { client, .. } | Event::RenewalRefused { client, .. } => {
                self.client_mut(client).learned = Some(Learned::Asked);
                self.note_asked(client);
            }
            Event::Released { .. } => self.end_lease(LeaseEnd::Released),
            Event::LeaseExpired { .. } => self.end_lease(LeaseEnd::Expired),
            Event::HolderForgotten { holder: Some(_) } => self.end_lease(LeaseEnd::Forgotten),
            Event::Wrote(write) => self.hear_write(before, &self.arrival(write, None)),
            Event::Sent { packet, grant, .. } => {
                self.in_flight
                    .insert(packet, (self.heard, grant.map(|grant| grant.token)));
            }
            Event::Arrived { write, packet, .. } => {
                let departure = self
                    .in_flight
                    .remove(&packet)
                    .map(|(departure, _)| departure);
                self.hear_write(before, &self.arrival(write, departure));
            }
            Event::HeldBack {
                client,
                request: Request::Write(_) | Request::Send(_),
            } => {
                if let Some(learned) = self.client(client).learned {
                    self.consider(Safety::HeldBack { client, learned });
                }
            }
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
                self.client_mut(client)
                    .learned
                    .get_or_insert(Learned::Checked);
            }
            Event::PoweredOff { client } => {
                self.client_mut(client).off_after = Some(self.grants.len());
            }
            Event::PowerOffUnanswered { client } => {
                self.client_mut(client).power_off_unanswered = true;
            }
            Event::CameToNothing {
                client,
                step: Step::Writes(..) | Step::Sends(..),
            } => {
                self.consider(self.client_off(client));
            }
            Event::MaxTokenForgotten { was } => {
                self.storage_restarted = true;
                self.newest_heard_forgotten |= was.is_some();
            }
            Event::CounterForgotten { .. } => self.counter_forgotten = true,
            Event::HeldAlready { .. }
            | Event::Announced { .. }
            | Event::Renewed { .. }
            | Event::ReleasedTooLate { .. }
            | Event::ReleasedNothing { .. }
            | Event::Paused { .. }
            | Event::Woke { .. }
            | Event::Suspended { .. }
            | Event::Resumed { .. }
            | Event::HeldBack {
                request: Request::Announcement,
                ..
            }
            | Event::CameToNothing { .. }
            | Event::HolderForgotten { holder: None } => {}
        }
        if let (Verdict::Safe(before), Verdict::Safe(now)) = (before, self.verdict)
            && before.newest_heard < now.newest_heard
        {
            self.newest_heard_forgotten = false;
        }
        self.heard += 1;
    }

    /// The finding on all that was heard.
    pub fn finish(mut self) -> Finding {
        if let Some(corruption) = self.corruption {
            return Finding::Corrupted(corruption);
        }
        let first_sent = self
            .in_flight
            .iter()
            .min_by_key(|&(_, &(departure, _))| departure);
        if let Some((packet, &(_, token))) = first_sent {
            self.consider(Safety::StillInFlight {
                sender: packet.sender,
                token,
            });
        }
        if self.grants.is_empty() {
            self.consider(Safety::NoLease { wrote: self.wrote });
        }
        Finding::Safe(self.safety)
    }
}

impl Explainer {
    fn client(&self, client: ClientId) -> &ClientHistory {
        &self.clients[client.index()]
    }

    fn client_mut(&mut self, client: ClientId) -> &mut ClientHistory {
        &mut self.clients[client.index()]
    }

    fn grant(&self, order: GrantOrder) -> &GrantHistory {
        &self.grants[order.index()]
    }

    /// The grant under which the lease is out.
    fn holder(&self) -> Option<&GrantHistory> {
        self.grants
            .last()
            .filter(|last| last.end == LeaseEnd::NotYet)
    }

    /// Keeps what explains SAFE if it ranks before all that was there.
    fn consider(&mut self, safety: Safety) {
        if safety.rank() < self.safety.rank() {
            self.safety = safety;
        }
    }

    fn hear_grant(&mut self, client: ClientId, grant: Grant) {
        let token = grant.token;
        self.grants.push(GrantHistory {
            client,
            token,
            end: LeaseEnd::NotYet,
            last_write: None,
        });
        let history = self.client_mut(client);
        history.was_granted = true;
        history.check = None;
        history.learned = None;
    }

    fn end_lease(&mut self, end: LeaseEnd) {
        if let Some(last) = self.grants.last_mut() {
            last.end = end;
        }
    }

    fn note_asked(&mut self, asking: ClientId) {
        if let Safety::StaleRejected { client, kind, .. } = &mut self.safety
            && *client == asking
            && *kind == StaleKind::Zombie
        {
            *kind = StaleKind::AskedLater;
        }
    }

    fn client_off(&self, client: ClientId) -> Safety {
        let successor = self
            .client(client)
            .off_after
            .and_then(|grants| self.grants.get(grants));
        let own = self.grants.iter().rposition(|grant| grant.client == client);
        Safety::ClientOff {
            client,
            before_grant_to: successor.map(|grant| grant.client),
            stale: own.map_or(0, |own| own + 1) < self.grants.len(),
        }
    }

    /// `departure` is that of a packet; none if the write came at once.
    fn arrival(&self, write: Write, departure: Option<Departure>) -> Arrival {
        let order = write.grant.map(|grant| grant.order);
        let is_newest = order.is_some_and(|order| order.index() + 1 == self.grants.len());
        Arrival {
            write,
            departure: departure.unwrap_or(self.heard),
            delayed: departure.is_some(),
            order,
            stale: !is_newest && !self.grants.is_empty(),
            rightful: is_newest && self.holder().is_some(),
        }
    }

    fn hear_write(&mut self, before: Verdict, arrival: &Arrival) {
        self.wrote = true;
        let client = arrival.write.client;
        match (arrival.write.outcome, before, self.verdict) {
            (Ok(_), Verdict::Safe(record), Verdict::Corrupted) => {
                self.corruption = self.corruption_by(arrival, record);
            }
            (Ok(_), Verdict::Safe(record), Verdict::Safe(_)) => {
                if arrival.stale
                    && let Some(let_in) = self.let_in_by(arrival, record)
                {
                    self.consider(Safety::StaleLetIn(let_in));
                }
                self.note_first_write(arrival, record);
            }
            (Ok(_), Verdict::Corrupted, _) => self.note_overwritten(arrival),
            (Err(Rejection::LowerToken { token, max_token }), ..) if arrival.rightful => {
                self.consider(Safety::RightfulRejected {
                    client,
                    token,
                    max_token,
                });
                if let Some(Corruption::PastTheGuard { then_shut_out, .. }) = &mut self.corruption {
                    *then_shut_out = true;
                }
            }
            (Err(rejection), ..) if arrival.stale => {
                let kind = self.stale_kind(arrival);
                self.consider(Safety::StaleRejected {
                    client,
                    rejection,
                    kind,
                });
            }
            (Err(_), ..) => {}
        }
        if arrival.write.outcome.is_ok() {
            self.note_departure(arrival);
        }
        let expired = |order| self.grant(order).end == LeaseEnd::Expired;
        if !arrival.stale && arrival.order.is_some_and(expired) {
            let delayed = arrival.delayed;
            self.consider(Safety::NoSuccessorYet { client, delayed });
        }
    }

    /// None only if events were left out: then no newer write was accepted before.
    fn corruption_by(&self, arrival: &Arrival, record: Record) -> Option<Corruption> {
        let Arrival {
            write: Write { client, grant, .. },
            delayed,
            ..
        } = *arrival;
        let newer = self.grant(record.newest_written?);
        Some(match (grant, self.fencing) {
            (None, _) => Corruption::WithoutLease {
                client,
                gave_back: self.client(client).was_granted,
            },
            (Some(grant), Fencing::On) => Corruption::PastTheGuard {
                gap: self.gap(grant.token, newer.token),
                delayed,
                then_shut_out: false,
            },
            (Some(grant), Fencing::Off) if delayed => {
                self.delayed_corruption(client, grant, record.newest_written?)
            }
            (Some(grant), Fencing::Off) => match self.grant(grant.order).end {
                LeaseEnd::Forgotten => Corruption::LeaseForgotten { client },
                LeaseEnd::Expired | LeaseEnd::Released | LeaseEnd::NotYet => Corruption::Zombie {
                    client,
                    circumstance: self.circumstance(client, newer.client, record),
                },
            },
        })
    }

    fn delayed_corruption(&self, sender: ClientId, grant: Grant, newer: GrantOrder) -> Corruption {
        let overwrote = self.grant(newer).client;
        if overwrote == sender {
            return Corruption::OwnDelayedPacket { client: sender };
        }
        if let Some(grants) = self.client(sender).off_after {
            return Corruption::PacketOutlivedSender {
                sender,
                in_time: grants <= newer.index(),
            };
        }
        Corruption::DelayedPacket {
            sender,
            overwrote,
            lease: self.grant(grant.order).end,
        }
    }

    fn circumstance(&self, zombie: ClientId, newer: ClientId, record: Record) -> Circumstance {
        let history = self.client(zombie);
        match history.check {
            _ if history.power_off_unanswered => Circumstance::PowerOffUnanswered,
            Some(PassedCheck::WhileHeld) => Circumstance::CheckedBefore,
            Some(PassedCheck::AfterLoss) => Circumstance::TimerSlept,
            None if record.let_stale_in => Circumstance::WindowBefore { newer },
            None if self.storage_restarted => Circumstance::NoMaxTokenToForget,
            None if self.counter_forgotten => Circumstance::CounterForgotten,
            None if self.holder().is_some() => Circumstance::TwoHolders,
            None => Circumstance::LeaseMovedOn,
        }
    }

    /// The leaseholder writes after the zombie.
    fn note_overwritten(&mut self, arrival: &Arrival) {
        if let Some(Corruption::Zombie { circumstance, .. }) = &mut self.corruption
            && let Circumstance::TwoHolders | Circumstance::LeaseMovedOn = circumstance
            && arrival.rightful
        {
            *circumstance = Circumstance::OverwrittenLater {
                by: arrival.write.client,
            };
        }
    }

    fn gap(&self, older: Token, newer: Token) -> Gap {
        let counter_forgotten = self.counter_forgotten;
        match older.cmp(&newer) {
            Ordering::Greater => Gap::OutOfOrder {
                older,
                newer,
                counter_forgotten,
            },
            Ordering::Equal => Gap::OneToken {
                token: newer,
                counter_forgotten,
            },
            Ordering::Less if self.newest_heard_forgotten => {
                Gap::MaxTokenForgotten { older, newer }
            }
            Ordering::Less => Gap::NoGuard { older, newer },
        }
    }

    /// None only if no lease was ever granted: then no write is stale.
    fn let_in_by(&self, arrival: &Arrival, record: Record) -> Option<LetIn> {
        let Write { client, grant, .. } = arrival.write;
        let newer = self.grants.last()?;
        let why = match (self.fencing, grant, record.newest_heard) {
            (Fencing::Off, ..) => LetInWhy::Unfenced,
            (Fencing::On, Some(grant), Some(heard)) if heard > grant.order => {
                LetInWhy::PastTheGuard(self.gap(grant.token, self.grant(heard).token))
            }
            (Fencing::On, ..) => LetInWhy::NotHeardYet { then_wrote: false },
        };
        Some(LetIn {
            client,
            token: grant.map(|grant| grant.token),
            newer: newer.client,
            newer_token: newer.token,
            newer_holds: newer.end == LeaseEnd::NotYet,
            why,
        })
    }

    /// The client that had not been heard of when a stale write was let in writes now.
    fn note_first_write(&mut self, arrival: &Arrival, record: Record) {
        if let Safety::StaleLetIn(LetIn {
            newer_token, why, ..
        }) = &mut self.safety
            && let LetInWhy::NotHeardYet { then_wrote } = why
            && arrival
                .write
                .grant
                .is_some_and(|grant| grant.token == *newer_token)
            && !arrival.stale
            && record.newest_heard < arrival.order
        {
            *then_wrote = true;
        }
    }

    fn stale_kind(&self, arrival: &Arrival) -> StaleKind {
        let history = self.client(arrival.write.client);
        let released = arrival
            .order
            .is_some_and(|order| self.grant(order).end == LeaseEnd::Released);
        match (arrival.delayed, history.check) {
            (true, _) if history.off_after.is_some() => StaleKind::PacketOutlivedSender,
            (true, _) if released => StaleKind::PacketAfterRelease,
            (true, _) => StaleKind::Packet,
            (false, _) if history.power_off_unanswered => StaleKind::PowerOffUnanswered,
            (false, Some(_)) => StaleKind::CheckPassed,
            (false, None) => StaleKind::Zombie,
        }
    }

    /// A packet that left before another write of its own grant undoes that one.
    fn note_departure(&mut self, arrival: &Arrival) {
        let Arrival {
            write: Write { client, data, .. },
            departure,
            order: Some(order),
            ..
        } = *arrival
        else {
            return;
        };
        let history = &mut self.grants[order.index()];
        match history.last_write {
            Some((last, newer)) if departure < last => {
                if newer != data {
                    let token = history.token;
                    self.consider(Safety::PacketUndidOwnWrite {
                        client,
                        late: data,
                        newer,
                        token,
                    });
                }
            }
            Some(_) | None => history.last_write = Some((departure, data)),
        }
    }
}
