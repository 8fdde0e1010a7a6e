//! Explains the verdict on a run: a fold over its events, and nothing else. So the finding follows
//! from what happened, in any script and under either setting of the toggle.

use std::cmp::Ordering;

use crate::verdict::finding::{
    Circumstance, Corruption, Finding, Gap, LetIn, LetInWhy, PacketLease, Safety, StaleKind,
};
use crate::verdict::history::{
    Arrival, ClientHistory, GrantHistory, History, LeaseEnd, PassedCheck, Standing,
};
use crate::verdict::{Record, Verdict};
use crate::world::event::{Event, Request, Write};
use crate::world::grant::GrantSeq;
use crate::world::names::ClientId;
use crate::world::step::Step;
use crate::world::storage_service::{Fencing, Rejection};

/// Hears the events of a run, one at a time, and explains its verdict at the end.
pub struct Explainer {
    fencing: Fencing,
    verdict: Verdict,
    history: History,
    corruption: Option<Corruption>,
    safety: Safety,
    /// The grant of which more may be heard that belongs to what explains SAFE.
    about: Option<GrantSeq>,
}

impl Explainer {
    /// Before the first event of a run with so many clients.
    pub fn new(fencing: Fencing, client_count: usize) -> Self {
        Explainer {
            fencing,
            verdict: Verdict::default(),
            history: History::new(client_count),
            corruption: None,
            safety: Safety::NothingStale,
            about: None,
        }
    }

    /// Takes in one event.
    pub fn observe(&mut self, event: &Event) {
        let before = self.verdict;
        self.verdict.observe(event);
        let arrival = self.history.arrival(event);
        match *event {
            Event::AcquisitionRefused { client, .. } | Event::RenewalRefused { client, .. } => {
                self.note_asked(client);
            }
            Event::Wrote(_) | Event::Arrived { .. } => {
                if let Some(arrival) = &arrival {
                    self.hear_write(before, arrival);
                }
            }
            Event::HeldBack {
                client,
                request: Request::Write(_) | Request::Send(_),
            } => {
                if let Some(learned) = self.history.client(client).learned {
                    self.consider(Safety::HeldBack { client, learned }, None);
                }
            }
            Event::CameToNothing {
                client,
                step: Step::Writes(..) | Step::Sends(..),
            } => {
                self.consider(self.client_off(client), None);
            }
            Event::Granted { .. }
            | Event::HeldAlready { .. }
            | Event::Renewed { .. }
            | Event::Released { .. }
            | Event::ReleasedTooLate { .. }
            | Event::ReleasedNothing { .. }
            | Event::Paused { .. }
            | Event::Woke { .. }
            | Event::Suspended { .. }
            | Event::Resumed { .. }
            | Event::LeaseExpired { .. }
            | Event::Sent { .. }
            | Event::HeldBack {
                request: Request::Announcement,
                ..
            }
            | Event::Announced { .. }
            | Event::Checked { .. }
            | Event::PoweredOff { .. }
            | Event::PowerOffUnanswered { .. }
            | Event::CameToNothing { .. }
            | Event::MaxTokenForgotten { .. }
            | Event::CounterForgotten { .. }
            | Event::HolderForgotten { .. } => {}
        }
        self.history.observe(event, arrival);
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
        if let Some((packet, departure)) = self.history.first_in_flight() {
            let (sender, token) = (packet.sender, departure.token);
            self.consider(Safety::StillInFlight { sender, token }, None);
        }
        if self.history.grants.is_empty() {
            self.consider(
                Safety::NoLease {
                    wrote: self.history.wrote,
                },
                None,
            );
        }
        Finding::Safe(self.safety)
    }

    /// Keeps what explains SAFE if it ranks before all that was there.
    fn consider(&mut self, safety: Safety, about: Option<GrantSeq>) {
        if safety.rank() < self.safety.rank() {
            self.safety = safety;
            self.about = about;
        }
    }

    fn hear_write(&mut self, before: Verdict, arrival: &Arrival) {
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
                self.consider_accepted(arrival, record);
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
                self.note_shut_out();
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
    }

    /// A write that was accepted and corrupted nothing.
    fn consider_accepted(&mut self, arrival: &Arrival, record: Record) {
        let Arrival {
            write: Write { client, data, .. },
            departure,
            delayed,
            ..
        } = *arrival;
        if arrival.stale
            && let Some(let_in) = self.let_in_by(arrival, record)
        {
            self.consider(
                Safety::StaleLetIn(let_in),
                self.history.client(let_in.newer).grant,
            );
        }
        let Some(order) = arrival.order else { return };
        let GrantHistory {
            token,
            end,
            last_write,
            ..
        } = *self.history.grant(order);
        if let Some((last, newer)) = last_write
            && departure.at < last
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

    /// A client asks the lock service, and knows. If storage has rejected its write before, then it
    /// believed until now.
    fn note_asked(&mut self, asking: ClientId) {
        let ClientHistory {
            grant, believes, ..
        } = *self.history.client(asking);
        if let Safety::StaleRejected { kind, .. } = &mut self.safety
            && *kind == StaleKind::Zombie
            && self.about == grant
            && believes
        {
            *kind = StaleKind::AskedLater;
        }
    }

    /// The rightful leaseholder is rejected, after an older grant's write has corrupted.
    fn note_shut_out(&mut self) {
        if let Some(Corruption::PastTheGuard { then_shut_out, .. }) = &mut self.corruption {
            *then_shut_out = true;
        }
    }

    /// How a write corrupted: it came after an accepted one under the grant `newest_written`.
    fn corruption_by(
        &self,
        arrival: &Arrival,
        newest_written: GrantSeq,
        record: Record,
    ) -> Corruption {
        let Arrival {
            write: Write { client, .. },
            departure,
            delayed,
            ..
        } = *arrival;
        let newer = self.history.grant(newest_written);
        let (Some(place), Standing::Holder | Standing::Lost) = (arrival.order, departure.standing)
        else {
            return Corruption::WithoutLease {
                client,
                leaseless: departure.leaseless(),
                delayed,
            };
        };
        let older = self.history.grant(place);
        let live = self.history.holds_live;
        match (self.fencing, self.history.client(client).off_after) {
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
        let history = self.history.client(zombie);
        match history.check {
            _ if history.power_off_unanswered => Circumstance::PowerOffUnanswered,
            Some(PassedCheck::WhileHeld) => Circumstance::CheckedBefore,
            Some(PassedCheck::AfterLoss) => Circumstance::TimerSlept,
            None if record.let_stale_in => Circumstance::WindowBefore,
            None if self.history.storage_restarted => Circumstance::NoMaxTokenToForget,
            None if older.counting != newer.counting => Circumstance::CounterForgotten,
            None if self.history.holder().is_some() => Circumstance::TwoHolders,
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
        let forgotten = self.history.max_token_forgotten > newer.last_heard;
        let (older, newer) = (older.token, newer.token);
        match older.cmp(&newer) {
            Ordering::Greater => Gap::OutOfOrder {
                older,
                newer,
                unique: self.history.tokens_are_unique(),
                counter_forgotten,
            },
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
        let newest = self.history.grants.last()?;
        let heard = record
            .newest_heard
            .filter(|&heard| Some(heard) > arrival.order);
        let why = match (self.fencing, arrival.order, heard) {
            (Fencing::Off, ..) | (Fencing::On, None, _) => LetInWhy::Unfenced,
            (Fencing::On, Some(order), Some(heard)) => LetInWhy::PastTheGuard(
                self.gap(self.history.grant(order), self.history.grant(heard)),
            ),
            (Fencing::On, Some(order), None) if self.history.grant(order).token < newest.token => {
                LetInWhy::NotHeardYet { then_wrote: false }
            }
            (Fencing::On, Some(order), None) => {
                LetInWhy::PastTheGuard(self.gap(self.history.grant(order), newest))
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
    fn note_first_write(&mut self, order: Option<GrantSeq>, record: Record) {
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
        let history = self.history.client(arrival.write.client);
        let released = |order| self.history.grant(order).end == LeaseEnd::Released;
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
        } = *self.history.client(client);
        let successor = off_after.and_then(|grants| self.history.grants.get(grants));
        Safety::ClientOff {
            client,
            before_grant_to: successor.map(|grant| grant.client),
            stale: grant.map_or(0, |grant| grant.index() + 1) < self.history.grants.len(),
        }
    }
}
