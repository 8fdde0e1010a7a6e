//! The strip: time flows to the right, one line for each thing that lasts and one for each storage,
//! one column a step, in panels where there are too many steps.
//!
//! Each line keeps its place from panel to panel, so the strip costs the same for every step.

use std::io::{self, Write};

use crate::view::diagram::layout::{Belief, Diagram, Entry, Packet};
use crate::view::diagram::span::Span;
use crate::view::diagram::text::PAGE;
use crate::view::diagram::text::glyphs::Glyphs;
use crate::view::diagram::text::line::Line;
use crate::view::diagram::text::panel::{Cursor, LONGEST_NAME, Panel, Scale};
use crate::view::palette::{Palette, Role};
use crate::world::event::Moment;
use crate::world::grant::{Grant, Token};
use crate::world::names::ClientId;

/// Writes the strip, with a blank line before each panel.
pub fn write(
    out: &mut dyn Write,
    palette: Palette,
    diagram: &Diagram<'_>,
    glyphs: &Glyphs,
) -> io::Result<()> {
    let scale = Scale::new(diagram);
    let mut strip = Strip::new(diagram, glyphs);
    let steps = diagram.run.events.len();
    for first in (0..steps).step_by(scale.steps) {
        writeln!(out)?;
        let last = (first + scale.steps).min(steps) - 1;
        let panel = Panel {
            scale: &scale,
            first: Moment::at(first),
            last: Moment::at(last),
        };
        strip.write_panel(out, palette, &panel)?;
    }
    Ok(())
}

/// How a span is drawn.
struct Ink {
    /// The token at its beginning. `None` says that it has none.
    token: Option<Token>,
    /// It goes on with the span before it, whose token has been shown.
    goes_on: bool,
    character: char,
    role: Role,
    /// What stands where it ends.
    end: char,
}

/// All lines, panel after panel.
struct Strip<'d> {
    diagram: &'d Diagram<'d>,
    glyphs: &'d Glyphs,
    lease: Cursor<'d, (ClientId, Grant)>,
    beliefs: Vec<Cursor<'d, Belief>>,
    to_leave: &'d [Span<Packet>],
    in_flight: Vec<&'d Span<Packet>>,
    entries: Vec<&'d [Entry]>,
    max_tokens: Vec<Cursor<'d, Token>>,
    line: Line,
}

impl<'d> Strip<'d> {
    fn new(diagram: &'d Diagram<'d>, glyphs: &'d Glyphs) -> Self {
        let (clients, storages) = (diagram.clients.iter(), diagram.storages.iter());
        let beliefs = clients.map(|lane| Cursor::new(&lane.beliefs.spans));
        let entries = storages.clone().map(|lane| &lane.entries[..]);
        let max_tokens = storages.map(|lane| Cursor::new(&lane.max_token.spans));
        Strip {
            diagram,
            glyphs,
            lease: Cursor::new(&diagram.lease.spans),
            beliefs: beliefs.collect(),
            to_leave: &diagram.packets,
            in_flight: Vec::new(),
            entries: entries.collect(),
            max_tokens: max_tokens.collect(),
            line: Line::new(PAGE),
        }
    }

    fn write_panel(
        &mut self,
        out: &mut dyn Write,
        palette: Palette,
        panel: &Panel<'_>,
    ) -> io::Result<()> {
        for step in panel.first.index()..=panel.last.index() {
            let at = Moment::at(step);
            let number = format_args!("{}", at.number());
            self.line.put_format(panel.column(at), number, Role::Plain);
        }
        self.name("step");
        self.line.finish(out, palette)?;
        self.write_lease(out, palette, panel)?;
        self.write_beliefs(out, palette, panel)?;
        self.write_packets(out, palette, panel)?;
        self.write_storages(out, palette, panel)
    }

    fn write_lease(
        &mut self,
        out: &mut dyn Write,
        palette: Palette,
        panel: &Panel<'_>,
    ) -> io::Result<()> {
        for (_, span) in self.lease.part(panel) {
            let (_, grant) = span.what;
            let ink = Ink {
                token: Some(grant.token),
                goes_on: false,
                character: self.glyphs.ink,
                role: Role::Accepted,
                end: self.glyphs.ink_end,
            };
            self.draw(panel, span, &ink);
        }
        if !self.line.is_blank() {
            self.end_with("is held", panel);
        }
        self.name("lease");
        self.line.finish(out, palette)
    }

    fn write_beliefs(
        &mut self,
        out: &mut dyn Write,
        palette: Palette,
        panel: &Panel<'_>,
    ) -> io::Result<()> {
        for client in self.diagram.scenario.names.clients() {
            for (before, span) in self.beliefs[client.index()].part(panel) {
                let Belief { grant, is_wrong } = span.what;
                let (character, role, end) = if is_wrong {
                    (self.glyphs.wrong_ink, Role::Corrupted, ' ')
                } else {
                    (self.glyphs.ink, Role::Accepted, self.glyphs.ink_end)
                };
                let goes_on = before.is_some_and(|before| {
                    before.what.grant == grant && before.until == Some(span.from)
                });
                let ink = Ink {
                    token: Some(grant.token),
                    goes_on,
                    character,
                    role,
                    end,
                };
                self.draw(panel, span, &ink);
            }
            if self.line.is_blank() {
                continue;
            }
            self.end_with("believes", panel);
            self.name(self.diagram.scenario.names.client(client));
            self.line.finish(out, palette)?;
        }
        Ok(())
    }

    fn write_packets(
        &mut self,
        out: &mut dyn Write,
        palette: Palette,
        panel: &Panel<'_>,
    ) -> io::Result<()> {
        let left = self.to_leave.partition_point(|it| it.from <= panel.last);
        let (leave, later) = self.to_leave.split_at(left);
        self.to_leave = later;
        self.in_flight.retain(|packet| panel.has(packet));
        self.in_flight.extend(leave);
        for place in 0..self.in_flight.len() {
            let packet = self.in_flight[place];
            let ink = Ink {
                token: packet.what.grant.map(|grant| grant.token),
                goes_on: false,
                character: self.glyphs.flying_ink,
                role: Role::Plain,
                end: ' ',
            };
            self.draw(panel, packet, &ink);
            self.name("in flight");
            self.line.finish(out, palette)?;
        }
        Ok(())
    }

    fn write_storages(
        &mut self,
        out: &mut dyn Write,
        palette: Palette,
        panel: &Panel<'_>,
    ) -> io::Result<()> {
        for (storage, name) in self.diagram.named_storages() {
            let entries = self.entries[storage.index()];
            let (entries, later) =
                entries.split_at(entries.partition_point(|it| it.at <= panel.last));
            self.entries[storage.index()] = later;
            for entry in entries {
                self.draw_entry(panel, entry);
            }
            let max_token = self.max_tokens[storage.index()].part(panel);
            let has_max_token = max_token.clone().any(|(_, span)| panel.has(span));
            if !self.line.is_blank() || has_max_token {
                self.name(name);
                self.line.finish(out, palette)?;
            }
            if has_max_token {
                for (_, span) in max_token {
                    let ink = Ink {
                        token: Some(span.what),
                        goes_on: false,
                        character: self.glyphs.ink,
                        role: Role::State,
                        end: ' ',
                    };
                    self.draw(panel, span, &ink);
                }
                self.name(if self.diagram.storages.len() > 1 {
                    "  max_token"
                } else {
                    "max_token"
                });
                self.line.finish(out, palette)?;
            }
        }
        Ok(())
    }

    /// Draws the span: its token, then ink. One that comes from the panel before begins with ink.
    fn draw<T>(&mut self, panel: &Panel<'_>, span: &Span<T>, ink: &Ink) {
        let columns = panel.columns(span);
        if span.until.is_some_and(|until| until <= panel.last) {
            self.line.set(columns.end, ink.end, ink.role);
        }
        if columns.is_empty() {
            return;
        }
        self.line.fill(columns.clone(), ink.character, ink.role);
        let comes_from_before =
            span.from < panel.first || (ink.goes_on && span.from == panel.first);
        let before = usize::from(comes_from_before);
        if comes_from_before || !ink.goes_on {
            let token = self.entry(ink.token, panel.scale.step - before);
            self.line.put(columns.start + before, &token, ink.role);
        }
    }

    fn draw_entry(&mut self, panel: &Panel<'_>, entry: &Entry) {
        let mark = self.glyphs.reception(entry.reception);
        let room = panel.scale.step - usize::from(mark.is_some());
        let token = self.entry(entry.token, room);
        let end = self.line.put(panel.column(entry.at), &token, Role::Plain);
        if let Some((mark, role)) = mark {
            self.line.set(end, mark, role);
        }
    }

    /// The token, of which the end is kept if there is not enough room.
    fn entry(&self, token: Option<Token>, room: usize) -> String {
        let token = token.map_or_else(|| "--".to_owned(), |token| token.to_string());
        match token.len().checked_sub(room) {
            None | Some(0) => token,
            Some(over) => format!("{}{}", self.glyphs.cut, &token[over + 1..]),
        }
    }

    /// Puts the word behind all ink.
    fn end_with(&mut self, word: &str, panel: &Panel<'_>) {
        let end = self.line.end().max(panel.end());
        self.line.put(end + 2, word, Role::Plain);
    }

    fn name(&mut self, name: &str) {
        let name = self.glyphs.fit(name, LONGEST_NAME);
        self.line.put_cut(2, name, Role::Plain);
    }
}
