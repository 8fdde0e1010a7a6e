//! The network may delay a packet for any length of time, and delivers it all the same (DDIA 2e,
//! chapter 9, "Unreliable Networks"; Figure 9-5).
//!
//! A packet is as it was when it was sent: it carries the token that its sender held then, and it
//! survives its sender's pause, release and power-off.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::event::Moment;
use crate::world::grant::Grant;
use crate::world::names::{ClientId, Data, Storages};

/// A write on its way to storage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Packet {
    /// When it was sent.
    pub left: Moment,
    /// What it writes.
    pub data: Data,
    /// To which storages.
    pub to: Storages,
    /// The grant that its sender believed in when it was sent.
    pub grant: Option<Grant>,
}

/// The packets in flight: one queue for each sender.
///
/// Nothing here depends on how the sends of different clients were interleaved, nor on the order in
/// which packets have arrived, so that orders of steps which lead to the same packets lead to equal
/// networks. Every operation takes logarithmic time in the number of packets.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Network {
    queues: BTreeMap<ClientId, Queue>,
    in_flight: u32,
}

/// The packets of one sender, numbered as it sent them.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
struct Queue {
    sent: u32,
    packets: BTreeMap<u32, Packet>,
    /// The same packets, to be found by what they carry.
    by_data: BTreeSet<(Data, u32)>,
}

/// Which packet arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// The sender's oldest.
    Oldest,
    /// The sender's oldest that carries this.
    With(Data),
}

/// A packet that was delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// The packet.
    pub packet: Packet,
    /// An older one of the same sender is still in flight.
    pub overtook: bool,
}

impl Network {
    /// Takes a packet on its way.
    pub fn send(&mut self, sender: ClientId, packet: Packet) {
        let queue = self.queues.entry(sender).or_default();
        queue.packets.insert(queue.sent, packet);
        queue.by_data.insert((packet.data, queue.sent));
        queue.sent += 1;
        self.in_flight += 1;
    }

    /// Whether such a packet is in flight.
    pub fn has(&self, sender: ClientId, which: Which) -> bool {
        let queue = self.queues.get(&sender);
        queue.is_some_and(|queue| queue.find(which).is_some())
    }

    /// Takes such a packet off the network, if one is in flight.
    pub fn deliver(&mut self, sender: ClientId, which: Which) -> Option<Delivery> {
        let queue = self.queues.get_mut(&sender)?;
        let number = queue.find(which)?;
        let packet = queue.packets.remove(&number)?;
        queue.by_data.remove(&(packet.data, number));
        let oldest_left = queue.packets.first_key_value();
        let overtook = oldest_left.is_some_and(|(&oldest, _)| oldest < number);
        self.in_flight -= 1;
        Some(Delivery { packet, overtook })
    }

    /// The grants of all packets in flight.
    pub(super) fn grants_mut(&mut self) -> impl Iterator<Item = &mut Grant> {
        let packets = self.queues.values_mut();
        let packets = packets.flat_map(|queue| queue.packets.values_mut());
        packets.filter_map(|packet| packet.grant.as_mut())
    }

    /// How many packets are in flight.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// How much memory the packets take, in bytes, rounded up generously: the nodes of the trees can
    /// be half empty, and at their smallest hold eleven entries.
    pub fn heap_bytes(&self) -> usize {
        let entries = |length: usize| if length == 0 { 0 } else { 2 * length.max(6) };
        let packet = size_of::<(u32, Packet)>() + size_of::<(Data, u32)>();
        let packets = self.queues.values();
        entries(self.queues.len()) * size_of::<(ClientId, Queue)>()
            + packets
                .map(|queue| entries(queue.packets.len()) * packet)
                .sum::<usize>()
    }
}

impl Queue {
    /// The number of the packet.
    fn find(&self, which: Which) -> Option<u32> {
        match which {
            Which::Oldest => self.packets.first_key_value().map(|(&number, _)| number),
            Which::With(data) => {
                let first = self.by_data.range((data, 0)..).next();
                let first = first.filter(|&&(carried, _)| carried == data);
                first.map(|&(_, number)| number)
            }
        }
    }
}
