//! The table of contents: number, title, and where in the book.

use std::io::{self, Write};

use crate::script::Scenario;
use crate::script::built_in::BuiltIn;
use crate::view::palette::Palette;

/// Writes the list of built-in scenarios: the book's, then the others.
pub fn write_list(
    out: &mut dyn Write,
    palette: Palette,
    entries: &[(BuiltIn, Scenario)],
) -> io::Result<()> {
    let title = |scenario: &Scenario| scenario.headers.title.clone().unwrap_or_default();
    let widest = entries
        .iter()
        .map(|(_, scenario)| title(scenario).chars().count())
        .max();
    let widest = widest.unwrap_or_default();

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
        writeln!(out, "{}", palette.heading.style(heading))?;
        for (built_in, scenario) in entries {
            let line = format!(
                "  {:>2}  {:<widest$}  {}",
                built_in.number(),
                title(scenario),
                scenario.headers.see.as_deref().unwrap_or_default()
            );
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}
