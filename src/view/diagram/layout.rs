//! Where everything of a picture goes, in units of steps and lanes: computed once, from the scenario
//! and the events of its run. No service is asked.
//!
//! Whatever lasts is a [`Span`]: a lease, what a client believes, a pause, a packet in flight, a
//! `max_token`. What each step shows is for [`act`](crate::view::diagram::act) to say.

use std::fmt;

use crate::run::Run;
use crate::script::Scenario;
use crate::view::diagram::act::{Act, Reception, acts, reception};
use crate::view::diagram::span::{Span, Track};
use crate::world::event::{Event, Moment, Read, Request};
use crate::world::grant::{Grant, Token};
use crate::world::names::{ClientId, Data, StorageId};
use crate::world::storage_service::Fencing;

/// The most clients that a picture has room for.
const MOST_CLIENTS: usize = 12;

/// The most packets in flight at once that a picture has room for.
const MOST_IN_FLIGHT: usize = 12;

/// A picture of one run, without glyphs and pixels.
pub struct Diagram<'run> {
    /// What the heading begins with, such as `SCENARIO 1`.
    pub label: &'run str,
    /// Whose run it is.
    pub scenario: &'run Scenario,
    /// What happened.
    pub run: &'run Run,
    /// Who holds the lease.
    pub lease: Track<(ClientId, Grant)>,
    /// The clients, in the order of the script.
    pub clients: Vec<ClientLane>,
    /// The packets, in the order in which they left.
    pub packets: Vec<Span<Packet>>,
    /// How many channels the packets take: as many as were in flight at once.
    pub channels: usize,
    /// The storages, in their order.
    pub storages: Vec<StorageLane>,
    /// Something stands beside the last client's lane just before, while or after a packet flies.
    pub is_crowded: bool,
}

/// What a picture shows of one client.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ClientLane {
    /// What it believes.
    pub beliefs: Track<Belief>,
    /// When it is stopped.
    pub stops: Track<Stop>,
    /// When it was switched off.
    pub off: Option<Moment>,
}

/// A client takes itself for the leaseholder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Belief {
    /// Under this grant.
    pub grant: Grant,
    /// It is not.
    pub is_wrong: bool,
}

/// Why a client does nothing for a while.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Its process is paused.
    Paused,
    /// Its machine sleeps.
    Asleep,
}

/// A packet in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Who sent it.
    pub client: ClientId,
    /// What it writes.
    pub data: Data,
    /// The grant that its sender believed in when it left.
    pub grant: Option<Grant>,
    /// The channel that is its own while it flies, the first being 0.
    pub channel: usize,
}

/// What a picture shows of one storage.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StorageLane {
    /// Every write, packet and repair that reached it, in order.
    pub entries: Vec<Entry>,
    /// The highest token that it has seen.
    pub max_token: Track<Token>,
}

/// Data that reached a storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// When.
    pub at: Moment,
    /// The data.
    pub data: Data,
    /// The grant of the write that brought them.
    pub grant: Option<Grant>,
    /// The token that came with them; with fencing off the one that would have.
    pub token: Option<Token>,
    /// What the storage made of them.
    pub reception: Reception,
}

/// Why there is no picture of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// It has so many clients.
    Clients(usize),
    /// More packets than a picture has channels for were in flight at once.
    Packets,
    /// It has so many steps, more than this format has room for.
    Steps {
        /// So many.
        steps: usize,
        /// So many are drawn.
        most: usize,
    },
}

impl<'run> Diagram<'run> {
    /// Lays the run of the scenario out, under a label such as `SCENARIO 1`.
    pub fn new(
        label: &'run str,
        scenario: &'run Scenario,
        run: &'run Run,
    ) -> Result<Self, TooLarge> {
        let clients = scenario.names.client_count();
        if clients > MOST_CLIENTS {
            return Err(TooLarge::Clients(clients));
        }
        let mut diagram = Diagram {
            label,
            scenario,
            run,
            lease: Track::default(),
            clients: vec![ClientLane::default(); clients],
            packets: Vec::new(),
            channels: 0,
            storages: vec![StorageLane::default(); scenario.names.storages().len()],
            is_crowded: false,
        };
        let mut channels = Channels::default();
        for at in diagram.moments() {
            diagram.observe(at, &run.events[at.index()], &mut channels)?;
        }
        Ok(diagram)
    }

    /// The same picture, unless it has more steps than a format has room for.
    pub fn of_at_most(self, most: usize) -> Result<Self, TooLarge> {
        let steps = self.run.events.len();
        if steps > most {
            Err(TooLarge::Steps { steps, most })
        } else {
            Ok(self)
        }
    }

    /// Whether tokens are checked.
    pub fn fencing(&self) -> Fencing {
        self.scenario.headers.fencing
    }

    /// All steps.
    pub fn moments(&self) -> impl DoubleEndedIterator<Item = Moment> + use<> {
        (0..self.run.events.len()).map(Moment::at)
    }

    /// The last step.
    pub fn last(&self) -> Moment {
        Moment::at(self.run.events.len().saturating_sub(1))
    }

    /// The packet that left then.
    pub fn packet(&self, left: Moment) -> Option<&Span<Packet>> {
        let place = self.packets.binary_search_by_key(&left, |span| span.from);
        place.ok().map(|place| &self.packets[place])
    }

    /// The data, as the script spells them.
    pub fn data(&self, data: Data) -> &'run str {
        self.scenario.names.data(data)
    }

    fn observe(
        &mut self,
        at: Moment,
        event: &'run Event,
        channels: &mut Channels,
    ) -> Result<(), TooLarge> {
        let flew = channels.in_flight > 0;
        self.observe_belief(at, event);
        if let Event::Paused { client } = *event {
            self.clients[client.index()]
                .stops
                .set(at, Some(Stop::Paused));
        } else if let Event::Suspended { client } = *event {
            self.clients[client.index()]
                .stops
                .set(at, Some(Stop::Asleep));
        } else if let Event::Woke { client, .. } | Event::Resumed { client, .. } = *event {
            self.clients[client.index()].stops.set(at, None);
        } else if let Event::PoweredOff { client } = *event {
            let lane = &mut self.clients[client.index()];
            lane.stops.set(at, None);
            lane.off = Some(at);
        } else if let Event::Sent {
            client,
            data,
            grant,
            ..
        } = *event
        {
            let channel = channels.take().ok_or(TooLarge::Packets)?;
            self.channels = self.channels.max(channel + 1);
            let what = Packet {
                client,
                data,
                grant,
                channel,
            };
            self.packets.push(Span {
                what,
                from: at,
                until: None,
            });
        } else if let Event::Arrived { request, .. } = event {
            let place = self
                .packets
                .binary_search_by_key(&request.left, |span| span.from);
            if let Ok(place) = place {
                self.packets[place].until = Some(at);
                channels.free(self.packets[place].what.channel);
            }
        } else if let Event::Read(read) = event {
            self.observe_read(at, read);
        } else if let Event::MaxTokenForgotten { storage, .. } = *event {
            self.storages[storage.index()].max_token.set(at, None);
        }
        if let Some(request) = event.request() {
            self.observe_request(at, request);
        }
        if flew || channels.in_flight > 0 {
            self.observe_crowd(at);
        }
        Ok(())
    }

    /// What the event does to the lease, and to what clients believe of it.
    fn observe_belief(&mut self, at: Moment, event: &Event) {
        let (lease, belief) = (event.lease(), event.belief());
        if lease.is_none() && belief.is_none() {
            return;
        }
        let was = self.lease.now();
        if let Some(lease) = lease {
            self.lease.set(at, lease);
        }
        let now = self.lease.now();
        if let Some((client, grant)) = belief {
            self.believe(at, client, grant, now);
        }
        for (client, _) in was.into_iter().chain(now) {
            let believed = self.clients[client.index()].beliefs.now();
            self.believe(at, client, believed.map(|belief| belief.grant), now);
        }
    }

    fn believe(
        &mut self,
        at: Moment,
        client: ClientId,
        grant: Option<Grant>,
        lease: Option<(ClientId, Grant)>,
    ) {
        let belief = grant.map(|grant| Belief {
            grant,
            is_wrong: lease != Some((client, grant)),
        });
        self.clients[client.index()].beliefs.set(at, belief);
    }

    fn observe_request(&mut self, at: Moment, request: &Request) {
        let token = match self.fencing() {
            Fencing::On => request.token,
            Fencing::Off => request.grant.map(|grant| grant.token),
        };
        for answer in &request.answers {
            let lane = &mut self.storages[answer.storage.index()];
            lane.max_token.set(at, answer.max_token);
            if let Some(data) = request.data {
                lane.entries.push(Entry {
                    at,
                    data,
                    grant: request.grant,
                    token,
                    reception: reception(request, answer),
                });
            }
        }
    }

    fn observe_read(&mut self, at: Moment, read: &Read) {
        let Some(choice) = read.choice else {
            return;
        };
        let token = match self.fencing() {
            Fencing::On => choice.value.token,
            Fencing::Off => choice.grant.map(|grant| grant.token),
        };
        for repair in &read.repairs {
            let lane = &mut self.storages[repair.storage.index()];
            lane.max_token.set(at, repair.max_token);
            lane.entries.push(Entry {
                at,
                data: choice.value.data,
                grant: choice.grant,
                token,
                reception: Reception::of_repair(&choice, repair),
            });
        }
    }

    fn observe_crowd(&mut self, at: Moment) {
        if self.is_crowded {
            return;
        }
        let last = self.scenario.names.clients().last();
        let acts = acts(&self.run.events, at);
        self.is_crowded = acts
            .iter()
            .filter_map(Act::beside)
            .any(|it| Some(it) == last);
    }

    /// The storages, with what each is called.
    pub fn named_storages(&self) -> impl Iterator<Item = (StorageId, &'run str)> {
        let names = &self.scenario.names;
        names.storages().iter().map(|id| (id, names.storage(id)))
    }
}

/// Which channels are taken.
#[derive(Default)]
struct Channels {
    taken: [bool; MOST_IN_FLIGHT],
    in_flight: usize,
}

impl Channels {
    /// Takes the first that is free.
    fn take(&mut self) -> Option<usize> {
        let free = self.taken.iter().position(|taken| !taken)?;
        self.taken[free] = true;
        self.in_flight += 1;
        Some(free)
    }

    fn free(&mut self, channel: usize) {
        self.taken[channel] = false;
        self.in_flight -= 1;
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooLarge::Clients(clients) => write!(
                f,
                "too wide to draw: found {clients} clients, expected at most {MOST_CLIENTS}"
            ),
            TooLarge::Packets => write!(
                f,
                "too wide to draw: expected at most {MOST_IN_FLIGHT} packets in flight at once"
            ),
            TooLarge::Steps { steps, most } => write!(
                f,
                "too long to draw: found {steps} steps, expected at most {most}"
            ),
        }
    }
}

impl std::error::Error for TooLarge {}
