//! Threads of steps: what keeps its order when the steps of a script are interleaved anew.
//!
//! A client does its own steps one after another, and so do the lock service and storage; but when
//! a lease expires, a packet arrives or a client is powered off does not depend on any of these.

use std::collections::HashMap;

use crate::script::{Scenario, ScriptStep};
use crate::world::step::Owner;

/// Steps that keep their order: the order of the script.
pub type Thread = Vec<ScriptStep>;

/// The threads of a scenario, by the line of their first step. A step that is nobody's is in none.
pub fn threads(scenario: &Scenario) -> Vec<Thread> {
    let mut threads: Vec<Thread> = Vec::new();
    let mut numbers = HashMap::new();
    for &step in &scenario.steps {
        let owner = step.step.owner();
        if owner == Owner::Nobody {
            continue;
        }
        let number = *numbers.entry(owner).or_insert(threads.len());
        if number == threads.len() {
            threads.push(Thread::new());
        }
        threads[number].push(step);
    }
    threads
}
