//! What each client has seen of each storage, and whether that is still so.
//!
//! Nobody is told of a change: a storage counts its changes, and a client knows up to which of them
//! it has followed. So a change costs the same, however many clients have looked.

use crate::world::event::{Look, Moment};
use crate::world::names::{ClientId, Data, StorageId};
use crate::world::world::World;

/// What a client saw when it last looked at a storage.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Seen {
    at: Moment,
    contents: Option<Data>,
    /// How often the contents had changed then, or when a packet of its own last brought them.
    changes: u32,
    /// When somebody else last changed them, if that was before its packet came.
    missed: Option<Moment>,
}

impl World {
    /// What the client knows of the storage, if it has looked at it.
    pub(super) fn look(&self, client: ClientId, storage: StorageId) -> Option<Look> {
        let seen = self.looks[self.look_place(client, storage)?]?;
        let storage = &self.storages[storage.index()];
        let is_unread = seen.changes != storage.changes;
        Some(Look {
            since: seen.at,
            saw: seen.contents,
            changed: if is_unread {
                storage.last_change()
            } else {
                seen.missed
            },
            is_unread,
        })
    }

    /// Where that is noted, if it has to be.
    fn look_place(&self, client: ClientId, storage: StorageId) -> Option<usize> {
        let place = client.index() * self.storages.len() + storage.index();
        self.client(client).memory.looks.then_some(place)
    }

    /// The client looks, and sees this.
    pub(super) fn looks_at(
        &mut self,
        client: ClientId,
        storage: StorageId,
        contents: Option<Data>,
        at: Moment,
    ) {
        if let Some(place) = self.look_place(client, storage) {
            self.looks[place] = Some(Seen {
                at,
                contents,
                changes: self.storages[storage.index()].changes,
                missed: None,
            });
        }
    }

    /// What the storage holds is the client's own again, whatever it had missed by then.
    pub(super) fn own_packet_came(
        &mut self,
        client: ClientId,
        storage: StorageId,
        missed: Option<Moment>,
    ) {
        let changes = self.storages[storage.index()].changes;
        if let Some(place) = self.look_place(client, storage)
            && let Some(seen) = &mut self.looks[place]
        {
            (seen.changes, seen.missed) = (changes, missed);
        }
    }

    /// Forgets how often and when something changed: whether it did since a client looked is all
    /// that counts.
    pub(super) fn forget_changes(&mut self) {
        let storages = self.storages.len();
        for (place, seen) in self.looks.iter_mut().enumerate() {
            if let Some(seen) = seen {
                let is_unread = seen.changes != self.storages[place % storages].changes;
                seen.contents = None;
                seen.changes = u32::from(!is_unread);
                seen.missed = seen.missed.filter(|_| !is_unread);
            }
        }
        let changes = u32::from(!self.looks.is_empty());
        for storage in &mut self.storages {
            storage.changes = changes;
        }
    }
}
