//! What the program can be asked to do, in the terms of this library.

use crate::source::Source;
use crate::world::storage_service::Fencing;

/// One invocation of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// List the built-in scenarios.
    List,
    /// Run scenarios, one after another, and tell them.
    Run {
        /// Which.
        sources: Vec<Source>,
        /// The setting of the toggle, if not the scenario's own.
        fencing: Option<Fencing>,
        /// Wait for Enter before each beat.
        step: bool,
    },
    /// Print a scenario as a script.
    Print {
        /// Which.
        source: Source,
        /// The setting of the toggle, if not the scenario's own.
        fencing: Option<Fencing>,
    },
    /// Explore every interleaving of scenarios' steps, one scenario after another.
    Explore {
        /// Which.
        sources: Vec<Source>,
    },
}
