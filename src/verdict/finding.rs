//! The finding: the verdict on a whole run, and the one thing that explains it.
//!
//! CORRUPTED is explained by the first write that corrupted; SAFE by the first kind of [`Safety`]
//! that occurred, in the order in which they stand there. A closed set, so that the views have a
//! sentence for each, and a test.

use crate::world::grant::Token;
use crate::world::names::{ClientId, Data};
use crate::world::storage_service::Rejection;

/// The verdict on a run, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// A stale write overwrote a newer one.
    Corrupted(Corruption),
    /// None did.
    Safe(Safety),
}

/// How the first write that corrupted got in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Corruption {
    /// Unfenced: its client did not know that its lease had expired. `live`: what it overwrote
    /// came from the leaseholder of that moment.
    Zombie {
        client: ClientId,
        live: bool,
        circumstance: Circumstance,
    },
    /// Unfenced: a packet, of another client than the one whose write it overwrote; `live` as above.
    DelayedPacket {
        sender: ClientId,
        overwrote: ClientId,
        live: bool,
        lease: PacketLease,
    },
    /// Unfenced: a packet of the client's own older grant.
    OwnDelayedPacket { client: ClientId },
    /// Unfenced: a packet whose sender was powered off; `in_time`: before any newer grant.
    PacketOutlivedSender { sender: ClientId, in_time: bool },
    /// Unfenced: its client had no lease when the write left it.
    WithoutLease {
        client: ClientId,
        leaseless: Leaseless,
        delayed: bool,
    },
    /// Fenced: the guard let it through.
    PastTheGuard {
        gap: Gap,
        delayed: bool,
        then_shut_out: bool,
    },
    /// Unfenced: the lock service had forgotten that its client held the lease.
    LeaseForgotten { client: ClientId },
}

/// What was peculiar about a zombie's write, the first that holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Circumstance {
    /// Its client was to be powered off, and the power-off got no answer.
    PowerOffUnanswered,
    /// Its client's check had passed, before the lease was lost.
    CheckedBefore,
    /// Its client's check had passed although the lease was lost: the timer had slept.
    TimerSlept,
    /// Another stale write had got in before, ahead of the newer leaseholder's first.
    WindowBefore,
    /// Storage had restarted without a `max_token`, which it does not keep unfenced.
    NoMaxTokenToForget,
    /// The lock service had forgotten its counter between the grants, but no token was sent.
    CounterForgotten,
    /// A leaseholder wrote later.
    OverwrittenLater { by: ClientId },
    /// Another client held the lease just then.
    TwoHolders,
    /// No other client held the lease just then.
    LeaseMovedOn,
}

/// How a client came to have no lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaseless {
    /// It never had one.
    Never,
    /// It gave its lease back.
    GaveBack,
    /// It gave its lease up after it had lost it.
    GaveUpLost,
}

/// What became of the lease under which a packet was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketLease {
    /// Its client lost it after it had sent the packet.
    LostSince,
    /// Its client had lost it already.
    LostBefore,
    /// Its client gave it back.
    Released,
}

/// Why the guard cannot tell an older grant's token from a newer one's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Gap {
    /// The older grant has the higher token. `unique`: no two grants have one.
    OutOfOrder {
        older: Token,
        newer: Token,
        unique: bool,
        counter_forgotten: bool,
    },
    /// Both grants have one token.
    OneToken {
        token: Token,
        counter_forgotten: bool,
    },
    /// Storage had forgotten the newer grant's token.
    MaxTokenForgotten { older: Token, newer: Token },
    /// None of these: the guard did not do what it is there for.
    NoGuard { older: Token, newer: Token },
}

/// What explains SAFE: the first of these that occurred, and of its kind the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Safety {
    /// The guard rejected the rightful leaseholder.
    RightfulRejected {
        client: ClientId,
        token: Token,
        max_token: Token,
    },
    /// A stale write was accepted, and no newer one had been.
    StaleLetIn(LetIn),
    /// A late packet undid a newer write of its own grant.
    PacketUndidOwnWrite {
        client: ClientId,
        late: Data,
        newer: Data,
        token: Token,
    },
    /// The guard rejected a stale write.
    StaleRejected {
        client: ClientId,
        rejection: Rejection,
        kind: StaleKind,
    },
    /// A packet is still in flight.
    StillInFlight {
        sender: ClientId,
        token: Option<Token>,
    },
    /// A client that knew that it had no lease held a write back.
    HeldBack { client: ClientId, learned: Learned },
    /// A client was off when it would have written.
    ClientOff {
        client: ClientId,
        before_grant_to: Option<ClientId>,
        stale: bool,
    },
    /// A write was accepted after its lease expired, and nobody had been granted it since.
    NoSuccessorYet { client: ClientId, delayed: bool },
    /// No lease was ever granted; `wrote`: a write reached storage.
    NoLease { wrote: bool },
    /// No stale write reached storage.
    NothingStale,
}

/// A stale write that was let in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LetIn {
    /// Who wrote.
    pub client: ClientId,
    /// The token of its grant; none if it had no lease.
    pub token: Option<Token>,
    /// Whether it was a packet's.
    pub delayed: bool,
    /// Who was last granted the lease.
    pub newer: ClientId,
    /// The token of that grant.
    pub newer_token: Token,
    /// Whether that client held the lease just then.
    pub newer_holds: bool,
    /// Why nothing stopped it.
    pub why: LetInWhy,
}

/// Why nothing stopped a stale write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum LetInWhy {
    /// Unfenced storage stops nothing.
    Unfenced,
    /// Storage had not heard the newer token, which is higher; `then_wrote`: its first write
    /// brought it, later.
    NotHeardYet { then_wrote: bool },
    /// The newer token is not higher, or storage had heard it and forgot it.
    PastTheGuard(Gap),
}

/// What was peculiar about a stale write that was rejected, the first that holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaleKind {
    /// A packet whose sender was powered off.
    PacketOutlivedSender,
    /// A packet whose lease its client had given back.
    PacketAfterRelease,
    /// Another packet.
    Packet,
    /// A zombie's that was to be powered off, without an answer.
    PowerOffUnanswered,
    /// A zombie's whose own check had passed.
    CheckPassed,
    /// A zombie's that later asked the lock service, and then knew.
    AskedLater,
    /// Another zombie's.
    Zombie,
}

/// How a client learned that it had no lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Learned {
    /// It asked the lock service, and was refused.
    Asked,
    /// Its own check failed.
    Checked,
}

impl Safety {
    /// How far down the list it stands: the lower one explains the run.
    pub fn rank(&self) -> u8 {
        match self {
            Safety::RightfulRejected { .. } => 0,
            Safety::StaleLetIn(_) => 1,
            Safety::PacketUndidOwnWrite { .. } => 2,
            Safety::StaleRejected { .. } => 3,
            Safety::StillInFlight { .. } => 4,
            Safety::HeldBack { .. } | Safety::ClientOff { .. } => 5,
            Safety::NoSuccessorYet { .. } => 6,
            Safety::NoLease { .. } => 7,
            Safety::NothingStale => 8,
        }
    }
}
