//! What the program can be asked to do, in the terms of this library.

use crate::script::built_in::Group;
use crate::source::Source;
use crate::verdict::Outcome;
use crate::world::storage_service::Fencing;

/// One invocation of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Lists the built-in scenarios.
    List,
    /// Shows stories, one after another.
    Show {
        /// Which.
        stories: Stories,
        /// In what form.
        format: Format,
        /// What each of them should come to.
        expected: Option<Outcome>,
    },
    /// Asks for a prediction of each story, and then tells it step by step.
    Step {
        /// Which.
        stories: Stories,
        /// What each of them should come to.
        expected: Option<Outcome>,
    },
    /// Explores every interleaving of each story's steps.
    Explore {
        /// Which.
        stories: Stories,
        /// What every interleaving of each of them should come to, or one of them.
        expected: Option<Outcome>,
    },
    /// Prints the first interleaving that is CORRUPTED, as a script.
    ExploreToScript {
        /// Of which.
        stories: Stories,
    },
}

/// The stories that a command is about: each of the sources, under each of the settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stories {
    /// Where they come from.
    pub sources: Sources,
    /// The settings of the toggle.
    pub settings: Settings,
}

/// Where stories come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sources {
    /// The book's three, for none was named.
    Book,
    /// The one that was named.
    One(Source),
}

impl Sources {
    /// Each of them.
    pub fn all(&self) -> Vec<Source> {
        match self {
            Sources::Book => Group::TheStory.scenarios().map(Source::BuiltIn).collect(),
            Sources::One(source) => vec![source.clone()],
        }
    }
}

/// The settings of the toggle under which each story is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settings {
    /// The story's own.
    Own,
    /// On, whatever the story says.
    On,
    /// Off, whatever the story says.
    Off,
    /// Both, off first.
    Both,
}

impl Settings {
    /// The settings for a story whose own is `own`.
    pub fn of(self, own: Fencing) -> &'static [Fencing] {
        match (self, own) {
            (Settings::Own, Fencing::Off) | (Settings::Off, _) => &[Fencing::Off],
            (Settings::Own, Fencing::On) | (Settings::On, _) => &[Fencing::On],
            (Settings::Both, _) => &[Fencing::Off, Fencing::On],
        }
    }
}

/// The form in which a story is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Told line by line.
    Transcript,
    /// Drawn.
    Picture(Picture),
    /// Its steps, as a script to run or edit.
    Script,
}

/// A kind of picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picture {
    /// For the terminal, in box drawings.
    Diagram,
    /// The same in ASCII.
    Ascii,
    /// For slides and pages: an SVG file, of one story.
    Svg,
    /// For Markdown: text that GitHub and GitLab draw.
    Mermaid,
}
