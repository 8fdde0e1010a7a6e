//! Arrows between lanes, and the labels on them.

use std::ops::Range;

use crate::view::diagram::act::{Arrow, Lane};
use crate::view::diagram::text::glyphs::width;
use crate::view::diagram::text::rows::Rows;
use crate::view::palette::Role;
use crate::world::event::{Answer, Request};
use crate::world::grant::Token;
use crate::world::names::ClientId;
use crate::world::step::WriteMode;
use crate::world::storage_service::Fencing;

impl Rows<'_> {
    /// Draws the arrow behind all that stands in its way.
    pub(super) fn draw_arrow(&mut self, arrow: Arrow) {
        let (from, to) = (self.column(arrow.from), self.column(arrow.to));
        let (between, tip, head) = if from < to {
            (from + 1..to, to - 1, '>')
        } else {
            (to + 1..from, to + 1, '<')
        };
        for column in between {
            let there = self.line.get(column);
            if there == ' ' {
                self.line.set(column, self.glyphs.arrow, Role::Plain);
            } else if there == self.glyphs.thin {
                self.line.set(column, self.glyphs.across, Role::Plain);
            }
        }
        if arrow.is_lost {
            self.line.set(tip, self.glyphs.lost, Role::Rejected);
        } else if !matches!(arrow.to, Lane::Channel(_)) {
            self.line.set(tip, head, Role::Plain);
        }
    }

    pub(super) fn column(&self, lane: Lane) -> usize {
        match lane {
            Lane::LockService => self.columns.lock_service,
            Lane::Client(client) => self.columns.client(client),
            Lane::Channel(left) => {
                let packet = self.diagram.packet(left);
                let channel = packet.map(|packet| packet.what.channel);
                self.columns.channel(channel.unwrap_or_default())
            }
            Lane::Storage(storage) => self.columns.storage(storage),
        }
    }

    /// The bare arrow from this column to the right.
    pub(super) fn gap_from(&self, start: usize) -> Range<usize> {
        let mut end = start;
        while self.is_bare(end) {
            end += 1;
        }
        start..end
    }

    /// The bare arrow to the left of this column.
    pub(super) fn gap_before(&self, end: usize) -> Range<usize> {
        let mut start = end;
        while start > 0 && self.is_bare(start - 1) {
            start -= 1;
        }
        start..end
    }

    fn is_bare(&self, column: usize) -> bool {
        self.line.get(column) == self.glyphs.arrow && !self.columns.is_client(column)
    }

    /// The token as an arrow shows it; nothing with fencing off.
    pub(super) fn shown(&self, token: Option<Token>) -> String {
        match (self.diagram.fencing(), token) {
            (Fencing::Off, _) => String::new(),
            (Fencing::On, Some(token)) => self.glyphs.token(token).to_string(),
            (Fencing::On, None) => "none".to_owned(),
        }
    }

    pub(super) fn label_request(&mut self, from: usize, request: &Request, answer: &Answer) {
        match (request.mode, answer.look) {
            (WriteMode::IfUnchanged, Some(look)) => {
                let token = self.shown(request.token);
                let condition = format!("if@{}", look.since.number());
                let with_token = format!("{token} {condition}");
                if (!token.is_empty() && self.label(from, &with_token))
                    || self.label(from, &condition)
                {
                    self.legend.meet_condition(look.since);
                }
            }
            (WriteMode::Plain | WriteMode::IfUnchanged, _) => {
                let token = self.shown(request.token);
                self.label(from, &token);
            }
            (WriteMode::PastTheGuard, _) => {
                if self.label(from, "past") {
                    self.legend.meet_past_the_guard();
                }
            }
            (WriteMode::WithToken(token), _) => {
                let label = format!("{}?", self.glyphs.token(token));
                if self.label(from, &label) {
                    self.legend.meet_forged(token);
                }
            }
        }
    }

    /// Puts the label into the first gap of an arrow to the right, and says whether it fits.
    pub(super) fn label(&mut self, from: usize, label: &str) -> bool {
        let gap = self.gap_from(from + 1);
        let fits = width(label) < gap.len();
        if fits {
            self.line.put(gap.start + 1, label, Role::Plain);
        }
        fits
    }

    /// Puts the label behind the tip of an arrow to the left, if it fits.
    pub(super) fn label_answer(&mut self, client: ClientId, label: &str) {
        let gap = self.gap_from(self.columns.client(client) + 2);
        let width = width(label);
        if width <= gap.len() {
            let before = usize::from(width + 2 <= gap.len());
            self.line.put(gap.start + before, label, Role::Plain);
        }
    }
}
