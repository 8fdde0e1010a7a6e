//! How things stand after a step: what every lane shows in its rows.

use crate::view::diagram::layout::{Belief, ClientLane, Diagram, Packet, Stop};
use crate::view::diagram::span::Span;
use crate::world::event::Moment;
use crate::world::grant::Grant;
use crate::world::names::ClientId;

/// How things stand, step by step. Steps must be taken in their order; each costs a look at every
/// lane.
pub struct Standing<'d> {
    lease: Cursor<'d, (ClientId, Grant)>,
    clients: Vec<ClientCursor<'d>>,
    to_leave: &'d [Span<Packet>],
    /// Whether the lease is out.
    pub is_out: bool,
    /// The packets in flight.
    pub in_flight: Vec<&'d Span<Packet>>,
}

/// How a client stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClientStanding {
    /// What it believes.
    pub belief: Option<Belief>,
    /// Whether it believed something before the step.
    pub believed: bool,
    /// Why it is stopped, if it is.
    pub stop: Option<Stop>,
    /// Whether it is on.
    pub power: Power,
}

/// Whether a client is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Power {
    /// It is.
    On,
    /// This step switched it off.
    GoesOff,
    /// It is off.
    Off,
}

impl<'d> Standing<'d> {
    /// Before the first step.
    pub fn new(diagram: &'d Diagram<'_>) -> Self {
        Standing {
            lease: Cursor::new(&diagram.lease.spans),
            clients: diagram.clients.iter().map(ClientCursor::new).collect(),
            to_leave: &diagram.packets,
            is_out: false,
            in_flight: Vec::new(),
        }
    }

    /// The next step is taken.
    pub fn take(&mut self, at: Moment) {
        self.is_out = self.lease.take(at).is_some();
        for client in &mut self.clients {
            client.take(at);
        }
        self.in_flight.retain(|packet| !packet.is_over(at));
        while let [next, later @ ..] = self.to_leave
            && next.from <= at
        {
            self.in_flight.push(next);
            self.to_leave = later;
        }
    }

    /// How the client stands.
    pub fn client(&self, client: ClientId) -> ClientStanding {
        self.clients[client.index()].standing
    }

    /// Whether some client takes itself for the leaseholder, wrongly.
    pub fn is_anybody_wrong(&self) -> bool {
        let mut beliefs = self.clients.iter().filter_map(|it| it.standing.belief);
        beliefs.any(|belief| belief.is_wrong)
    }
}

struct ClientCursor<'d> {
    beliefs: Cursor<'d, Belief>,
    stops: Cursor<'d, Stop>,
    off: Option<Moment>,
    standing: ClientStanding,
}

impl<'d> ClientCursor<'d> {
    fn new(lane: &'d ClientLane) -> Self {
        ClientCursor {
            beliefs: Cursor::new(&lane.beliefs.spans),
            stops: Cursor::new(&lane.stops.spans),
            off: lane.off,
            standing: ClientStanding {
                belief: None,
                believed: false,
                stop: None,
                power: Power::On,
            },
        }
    }

    fn take(&mut self, at: Moment) {
        self.standing = ClientStanding {
            believed: self.standing.belief.is_some(),
            belief: self.beliefs.take(at),
            stop: self.stops.take(at),
            power: match self.off {
                Some(off) if off < at => Power::Off,
                Some(off) if off == at => Power::GoesOff,
                Some(_) | None => Power::On,
            },
        };
    }
}

/// The spans of one track that are not over yet.
struct Cursor<'d, T> {
    ahead: &'d [Span<T>],
}

impl<'d, T: Copy> Cursor<'d, T> {
    fn new(spans: &'d [Span<T>]) -> Self {
        Cursor { ahead: spans }
    }

    fn take(&mut self, at: Moment) -> Option<T> {
        while let [first, later @ ..] = self.ahead
            && first.is_over(at)
        {
            self.ahead = later;
        }
        let now = self.ahead.first().filter(|span| span.from <= at);
        now.map(|span| span.what)
    }
}
