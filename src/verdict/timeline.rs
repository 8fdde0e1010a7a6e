//! An index over the events of a run: its grants, how long each lease was out, and what each storage
//! has seen. It works nothing out that the events do not say.

use crate::world::client::CheckFailure;
use crate::world::event::{Answer, Event, Moment, Request};
use crate::world::grant::{Grant, GrantSeq, Token};
use crate::world::names::{ClientId, StorageId};

/// The events of a run, and its grants.
pub struct Timeline<'run> {
    /// Everything that happened.
    pub events: &'run [Event],
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

impl<'run> Timeline<'run> {
    /// Reads the events once.
    pub fn new(events: &'run [Event]) -> Self {
        let mut grants: Vec<Tenure> = Vec::new();
        for (at, event) in moments(events) {
            if let Event::Granted { client, grant } = *event {
                grants.push(Tenure {
                    client,
                    grant,
                    from: at,
                    end: None,
                });
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

    /// The writes that reached storage, in order.
    pub fn writes(&self) -> impl Iterator<Item = (Moment, &'run Request)> + use<'run> {
        self.all()
            .filter_map(|(at, event)| event.write().map(|write| (at, write)))
    }

    /// Every answer to a write or an announcement, in order.
    pub fn requests(
        &self,
    ) -> impl Iterator<Item = (Moment, &'run Request, &'run Answer)> + use<'run> {
        let requests = self
            .all()
            .filter_map(|(at, event)| event.request().map(|request| (at, request)));
        requests.flat_map(|(at, request)| {
            let answers = request.answers.iter();
            answers.map(move |answer| (at, request, answer))
        })
    }

    /// Every answer to a write, in order.
    pub fn answers(
        &self,
    ) -> impl Iterator<Item = (Moment, &'run Request, &'run Answer)> + use<'run> {
        self.requests()
            .filter(|(_, request, _)| request.data.is_some())
    }

    /// All grants, in order.
    pub fn grants(&self) -> &[Tenure] {
        &self.grants
    }

    /// The grant of that place.
    pub fn tenure(&self, seq: GrantSeq) -> &Tenure {
        &self.grants[seq.index()]
    }

    /// The grants before then, in order.
    pub fn granted_before(&self, then: Moment) -> &[Tenure] {
        &self.grants[..self.grants.partition_point(|grant| grant.from < then)]
    }

    /// The client's last grant before then.
    pub fn last_grant(&self, client: ClientId, then: Moment) -> Option<&Tenure> {
        let mut grants = self.granted_before(then).iter().rev();
        grants.find(|grant| grant.client == client)
    }

    /// Whether no two grants of the run had one token.
    pub fn tokens_are_unique(&self) -> bool {
        let mut tokens: Vec<Token> = self.grants.iter().map(|it| it.grant.token).collect();
        tokens.sort_unstable();
        tokens.is_sorted_by(|one, next| one < next)
    }

    /// How the client, which believed in no lease just then, came to that.
    pub fn leaseless(&self, client: ClientId, then: Moment) -> Leaseless {
        let found = self.before(then).rev().find_map(|(_, event)| {
            let of_client = event.belief().is_some_and(|(of, _)| of == client);
            how_leaseless(event).filter(|_| of_client)
        });
        found.unwrap_or(Leaseless::Never)
    }

    /// When the storage, before then, last let this token in with a request, or with a repair.
    pub fn last_saw(&self, storage: StorageId, token: Token, then: Moment) -> Option<Moment> {
        let mut before = self.before(then).rev();
        before
            .find(|(_, event)| shows(event, storage) == Some(token))
            .map(|(at, _)| at)
    }

    /// Who first let the storage see this token after then, and how: by which event.
    pub fn first_saw(&self, storage: StorageId, token: Token, then: Moment) -> Option<&'run Event> {
        let mut after = self.after(then);
        after
            .find(|(_, event)| shows(event, storage) == Some(token))
            .map(|(_, event)| event)
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

/// How the event leaves its client without a lease, if it tells.
fn how_leaseless(event: &Event) -> Option<Leaseless> {
    if let Event::Released { .. } = event {
        Some(Leaseless::GaveBack)
    } else if let Event::ReleasedTooLate { .. } = event {
        Some(Leaseless::GaveUpLost)
    } else if let Event::AcquisitionRefused { .. } | Event::RenewalRefused { .. } = event {
        Some(Leaseless::Knew(Learned::Refused))
    } else if let Event::AnswerHeard { gave_up: true, .. } = event {
        Some(Leaseless::Knew(Learned::Heard))
    } else if let Event::Checked {
        outcome: Err(failure),
        ..
    } = event
        && *failure != CheckFailure::KnewBefore
    {
        Some(Leaseless::Knew(Learned::Checked))
    } else {
        None
    }
}

/// The token that the event lets this storage see: shown by a request that it accepted, or brought
/// by a repair.
fn shows(event: &Event, storage: StorageId) -> Option<Token> {
    if let Some(request) = event.request() {
        let mut answers = request.answers.iter();
        let accepted = answers.any(|it| it.storage == storage && it.is_accepted());
        request.token.filter(|_| accepted)
    } else if let Event::Read(read) = event {
        let repaired = read.repairs.iter().any(|it| it.storage == storage);
        read.choice?.value.token.filter(|_| repaired)
    } else {
        None
    }
}
