//! One thing that happens, and to whom. How a step is written is no matter here.

use crate::world::names::{ClientId, Data};

/// One thing that happens, and to whom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// It asks the lock service for the lease.
    Acquires(ClientId),
    /// It asks the lock service to go on holding the lease.
    Renews(ClientId),
    /// It gives the lease back.
    Releases(ClientId),
    /// Its process stops: a stop-the-world pause (DDIA 2e, "Process Pauses").
    Pauses(ClientId),
    /// Its process goes on.
    Wakes(ClientId),
    /// Its whole machine sleeps, the clock included.
    IsSuspended(ClientId),
    /// Its machine is awake again.
    Resumes(ClientId),
    /// The lock service takes its lease back.
    LeaseExpires(ClientId),
    /// Its write reaches storage at once.
    Writes(ClientId, Data),
    /// Its write leaves now and is delayed in the network.
    Sends(ClientId, Data),
    /// Its oldest packet in flight reaches storage.
    PacketArrives(ClientId),
    /// Its oldest packet in flight that carries this reaches storage, overtaking the others.
    PacketWithArrives(ClientId, Data),
    /// It tells storage its token before any data.
    AnnouncesToken(ClientId),
    /// It asks its own memory and timer whether it still has the lease.
    ChecksLease(ClientId),
    /// STONITH: nothing of its own happens from here on.
    IsPoweredOff(ClientId),
    /// STONITH that gets no answer, and has no effect.
    CannotBePoweredOff(ClientId),
    /// Storage restarts without having persisted its `max_token`.
    StorageForgetsMaxToken,
    /// The lock service restarts, and counts from the first token again.
    LockServiceForgetsCounter,
    /// The lock service fails over: the lease is free again, and nobody told its client.
    LockServiceForgetsHolder,
}

/// Whose step it is. The steps of each keep their order however a script is interleaved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    /// The client's own.
    Client(ClientId),
    /// Its lease's: an expiry.
    Lease(ClientId),
    /// Its packets': an arrival of the oldest in flight.
    Packets(ClientId),
    /// Its packets' that carry this: an arrival of one of them.
    PacketsWith(ClientId, Data),
    /// That of whoever can power it off.
    PowerSwitch(ClientId),
    /// The storage service's.
    Storage,
    /// The lock service's.
    LockService,
    /// Nobody's: it has no effect.
    Nobody,
}

impl Step {
    /// Whose step it is.
    pub fn owner(self) -> Owner {
        match self {
            Step::Acquires(client)
            | Step::Renews(client)
            | Step::Releases(client)
            | Step::Pauses(client)
            | Step::Wakes(client)
            | Step::IsSuspended(client)
            | Step::Resumes(client)
            | Step::Writes(client, _)
            | Step::Sends(client, _)
            | Step::AnnouncesToken(client)
            | Step::ChecksLease(client) => Owner::Client(client),
            Step::LeaseExpires(client) => Owner::Lease(client),
            Step::PacketArrives(client) => Owner::Packets(client),
            Step::PacketWithArrives(client, data) => Owner::PacketsWith(client, data),
            Step::IsPoweredOff(client) => Owner::PowerSwitch(client),
            Step::CannotBePoweredOff(_) => Owner::Nobody,
            Step::StorageForgetsMaxToken => Owner::Storage,
            Step::LockServiceForgetsCounter | Step::LockServiceForgetsHolder => Owner::LockService,
        }
    }

    /// The client whose process must run for the step to happen: a step of its own. None if the
    /// step happens to a client, or to a service.
    pub fn actor(self) -> Option<ClientId> {
        if let Owner::Client(client) = self.owner() {
            Some(client)
        } else {
            None
        }
    }
}
