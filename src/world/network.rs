//! The network may delay a packet for any length of time, and delivers it all the same (DDIA 2e,
//! chapter 9, "Unreliable Networks"; Figure 9-5).
//!
//! A packet is as it was when it was sent: it carries the token that its sender held then, and it
//! survives its sender's pause, release and power-off.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::world::grant::Grant;
use crate::world::names::{ClientId, Data};

/// A packet of one run: its sender's first, second, …, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PacketId {
    /// The client that sent it.
    pub sender: ClientId,
    /// How many packets the sender had sent before.
    pub number: u32,
}

/// A write on its way to storage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Packet {
    /// Which packet it is.
    pub id: PacketId,
    /// What it writes.
    pub data: Data,
    /// The grant that its sender believed in when it was sent.
    pub grant: Option<Grant>,
}

/// The packets in flight.
///
/// Nothing here depends on how the sends of different clients were interleaved, so that orders of
/// steps which lead to the same packets lead to equal networks. Every operation takes logarithmic
/// time in the number of packets.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Network {
    in_flight: BTreeMap<PacketId, (Data, Option<Grant>)>,
    /// The same packets, to be found by what they carry.
    by_data: BTreeSet<(ClientId, Data, u32)>,
    sent: BTreeMap<ClientId, u32>,
    /// The hashes of all packets in flight, combined so that their order does not matter: an
    /// exploration hashes the network in every state, and most steps leave it as it is.
    digest: u64,
}

/// Networks with other packets in flight have other digests, or as good as always.
impl Hash for Network {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

impl Network {
    /// Takes a packet on its way.
    pub fn send(&mut self, sender: ClientId, data: Data, grant: Option<Grant>) -> PacketId {
        let sent = self.sent.entry(sender).or_default();
        let id = PacketId {
            sender,
            number: *sent,
        };
        *sent += 1;
        self.in_flight.insert(id, (data, grant));
        self.digest ^= digest(Packet { id, data, grant });
        self.by_data.insert((sender, data, id.number));
        id
    }

    /// The sender's oldest packet in flight.
    pub fn oldest(&self, sender: ClientId) -> Option<PacketId> {
        let all = PacketId { sender, number: 0 }..=PacketId {
            sender,
            number: u32::MAX,
        };
        self.in_flight.range(all).next().map(|(&id, _)| id)
    }

    /// The sender's oldest packet in flight that carries this data.
    pub fn oldest_with(&self, sender: ClientId, data: Data) -> Option<PacketId> {
        let all = (sender, data, 0)..=(sender, data, u32::MAX);
        self.by_data
            .range(all)
            .next()
            .map(|&(sender, _, number)| PacketId { sender, number })
    }

    /// How much memory the packets take, in bytes, rounded up generously: the nodes of the trees
    /// can be half empty, and at their smallest hold eleven entries.
    pub fn heap_bytes(&self) -> usize {
        let entries = |length: usize| if length == 0 { 0 } else { 2 * length.max(6) };
        let entry =
            size_of::<(PacketId, (Data, Option<Grant>))>() + size_of::<(ClientId, Data, u32)>();
        entries(self.in_flight.len()) * entry
            + entries(self.sent.len()) * size_of::<(ClientId, u32)>()
    }

    /// Takes the packet off the network, if it is in flight.
    pub fn deliver(&mut self, id: PacketId) -> Option<Packet> {
        let (data, grant) = self.in_flight.remove(&id)?;
        self.by_data.remove(&(id.sender, data, id.number));
        let packet = Packet { id, data, grant };
        self.digest ^= digest(packet);
        Some(packet)
    }
}

fn digest(packet: Packet) -> u64 {
    let mut hasher = DefaultHasher::new();
    packet.hash(&mut hasher);
    hasher.finish()
}
