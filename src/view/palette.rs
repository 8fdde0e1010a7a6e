//! Colour carries no information of its own: it is decided once, and travels as a palette of roles
//! whose default is plain.

use std::ffi::OsString;

use owo_colors::Style;

/// How each role looks.
#[derive(Clone, Copy, Default)]
pub struct Palette {
    /// A title.
    pub heading: Style,
    /// What happens to a client or a service, rather than what a client does.
    pub fate: Style,
    /// Storage accepted.
    pub accepted: Style,
    /// Storage accepted although there was a newer grant.
    pub accepted_stale: Style,
    /// Storage rejected, the lock service refused, or a client held back.
    pub rejected: Style,
    /// What storage holds.
    pub state: Style,
    /// The verdict SAFE.
    pub safe: Style,
    /// The verdict CORRUPTED.
    pub corrupted: Style,
}

/// What `--color` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColorChoice {
    /// Go by the environment.
    Auto,
    /// Colour, whatever the environment.
    Always,
    /// No colour, whatever the environment.
    Never,
}

impl Palette {
    /// The palette with colours, of the sixteen that are the terminal's own. Neither yellow nor cyan,
    /// which are hard to read on white; nothing dimmed, for every line is part of the story.
    pub fn coloured() -> Self {
        Palette {
            heading: Style::new().bold(),
            fate: Style::new().magenta(),
            accepted: Style::new().green(),
            accepted_stale: Style::new().red(),
            rejected: Style::new().bold(),
            state: Style::new(),
            safe: Style::new().green().bold(),
            corrupted: Style::new().red().bold(),
        }
    }

    /// The one decision: the command line, then `NO_COLOR`, then `CLICOLOR_FORCE` or `FORCE_COLOR`,
    /// then a `CLICOLOR` of 0 or a `TERM` of dumb, then whether standard output is a terminal. A
    /// variable counts as unset if it is empty, and one that forces also if it is 0.
    pub fn decide(
        choice: ColorChoice,
        variable: impl Fn(&str) -> Option<OsString>,
        to_terminal: bool,
    ) -> Self {
        let is = |name, value| variable(name).is_some_and(|it| it == value);
        let is_set = |name| variable(name).is_some_and(|it| !it.is_empty());
        let forces = |name| variable(name).is_some_and(|it| !it.is_empty() && it != "0");
        let coloured = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if is_set("NO_COLOR") => false,
            ColorChoice::Auto if forces("CLICOLOR_FORCE") || forces("FORCE_COLOR") => true,
            ColorChoice::Auto => to_terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
        };
        if coloured {
            Palette::coloured()
        } else {
            Palette::default()
        }
    }
}
