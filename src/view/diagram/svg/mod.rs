//! The picture as an SVG file, in the book's orientation: lanes from top to bottom, time to the
//! right.
//!
//! The same story gives the same bytes. There is no script and nothing from outside, and every id is
//! of this story alone, so that two pictures do not disturb each other on one page.

mod acts;
mod closing;
mod geometry;
mod labels;
mod lanes;
mod look;
mod page;
mod put;
mod texts;

use std::io::{self, Write};

use crate::view::diagram::layout::Diagram;
use crate::view::diagram::svg::closing::Closing;
use crate::view::diagram::svg::geometry::Geometry;
use crate::view::diagram::svg::page::Page;
use crate::view::palette::Palette;
use crate::view::transcript::Transcript;

/// The most steps for which a file is of any use: it is as wide as there are steps.
pub const MOST_STEPS: usize = 1000;

/// Writes the picture, which has at most [`MOST_STEPS`].
pub fn write(out: &mut dyn Write, diagram: &Diagram<'_>) -> io::Result<()> {
    let story = Story::tell(diagram)?;
    let geometry = Geometry::new(diagram);
    let outcome = diagram.run.verdict.outcome();
    let closing = Closing::new(&geometry, outcome, story.closing());
    let size = (geometry.width, closing.height());
    let title = story.transcript.lines().next().unwrap_or_default();
    let mut page = Page::new(size, title, &story.transcript);
    lanes::draw(&mut page, diagram, &geometry, title);
    acts::draw(&mut page, diagram, &geometry);
    page.put_arrows();
    lanes::draw_storages(&mut page, diagram, &geometry);
    closing.draw(&mut page);
    page.put_crosses();
    page.write(out)
}

/// The story told, for who cannot see the picture.
struct Story {
    transcript: String,
    closing: usize,
}

impl Story {
    fn tell(diagram: &Diagram<'_>) -> io::Result<Story> {
        let (label, scenario, run) = (diagram.label, diagram.scenario, diagram.run);
        let transcript = Transcript::new(label, scenario, run, Palette::default());
        let mut told = Vec::with_capacity(1 << 11);
        transcript.write_heading(&mut told)?;
        let mut beats = transcript.beats();
        beats.try_for_each(|beat| transcript.write_beat(&mut told, beat))?;
        let closing = told.len();
        transcript.write_closing(&mut told)?;
        let transcript = String::from_utf8(told).map_err(io::Error::other)?;
        Ok(Story {
            transcript,
            closing,
        })
    }

    /// FINAL, the verdict, and why.
    fn closing(&self) -> &str {
        &self.transcript[self.closing..]
    }
}
