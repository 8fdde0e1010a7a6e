//! The table of contents: number, title, and where in the book.

use std::io::{self, Write};

use crate::script::Scenario;
use crate::script::built_in::{BuiltIn, Group};
use crate::text::wrapped;
use crate::view::palette::{Palette, Role};

/// How wide it may be where a reference says to read, in characters.
const WIDTH: usize = 72;

/// Writes the list of built-in scenarios, group by group.
pub fn write_list(
    out: &mut dyn Write,
    palette: Palette,
    entries: &[(BuiltIn, Scenario)],
) -> io::Result<()> {
    for (number, group) in Group::all().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        let heading = palette.style(Role::Heading);
        writeln!(out, "{}", heading.style(group.heading()))?;
        let of_group = entries.iter().filter(|(it, _)| it.group() == group);
        for (built_in, Scenario { headers, .. }) in of_group {
            let title = headers.title.as_deref().unwrap_or_default();
            writeln!(out, "  {:>2}  {title}", built_in.number())?;
            for line in wrapped(headers.see.as_deref().unwrap_or_default(), WIDTH) {
                writeln!(out, "        {line}")?;
            }
        }
    }
    Ok(())
}
