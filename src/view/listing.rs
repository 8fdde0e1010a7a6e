//! The table of contents: number, title, and where in the book.

use std::io::{self, Write};

use crate::script::Scenario;
use crate::script::built_in::BuiltIn;
use crate::text::wrapped;
use crate::view::palette::{Palette, Role};

/// How wide it may be where a reference says to read, in characters.
const WIDTH: usize = 72;

/// Writes the list of built-in scenarios: the book's, then the others.
pub fn write_list(
    out: &mut dyn Write,
    palette: Palette,
    entries: &[(BuiltIn, Scenario)],
) -> io::Result<()> {
    let (book, others): (Vec<_>, Vec<_>) = entries
        .iter()
        .partition(|(built_in, _)| built_in.is_of_the_book());
    let groups = [
        (
            "The story of Designing Data-Intensive Applications, 2nd ed. (DDIA 2e), chapter 9",
            book,
        ),
        ("What if ...", others),
    ];
    for (group, (heading, entries)) in groups.into_iter().enumerate() {
        if group > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", palette.style(Role::Heading).style(heading))?;
        for (built_in, Scenario { headers, .. }) in entries {
            let title = headers.title.as_deref().unwrap_or_default();
            writeln!(out, "  {:>2}  {title}", built_in.number())?;
            for line in wrapped(headers.see.as_deref().unwrap_or_default(), WIDTH) {
                writeln!(out, "        {line}")?;
            }
        }
    }
    Ok(())
}
