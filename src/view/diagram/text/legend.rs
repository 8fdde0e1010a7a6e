//! What the signs of a picture for the terminal mean: always the common ones, and of the others those
//! that it has, with the numbers with which they first stand there.

use std::io::{self, Write};

use crate::view::diagram::text::PAGE;
use crate::view::diagram::text::glyphs::{Glyphs, width};
use crate::view::diagram::text::remarks::Remarks;
use crate::world::event::Moment;
use crate::world::grant::Token;

/// Which of the rarer signs a picture has, as they were first met.
#[derive(Default)]
pub struct Legend {
    unchanged_since: Option<Moment>,
    changed: Option<Moment>,
    lost: Option<Moment>,
    undid: Option<Moment>,
    past_the_guard: bool,
    forged: Option<Token>,
}

impl Legend {
    /// A condition is shown: unchanged since then.
    pub fn meet_condition(&mut self, since: Moment) {
        self.unchanged_since.get_or_insert(since);
    }

    /// A request that went past the guard is shown.
    pub fn meet_past_the_guard(&mut self) {
        self.past_the_guard = true;
    }

    /// A token of its client's own choosing is shown.
    pub fn meet_forged(&mut self, token: Token) {
        self.forged.get_or_insert(token);
    }

    /// These remarks are shown.
    pub fn meet_remarks(&mut self, remarks: &Remarks) {
        self.changed = self.changed.or(remarks.changed);
        self.lost = self.lost.or(remarks.lost);
        self.undid = self.undid.or(remarks.undid);
    }

    /// Writes the legend.
    pub fn write(&self, out: &mut dyn Write, glyphs: &Glyphs) -> io::Result<()> {
        let Glyphs {
            right,
            wrong,
            paused,
            flying,
            lost,
            ..
        } = glyphs;
        writeln!(
            out,
            "  {right} holds the lease   {wrong} believes so, wrongly   {paused} stopped   \
             {flying} in flight"
        )?;
        writeln!(
            out,
            "  {lost} does not get through   ! stale, let in   * overwrote a newer one"
        )?;
        let mut column = 0;
        for entry in self.entries(glyphs) {
            let entry_width = width(&entry);
            if column == 0 {
                write!(out, "  {entry}")?;
                column = 2 + entry_width;
            } else if column + 3 + entry_width <= PAGE {
                write!(out, "   {entry}")?;
                column += 3 + entry_width;
            } else {
                write!(out, "\n  {entry}")?;
                column = 2 + entry_width;
            }
        }
        if column > 0 { writeln!(out) } else { Ok(()) }
    }

    fn entries(&self, glyphs: &Glyphs) -> impl Iterator<Item = String> {
        let number = |at: Option<Moment>| at.map(Moment::number);
        let unchanged_since = number(self.unchanged_since)
            .map(|n| format!("if@{n} only if unchanged since step {n}"));
        let changed = number(self.changed).map(|n| format!("changed@{n} step {n} changed it"));
        let lost = number(self.lost).map(|n| format!("lost@{n} overwrote step {n}'s data unread"));
        let undid =
            number(self.undid).map(|n| format!("undid@{n} older than step {n} of the same grant"));
        let past = "past the guard: no token is checked".to_owned();
        let past = Some(past).filter(|_| self.past_the_guard);
        let forged = self
            .forged
            .map(|token| format!("{}? a token of its own choosing", glyphs.token(token)));
        [unchanged_since, changed, lost, undid, past, forged]
            .into_iter()
            .flatten()
    }
}
