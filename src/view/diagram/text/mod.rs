//! The picture for the terminal: time flows down, one row for each act.
//!
//! Lanes from left to right: lock service, clients, a channel for each packet in flight, storages,
//! and notes. Below stand the strip (time flows to the right, one line for each thing that lasts),
//! FINAL and the verdict, and the legend.

mod arrows;
mod columns;
mod glyphs;
mod headings;
mod legend;
mod line;
mod panel;
mod remarks;
mod rows;
mod strip;

pub use glyphs::Glyphs;

use std::io::{self, Write};

use crate::view::diagram::layout::Diagram;
use crate::view::diagram::text::rows::Rows;
use crate::view::palette::{Palette, Role};
use crate::view::transcript::{heading, write_closing};

/// The width of a terminal, in columns. A picture that needs more is wider.
const PAGE: usize = 80;

/// Writes the picture, with these glyphs.
pub fn write(
    out: &mut dyn Write,
    palette: Palette,
    diagram: &Diagram<'_>,
    glyphs: &Glyphs,
) -> io::Result<()> {
    let title = diagram.scenario.headers.title.as_deref();
    palette.write(out, Role::Heading, &heading(diagram.label, title))?;
    writeln!(out)?;
    let mut rows = Rows::new(diagram, glyphs);
    rows.write(out, palette)?;
    strip::write(out, palette, diagram, glyphs)?;
    writeln!(out)?;
    write_closing(out, palette, diagram.scenario, diagram.run)?;
    writeln!(out)?;
    rows.legend.write(out, glyphs)
}
