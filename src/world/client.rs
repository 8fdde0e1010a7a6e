//! A client acts on what it believes, not on what is true: it goes by the lease that it was granted
//! until it *knows* better (DDIA 2e, chapter 9, "Process Pauses").

use crate::world::event::Moment;
use crate::world::grant::{Grant, GrantSeq};

/// Whether the client's process runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// It runs.
    Running,
    /// It is stopped (garbage collection, the scheduler), but the machine's clock runs on.
    Paused,
    /// The whole machine sleeps, its clock included.
    Suspended,
    /// It is off for good.
    PoweredOff,
}

/// The timer with which a client watches its own lease.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Timer {
    /// As far as the timer knows, the lease still runs.
    Running,
    /// The lease expired while the machine's clock ran.
    Lapsed,
}

/// What a client believes of the lease.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Belief {
    /// It was never granted one, or gave it back; nobody told it anything since.
    NoLease,
    /// It holds this grant. True or not: it acts on it.
    Holds(Grant, Timer),
    /// It knows that it has no lease, so it holds back whatever it would write, send or announce.
    KnowsNone,
}

/// The answer of storage to a client's latest request, on its way back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UnheardAnswer {
    /// When the request reached storage.
    pub request: Moment,
    /// The grant under which it was made, if a storage rejected it for its token.
    pub rejected: Option<GrantSeq>,
}

/// What has to be remembered of a client, for its steps may ask for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Memory {
    /// What it has seen of the storages: it reads, or writes conditionally.
    pub looks: bool,
    /// The answer to its latest request: it hears answers.
    pub answers: bool,
}

/// One client: whether it runs, and what it believes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Client {
    /// Whether its process runs.
    pub condition: Condition,
    /// What it believes of the lease.
    pub belief: Belief,
    /// Its clock runs slow: its timer no longer notices an expiry.
    pub clock_is_slow: bool,
    /// It has read from a storage.
    pub has_read: bool,
    /// What has to be remembered of it.
    pub memory: Memory,
}

/// Why a client's check of its own lease failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckFailure {
    /// It has no lease to check.
    NoLease,
    /// It knew already that it had lost it.
    KnewBefore,
    /// Its timer had lapsed.
    TimerLapsed,
}

/// A client that knows that it has no lease holds its write back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeldBack;

impl Client {
    /// A running client that has not asked for the lease.
    pub fn new(memory: Memory) -> Client {
        Client {
            condition: Condition::Running,
            belief: Belief::NoLease,
            clock_is_slow: false,
            has_read: false,
            memory,
        }
    }

    /// The grant that the client believes in.
    pub fn believes_in(&self) -> Option<Grant> {
        match self.belief {
            Belief::Holds(grant, _) => Some(grant),
            Belief::NoLease | Belief::KnowsNone => None,
        }
    }

    /// The same grant, to be put in place of another.
    pub(super) fn grant_mut(&mut self) -> Option<&mut Grant> {
        match &mut self.belief {
            Belief::Holds(grant, _) => Some(grant),
            Belief::NoLease | Belief::KnowsNone => None,
        }
    }

    /// The grant under which the client would send something now; none if it has no lease. A client
    /// that knows that it has no lease holds it back.
    pub fn credentials(&self) -> Result<Option<Grant>, HeldBack> {
        match self.belief {
            Belief::NoLease => Ok(None),
            Belief::Holds(grant, _) => Ok(Some(grant)),
            Belief::KnowsNone => Err(HeldBack),
        }
    }

    /// The lock service says that the client holds the lease, under this grant.
    pub fn is_told_that_it_holds(&mut self, grant: Grant) {
        self.belief = Belief::Holds(grant, Timer::Running);
    }

    /// The lease expires: the timer lapses, unless it sleeps along with the machine or runs slow.
    pub fn lease_expires(&mut self) {
        if let Belief::Holds(grant, _) = self.belief
            && self.condition != Condition::Suspended
            && !self.clock_is_slow
        {
            self.belief = Belief::Holds(grant, Timer::Lapsed);
        }
    }

    /// The client forgets the lease that it believes in, whether it was still its own or not. One
    /// that knows that it has none has nothing to forget, and still knows.
    pub fn forget_lease(&mut self) -> Option<Grant> {
        let grant = self.believes_in()?;
        self.belief = Belief::NoLease;
        Some(grant)
    }

    /// The client asks its own memory and timer, and nobody else. If the check fails, it knows.
    pub fn check_lease(&mut self) -> Result<(), CheckFailure> {
        let failure = match self.belief {
            Belief::Holds(_, Timer::Running) => return Ok(()),
            Belief::Holds(_, Timer::Lapsed) => CheckFailure::TimerLapsed,
            Belief::NoLease => CheckFailure::NoLease,
            Belief::KnowsNone => CheckFailure::KnewBefore,
        };
        self.belief = Belief::KnowsNone;
        Err(failure)
    }

    /// The client hears an answer: it gives its lease up if storage rejected, for its token, what it
    /// had asked under that very lease. Says whether it did.
    pub fn hear(&mut self, answer: UnheardAnswer) -> bool {
        let gives_up = answer.rejected.is_some()
            && answer.rejected == self.believes_in().map(|grant| grant.seq);
        if gives_up {
            self.belief = Belief::KnowsNone;
        }
        gives_up
    }
}
