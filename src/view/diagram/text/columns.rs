//! In which column of the terminal each lane stands, so that no row moves any of them.

use crate::view::diagram::layout::Diagram;
use crate::view::diagram::text::PAGE;
use crate::view::diagram::text::glyphs::{Glyphs, width};
use crate::world::grant::Token;
use crate::world::names::{ClientId, StorageId};
use crate::world::storage_service::Fencing;

/// The columns, counted from 0.
pub struct Columns {
    /// How many digits the numbers of the steps take.
    pub digits: usize,
    /// The lock service's lane. The token of a grant ends two columns before it.
    pub lock_service: usize,
    /// From one client's lane to the next one's.
    pub pitch: usize,
    /// How many clients there are.
    clients: usize,
    first_channel: usize,
    first_storage: usize,
    /// Where the notes begin.
    pub notes: usize,
    /// How wide the picture is.
    pub width: usize,
}

impl Columns {
    /// The columns of this picture.
    pub fn new(diagram: &Diagram<'_>, glyphs: &Glyphs) -> Self {
        let digits = digits(diagram.last().number().into()).max(3);
        let token = |grant: Token| width(&granted(diagram.fencing(), glyphs, grant));
        let grants = diagram.lease.spans.iter().map(|span| span.what.1);
        let widest = grants.map(|grant| token(grant.token)).max();
        let lock_service = digits + 2 + widest.unwrap_or_default().max(4);
        let clients = diagram.clients.len();
        let pitch = if clients <= 3 { 11 } else { 10 };
        let last_client = lock_service + pitch * clients;
        let first_channel = last_client + if diagram.is_crowded { 12 } else { 6 };
        let first_storage = match diagram.channels {
            0 => last_client + 11,
            channels => first_channel + 3 * (channels - 1) + 7,
        };
        let storages = diagram.storages.len();
        let notes = first_storage + 4 * (storages - 1) + 3;
        let room = if storages == 1 { 19 } else { 29 };
        Columns {
            digits,
            lock_service,
            pitch,
            clients,
            first_channel,
            first_storage,
            notes,
            width: PAGE.max(notes + room),
        }
    }

    /// The client's lane.
    pub fn client(&self, client: ClientId) -> usize {
        self.lock_service + self.pitch * (client.index() + 1)
    }

    /// The channel's lane.
    pub fn channel(&self, channel: usize) -> usize {
        self.first_channel + 3 * channel
    }

    /// The storage's lane.
    pub fn storage(&self, storage: StorageId) -> usize {
        self.first_storage + 4 * storage.index()
    }

    /// Whether a client's lane is there, be it seen or not.
    pub fn is_client(&self, column: usize) -> bool {
        let right = column.saturating_sub(self.lock_service);
        right > 0 && right.is_multiple_of(self.pitch) && right <= self.pitch * self.clients
    }
}

/// The token of a grant, as it stands before the lock service's lane. With fencing off it is only a
/// would-be token.
pub fn granted(fencing: Fencing, glyphs: &Glyphs, token: Token) -> String {
    let token = glyphs.token(token);
    match fencing {
        Fencing::Off => format!("({token})"),
        Fencing::On => token.to_string(),
    }
}

/// How many digits the number has.
pub fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or_default() as usize + 1
}
