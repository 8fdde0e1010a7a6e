//! An index over the events of a run: its grants, and how long each lease was out; and questions
//! about its events, each answered in one pass. It works nothing out that the events do not say.

use crate::world::client::CheckFailure;
use crate::world::event::{Answer, Event, Moment, Read, Reply, Request};
use crate::world::grant::{Grant, GrantSeq, Token};
use crate::world::names::{ClientId, StorageId};
use crate::world::step::{Step, WriteMode};
use crate::world::storage_service::Rejection;

/// The events of a run, and its grants.
pub struct Timeline<'run> {
    events: &'run [Event],
    grants: Vec<Tenure>,
}

/// A grant, and how long its lease was out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tenure {
    /// Who was granted the lease.
    pub client: ClientId,
    /// The grant.
    pub grant: Grant,
    /// When.
    pub from: Moment,
    /// How many grants there were, with this one, since the lock service began to count.
    pub counted: usize,
    end: Option<(Moment, End)>,
}

/// How a lease ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It expired.
    Expired,
    /// Its client gave it back.
    Released,
    /// The lock service forgot its client.
    Forgotten,
}

/// One storage's answer to a request.
#[derive(Clone, Copy)]
pub struct Answered<'run> {
    /// When the request reached storage.
    pub at: Moment,
    /// The request.
    pub request: &'run Request,
    /// What that storage answered.
    pub answer: &'run Answer,
}

/// How a client came to have no lease when it wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaseless {
    /// It never had one.
    Never,
    /// It had given it back.
    GaveBack,
    /// It had given it back too late: it had lost it already.
    GaveUpLost,
    /// It had learned that it had none.
    Knew(Learned),
}

/// How a client learned that it has no lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Learned {
    /// The lock service refused it the lease, or its renewal.
    Refused,
    /// Its own check failed.
    Checked,
    /// It heard that storage had rejected its token.
    Heard,
}

impl Tenure {
    /// How the lease had ended before then, if it had.
    pub fn ended_before(&self, then: Moment) -> Option<End> {
        self.end.filter(|&(at, _)| at < then).map(|(_, end)| end)
    }

    /// When the lease ended, if it did.
    pub fn end(&self) -> Option<Moment> {
        self.end.map(|(at, _)| at)
    }
}

impl Answered<'_> {
    /// The request was delayed in the network.
    pub fn is_packet(&self) -> bool {
        self.request.left < self.at
    }

    /// The storage rejected the request for its token.
    pub fn is_turned_away(&self) -> bool {
        is_turned_away(self.answer)
    }
}

/// The storage rejected a request for its token.
pub fn is_turned_away(answer: &Answer) -> bool {
    match answer.outcome {
        Err(Rejection::LowerToken | Rejection::NoToken) => true,
        Err(Rejection::Changed) | Ok(()) => false,
    }
}

/// The token that the request showed instead of its grant's, if it did.
pub fn forged(request: &Request) -> Option<Token> {
    match request.mode {
        WriteMode::WithToken(token) => {
            let own = request.grant.map(|grant| grant.token);
            Some(token).filter(|_| own != Some(token))
        }
        WriteMode::Plain | WriteMode::IfUnchanged | WriteMode::PastTheGuard => None,
    }
}

/// What a storage answered that holds the value which the reader takes.
pub fn source(read: &Read) -> Option<&Reply> {
    let is_repaired = |reply: &Reply| read.repairs.iter().any(|it| it.storage == reply.storage);
    read.replies.iter().find(|reply| !is_repaired(reply))
}

impl<'run> Timeline<'run> {
    /// Reads the events once.
    pub fn new(events: &'run [Event]) -> Self {
        let mut grants: Vec<Tenure> = Vec::new();
        let mut counted = 0;
        for (at, event) in moments(events) {
            if let Event::Granted { client, grant } = *event {
                counted += 1;
                grants.push(Tenure {
                    client,
                    grant,
                    from: at,
                    counted,
                    end: None,
                });
            } else if let Event::CounterForgotten { .. } = event {
                counted = 0;
            } else if let Some(end) = end_of_lease(event)
                && let Some(last) = grants.last_mut()
            {
                last.end = Some((at, end));
            }
        }
        Timeline { events, grants }
    }

    /// All events, with their moments.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (Moment, &'run Event)> + use<'run> {
        moments(self.events)
    }

    /// The events before then.
    pub fn before(
        &self,
        then: Moment,
    ) -> impl DoubleEndedIterator<Item = (Moment, &'run Event)> + use<'run> {
        moments(&self.events[..then.index()])
    }

    /// The events after then.
    pub fn after(&self, then: Moment) -> impl Iterator<Item = (Moment, &'run Event)> + use<'run> {
        self.all().skip(then.index() + 1)
    }

    /// The events between two moments, neither included.
    pub fn between(
        &self,
        from: Moment,
        to: Moment,
    ) -> impl DoubleEndedIterator<Item = (Moment, &'run Event)> + use<'run> {
        let first = from.index() + 1;
        let events = self.events.get(first..to.index()).unwrap_or_default();
        let numbered = events.iter().enumerate();
        numbered.map(move |(index, event)| (Moment::at(first + index), event))
    }

    /// The event of that moment.
    pub fn event(&self, at: Moment) -> &'run Event {
        &self.events[at.index()]
    }

    /// Every answer to a write or an announcement, in order.
    pub fn requests(&self) -> impl Iterator<Item = Answered<'run>> + use<'run> {
        self.all().flat_map(|(at, event)| {
            let request = event.request().into_iter();
            request.flat_map(move |request| {
                let answers = request.answers.iter();
                answers.map(move |answer| Answered {
                    at,
                    request,
                    answer,
                })
            })
        })
    }

    /// Every answer to a write, in order.
    pub fn writes(&self) -> impl Iterator<Item = Answered<'run>> + use<'run> {
        self.requests().filter(|it| it.request.data.is_some())
    }

    /// All grants, in order.
    pub fn grants(&self) -> &[Tenure] {
        &self.grants
    }

    /// The grant of that place.
    pub fn tenure(&self, seq: GrantSeq) -> &Tenure {
        &self.grants[seq.index()]
    }

    /// The grant under which the request was made, if it was made under one.
    pub fn tenure_of(&self, request: &Request) -> Option<&Tenure> {
        request.seq().map(|seq| self.tenure(seq))
    }

    /// How the lease of the request had ended before then, if it had.
    pub fn lease_ended(&self, request: &Request, then: Moment) -> Option<End> {
        self.tenure_of(request)?.ended_before(then)
    }

    /// The grants before then, in order.
    pub fn granted_before(&self, then: Moment) -> &[Tenure] {
        &self.grants[..self.grants.partition_point(|grant| grant.from < then)]
    }

    /// Whether the client was granted this token before then.
    pub fn was_granted(&self, client: ClientId, token: Token, then: Moment) -> bool {
        let mut granted = self.granted_before(then).iter();
        granted.any(|it| it.client == client && it.grant.token == token)
    }

    /// Whether no two grants of the run had one token.
    pub fn tokens_are_unique(&self) -> bool {
        let mut tokens: Vec<Token> = self.grants.iter().map(|it| it.grant.token).collect();
        tokens.sort_unstable();
        tokens.is_sorted_by(|one, next| one < next)
    }

    /// The grant that the client believed in just then.
    pub fn believed(&self, client: ClientId, then: Moment) -> Option<Grant> {
        self.before(then).rev().find_map(|(_, event)| {
            let (of, belief) = event.belief()?;
            (of == client).then_some(belief)
        })?
    }

    /// How the client, which believed in no lease just then, came to that.
    pub fn leaseless(&self, client: ClientId, then: Moment) -> Leaseless {
        let found = self.before(then).rev().find_map(|(_, event)| {
            let (of, how) = became_leaseless(event)?;
            (of == client).then_some(how)
        });
        found.unwrap_or(Leaseless::Never)
    }

    /// The events that belong to this write: from the grant under which it was made, or from the
    /// last write that left its client since, until it left.
    fn leading_to(
        &self,
        write: &Request,
    ) -> impl DoubleEndedIterator<Item = (Moment, &'run Event)> + use<'run> {
        let granted = self.tenure_of(write).map(|tenure| tenure.from);
        let from = granted.map(|granted| {
            let mut since = self.between(granted, write.left).rev();
            let last = since.find(|(_, event)| {
                sets_out(event).is_some_and(|(client, _)| client == write.client)
            });
            last.map_or(granted, |(at, _)| at)
        });
        let events = from.map(|from| self.between(from, write.left));
        events.into_iter().flatten()
    }

    /// When the client's own check passed, if it was for this write.
    pub fn check_for(&self, write: &Request) -> Option<Moment> {
        let mut led_to = self.leading_to(write).rev();
        let passed = |event: &Event| matches!(event, Event::Checked { client, outcome: Ok(()) } if *client == write.client);
        led_to.find(|(_, event)| passed(event)).map(|(at, _)| at)
    }

    /// Whether a power-off of the client got no answer before this write, and under its lease.
    pub fn power_off_unanswered(&self, write: &Request) -> bool {
        self.leading_to(write).any(|(_, event)| {
            matches!(event, Event::PowerOffUnanswered { client } if *client == write.client)
        })
    }

    /// When the client was powered off, if it was.
    pub fn powered_off(&self, of: ClientId) -> Option<Moment> {
        let mut all = self.all();
        all.find(|(_, event)| matches!(event, Event::PoweredOff { client } if *client == of))
            .map(|(at, _)| at)
    }

    /// When the client heard the answer to its request of that moment, and whether it gave up its
    /// lease for it.
    pub fn heard(&self, of: ClientId, then: Moment) -> Option<(Moment, bool)> {
        self.after(then).find_map(|(at, event)| {
            if let Event::AnswerHeard {
                client,
                request,
                gave_up,
            } = *event
                && (client, request) == (of, then)
            {
                Some((at, gave_up))
            } else {
                None
            }
        })
    }

    /// Whether the client had read before then.
    pub fn has_read(&self, client: ClientId, then: Moment) -> bool {
        let mut before = self.before(then);
        before.any(|(_, event)| reader(event) == Some(client))
    }

    /// The highest token that the storage knew just then.
    pub fn max_token(&self, storage: StorageId, then: Moment) -> Option<Token> {
        self.before(then).rev().find_map(|(_, event)| {
            if forgets(event, storage) {
                Some(None)
            } else {
                answer_of(event, storage).map(|answer| answer.max_token)
            }
        })?
    }
}

fn moments(events: &[Event]) -> impl DoubleEndedIterator<Item = (Moment, &Event)> {
    let numbered = events.iter().enumerate();
    numbered.map(|(index, event)| (Moment::at(index), event))
}

fn end_of_lease(event: &Event) -> Option<End> {
    if let Event::LeaseExpired { .. } = event {
        Some(End::Expired)
    } else if let Event::Released { .. } = event {
        Some(End::Released)
    } else if let Event::HolderForgotten { holder: Some(_) } = event {
        Some(End::Forgotten)
    } else {
        None
    }
}

/// Which client the event leaves without a lease, and how, if it tells.
fn became_leaseless(event: &Event) -> Option<(ClientId, Leaseless)> {
    if let Event::Released { client, .. } = *event {
        Some((client, Leaseless::GaveBack))
    } else if let Event::ReleasedTooLate { client } = *event {
        Some((client, Leaseless::GaveUpLost))
    } else if let Event::AcquisitionRefused { client, .. } | Event::RenewalRefused { client, .. } =
        *event
    {
        Some((client, Leaseless::Knew(Learned::Refused)))
    } else if let Event::AnswerHeard {
        client,
        gave_up: true,
        ..
    } = *event
    {
        Some((client, Leaseless::Knew(Learned::Heard)))
    } else if let Event::Checked {
        client,
        outcome: Err(CheckFailure::NoLease | CheckFailure::TimerLapsed),
    } = *event
    {
        Some((client, Leaseless::Knew(Learned::Checked)))
    } else {
        None
    }
}

/// Whose write leaves its client in this event, and under which grant.
pub fn sets_out(event: &Event) -> Option<(ClientId, Option<Grant>)> {
    if let Event::Wrote(Request { client, grant, .. }) | Event::Sent { client, grant, .. } = *event
    {
        Some((client, grant))
    } else {
        None
    }
}

/// Whose write came to nothing, for it knew that it has no lease.
pub fn withholder(event: &Event) -> Option<ClientId> {
    if let Event::HeldBack {
        client,
        step: Step::Writes(..) | Step::Sends(..),
    } = *event
    {
        Some(client)
    } else {
        None
    }
}

/// Who reads in this event.
pub fn reader(event: &Event) -> Option<ClientId> {
    if let Event::Read(read) = event {
        Some(read.client)
    } else {
        None
    }
}

/// Whether the storage forgets its `max_token` in this event, even if it had none.
pub fn forgets(event: &Event, storage: StorageId) -> bool {
    matches!(event, Event::MaxTokenForgotten { storage: it, .. } if *it == storage)
}

/// What the storage answers in this event to a request, or to a read repair.
pub fn answer_of(event: &Event, storage: StorageId) -> Option<&Answer> {
    let mut answers = if let Event::Read(read) = event {
        read.repairs.iter()
    } else {
        event.request()?.answers.iter()
    };
    answers.find(|answer| answer.storage == storage)
}

/// The token that this event lets the storage hear: shown by a request that it accepts, or brought
/// by a read repair.
pub fn hears(event: &Event, storage: StorageId) -> Option<Token> {
    answer_of(event, storage).filter(|answer| answer.is_accepted())?;
    if let Event::Read(read) = event {
        read.choice?.value.token
    } else {
        event.request()?.token
    }
}
