//! The one place where a step changes the world: the two services, the clients and the packets in
//! flight.
//!
//! No threads, no clock, no randomness: what happens is decided by the steps and their order alone.

use std::rc::Rc;

use crate::world::client::{Belief, Client, Condition, HeldBack, Timer};
use crate::world::event::{Accepted, Event, Request, Write};
use crate::world::grant::{Grant, Token};
use crate::world::lock_service::{Acquisition, LockService, OutOfTokens, Tokens};
use crate::world::names::{ClientId, Data};
use crate::world::network::{Network, PacketId};
use crate::world::step::Step;
use crate::world::storage_service::{Fencing, StorageService};

/// Everything that a step can change. Cheap to clone, compare and hash.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct World {
    lock_service: LockService,
    storage: StorageService,
    clients: Vec<Client>,
    /// Shared by all worlds with the same packets, for most steps touch none.
    network: Rc<Network>,
}

/// Why a step cannot happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Impossible {
    /// A paused client can do nothing but wake.
    Paused(ClientId),
    /// One whose machine is suspended can do nothing but resume.
    Suspended(ClientId),
    /// A running client cannot wake.
    NotPaused(ClientId),
    /// Nor can it resume.
    NotSuspended(ClientId),
    /// Only a lease that its client holds can expire.
    NotHolder(ClientId),
    /// The client has no packet in flight.
    NoPacket(ClientId),
    /// The client has no packet in flight that carries this.
    NoSuchPacket(ClientId, Data),
    /// The lease would be granted, but the `tokens:` list has run out.
    OutOfTokens,
}

impl From<OutOfTokens> for Impossible {
    fn from(OutOfTokens: OutOfTokens) -> Self {
        Impossible::OutOfTokens
    }
}

impl Clone for World {
    fn clone(&self) -> Self {
        World {
            lock_service: self.lock_service.clone(),
            storage: self.storage.clone(),
            clients: self.clients.clone(),
            network: self.network.clone(),
        }
    }

    /// Uses the memory that is there already: an exploration clones a world for every step.
    fn clone_from(&mut self, source: &Self) {
        let World {
            lock_service,
            storage,
            clients,
            network,
        } = source;
        self.lock_service.clone_from(lock_service);
        self.storage.clone_from(storage);
        self.clients.clone_from(clients);
        self.network.clone_from(network);
    }
}

impl World {
    /// A free lease, empty storage, `client_count` running clients, nothing in flight.
    pub fn new(client_count: usize, tokens: Tokens, fencing: Fencing) -> Self {
        World {
            lock_service: LockService::new(tokens),
            storage: StorageService::new(fencing),
            clients: vec![Client::NEW; client_count],
            network: Rc::default(),
        }
    }

    /// Who holds the lease.
    pub fn holder(&self) -> Option<ClientId> {
        self.lock_service.holder()
    }

    /// Whether the client is off for good.
    pub fn is_off(&self, client: ClientId) -> bool {
        self.client(client).condition == Condition::PoweredOff
    }

    /// What storage holds.
    pub fn contents(&self) -> Option<Data> {
        self.storage.contents()
    }

    /// The highest token that storage has seen.
    pub fn max_token(&self) -> Option<Token> {
        self.storage.max_token()
    }

    /// Drops what storage holds: it decides nothing that comes later.
    pub fn drop_contents(&mut self) {
        self.storage.drop_contents();
    }

    /// How much memory the world takes beyond its own size, in bytes, rounded up. Packets that it
    /// shares with another world are counted there.
    pub fn heap_bytes(&self) -> usize {
        let is_shared = Rc::strong_count(&self.network) > 1;
        let network = if is_shared {
            0
        } else {
            self.network.heap_bytes()
        };
        size_of_val(&self.clients[..]) + network
    }

    /// Whether the step can happen now. The steps of a client that is off can: nothing comes of
    /// them.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn possible(&self, step: Step) -> Result<(), Impossible> {
        match step {
            Step::Wakes(client) => match self.client(client).condition {
                Condition::Paused | Condition::PoweredOff => Ok(()),
                Condition::Running => Err(Impossible::NotPaused(client)),
                Condition::Suspended => Err(Impossible::Suspended(client)),
            },
            Step::Resumes(client) => match self.client(client).condition {
                Condition::Suspended | Condition::PoweredOff => Ok(()),
                Condition::Running => Err(Impossible::NotSuspended(client)),
                Condition::Paused => Err(Impossible::Paused(client)),
            },
            Step::Acquires(client) => {
                self.can_act(client)?;
                if self.holder().is_none() && !self.is_off(client) {
                    self.lock_service.next_token()?;
                }
                Ok(())
            }
            Step::Renews(client)
            | Step::Releases(client)
            | Step::Pauses(client)
            | Step::IsSuspended(client)
            | Step::Writes(client, _)
            | Step::Sends(client, _)
            | Step::AnnouncesToken(client)
            | Step::ChecksLease(client) => self.can_act(client),
            Step::LeaseExpires(client) if self.holder() == Some(client) => Ok(()),
            Step::LeaseExpires(client) => Err(Impossible::NotHolder(client)),
            Step::PacketArrives(client) => self.oldest_packet(client).map(drop),
            Step::PacketWithArrives(client, data) => self.packet_with(client, data).map(drop),
            Step::IsPoweredOff(_)
            | Step::CannotBePoweredOff(_)
            | Step::StorageForgetsMaxToken
            | Step::LockServiceForgetsCounter
            | Step::LockServiceForgetsHolder => Ok(()),
        }
    }

    /// Makes the step happen.
    ///
    /// # Errors
    /// Why it cannot happen; the world is then as it was.
    pub fn take(&mut self, step: Step) -> Result<Event, Impossible> {
        // An arrival has to find its packet anyway, and says if it does not.
        if !matches!(step, Step::PacketArrives(_) | Step::PacketWithArrives(..)) {
            self.possible(step)?;
        }
        if let Some(client) = step.actor()
            && self.is_off(client)
        {
            return Ok(Event::CameToNothing { client, step });
        }
        match step {
            Step::Acquires(client) => self.acquire(client),
            Step::Renews(client) => Ok(self.renew(client)),
            Step::Releases(client) => Ok(self.release(client)),
            Step::Pauses(client) => {
                self.client_mut(client).condition = Condition::Paused;
                Ok(Event::Paused { client })
            }
            Step::Wakes(client) => {
                self.client_mut(client).condition = Condition::Running;
                Ok(Event::Woke {
                    client,
                    stale_belief: self.has_stale_belief(client),
                })
            }
            Step::IsSuspended(client) => {
                self.client_mut(client).condition = Condition::Suspended;
                Ok(Event::Suspended { client })
            }
            Step::Resumes(client) => {
                self.client_mut(client).condition = Condition::Running;
                Ok(Event::Resumed {
                    client,
                    stale_belief: self.has_stale_belief(client),
                })
            }
            Step::LeaseExpires(client) => {
                self.lock_service.reclaim(client);
                self.client_mut(client).lease_expires();
                let condition = self.client(client).condition;
                Ok(Event::LeaseExpired { client, condition })
            }
            Step::Writes(client, data) => Ok(match self.client(client).credentials() {
                Ok(grant) => Event::Wrote(self.write(client, data, grant)),
                Err(HeldBack) => Event::HeldBack {
                    client,
                    request: Request::Write(data),
                },
            }),
            Step::Sends(client, data) => Ok(match self.client(client).credentials() {
                Ok(grant) => Event::Sent {
                    packet: Rc::make_mut(&mut self.network).send(client, data, grant),
                    data,
                    grant,
                },
                Err(HeldBack) => Event::HeldBack {
                    client,
                    request: Request::Send(data),
                },
            }),
            Step::PacketArrives(client) => {
                let packet = self.oldest_packet(client)?;
                self.arrive(packet).ok_or(Impossible::NoPacket(client))
            }
            Step::PacketWithArrives(client, data) => {
                let packet = self.packet_with(client, data)?;
                self.arrive(packet)
                    .ok_or(Impossible::NoSuchPacket(client, data))
            }
            Step::AnnouncesToken(client) => Ok(self.announce(client)),
            Step::ChecksLease(client) => {
                let outcome = self.client_mut(client).check_lease();
                Ok(Event::Checked { client, outcome })
            }
            Step::IsPoweredOff(client) if self.is_off(client) => {
                Ok(Event::CameToNothing { client, step })
            }
            Step::IsPoweredOff(client) => {
                self.client_mut(client).condition = Condition::PoweredOff;
                Ok(Event::PoweredOff { client })
            }
            Step::CannotBePoweredOff(client) => Ok(Event::PowerOffUnanswered { client }),
            Step::StorageForgetsMaxToken => Ok(Event::MaxTokenForgotten {
                was: self.storage.forget_max_token(),
            }),
            Step::LockServiceForgetsCounter => {
                self.lock_service.forget_counter();
                Ok(Event::CounterForgotten {
                    next: self.lock_service.next_token().ok(),
                })
            }
            Step::LockServiceForgetsHolder => Ok(Event::HolderForgotten {
                holder: self.lock_service.forget_holder(),
            }),
        }
    }

    fn client(&self, client: ClientId) -> &Client {
        &self.clients[client.index()]
    }

    fn client_mut(&mut self, client: ClientId) -> &mut Client {
        &mut self.clients[client.index()]
    }

    fn can_act(&self, client: ClientId) -> Result<(), Impossible> {
        match self.client(client).condition {
            Condition::Running | Condition::PoweredOff => Ok(()),
            Condition::Paused => Err(Impossible::Paused(client)),
            Condition::Suspended => Err(Impossible::Suspended(client)),
        }
    }

    /// It takes itself for the leaseholder and is not.
    fn has_stale_belief(&self, client: ClientId) -> bool {
        self.client(client).believes() && self.holder() != Some(client)
    }

    fn oldest_packet(&self, sender: ClientId) -> Result<PacketId, Impossible> {
        self.network
            .oldest(sender)
            .ok_or(Impossible::NoPacket(sender))
    }

    fn packet_with(&self, sender: ClientId, data: Data) -> Result<PacketId, Impossible> {
        self.network
            .oldest_with(sender, data)
            .ok_or(Impossible::NoSuchPacket(sender, data))
    }

    fn acquire(&mut self, client: ClientId) -> Result<Event, Impossible> {
        Ok(match self.lock_service.acquire(client)? {
            Acquisition::Granted(grant) => {
                self.client_mut(client).belief = Belief::Holds(grant, Timer::Running);
                Event::Granted { client, grant }
            }
            Acquisition::HeldAlready(grant) => Event::HeldAlready { client, grant },
            Acquisition::Refused { holder } => {
                self.client_mut(client).belief = Belief::KnowsNone;
                Event::AcquisitionRefused { client, holder }
            }
        })
    }

    fn renew(&mut self, client: ClientId) -> Event {
        if let Some(grant) = self.lock_service.renew(client) {
            Event::Renewed { client, grant }
        } else {
            self.client_mut(client).belief = Belief::KnowsNone;
            Event::RenewalRefused {
                client,
                holder: self.holder(),
            }
        }
    }

    fn release(&mut self, client: ClientId) -> Event {
        let gave_back = self.lock_service.reclaim(client);
        match std::mem::replace(&mut self.client_mut(client).belief, Belief::NoLease) {
            Belief::Holds(grant, _) if gave_back => Event::Released { client, grant },
            Belief::Holds(..) => Event::ReleasedTooLate { client },
            Belief::NoLease | Belief::KnowsNone => Event::ReleasedNothing { client },
        }
    }

    fn write(&mut self, client: ClientId, data: Data, grant: Option<Grant>) -> Write {
        let outcome = self.storage.write(data, grant.map(|grant| grant.token));
        Write {
            client,
            data,
            grant,
            outcome: outcome.map(|()| self.heard()),
        }
    }

    fn arrive(&mut self, id: PacketId) -> Option<Event> {
        let overtook = self.network.oldest(id.sender) != Some(id);
        let packet = Rc::make_mut(&mut self.network).deliver(id)?;
        let write = self.write(id.sender, packet.data, packet.grant);
        Some(Event::Arrived {
            write,
            packet: id,
            overtook,
        })
    }

    fn announce(&mut self, client: ClientId) -> Event {
        match self.client(client).credentials() {
            Ok(grant) => {
                let outcome = self.storage.announce(grant.map(|grant| grant.token));
                Event::Announced {
                    client,
                    grant,
                    outcome: outcome.map(|()| self.heard()),
                }
            }
            Err(HeldBack) => Event::HeldBack {
                client,
                request: Request::Announcement,
            },
        }
    }

    fn heard(&self) -> Accepted {
        Accepted {
            max_token: self.storage.max_token(),
        }
    }
}
