//! One thing that happens, and to whom. How a step is written is no matter here.

use crate::world::grant::Token;
use crate::world::names::{ClientId, Data, StorageId, Storages};

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
    /// It asks these storages what they hold, and repairs those that are behind (Figure 9-7).
    Reads(ClientId, Storages),
    /// Its write reaches these storages at once.
    Writes(ClientId, Data, Storages, WriteMode),
    /// Its write leaves now for these storages, and is delayed in the network.
    Sends(ClientId, Data, Storages),
    /// Its oldest packet in flight reaches storage.
    PacketArrives(ClientId),
    /// Its oldest packet in flight that carries this reaches storage, overtaking the others.
    PacketWithArrives(ClientId, Data),
    /// It tells these storages its token before any data.
    AnnouncesToken(ClientId, Storages),
    /// The answer to its latest request gets back to it (the arrow back in Figure 9-6).
    HearsAnswer(ClientId),
    /// It asks its own memory and timer whether it still has the lease.
    ChecksLease(ClientId),
    /// From here on its timer does not notice when its lease expires.
    ClockRunsSlow(ClientId),
    /// STONITH: nothing of its own happens from here on.
    IsPoweredOff(ClientId),
    /// STONITH that gets no answer, and has no effect.
    CannotBePoweredOff(ClientId),
    /// This storage no longer knows its highest token.
    StorageForgetsMaxToken(StorageId),
    /// The lock service counts from the first token again.
    LockServiceForgetsCounter,
    /// The lease is free again, and nobody told its client.
    LockServiceForgetsHolder,
}

/// On what terms a client writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WriteMode {
    /// It shows the token of its lease.
    Plain,
    /// Compare-and-set: only if storage took nothing from anybody else since the client looked.
    IfUnchanged,
    /// On a path where nobody checks tokens.
    PastTheGuard,
    /// It shows this token, which is not its lease's (DDIA 2e, "Byzantine Faults").
    WithToken(Token),
}

/// Whose step it is. The steps of each owner keep their order however a script is interleaved.
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
    /// Its clock's.
    Clock(ClientId),
    /// That of whoever can power it off.
    PowerSwitch(ClientId),
    /// This storage's.
    Storage(StorageId),
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
            | Step::Reads(client, _)
            | Step::Writes(client, ..)
            | Step::Sends(client, ..)
            | Step::AnnouncesToken(client, _)
            | Step::HearsAnswer(client)
            | Step::ChecksLease(client) => Owner::Client(client),
            Step::LeaseExpires(client) => Owner::Lease(client),
            Step::PacketArrives(client) => Owner::Packets(client),
            Step::PacketWithArrives(client, data) => Owner::PacketsWith(client, data),
            Step::ClockRunsSlow(client) => Owner::Clock(client),
            Step::IsPoweredOff(client) => Owner::PowerSwitch(client),
            Step::CannotBePoweredOff(_) => Owner::Nobody,
            Step::StorageForgetsMaxToken(storage) => Owner::Storage(storage),
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
