//! Colour carries no information of its own: it is decided once, and travels as a palette of roles
//! whose default is plain.

use std::ffi::OsStr;

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
    /// The palette with colours.
    pub fn coloured() -> Self {
        Palette {
            heading: Style::new().bold(),
            fate: Style::new().cyan(),
            accepted: Style::new().green(),
            accepted_stale: Style::new().red(),
            rejected: Style::new().yellow(),
            state: Style::new().dimmed(),
            safe: Style::new().green().bold(),
            corrupted: Style::new().red().bold(),
        }
    }

    /// How the role looks.
    pub fn style(&self, role: Role) -> Style {
        match role {
            Role::Plain => Style::new(),
            Role::Heading => self.heading,
            Role::Fate => self.fate,
            Role::Accepted => self.accepted,
            Role::AcceptedStale => self.accepted_stale,
            Role::Rejected => self.rejected,
            Role::State => self.state,
            Role::Safe => self.safe,
            Role::Corrupted => self.corrupted,
        }
    }

    /// The one decision: the command line, then `NO_COLOR`, then `CLICOLOR_FORCE`, then whether
    /// standard output is a terminal. An empty variable counts as unset, and so does a
    /// `CLICOLOR_FORCE` of 0.
    pub fn decide(
        choice: ColorChoice,
        no_color: Option<&OsStr>,
        clicolor_force: Option<&OsStr>,
        to_terminal: bool,
    ) -> Self {
        let is_set = |variable: Option<&OsStr>| variable.is_some_and(|value| !value.is_empty());
        let forced = is_set(clicolor_force) && clicolor_force != Some(OsStr::new("0"));
        let coloured = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => !is_set(no_color) && (forced || to_terminal),
        };
        if coloured {
            Palette::coloured()
        } else {
            Palette::default()
        }
    }
}
