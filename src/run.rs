//! A run takes a scenario's steps in their order, and hears what each of them did.

use crate::script::Scenario;
use crate::script::error::{Problem, ScriptError};
use crate::text::quoted;
use crate::verdict::explainer::Explainer;
use crate::verdict::finding::Finding;
use crate::world::event::Event;
use crate::world::names::{Data, Names};
use crate::world::{Impossible, World};

/// What became of a scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// One event for each step, in the order of the steps.
    pub events: Vec<Event>,
    /// The verdict, and why.
    pub finding: Finding,
    /// What storage holds at the end.
    pub contents: Option<Data>,
}

/// Runs the scenario.
///
/// # Errors
/// The first step that cannot happen when its turn comes, and why.
pub fn run(scenario: &Scenario) -> Result<Run, ScriptError> {
    let mut world = scenario.world();
    let mut explainer = Explainer::new(scenario.headers.fencing, scenario.names.client_count());
    let mut events = Vec::with_capacity(scenario.steps.len());
    for &step in &scenario.steps {
        let event = world.take(step.step).map_err(|impossible| ScriptError {
            line: step.line,
            problem: Problem::Impossible {
                step: step.step.display(&scenario.names).to_string(),
                why: why(impossible, &scenario.names),
            },
        })?;
        explainer.observe(&event);
        events.push(event);
    }
    Ok(Run {
        events,
        finding: explainer.finish(),
        contents: world.contents(),
    })
}

impl Scenario {
    /// The world before the first step.
    pub fn world(&self) -> World {
        World::new(
            self.names.client_count(),
            self.headers.tokens.clone(),
            self.headers.fencing,
        )
    }
}

/// Why a step cannot happen, and what would make it possible.
fn why(impossible: Impossible, names: &Names) -> String {
    match impossible {
        Impossible::Paused(client) => {
            let client = names.client(client);
            format!("{client} is paused; expected \"{client} wakes\" before it")
        }
        Impossible::Suspended(client) => {
            let client = names.client(client);
            format!("{client} is suspended; expected \"{client} resumes\" before it")
        }
        Impossible::NotPaused(client) => {
            let client = names.client(client);
            format!("{client} is running; expected \"{client} pauses\" before it")
        }
        Impossible::NotSuspended(client) => {
            let client = names.client(client);
            format!("{client} is running; expected \"{client} is suspended\" before it")
        }
        Impossible::NotHolder(client) => {
            let client = names.client(client);
            format!(
                "{client} does not hold the lease; expected \"{client} acquires the lease\" before \
                 it, and nothing that ended the lease since"
            )
        }
        Impossible::NoPacket(client) => {
            let client = names.client(client);
            format!(
                "{client} has no packet in flight; expected \"{client} sends 'data'\" before it"
            )
        }
        Impossible::NoSuchPacket(client, data) => {
            let client = names.client(client);
            let sends = quoted(&format!("{client} sends '{}'", names.data(data)));
            format!("{client} has no such packet in flight; expected {sends} before it")
        }
        Impossible::OutOfTokens => {
            "the list of tokens has run out; expected \"tokens:\" to have one for every grant"
                .to_owned()
        }
    }
}
