//! A fold over the events of a run, and nothing else: so its finding follows from what happened,
//! in any script and under either setting of the toggle.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::event::{Event, Request, Write};
use crate::finding::{
    Circumstance, Corruption, Finding, Gap, Learned, Leaseless, LetIn, LetInWhy, PacketLease,
    Safety, StaleKind,
};
use crate::grant::{Grant, GrantOrder, Token};
use crate::names::{ClientId, Data};
use crate::network::PacketId;
use crate::step::Step;
use crate::storage_service::{Fencing, Rejection};
use crate::verdict::{Record, Verdict};

/// Hears the events of a run, one at a time, and explains its verdict at the end.
pub struct Explainer {
    fencing: Fencing,
    verdict: Verdict,
    /// The event that is heard just now, counted from 0.
    now: Moment,
    grants: Vec<GrantHistory>,
    clients: Vec<ClientHistory>,
    in_flight: BTreeMap<PacketId, Departure>,
    storage_restarted: bool,
    /// When storage last forgot a `max_token` that it had.
    max_token_forgotten: Option<Moment>,
    /// How often the lock service has begun to count its tokens again.
    countings: u32,
    wrote: bool,
    corruption: Option<Corruption>,
    safety: Safety,
    /// The grant of which more may be heard that belongs to what explains SAFE.
    about: Option<GrantOrder>,
}

/// A place in the run: how many events came before.
type Moment = usize;

/// What is known of one grant.
struct GrantHistory {
    client: ClientId,
    token: Token,
    end: LeaseEnd,
    /// How often the lock service had begun to count again before.
    counting: u32,
    /// When fenced storage last let its token in.
    last_heard: Option<Moment>,
    /// A write under it was accepted while there was no newer grant.
    wrote_live: bool,
    /// Of the accepted writes under this grant, the one that left its client last.
    last_write: Option<(Moment, Data)>,
}

/// How a grant ended, if it did.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeaseEnd {
    NotYet,
    Expired,
    Released,
    Forgotten,
}

/// What is known of one client.
#[derive(Clone, Default)]
struct ClientHistory {
    /// Its last grant, whether it still believes in it or not.
    grant: Option<GrantOrder>,
    believes: bool,
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

/// How a write left its client.
#[derive(Clone, Copy)]
struct Departure {
    at: Moment,
    standing: Standing,
    token: Option<Token>,
}

/// How a client stood with the lock service, whatever it believed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Holder,
    Lost,
    Leaseless(Leaseless),
}

impl Departure {
    /// How its client came to have no lease, of a write without a grant.
    fn leaseless(self) -> Leaseless {
        match self.standing {
            Standing::Leaseless(leaseless) => leaseless,
            Standing::Holder | Standing::Lost => Leaseless::Never,
        }
    }
}

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
            now: 0,
            grants: Vec::new(),
            clients: vec![ClientHistory::default(); client_count],
            in_flight: BTreeMap::new(),
            storage_restarted: false,
            max_token_forgotten: None,
            countings: 0,
            wrote: false,
            corruption: None,
            safety: Safety::NothingStale,
            about: None,
        }
    }

    /// Takes in one event.
    pub fn hear(&mut self, event: &Event) {
        let before = self.verdict;
        self.verdict.hear(event);
        match *event {
            Event::Granted { client, grant } => self.hear_grant(client, grant),
            Event::AcquisitionRefused { client, .. } | Event::RenewalRefused { client, .. } => {
                self.hear_refusal(client);
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
            Event::Wrote(write) => {
                let departure = self.departure(write.client, write.grant);
                self.hear_write(before, &self.arrival(write, departure, false));
            }
            Event::Sent { packet, grant, .. } => {
                self.in_flight
                    .insert(packet, self.departure(packet.sender, grant));
            }
            Event::Arrived { write, packet, .. } => {
                let departure = self.in_flight.remove(&packet);
                let departure =
                    departure.unwrap_or_else(|| self.departure(write.client, write.grant));
                self.hear_write(before, &self.arrival(write, departure, true));
            }
            Event::HeldBack {
                client,
                request: Request::Write(_) | Request::Send(_),
            } => {
                if let Some(learned) = self.client(client).learned {
                    self.consider(Safety::HeldBack { client, learned }, None);
                }
            }
            Event::Announced {
                grant,
                outcome: Ok(_),
                ..
            } => self.note_heard(grant),
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
            Event::CameToNothing {
                client,
                step: Step::Writes(..) | Step::Sends(..),
            } => {
                self.consider(self.client_off(client), None);
            }
            Event::MaxTokenForgotten { was } => {
                self.storage_restarted = true;
                self.max_token_forgotten = was.map(|_| self.now).or(self.max_token_forgotten);
            }
            Event::CounterForgotten { .. } => self.countings += 1,
            Event::HeldAlready { .. }
            | Event::Renewed { .. }
            | Event::Paused { .. }
            | Event::Woke { .. }
            | Event::Suspended { .. }
            | Event::Resumed { .. }
            | Event::HeldBack {
                request: Request::Announcement,
                ..
            }
            | Event::Announced {
                outcome: Err(_), ..
            }
            | Event::CameToNothing { .. }
            | Event::HolderForgotten { holder: None } => {}
        }
        self.now += 1;
    }

    /// The finding on all that was heard.
    pub fn finish(mut self) -> Finding {
        debug_assert_eq!(
            self.corruption.is_some(),
            self.verdict == Verdict::Corrupted
        );
        if let Some(corruption) = self.corruption {
            return Finding::Corrupted(corruption);
        }
        let first_sent = self
            .in_flight
            .iter()
            .min_by_key(|(_, departure)| departure.at);
        if let Some((packet, departure)) = first_sent {
            let (sender, token) = (packet.sender, departure.token);
            self.consider(Safety::StillInFlight { sender, token }, None);
        }
        if self.grants.is_empty() {
            self.consider(Safety::NoLease { wrote: self.wrote }, None);
        }
        Finding::Safe(self.safety)
    }
}

/// What is remembered.
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

    fn hear_grant(&mut self, client: ClientId, grant: Grant) {
        self.grants.push(GrantHistory {
            client,
            token: grant.token,
            end: LeaseEnd::NotYet,
            counting: self.countings,
            last_heard: None,
            wrote_live: false,
            last_write: None,
        });
        let history = self.client_mut(client);
        history.grant = Some(grant.order);
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

    /// The client asked the lock service, and knows. If storage has rejected its write before, then
    /// it believed until now.
    fn hear_refusal(&mut self, client: ClientId) {
        let history = self.client_mut(client);
        let believed_in = history.grant.filter(|_| history.believes);
        history.believes = false;
        history.learned = Some(Learned::Asked);
        if let Safety::StaleRejected { kind, .. } = &mut self.safety
            && *kind == StaleKind::Zombie
            && self.about == believed_in
        {
            *kind = StaleKind::AskedLater;
        }
    }

    /// How a write under this grant leaves its client now.
    fn departure(&self, client: ClientId, grant: Option<Grant>) -> Departure {
        let end = |order| self.grant(order).end;
        let standing = match (grant, self.client(client).grant.map(end)) {
            (Some(grant), _) if end(grant.order) == LeaseEnd::NotYet => Standing::Holder,
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

    fn arrival(&self, write: Write, departure: Departure, delayed: bool) -> Arrival {
        let order = write.grant.map(|grant| grant.order);
        let is_newest = order.is_some_and(|order| order.index() + 1 == self.grants.len());
        Arrival {
            write,
            departure,
            delayed,
            order,
            stale: !is_newest && !self.grants.is_empty(),
            rightful: is_newest && self.holder().is_some(),
        }
    }

    /// Storage let this grant's token in.
    fn note_heard(&mut self, grant: Option<Grant>) {
        if let Some(grant) = grant {
            self.grants[grant.order.index()].last_heard = Some(self.now);
        }
    }
}

/// What explains.
impl Explainer {
    /// Keeps what explains SAFE if it ranks before all that was there.
    fn consider(&mut self, safety: Safety, about: Option<GrantOrder>) {
        if safety.rank() < self.safety.rank() {
            self.safety = safety;
            self.about = about;
        }
    }

    fn hear_write(&mut self, before: Verdict, arrival: &Arrival) {
        self.wrote = true;
        let Arrival {
            write: Write {
                client, outcome, ..
            },
            order,
            ..
        } = *arrival;
        match (outcome, before, self.verdict) {
            (Ok(_), Verdict::Safe(record), Verdict::Corrupted) => {
                let corruption = |newest| self.corruption_by(arrival, newest, record);
                self.corruption = record.newest_written.map(corruption);
            }
            (Ok(_), Verdict::Safe(record), Verdict::Safe(_)) => {
                self.note_first_write(order, record);
                if arrival.stale
                    && let Some(let_in) = self.let_in_by(arrival, record)
                {
                    self.consider(Safety::StaleLetIn(let_in), self.client(let_in.newer).grant);
                }
            }
            (Ok(_), Verdict::Corrupted, _) => self.note_overwritten(arrival),
            (Err(Rejection::LowerToken { token, max_token }), ..) if arrival.rightful => {
                self.consider(
                    Safety::RightfulRejected {
                        client,
                        token,
                        max_token,
                    },
                    None,
                );
                if let Some(Corruption::PastTheGuard { then_shut_out, .. }) = &mut self.corruption {
                    *then_shut_out = true;
                }
            }
            (Err(rejection), ..) if arrival.stale => {
                let kind = self.stale_kind(arrival);
                self.consider(
                    Safety::StaleRejected {
                        client,
                        rejection,
                        kind,
                    },
                    order,
                );
            }
            (Err(_), ..) => {}
        }
        if outcome.is_ok() {
            self.note_accepted(arrival);
        }
    }

    /// How a write corrupted: it came after an accepted one under the grant `newest_written`.
    fn corruption_by(
        &self,
        arrival: &Arrival,
        newest_written: GrantOrder,
        record: Record,
    ) -> Corruption {
        let Arrival {
            write: Write { client, .. },
            departure,
            delayed,
            ..
        } = *arrival;
        let newer = self.grant(newest_written);
        let (Some(place), Standing::Holder | Standing::Lost) = (arrival.order, departure.standing)
        else {
            return Corruption::WithoutLease {
                client,
                leaseless: departure.leaseless(),
                delayed,
            };
        };
        let older = self.grant(place);
        let live = newer.wrote_live;
        match (self.fencing, self.client(client).off_after) {
            (Fencing::On, _) => {
                let gap = self.gap(older, newer);
                Corruption::PastTheGuard {
                    gap,
                    delayed,
                    then_shut_out: false,
                }
            }
            (Fencing::Off, _) if !delayed && older.end == LeaseEnd::Forgotten => {
                Corruption::LeaseForgotten { client }
            }
            (Fencing::Off, _) if !delayed => {
                let circumstance = self.circumstance(client, older, newer, record);
                Corruption::Zombie {
                    client,
                    live,
                    circumstance,
                }
            }
            (Fencing::Off, _) if newer.client == client => Corruption::OwnDelayedPacket { client },
            (Fencing::Off, Some(grants)) => {
                // None was granted after the packet's own, up to then.
                let in_time = grants <= place.index() + 1;
                Corruption::PacketOutlivedSender {
                    sender: client,
                    in_time,
                }
            }
            (Fencing::Off, None) => {
                let lease = match (older.end, departure.standing) {
                    (LeaseEnd::Released, _) => PacketLease::Released,
                    (_, Standing::Lost) => PacketLease::LostBefore,
                    (_, Standing::Holder | Standing::Leaseless(_)) => PacketLease::LostSince,
                };
                Corruption::DelayedPacket {
                    sender: client,
                    overwrote: newer.client,
                    live,
                    lease,
                }
            }
        }
    }

    fn circumstance(
        &self,
        zombie: ClientId,
        older: &GrantHistory,
        newer: &GrantHistory,
        record: Record,
    ) -> Circumstance {
        let history = self.client(zombie);
        match history.check {
            _ if history.power_off_unanswered => Circumstance::PowerOffUnanswered,
            Some(PassedCheck::WhileHeld) => Circumstance::CheckedBefore,
            Some(PassedCheck::AfterLoss) => Circumstance::TimerSlept,
            None if record.let_stale_in => Circumstance::WindowBefore,
            None if self.storage_restarted => Circumstance::NoMaxTokenToForget,
            None if older.counting != newer.counting => Circumstance::CounterForgotten,
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

    /// Why the guard cannot tell the older grant's token from the newer's, or did not.
    fn gap(&self, older: &GrantHistory, newer: &GrantHistory) -> Gap {
        let counter_forgotten = older.counting != newer.counting;
        let forgotten = self.max_token_forgotten > newer.last_heard;
        let (older, newer) = (older.token, newer.token);
        match older.cmp(&newer) {
            Ordering::Greater => {
                let tokens: BTreeSet<Token> = self.grants.iter().map(|grant| grant.token).collect();
                let unique = tokens.len() == self.grants.len();
                Gap::OutOfOrder {
                    older,
                    newer,
                    unique,
                    counter_forgotten,
                }
            }
            Ordering::Equal => Gap::OneToken {
                token: newer,
                counter_forgotten,
            },
            Ordering::Less if forgotten => Gap::MaxTokenForgotten { older, newer },
            Ordering::Less => Gap::NoGuard { older, newer },
        }
    }

    /// None only if no lease was ever granted: then no write is stale.
    fn let_in_by(&self, arrival: &Arrival, record: Record) -> Option<LetIn> {
        let newest = self.grants.last()?;
        let heard = record
            .newest_heard
            .filter(|&heard| Some(heard) > arrival.order);
        let why = match (self.fencing, arrival.order, heard) {
            (Fencing::Off, ..) | (Fencing::On, None, _) => LetInWhy::Unfenced,
            (Fencing::On, Some(order), Some(heard)) => {
                LetInWhy::PastTheGuard(self.gap(self.grant(order), self.grant(heard)))
            }
            (Fencing::On, Some(order), None) if self.grant(order).token < newest.token => {
                LetInWhy::NotHeardYet { then_wrote: false }
            }
            (Fencing::On, Some(order), None) => {
                LetInWhy::PastTheGuard(self.gap(self.grant(order), newest))
            }
        };
        Some(LetIn {
            client: arrival.write.client,
            token: arrival.departure.token,
            delayed: arrival.delayed,
            newer: newest.client,
            newer_token: newest.token,
            newer_holds: newest.end == LeaseEnd::NotYet,
            why,
        })
    }

    /// A leaseholder whom storage had not heard of when it let a stale write in writes now.
    fn note_first_write(&mut self, order: Option<GrantOrder>, record: Record) {
        if let Safety::StaleLetIn(LetIn {
            why: LetInWhy::NotHeardYet { then_wrote },
            ..
        }) = &mut self.safety
            && self.about == order
            && record.newest_heard < order
        {
            *then_wrote = true;
        }
    }

    fn stale_kind(&self, arrival: &Arrival) -> StaleKind {
        let history = self.client(arrival.write.client);
        let released = |order| self.grant(order).end == LeaseEnd::Released;
        match (arrival.delayed, history.check) {
            (true, _) if history.off_after.is_some() => StaleKind::PacketOutlivedSender,
            (true, _) if arrival.order.is_some_and(released) => StaleKind::PacketAfterRelease,
            (true, _) => StaleKind::Packet,
            (false, _) if history.power_off_unanswered => StaleKind::PowerOffUnanswered,
            (false, Some(_)) => StaleKind::CheckPassed,
            (false, None) => StaleKind::Zombie,
        }
    }

    fn client_off(&self, client: ClientId) -> Safety {
        let ClientHistory {
            grant, off_after, ..
        } = *self.client(client);
        let successor = off_after.and_then(|grants| self.grants.get(grants));
        Safety::ClientOff {
            client,
            before_grant_to: successor.map(|grant| grant.client),
            stale: grant.map_or(0, |grant| grant.index() + 1) < self.grants.len(),
        }
    }

    /// Storage took the write. One that left its client before another of its grant undoes that.
    fn note_accepted(&mut self, arrival: &Arrival) {
        let Arrival {
            write:
                Write {
                    client,
                    data,
                    grant,
                    ..
                },
            departure,
            delayed,
            ..
        } = *arrival;
        self.note_heard(grant);
        let Some(order) = arrival.order else { return };
        let history = &mut self.grants[order.index()];
        let GrantHistory {
            token,
            end,
            last_write,
            ..
        } = *history;
        history.wrote_live |= !arrival.stale;
        let undone = last_write.filter(|&(last, _)| departure.at < last);
        if undone.is_none() {
            history.last_write = Some((departure.at, data));
        }
        if let Some((_, newer)) = undone
            && newer != data
        {
            let undid = Safety::PacketUndidOwnWrite {
                client,
                late: data,
                newer,
                token,
            };
            self.consider(undid, None);
        }
        if !arrival.stale && end == LeaseEnd::Expired {
            self.consider(Safety::NoSuccessorYet { client, delayed }, None);
        }
    }
}
