//! The lines that tell each event: one arm for each, in the voice of the book's stories.

use crate::view::palette::Palette;
use crate::world::client::{CheckFailure, Condition};
use crate::world::event::{Accepted, Event, Request, Write};
use crate::world::grant::{Grant, Token};
use crate::world::names::{ClientId, Data, Names};
use crate::world::storage_service::{Fencing, Rejection};

/// Tells the events of one scenario.
pub struct EventLines<'scenario> {
    /// The scenario's names.
    pub names: &'scenario Names,
    /// Its setting of the toggle.
    pub fencing: Fencing,
    /// How to colour what is told.
    pub palette: Palette,
}

/// How an event is told.
pub enum Told {
    /// Something that a client does, or that is done to it.
    Act(String),
    /// Something that befalls a client or a service.
    Fate(String),
    /// A packet leaves, and stays in flight.
    Departure(String),
    /// A request reaches storage, which answers.
    Request(Row),
    /// So does a packet, whose arrival comes first.
    Arrival(String, Row),
}

/// A request to storage, as the columns of a transcript show it.
pub struct Row {
    /// Who asks what.
    pub request: String,
    /// The token that came with it.
    pub token: String,
    /// What storage answers.
    pub answer: Result<Accepted, Rejection>,
    /// What storage holds if it accepts; as before if the request has no data.
    pub data: Option<Data>,
}

impl EventLines<'_> {
    /// Tells the event.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of event")]
    pub fn tell(&self, event: &Event) -> Told {
        let refused = self.palette.rejected.style("REFUSED");
        match *event {
            Event::Granted { client, grant } => {
                let (client, token) = (self.client(client), self.token(grant.token));
                Told::Act(format!("{client} acquires the lease ({token})"))
            }
            Event::AcquisitionRefused { client, holder } => {
                let (client, holder) = (self.client(client), self.client(holder));
                Told::Act(format!(
                    "{client} acquires the lease: {refused}, {holder} holds it"
                ))
            }
            Event::HeldAlready { client, grant } => {
                let (client, token) = (self.client(client), self.token(grant.token));
                Told::Act(format!(
                    "{client} acquires the lease, which it holds already ({token})"
                ))
            }
            Event::Renewed { client, grant } => {
                let (client, token) = (self.client(client), self.token(grant.token));
                Told::Act(format!(
                    "{client} renews the lease, which it still holds ({token})"
                ))
            }
            Event::RenewalRefused { client, holder } => {
                let (client, holder) = (self.client(client), holder.map(|it| self.client(it)));
                let why = holder.map_or("it holds none".to_owned(), |it| format!("{it} holds it"));
                Told::Act(format!("{client} renews the lease: {refused}, {why}"))
            }
            Event::Released { client, grant } => {
                let (client, token) = (self.client(client), self.token(grant.token));
                Told::Act(format!("{client} releases the lease ({token})"))
            }
            Event::ReleasedTooLate { client } => {
                let client = self.client(client);
                Told::Act(format!(
                    "{client} releases the lease, but had lost it already"
                ))
            }
            Event::ReleasedNothing { client } => Told::Act(format!(
                "{} releases the lease, but has none",
                self.client(client)
            )),
            Event::Paused { client } => {
                let client = self.client(client);
                Told::Act(format!(
                    "{client} enters a long GC pause ........ (frozen; cannot act)"
                ))
            }
            Event::Woke {
                client,
                stale_belief,
            } => Told::Fate(self.back(client, "WAKES", stale_belief)),
            Event::Suspended { client } => {
                let client = self.client(client);
                Told::Act(format!(
                    "{client}'s machine is suspended ........ (its clock sleeps too)"
                ))
            }
            Event::Resumed {
                client,
                stale_belief,
            } => Told::Fate(self.back(client, "RESUMES", stale_belief)),
            Event::LeaseExpired { client, condition } => {
                let client = self.client(client);
                Told::Fate(match condition {
                    Condition::Running => format!("{client}'s lease EXPIRES"),
                    Condition::Paused => format!("while {client} is paused, its lease EXPIRES"),
                    Condition::Suspended => {
                        format!("while {client} is suspended, its lease EXPIRES")
                    }
                    Condition::PoweredOff => format!("{client} is off, and its lease EXPIRES"),
                })
            }
            Event::Wrote(write) => Told::Request(self.write_row(write)),
            Event::Sent { packet, data, .. } => {
                let (sender, data) = (self.client(packet.sender), self.names.data(data));
                Told::Departure(format!("{sender} SENDS the write '{data}'"))
            }
            Event::Arrived {
                write, overtook, ..
            } => {
                let arrives = if overtook {
                    "overtakes another and"
                } else {
                    "finally"
                };
                let (sender, packet) = (self.client(write.client), self.packet(write.grant));
                let arrival = format!("the delayed {packet} from {sender} {arrives} arrives");
                Told::Arrival(arrival, self.write_row(write))
            }
            Event::HeldBack { client, request } => {
                let request = match request {
                    Request::Write(data) => format!("'{}'", self.names.data(data)),
                    Request::Send(data) => format!("the packet '{}'", self.names.data(data)),
                    Request::Announcement => "its token".to_owned(),
                };
                let holds_back = self.palette.rejected.style("HOLDS BACK");
                let client = self.client(client);
                Told::Act(format!(
                    "{client} {holds_back} {request}: it knows that it has no lease"
                ))
            }
            Event::Announced {
                client,
                grant,
                outcome,
            } => match self.fencing {
                Fencing::On => Told::Request(self.announcement_row(client, grant, outcome)),
                Fencing::Off => {
                    let client = self.client(client);
                    Told::Act(format!(
                        "{client} announces its token; unfenced storage is deaf to it"
                    ))
                }
            },
            Event::Checked { client, outcome } => {
                let passed = self.palette.accepted.style("PASSED");
                let failed = self.palette.rejected.style("FAILED");
                let outcome = match outcome {
                    Ok(()) => format!("{passed}, by its own timer"),
                    Err(CheckFailure::NoLease) => format!("{failed}, it has none"),
                    Err(CheckFailure::KnewBefore) => format!("{failed}, it knew that it has none"),
                    Err(CheckFailure::TimerLapsed) => format!("{failed}, its timer has lapsed"),
                };
                Told::Act(format!(
                    "{} checks its lease: {outcome}",
                    self.client(client)
                ))
            }
            Event::PoweredOff { client } => {
                let client = self.client(client);
                Told::Act(format!(
                    "{client} is POWERED OFF: from here on it does nothing"
                ))
            }
            Event::PowerOffUnanswered { client } => {
                let client = self.client(client);
                Told::Act(format!(
                    "{client} cannot be powered off: no answer, no effect"
                ))
            }
            Event::CameToNothing { client, step } => {
                let (client, step) = (self.client(client), step.display(self.names));
                Told::Act(format!("{client} is off, so nothing comes of: {step}"))
            }
            Event::MaxTokenForgotten { was } => Told::Fate(match (was, self.fencing) {
                (Some(token), _) => format!("storage restarts and FORGETS its max_token, {token}"),
                (None, Fencing::On) => "storage restarts; it had no max_token yet".to_owned(),
                (None, Fencing::Off) => {
                    "storage restarts; unfenced, it has no max_token".to_owned()
                }
            }),
            Event::CounterForgotten { next } => {
                let next = next.map_or("no token".to_owned(), |token| self.token(token));
                Told::Fate(format!(
                    "the lock service FORGETS its counter: next comes {next}"
                ))
            }
            Event::HolderForgotten { holder } => Told::Fate(match holder {
                Some(holder) => {
                    format!(
                        "the lock service FORGETS that {} holds the lease",
                        self.client(holder)
                    )
                }
                None => "the lock service fails over; nobody held the lease".to_owned(),
            }),
        }
    }

    /// The event's row, if it asks something of storage that storage listens to.
    pub fn row(&self, event: &Event) -> Option<Row> {
        if let Event::Wrote(write) | Event::Arrived { write, .. } = *event {
            return Some(self.write_row(write));
        }
        if let Event::Announced {
            client,
            grant,
            outcome,
        } = *event
            && self.fencing == Fencing::On
        {
            return Some(self.announcement_row(client, grant, outcome));
        }
        None
    }

    fn client(&self, client: ClientId) -> &str {
        self.names.client(client)
    }

    fn token(&self, token: Token) -> String {
        match self.fencing {
            Fencing::Off => format!("would-be token {token}"),
            Fencing::On => format!("token {token}"),
        }
    }

    fn packet(&self, grant: Option<Grant>) -> String {
        match (self.fencing, grant) {
            (Fencing::On, Some(grant)) => format!("token-{} packet", grant.token),
            (Fencing::On, None) => "packet without a token".to_owned(),
            (Fencing::Off, _) => "packet".to_owned(),
        }
    }

    fn back(&self, client: ClientId, comes_back: &str, stale_belief: bool) -> String {
        let stale_belief = if stale_belief {
            ", still believing it is the leader"
        } else {
            ""
        };
        format!("{} {comes_back}{stale_belief}", self.client(client))
    }

    fn write_row(&self, write: Write) -> Row {
        let (client, data) = (self.client(write.client), self.names.data(write.data));
        Row {
            request: format!("{client} writes '{data}'"),
            token: self.shown(write.grant),
            answer: write.outcome,
            data: Some(write.data),
        }
    }

    fn announcement_row(
        &self,
        client: ClientId,
        grant: Option<Grant>,
        answer: Result<Accepted, Rejection>,
    ) -> Row {
        Row {
            request: format!("{} announces its token", self.client(client)),
            token: self.shown(grant),
            answer,
            data: None,
        }
    }

    /// What a request shows of its grant.
    fn shown(&self, grant: Option<Grant>) -> String {
        match (self.fencing, grant) {
            (Fencing::On, Some(grant)) => format!("token {}", grant.token),
            (Fencing::On, None) | (Fencing::Off, _) => "(no token)".to_owned(),
        }
    }
}
