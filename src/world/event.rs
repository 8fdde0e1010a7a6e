//! Each step of a run gives exactly one event: what happened, and all that stood just then, so that
//! verdict, explanation and views need to ask no service and work nothing out again.

use std::num::NonZeroU32;

use crate::world::client::{CheckFailure, Condition};
use crate::world::grant::{Grant, GrantSeq, Token};
use crate::world::names::{ClientId, Data, StorageId, Storages};
use crate::world::step::{Step, WriteMode};
use crate::world::storage_service::{Rejection, Value};

/// When something happened: the number of its step, the first being 1.
///
/// No service and no client decides by it. An exploration, which does not care when something
/// happened, lets all of it happen at [`Moment::FIRST`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Moment(NonZeroU32);

impl Moment {
    /// The moment of the first step.
    pub const FIRST: Moment = Moment(NonZeroU32::MIN);

    /// The moment of the next step.
    #[must_use]
    pub fn next(self) -> Moment {
        Moment(self.0.saturating_add(1))
    }

    /// The number of the step.
    pub fn number(self) -> u32 {
        self.0.get()
    }

    /// Where the moment's event stands in a list of all events.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The moment of the event that stands there in a list of all events.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "16 MiB of script have fewer steps"
    )]
    pub fn at(index: usize) -> Moment {
        Moment(NonZeroU32::MIN.saturating_add(index as u32))
    }
}

/// What one step of a run did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The lease was free, and is the client's now.
    Granted { client: ClientId, grant: Grant },
    /// Another client holds the lease; this one now knows that it does not.
    AcquisitionRefused { client: ClientId, holder: ClientId },
    /// The client asked for a lease that it holds already, under this grant, and now believes so.
    HeldAlready { client: ClientId, grant: Grant },
    /// The client still holds the lease, under the same grant, and now believes so.
    Renewed { client: ClientId, grant: Grant },
    /// The client does not hold the lease, and now knows it. `holder` does, if anyone.
    RenewalRefused {
        client: ClientId,
        holder: Option<ClientId>,
    },
    /// The client gave its lease back.
    Released { client: ClientId, grant: Grant },
    /// The client gave back a lease that was no longer its own.
    ReleasedTooLate { client: ClientId },
    /// The client had no lease to give back.
    ReleasedNothing { client: ClientId },
    /// The process stopped.
    Paused { client: ClientId },
    /// The process goes on. `stale_belief`: it takes itself for the leaseholder and is not.
    Woke {
        client: ClientId,
        stale_belief: bool,
    },
    /// The machine sleeps, its clock included.
    Suspended { client: ClientId },
    /// The machine is awake. `stale_belief` as in [`Event::Woke`].
    Resumed {
        client: ClientId,
        stale_belief: bool,
    },
    /// The lock service took the lease back. `condition` is what the client was in.
    LeaseExpired {
        client: ClientId,
        condition: Condition,
    },
    /// The client asked storages what they hold.
    Read(Box<Read>),
    /// A write reached storage at once.
    Wrote(Request),
    /// A write is on its way. `in_flight` packets are, of all clients, this one among them.
    Sent {
        client: ClientId,
        data: Data,
        to: Storages,
        grant: Option<Grant>,
        in_flight: u32,
    },
    /// A write that was on its way reached storage. `overtook`: it was not its sender's oldest.
    Arrived { request: Request, overtook: bool },
    /// The client told storage its token, ahead of any data. Unheard with fencing off.
    Announced(Request),
    /// The answer to the client's latest request got back to it. `gave_up`: so it no longer believes
    /// in its lease.
    AnswerHeard {
        client: ClientId,
        request: Moment,
        gave_up: bool,
    },
    /// The client knows that it has no lease, and did not do this.
    HeldBack { client: ClientId, step: Step },
    /// The client checked its own lease, by its own memory and timer.
    Checked {
        client: ClientId,
        outcome: Result<(), CheckFailure>,
    },
    /// From here on the client's timer does not notice when its lease expires. `is_off`: it is off,
    /// so this has no effect.
    ClockSlowed { client: ClientId, is_off: bool },
    /// The client is off for good.
    PoweredOff { client: ClientId },
    /// The power-off got no answer and had no effect.
    PowerOffUnanswered { client: ClientId },
    /// The client is off, so nothing came of its step.
    CameToNothing { client: ClientId, step: Step },
    /// The storage no longer knows its `max_token`, which was this.
    MaxTokenForgotten {
        storage: StorageId,
        was: Option<Token>,
    },
    /// The lock service counts its tokens anew; this one comes next, if any.
    CounterForgotten { next: Option<Token> },
    /// The lock service no longer knows that this client holds the lease.
    HolderForgotten { holder: Option<ClientId> },
}

/// A write or an announcement that reached storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Who wrote, sent the packet, or announced.
    pub client: ClientId,
    /// What it wrote; nothing if it announced its token.
    pub data: Option<Data>,
    /// On what terms. Unfenced, a write past the guard or with a token of its own is a plain one.
    pub mode: WriteMode,
    /// The grant that the client believed in when the request left it.
    pub grant: Option<Grant>,
    /// The token that it showed. None if it had none, and none with fencing off.
    pub token: Option<Token>,
    /// When it left its client; for a packet, before it arrived.
    pub left: Moment,
    /// The newest grant that there was when it reached storage.
    pub newest: Option<GrantSeq>,
    /// Who held the lease then.
    pub holder: Option<ClientId>,
    /// What each storage answered.
    pub answers: Answers,
}

/// The answers of all storages that a request reached, in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answers {
    /// That of one storage.
    One(Answer),
    /// Those of several. Boxed, so that an event is no larger for them.
    Several(Box<[Answer]>),
}

/// What one storage answered to a request, and how things stood there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Which storage.
    pub storage: StorageId,
    /// Whether it accepted.
    pub outcome: Result<(), Rejection>,
    /// The highest token that it has seen by now; none with fencing off.
    pub max_token: Option<Token>,
    /// What it held before.
    pub held: Option<Held>,
    /// The newest grant whose write it had accepted before.
    pub newest_accepted: Option<GrantSeq>,
    /// What the client knew of it, if it ever looked there.
    pub look: Option<Look>,
    /// The client, which reads, overwrote what somebody else brought then, without reading it.
    pub lost: Option<Moment>,
}

/// What a storage held, and since when.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Held {
    /// The data.
    pub data: Data,
    /// The grant of the write that brought them.
    pub grant: Option<Grant>,
    /// When that write left its client.
    pub left: Moment,
    /// When this storage took it.
    pub taken: Moment,
}

/// What a client knows of a storage that it has looked at. It looks when it reads, and when a direct
/// write of its own is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Look {
    /// When it last looked.
    pub since: Moment,
    /// What it saw then.
    pub saw: Option<Data>,
    /// When somebody else last changed the contents since.
    pub changed: Option<Moment>,
    /// What the storage holds is what somebody else brought since.
    pub is_unread: bool,
}

/// A client asked storages what they hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// Who asked.
    pub client: ClientId,
    /// What each of them held, in their order.
    pub replies: Box<[Reply]>,
    /// What the client takes, if they differed.
    pub choice: Option<Choice>,
    /// Which storages got it, in their order: those that held another value, or none.
    pub repairs: Box<[Answer]>,
}

/// What one storage holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reply {
    /// Which storage.
    pub storage: StorageId,
    /// The value, if it holds one.
    pub value: Option<Value>,
    /// The same, and where it came from.
    pub held: Option<Held>,
}

/// Which of several values a reader takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// That one.
    pub value: Value,
    /// The grant of the write that brought it.
    pub grant: Option<Grant>,
    /// Why that one.
    pub why: Preference,
}

/// Why a reader takes one value rather than the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preference {
    /// Its token is higher than this one, the highest of the others'.
    HigherToken(Option<Token>),
    /// No token tells, and it was taken last.
    Later,
    /// Nothing else was held.
    Only,
}

impl Answers {
    /// All answers, in the order of the storages.
    pub fn iter(&self) -> std::slice::Iter<'_, Answer> {
        match self {
            Answers::One(answer) => std::slice::from_ref(answer).iter(),
            Answers::Several(answers) => answers.iter(),
        }
    }
}

impl<'answers> IntoIterator for &'answers Answers {
    type Item = &'answers Answer;
    type IntoIter = std::slice::Iter<'answers, Answer>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Request {
    /// The place of its grant; none, and older than any, if it had no lease.
    pub fn seq(&self) -> Option<GrantSeq> {
        self.grant.map(|grant| grant.seq)
    }

    /// Whether a newer grant existed when it reached storage.
    pub fn is_stale(&self) -> bool {
        self.seq() < self.newest
    }

    /// Whether it came under the lease that was out just then.
    pub fn is_rightful(&self) -> bool {
        self.grant.is_some() && !self.is_stale() && self.holder.is_some()
    }

    /// When the storage took the other value that this packet undid: of the same grant, but gone out
    /// later than the packet, which reached storage `at` this moment and was accepted.
    pub fn undid(&self, at: Moment, answer: &Answer) -> Option<Moment> {
        let held = answer.held?;
        let is_late = self.left < at && self.grant.is_some() && answer.is_accepted();
        let is_newer = held.grant == self.grant && self.left < held.left;
        (is_late && is_newer && Some(held.data) != self.data).then_some(held.taken)
    }

    /// What the storage holds after this answer.
    pub fn contents_after(&self, answer: &Answer) -> Option<Data> {
        let written = self.data.filter(|_| answer.is_accepted());
        written.or(answer.held.map(|held| held.data))
    }
}

impl Answer {
    /// Whether the storage accepted.
    pub fn is_accepted(&self) -> bool {
        self.outcome.is_ok()
    }
}

impl Event {
    /// The write or announcement that reached storage.
    pub fn request(&self) -> Option<&Request> {
        if let Event::Wrote(request) | Event::Arrived { request, .. } | Event::Announced(request) =
            self
        {
            Some(request)
        } else {
            None
        }
    }

    /// The write that reached storage, directly or as a packet.
    pub fn write(&self) -> Option<&Request> {
        self.request().filter(|request| request.data.is_some())
    }

    /// Whose lease is out from here on, if the event changes it: nobody's, or this grant's.
    pub fn lease(&self) -> Option<Option<(ClientId, Grant)>> {
        if let Event::Granted { client, grant } = *self {
            Some(Some((client, grant)))
        } else if let Event::Released { .. }
        | Event::LeaseExpired { .. }
        | Event::HolderForgotten { holder: Some(_) } = self
        {
            Some(None)
        } else {
            None
        }
    }

    /// Which client's belief in its lease the event decides, and what it believes in from here on.
    /// A client that is off believes in nothing.
    pub fn belief(&self) -> Option<(ClientId, Option<Grant>)> {
        if let Event::Granted { client, grant }
        | Event::HeldAlready { client, grant }
        | Event::Renewed { client, grant } = *self
        {
            Some((client, Some(grant)))
        } else if let Event::AcquisitionRefused { client, .. }
        | Event::RenewalRefused { client, .. }
        | Event::Released { client, .. }
        | Event::ReleasedTooLate { client }
        | Event::ReleasedNothing { client }
        | Event::Checked {
            client,
            outcome: Err(_),
        }
        | Event::AnswerHeard {
            client,
            gave_up: true,
            ..
        }
        | Event::PoweredOff { client } = *self
        {
            Some((client, None))
        } else {
            None
        }
    }
}
