//! What stands below an SVG picture: FINAL, the verdict, and what the signs mean.

use std::borrow::Cow;

use crate::verdict::Outcome;
use crate::view::diagram::svg::geometry::Geometry;
use crate::view::diagram::svg::look::Look;
use crate::view::diagram::svg::page::{Bar, Page};
use crate::view::diagram::svg::put::Escaped;
use crate::view::diagram::svg::texts::wrap;

/// From one line to the next.
const LINE: i32 = 26;

/// The lines below a picture.
pub struct Closing<'story> {
    lines: Vec<(Cow<'story, str>, Look)>,
    first: i32,
}

impl<'story> Closing<'story> {
    /// The lines that end the transcript, as wide as the picture.
    pub fn new(geometry: &Geometry, outcome: Outcome, end_of_transcript: &'story str) -> Self {
        let verdict = match outcome {
            Outcome::Safe => Look::SAFE,
            Outcome::Corrupted => Look::CORRUPTED,
        };
        let room = Look::TEXT.room(geometry.width - 32);
        let mut lines = Vec::with_capacity(4);
        for line in end_of_transcript.lines() {
            let line = line.trim_start_matches(' ');
            let look = if line.starts_with(">> ") {
                verdict
            } else {
                Look::TEXT
            };
            if !line.is_empty() {
                wrap(line, room, |line| lines.push((line, look)));
            }
        }
        let first = geometry.closing;
        Closing { lines, first }
    }

    /// Where the legend is.
    fn legend(&self) -> i32 {
        self.lines.iter().fold(self.first - 2, |y, _| y + LINE)
    }

    /// How high the picture is with them.
    pub fn height(&self) -> i32 {
        self.legend() + 38
    }

    /// Draws them.
    pub fn draw(&self, page: &mut Page) {
        let mut y = self.first;
        for (line, look) in &self.lines {
            page.text((16, y), *look, Escaped(line));
            y += LINE;
        }
        let y = self.legend();
        let sign = |from, half| Bar {
            from,
            to: from + 34,
            y: y - 4,
            half,
        };
        page.sign_of_grants(sign(16, 6));
        page.text((58, y), Look::NOTE, "holds the lease");
        page.wrong_bar(sign(190, 6));
        page.text((232, y), Look::NOTE, "believes so, wrongly");
        page.stopped(sign(410, 8));
        page.text((452, y), Look::NOTE, "stopped");
        page.cross((545, y - 4));
        page.text((560, y), Look::NOTE, "does not get through");
    }
}
