//! The one place where a step changes the world: the services, the clients and the packets in
//! flight.
//!
//! No threads, no clock, no randomness: what happens is decided by the steps and their order alone.

use crate::world::client::{Belief, Client, Condition, HeldBack, Memory, UnheardAnswer};
use crate::world::event::{Event, Moment};
use crate::world::lock_service::{Acquisition, LockService, OutOfTokens, Tokens};
use crate::world::looks::Seen;
use crate::world::names::{ClientId, Data, StorageId};
use crate::world::network::{Delivery, Network, Packet, Which};
use crate::world::requests::{Outgoing, Storage};
use crate::world::step::{Step, WriteMode};
use crate::world::storage_service::{Fencing, StorageService};

/// What a world begins with.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The clients, by what has to be remembered of each.
    pub clients: Vec<Memory>,
    /// How many storages there are: at least one.
    pub storages: usize,
    /// Which tokens the lock service hands out.
    pub tokens: Tokens,
    /// Whether the storages check them.
    pub fencing: Fencing,
}

/// Everything that a step can change. Cheap to clone, compare and hash.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct World {
    pub(super) lock_service: LockService,
    pub(super) storages: Box<[Storage]>,
    pub(super) clients: Box<[Client]>,
    /// What each client has seen of each storage; empty if no client's memory is of that.
    pub(super) looks: Box<[Option<Seen>]>,
    /// The answer that each client has not heard yet; empty if no client's memory is of that.
    pub(super) unheard: Box<[Option<UnheardAnswer>]>,
    pub(super) network: Network,
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
    /// The client has never looked at this storage, so nothing can be unchanged since.
    NeverLooked(ClientId, StorageId),
    /// There is no answer that the client has not heard.
    NothingToHear(ClientId),
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
            storages: self.storages.clone(),
            clients: self.clients.clone(),
            looks: self.looks.clone(),
            unheard: self.unheard.clone(),
            network: self.network.clone(),
        }
    }

    /// Uses the memory that is there already: an exploration clones a world for every step.
    fn clone_from(&mut self, source: &Self) {
        let World {
            lock_service,
            storages,
            clients,
            looks,
            unheard,
            network,
        } = source;
        self.lock_service.clone_from(lock_service);
        self.storages.clone_from(storages);
        self.clients.clone_from(clients);
        self.looks.clone_from(looks);
        self.unheard.clone_from(unheard);
        self.network.clone_from(network);
    }
}

impl World {
    /// A free lease, empty storages, running clients, nothing in flight.
    pub fn new(setting: &Setting) -> Self {
        let Setting {
            clients,
            storages,
            tokens,
            fencing,
        } = setting;
        let looks = clients.iter().any(|memory| memory.looks);
        let pairs = if looks { clients.len() * storages } else { 0 };
        let answers = clients.iter().any(|memory| memory.answers);
        let hearers = if answers { clients.len() } else { 0 };
        World {
            lock_service: LockService::new(tokens.clone()),
            storages: vec![Storage::new(*fencing); *storages].into(),
            clients: clients.iter().copied().map(Client::new).collect(),
            looks: vec![None; pairs].into(),
            unheard: vec![None; hearers].into(),
            network: Network::default(),
        }
    }

    /// Who holds the lease.
    pub fn holder(&self) -> Option<ClientId> {
        self.lock_service.holder()
    }

    /// The client, as it is now.
    pub fn client(&self, client: ClientId) -> &Client {
        &self.clients[client.index()]
    }

    /// Whether the client is off for good.
    pub fn is_off(&self, client: ClientId) -> bool {
        self.client(client).condition == Condition::PoweredOff
    }

    /// The storage service, as it is now.
    pub fn storage(&self, storage: StorageId) -> &StorageService {
        &self.storages[storage.index()].service
    }

    /// Whether the storages check tokens.
    pub fn fencing(&self) -> Fencing {
        let first = self.storages.first();
        first.map_or(Fencing::Off, |storage| storage.service.fencing())
    }

    /// How much memory the world takes beyond its own size, in bytes, rounded up.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&self.storages[..])
            + size_of_val(&self.clients[..])
            + size_of_val(&self.looks[..])
            + size_of_val(&self.unheard[..])
            + self.network.heap_bytes()
    }

    /// Whether the step can happen now. The steps of a client that is off can: nothing comes of
    /// them.
    pub fn possible(&self, step: Step) -> Result<(), Impossible> {
        if step.actor().is_some_and(|client| self.is_off(client)) {
            return Ok(());
        }
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
                if self.holder().is_none() {
                    self.lock_service.next_token()?;
                }
                Ok(())
            }
            Step::Writes(client, _, to, WriteMode::IfUnchanged) => {
                self.can_act(client)?;
                let unseen = to.iter().find(|&it| self.look(client, it).is_none());
                unseen.map_or(Ok(()), |storage| {
                    Err(Impossible::NeverLooked(client, storage))
                })
            }
            Step::HearsAnswer(client) => {
                self.can_act(client)?;
                let unheard = self.unheard.get(client.index()).copied().flatten();
                unheard.map_or(Err(Impossible::NothingToHear(client)), |_| Ok(()))
            }
            Step::Renews(client)
            | Step::Releases(client)
            | Step::Pauses(client)
            | Step::IsSuspended(client)
            | Step::Reads(client, _)
            | Step::Writes(
                client,
                _,
                _,
                WriteMode::Plain | WriteMode::PastTheGuard | WriteMode::WithToken(_),
            )
            | Step::Sends(client, ..)
            | Step::AnnouncesToken(client, _)
            | Step::ChecksLease(client) => self.can_act(client),
            Step::LeaseExpires(client) if self.holder() == Some(client) => Ok(()),
            Step::LeaseExpires(client) => Err(Impossible::NotHolder(client)),
            Step::PacketArrives(client) if self.network.has(client, Which::Oldest) => Ok(()),
            Step::PacketArrives(client) => Err(Impossible::NoPacket(client)),
            Step::PacketWithArrives(client, data)
                if self.network.has(client, Which::With(data)) =>
            {
                Ok(())
            }
            Step::PacketWithArrives(client, data) => Err(Impossible::NoSuchPacket(client, data)),
            Step::ClockRunsSlow(_)
            | Step::IsPoweredOff(_)
            | Step::CannotBePoweredOff(_)
            | Step::StorageForgetsMaxToken(_)
            | Step::LockServiceForgetsCounter
            | Step::LockServiceForgetsHolder => Ok(()),
        }
    }

    /// Makes the step happen, at that moment; or says why it cannot, and leaves the world as it was.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of step")]
    pub fn take(&mut self, step: Step, at: Moment) -> Result<Event, Impossible> {
        self.possible(step)?;
        if let Some(client) = step.actor()
            && self.is_off(client)
        {
            return Ok(Event::CameToNothing { client, step });
        }
        Ok(match step {
            Step::Acquires(client) => self.acquire(client)?,
            Step::Renews(client) => self.renew(client),
            Step::Releases(client) => self.release(client),
            Step::Pauses(client) => {
                self.client_mut(client).condition = Condition::Paused;
                Event::Paused { client }
            }
            Step::Wakes(client) => {
                self.client_mut(client).condition = Condition::Running;
                Event::Woke {
                    client,
                    stale_belief: self.has_stale_belief(client),
                }
            }
            Step::IsSuspended(client) => {
                self.client_mut(client).condition = Condition::Suspended;
                Event::Suspended { client }
            }
            Step::Resumes(client) => {
                self.client_mut(client).condition = Condition::Running;
                Event::Resumed {
                    client,
                    stale_belief: self.has_stale_belief(client),
                }
            }
            Step::LeaseExpires(client) => {
                self.lock_service.reclaim(client);
                self.client_mut(client).lease_expires();
                let condition = self.client(client).condition;
                Event::LeaseExpired { client, condition }
            }
            Step::Reads(client, from) => Event::Read(Box::new(self.read(client, from, at))),
            Step::Writes(client, data, to, mode) => {
                let credentials = match mode {
                    // Whoever shows a token of its own making does not hold it back.
                    WriteMode::WithToken(_) => Ok(self.client(client).believes_in()),
                    WriteMode::Plain | WriteMode::IfUnchanged | WriteMode::PastTheGuard => {
                        self.client(client).credentials()
                    }
                };
                let outgoing = |grant| Outgoing {
                    client,
                    data: Some(data),
                    mode,
                    to,
                    grant,
                    left: at,
                    is_delayed: false,
                };
                match credentials {
                    Ok(grant) => Event::Wrote(self.request(outgoing(grant), at)),
                    Err(HeldBack) => Event::HeldBack { client, step },
                }
            }
            Step::Sends(client, data, to) => match self.client(client).credentials() {
                Ok(grant) => {
                    let packet = Packet {
                        left: at,
                        data,
                        to,
                        grant,
                    };
                    self.network.send(client, packet);
                    Event::Sent {
                        client,
                        data,
                        to,
                        grant,
                        in_flight: self.network.in_flight(),
                    }
                }
                Err(HeldBack) => Event::HeldBack { client, step },
            },
            Step::PacketArrives(client) => {
                let delivery = self.network.deliver(client, Which::Oldest);
                self.arrive(client, delivery.ok_or(Impossible::NoPacket(client))?, at)
            }
            Step::PacketWithArrives(client, data) => {
                let delivery = self.network.deliver(client, Which::With(data));
                let nothing = Impossible::NoSuchPacket(client, data);
                self.arrive(client, delivery.ok_or(nothing)?, at)
            }
            Step::AnnouncesToken(client, to) => {
                let outgoing = |grant| Outgoing {
                    client,
                    data: None,
                    mode: WriteMode::Plain,
                    to,
                    grant,
                    left: at,
                    is_delayed: false,
                };
                match self.client(client).credentials() {
                    Ok(grant) => Event::Announced(self.request(outgoing(grant), at)),
                    Err(HeldBack) => Event::HeldBack { client, step },
                }
            }
            Step::HearsAnswer(client) => {
                let unheard = self.unheard.get_mut(client.index()).and_then(Option::take);
                let answer = unheard.ok_or(Impossible::NothingToHear(client))?;
                Event::AnswerHeard {
                    client,
                    request: answer.request,
                    gave_up: self.client_mut(client).hear(answer),
                }
            }
            Step::ChecksLease(client) => {
                let outcome = self.client_mut(client).check_lease();
                Event::Checked { client, outcome }
            }
            Step::ClockRunsSlow(client) => {
                self.client_mut(client).clock_is_slow = true;
                Event::ClockSlowed {
                    client,
                    is_off: self.is_off(client),
                }
            }
            Step::IsPoweredOff(client) if self.is_off(client) => {
                Event::CameToNothing { client, step }
            }
            Step::IsPoweredOff(client) => {
                self.client_mut(client).condition = Condition::PoweredOff;
                Event::PoweredOff { client }
            }
            Step::CannotBePoweredOff(client) => Event::PowerOffUnanswered { client },
            Step::StorageForgetsMaxToken(storage) => Event::MaxTokenForgotten {
                storage,
                was: self.storages[storage.index()].service.forget_max_token(),
            },
            Step::LockServiceForgetsCounter => {
                self.lock_service.forget_counter();
                Event::CounterForgotten {
                    next: self.lock_service.next_token().ok(),
                }
            }
            Step::LockServiceForgetsHolder => Event::HolderForgotten {
                holder: self.lock_service.forget_holder(),
            },
        })
    }

    pub(super) fn client_mut(&mut self, client: ClientId) -> &mut Client {
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
        self.client(client).believes_in().is_some() && self.holder() != Some(client)
    }

    fn acquire(&mut self, client: ClientId) -> Result<Event, Impossible> {
        Ok(match self.lock_service.acquire(client)? {
            Acquisition::Granted(grant) => {
                self.client_mut(client).is_told_that_it_holds(grant);
                Event::Granted { client, grant }
            }
            Acquisition::HeldAlready(grant) => {
                self.client_mut(client).is_told_that_it_holds(grant);
                Event::HeldAlready { client, grant }
            }
            Acquisition::Refused { holder } => {
                self.client_mut(client).belief = Belief::KnowsNone;
                Event::AcquisitionRefused { client, holder }
            }
        })
    }

    fn renew(&mut self, client: ClientId) -> Event {
        if let Some(grant) = self.lock_service.renew(client) {
            self.client_mut(client).is_told_that_it_holds(grant);
            Event::Renewed { client, grant }
        } else {
            self.client_mut(client).belief = Belief::KnowsNone;
            Event::RenewalRefused {
                client,
                holder: self.holder(),
            }
        }
    }

    fn arrive(&mut self, sender: ClientId, delivery: Delivery, at: Moment) -> Event {
        let Delivery { packet, overtook } = delivery;
        let outgoing = Outgoing {
            client: sender,
            data: Some(packet.data),
            mode: WriteMode::Plain,
            to: packet.to,
            grant: packet.grant,
            left: packet.left,
            is_delayed: true,
        };
        let request = self.request(outgoing, at);
        Event::Arrived { request, overtook }
    }

    fn release(&mut self, client: ClientId) -> Event {
        let given_back = self.lock_service.reclaim(client);
        let forgotten = self.client_mut(client).forget_lease();
        match (given_back, forgotten) {
            (Some(grant), _) => Event::Released { client, grant },
            (None, Some(_)) => Event::ReleasedTooLate { client },
            (None, None) => Event::ReleasedNothing { client },
        }
    }
}
