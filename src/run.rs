//! A run takes a scenario's steps in their order, and keeps what each of them did.

use crate::script::Scenario;
use crate::script::error::{Problem, ScriptError};
use crate::text::quoted;
use crate::verdict::{Explanation, Verdict, explain};
use crate::world::client::Memory;
use crate::world::event::{Event, Moment};
use crate::world::names::{Data, Names};
use crate::world::step::{Step, WriteMode};
use crate::world::{Impossible, Setting, World};

/// What became of a scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// One event for each step, in the order of the steps.
    pub events: Vec<Event>,
    /// The verdict on them.
    pub verdict: Verdict,
    /// What each storage holds at the end.
    pub contents: Vec<Option<Data>>,
}

/// Runs the scenario, or finds the first step that cannot happen when its turn comes.
pub fn run(scenario: &Scenario) -> Result<Run, ScriptError> {
    let mut world = scenario.world();
    let mut verdict = Verdict::default();
    let mut events = Vec::with_capacity(scenario.steps.len());
    let mut now = Moment::FIRST;
    for &step in &scenario.steps {
        let event = world
            .take(step.step, now)
            .map_err(|impossible| ScriptError {
                line: step.line,
                problem: Problem::Impossible {
                    step: step.step.display(&scenario.names).to_string(),
                    why: why(impossible, &scenario.names),
                },
            })?;
        verdict.observe(&event);
        events.push(event);
        now = now.next();
    }
    let contents = |storage| world.storage(storage).contents().map(|value| value.data);
    Ok(Run {
        events,
        verdict,
        contents: scenario.names.storages().iter().map(contents).collect(),
    })
}

impl Run {
    /// The verdict, and why. `scenario` must be the one that was run.
    pub fn explain(&self, scenario: &Scenario) -> Explanation {
        explain(scenario.headers.fencing, &scenario.names, &self.events)
    }
}

impl Scenario {
    /// The world before the first step.
    pub fn world(&self) -> World {
        let mut clients = vec![Memory::default(); self.names.client_count()];
        for step in &self.steps {
            if let Step::Reads(client, _) | Step::Writes(client, _, _, WriteMode::IfUnchanged) =
                step.step
            {
                clients[client.index()].looks = true;
            } else if let Step::HearsAnswer(client) = step.step {
                clients[client.index()].answers = true;
            }
        }
        World::new(&Setting {
            clients,
            storages: self.names.storages().len(),
            tokens: self.headers.tokens.clone(),
            fencing: self.headers.fencing,
        })
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
        Impossible::NeverLooked(client, storage) => {
            let (client, storage) = (names.client(client), names.storage(storage));
            format!(
                "{client} has never looked at {storage}, so nothing can be unchanged since; expected \
                 \"{client} reads\" before it"
            )
        }
        Impossible::NothingToHear(client) => {
            let client = names.client(client);
            format!(
                "storage has answered {client} nothing that it has not heard; expected \"{client} \
                 writes 'data'\" before it, or a packet of its that arrives"
            )
        }
        Impossible::OutOfTokens => {
            "the list of tokens has run out; expected \"tokens:\" to have one for every grant"
                .to_owned()
        }
    }
}
