//! Colour carries no information of its own: it is decided once, and travels as a palette of roles
//! whose default is plain.

use std::ffi::OsString;
use std::io::{self, Write};

use owo_colors::Style;

/// What a piece of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Nothing in particular.
    Plain,
    /// A title.
    Heading,
    /// What happens to a client or a service, rather than what a client does.
    Fate,
    /// Storage accepted.
    Accepted,
    /// Storage accepted although there was a newer grant.
    AcceptedStale,
    /// Storage rejected, the lock service refused, or a client held back.
    Rejected,
    /// What storage holds.
    State,
    /// The verdict SAFE.
    Safe,
    /// The verdict CORRUPTED.
    Corrupted,
}

/// How each role looks: in colour, or plain.
#[derive(Clone, Copy, Default)]
pub struct Palette {
    is_coloured: bool,
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
        Palette { is_coloured: true }
    }

    /// Whether every role looks the same.
    pub fn is_plain(self) -> bool {
        !self.is_coloured
    }

    /// How the role looks.
    pub fn style(self, role: Role) -> Style {
        if !self.is_coloured {
            return Style::new();
        }
        match role {
            Role::Plain | Role::State => Style::new(),
            Role::Heading | Role::Rejected => Style::new().bold(),
            Role::Fate => Style::new().magenta(),
            Role::Accepted => Style::new().green(),
            Role::AcceptedStale => Style::new().red(),
            Role::Safe => Style::new().green().bold(),
            Role::Corrupted => Style::new().red().bold(),
        }
    }

    /// Writes the text as what it is. Plain text goes out as it is, without being formatted again.
    pub fn write(self, out: &mut dyn Write, role: Role, text: &str) -> io::Result<()> {
        if self.is_coloured {
            write!(out, "{}", self.style(role).style(text))
        } else {
            out.write_all(text.as_bytes())
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
        let is_coloured = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if is_set("NO_COLOR") => false,
            ColorChoice::Auto if forces("CLICOLOR_FORCE") || forces("FORCE_COLOR") => true,
            ColorChoice::Auto => to_terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
        };
        Palette { is_coloured }
    }
}
