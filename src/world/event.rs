//! Each step of a run gives exactly one event: what happened, in full, so that verdict and views
//! need to ask no service.

use crate::world::client::{CheckFailure, Condition};
use crate::world::grant::{Grant, Token};
use crate::world::names::{ClientId, Data};
use crate::world::network::PacketId;
use crate::world::step::Step;
use crate::world::storage_service::Rejection;

/// What one step of a run did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Event {
    /// The lease was free, and is the client's now.
    Granted { client: ClientId, grant: Grant },
    /// Another client holds the lease; this one now knows that it does not.
    AcquisitionRefused { client: ClientId, holder: ClientId },
    /// The client asked for a lease that it holds already, under this grant.
    HeldAlready { client: ClientId, grant: Grant },
    /// The client still holds the lease, under the same grant.
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
    /// A write reached storage at once.
    Wrote(Write),
    /// A write is on its way.
    Sent {
        packet: PacketId,
        data: Data,
        grant: Option<Grant>,
    },
    /// A write that was on its way reached storage. `overtook`: it was not its sender's oldest.
    Arrived {
        write: Write,
        packet: PacketId,
        overtook: bool,
    },
    /// The client knows that it has no lease, and did not do this.
    HeldBack { client: ClientId, request: Request },
    /// The client told storage its token, ahead of any data. Unheard with fencing off.
    Announced {
        client: ClientId,
        grant: Option<Grant>,
        outcome: Result<Accepted, Rejection>,
    },
    /// The client checked its own lease, by its own memory and timer.
    Checked {
        client: ClientId,
        outcome: Result<(), CheckFailure>,
    },
    /// The client is off for good.
    PoweredOff { client: ClientId },
    /// The power-off got no answer and had no effect.
    PowerOffUnanswered { client: ClientId },
    /// The client is off, so nothing came of its step.
    CameToNothing { client: ClientId, step: Step },
    /// Storage restarted without its `max_token`, which was this.
    MaxTokenForgotten { was: Option<Token> },
    /// The lock service restarted without its counter; this token comes next, if any.
    CounterForgotten { next: Option<Token> },
    /// The lock service failed over without its lease, which this client held.
    HolderForgotten { holder: Option<ClientId> },
}

impl Event {
    /// The packet that left.
    pub fn departed(&self) -> Option<PacketId> {
        if let Event::Sent { packet, .. } = *self {
            Some(packet)
        } else {
            None
        }
    }

    /// The packet that arrived.
    pub fn arrived(&self) -> Option<PacketId> {
        if let Event::Arrived { packet, .. } = *self {
            Some(packet)
        } else {
            None
        }
    }
}

/// A write that reached storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    /// Who wrote, or sent the packet.
    pub client: ClientId,
    /// What it wrote.
    pub data: Data,
    /// The grant that the client believed in when the write left it.
    pub grant: Option<Grant>,
    /// Whether storage took it.
    pub outcome: Result<Accepted, Rejection>,
}

/// Storage let a request in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// The highest token that storage has seen by now; none with fencing off.
    pub max_token: Option<Token>,
}

/// What a client would have asked of storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// To write, at once.
    Write(Data),
    /// To send a write.
    Send(Data),
    /// To announce its token.
    Announcement,
}
