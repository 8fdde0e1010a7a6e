//! A client acts on what it believes, not on what is true: it goes by the lease that it was granted
//! until it *knows* better (DDIA 2e, chapter 9, "Process Pauses").

use crate::world::grant::Grant;

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

/// One client: whether it runs, and what it believes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Client {
    /// Whether its process runs.
    pub condition: Condition,
    /// What it believes of the lease.
    pub belief: Belief,
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
    pub const NEW: Client = Client {
        condition: Condition::Running,
        belief: Belief::NoLease,
    };

    /// The grant under which the client would send something now; none if it has no lease.
    ///
    /// # Errors
    /// [`HeldBack`] if it knows that it has no lease.
    pub fn credentials(&self) -> Result<Option<Grant>, HeldBack> {
        match self.belief {
            Belief::NoLease => Ok(None),
            Belief::Holds(grant, _) => Ok(Some(grant)),
            Belief::KnowsNone => Err(HeldBack),
        }
    }

    /// Whether the client takes itself for the leaseholder.
    pub fn believes(&self) -> bool {
        match self.belief {
            Belief::Holds(..) => true,
            Belief::NoLease | Belief::KnowsNone => false,
        }
    }

    /// The lease expires: the timer lapses, unless it sleeps along with the machine.
    pub fn lease_expires(&mut self) {
        if let Belief::Holds(grant, _) = self.belief
            && self.condition != Condition::Suspended
        {
            self.belief = Belief::Holds(grant, Timer::Lapsed);
        }
    }

    /// The client asks its own memory and timer, and nobody else. If the check fails, it knows.
    ///
    /// # Errors
    /// Why the check failed.
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
}
