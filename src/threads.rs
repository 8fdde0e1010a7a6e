//! Threads of steps: what keeps its order when the steps of a script are interleaved anew.
//!
//! A client does its own steps one after another, and so do the lock service and storage; but when
//! a lease expires, a packet arrives or a client is powered off is nobody's choice.

use crate::names::{ClientId, Data};
use crate::scenario::{Scenario, ScriptStep};
use crate::step::Step;

/// Whose steps a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ThreadOf {
    /// What the client does itself.
    Client(ClientId),
    /// The expiries of its leases.
    Expiries(ClientId),
    /// The arrivals of its packets, the oldest in flight each time.
    Arrivals(ClientId),
    /// The arrivals of its packets that carry this.
    ArrivalsWith(ClientId, Data),
    /// Its power-offs.
    PowerOffs(ClientId),
    /// What storage forgets.
    Storage,
    /// What the lock service forgets.
    LockService,
}

impl ThreadOf {
    /// The thread that the step belongs to. `cannot be powered off` does nothing, and belongs to
    /// none.
    pub fn step(step: Step) -> Option<ThreadOf> {
        match step {
            Step::Acquires(client)
            | Step::Renews(client)
            | Step::Releases(client)
            | Step::Pauses(client)
            | Step::Wakes(client)
            | Step::IsSuspended(client)
            | Step::Resumes(client)
            | Step::Writes(client, _)
            | Step::Sends(client, _)
            | Step::AnnouncesToken(client)
            | Step::ChecksLease(client) => Some(ThreadOf::Client(client)),
            Step::LeaseExpires(client) => Some(ThreadOf::Expiries(client)),
            Step::PacketArrives(client) => Some(ThreadOf::Arrivals(client)),
            Step::PacketWithArrives(client, data) => Some(ThreadOf::ArrivalsWith(client, data)),
            Step::IsPoweredOff(client) => Some(ThreadOf::PowerOffs(client)),
            Step::CannotBePoweredOff(_) => None,
            Step::StorageForgetsMaxToken => Some(ThreadOf::Storage),
            Step::LockServiceForgetsCounter | Step::LockServiceForgetsHolder => {
                Some(ThreadOf::LockService)
            }
        }
    }
}

/// Steps that keep their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// Whose they are.
    pub of: ThreadOf,
    /// The steps, in the order of the script.
    pub steps: Vec<ScriptStep>,
}

/// The threads of a scenario, by the line of their first step.
pub fn threads(scenario: &Scenario) -> Vec<Thread> {
    let mut threads: Vec<Thread> = Vec::new();
    let mut numbers = std::collections::HashMap::new();
    for &step in &scenario.steps {
        let Some(of) = ThreadOf::step(step.step) else {
            continue;
        };
        let number = *numbers.entry(of).or_insert(threads.len());
        if number == threads.len() {
            threads.push(Thread {
                of,
                steps: Vec::new(),
            });
        }
        threads[number].steps.push(step);
    }
    threads
}
