//! What stands over the lanes.

use std::io::{self, Write};

use crate::view::diagram::text::rows::Rows;
use crate::view::palette::{Palette, Role};
use crate::world::storage_service::Fencing;

impl Rows<'_> {
    /// With several storages, a line for the name of each; all other headings stand in the last one.
    pub(super) fn write_headings(
        &mut self,
        out: &mut dyn Write,
        palette: Palette,
    ) -> io::Result<()> {
        let several = self.diagram.storages.len() > 1;
        let storages = self.diagram.scenario.names.storages();
        for (storage, name) in self.diagram.named_storages() {
            for before in storages.iter().take(storage.index()) {
                let lane = self.columns.storage(before);
                self.line.set(lane, self.glyphs.thin, Role::Plain);
            }
            let is_last = storage.index() + 1 == self.diagram.storages.len();
            let end = if is_last {
                self.draw_headings()
            } else {
                self.columns.width
            };
            let lane = self.columns.storage(storage);
            if several {
                let name = self.glyphs.fit(name, end - lane);
                self.line.put_cut(lane, name, Role::Plain);
            } else {
                self.put_centred(name, 9, lane, 0);
            }
            self.line.finish(out, palette)?;
        }
        Ok(())
    }

    /// Draws the headings of all lanes but the storages', and says where the room for those ends.
    fn draw_headings(&mut self) -> usize {
        let names = &self.diagram.scenario.names;
        let lock_service = self.columns.lock_service;
        self.put_centred("lock service", 12, lock_service, 0);
        for client in names.clients() {
            let (name, lane) = (names.client(client), self.columns.client(client));
            let left = if client.index() == 0 {
                lock_service + 7
            } else {
                0
            };
            self.put_centred(name, self.columns.pitch - 2, lane, left);
        }
        let width = self.columns.width;
        match self.diagram.fencing() {
            Fencing::Off => width,
            Fencing::On => {
                let max_token = "[max_token]";
                let start = width - max_token.len();
                self.line.put(start, max_token, Role::Plain);
                start - 1
            }
        }
    }

    /// Puts the text, cut to the room, over the lane, but no further left than `left`.
    fn put_centred(&mut self, text: &str, room: usize, lane: usize, left: usize) {
        let text = self.glyphs.fit(text, room);
        let start = lane - text.width() / 2;
        self.line.put_cut(start.max(left), text, Role::Plain);
    }
}
