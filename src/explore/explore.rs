//! Every interleaving of a scenario's steps, counted.
//!
//! Frontier by layer: all states after one step, after two, and so on, with the number of orders that
//! lead to each. The cost grows with the number of distinct states, never with the number of orders;
//! only two layers live at once, and nothing recurses. The services, the simulation and the verdict
//! are those of a run.

use std::collections::BTreeSet;
use std::fmt;

use crate::explore::frontier::{Frontier, Reached, State, TooManyPaths, Transition};
use crate::explore::threads::{Thread, threads};
use crate::script::{Scenario, ScriptStep};
use crate::text::grouped;
use crate::verdict::Verdict;
use crate::world::step::Step;
use crate::world::{Impossible, World};

/// How far an exploration goes before it gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most distinct states.
    pub states: u32,
    /// The most memory that all of them together would take, in bytes.
    pub bytes: usize,
}

impl Limits {
    /// Two million states, and 1 GiB of them. Their size bounds the work as well as the memory, for
    /// each is cloned, hashed and compared.
    pub const DEFAULT: Limits = Limits {
        states: 2_000_000,
        bytes: 1 << 30,
    };
}

/// What there is to say of all interleavings under one setting of the toggle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exploration {
    /// How many there are.
    pub interleavings: u128,
    /// In how many storage ends CORRUPTED.
    pub corrupted: u128,
    /// How many are SAFE although a stale write got in before storage had heard a newer token.
    pub let_stale_in: u128,
    /// In how many some steps never came.
    pub cut_short: u128,
    /// Why they never came.
    pub blocked: BTreeSet<Blocked>,
    /// The steps of the first interleaving that is CORRUPTED: at the first place where it differs
    /// from another, its step stands on the smaller line of the script.
    pub counterexample: Option<Vec<ScriptStep>>,
    /// How many distinct states there were.
    pub states: u32,
}

/// Why a thread cannot move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Blocked {
    /// Its client waits for a lease that another client holds.
    LeaseHeld,
    /// Its client is off.
    ClientOff,
    /// There is no token left for the lease that its client waits for.
    OutOfTokens,
    /// Its client does not run, or runs and cannot wake. A power-off is still to come then, or the
    /// script's own order would be an error.
    Condition,
    /// There is no lease of its client that could expire.
    NoLease,
    /// There is no packet that could arrive.
    NoPacket,
}

/// Why an exploration was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GivenUp {
    /// More interleavings than 128 bits can count.
    TooManyInterleavings,
    /// More states than the [`Limits`] allow, or larger ones.
    TooManyStates {
        /// How many steps are interleaved.
        steps: usize,
        /// In how many threads.
        threads: usize,
        /// How far the exploration was allowed to go.
        limits: Limits,
    },
}

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GivenUp::TooManyInterleavings => write!(
                f,
                "more than 2^128 interleavings: the count is too large, not the work; expected a \
                 script with fewer steps that can come in any order"
            ),
            GivenUp::TooManyStates {
                steps,
                threads,
                limits,
            } => write!(
                f,
                "{steps} steps in {threads} threads come to more than {} distinct states, or {} MiB \
                 of them; expected fewer: leave out clients, or steps that do not matter",
                grouped(limits.states.into()),
                grouped((limits.bytes >> 20) as u128)
            ),
        }
    }
}

impl From<TooManyPaths> for GivenUp {
    fn from(TooManyPaths: TooManyPaths) -> Self {
        GivenUp::TooManyInterleavings
    }
}

/// Explores all interleavings of the scenario's threads, under its setting of the toggle.
///
/// # Errors
/// Why there is no answer.
pub fn explore(scenario: &Scenario, limits: Limits) -> Result<Exploration, GivenUp> {
    let threads = threads(scenario);
    let mut explored = Exploration {
        interleavings: 0,
        corrupted: 0,
        let_stale_in: 0,
        cut_short: 0,
        blocked: BTreeSet::new(),
        counterexample: None,
        states: 1,
    };
    let start = State {
        taken: vec![0; threads.len()],
        world: scenario.world(),
        verdict: Verdict::default(),
    };
    let mut scratch = start.clone();
    let mut layer = Frontier::start(start);
    // The moves that led to each layer, to find the way back from the first that is CORRUPTED.
    let mut trail: Vec<Vec<Transition>> = Vec::new();
    let mut counterexample = None;
    // So many states, from the first, lie before the first CORRUPTED interleaving found so far.
    let mut before_first = 1;
    let mut moves = Vec::new();
    let mut bytes = layer.bytes();

    while !layer.is_empty() {
        let mut next = Frontier::with_capacity(layer.len());
        let mut next_before_first = 0;
        for (rank, Reached { state, paths, .. }) in (0..).zip(layer.states()) {
            find_moves(&threads, state, &mut moves);
            for &(step, thread) in &moves {
                let by = Transition { from: rank, thread };
                scratch.set_to_after(state, step.step, thread);
                next.reach(&scratch, *paths, by)?;
                if explored.states + next.len() > limits.states
                    || bytes + next.bytes() > limits.bytes
                {
                    return Err(GivenUp::TooManyStates {
                        steps: threads.iter().map(Vec::len).sum(),
                        threads: threads.len(),
                        limits,
                    });
                }
            }
            if moves.is_empty() {
                explored.end(*paths, state.verdict, why_stuck(&threads, state))?;
            }
            if rank < before_first {
                next_before_first = next.len();
                if moves.is_empty() && state.verdict == Verdict::Corrupted {
                    counterexample = Some((trail.len(), rank));
                    before_first = rank;
                }
            }
        }
        explored.states += next.len();
        bytes += next.bytes();
        before_first = next_before_first;
        trail.push(next.states().iter().map(|reached| reached.first).collect());
        layer = next;
    }
    explored.counterexample = counterexample.map(|end| way_to(end, &trail, &threads));
    Ok(explored)
}

impl Exploration {
    /// So many interleavings end here.
    fn end(
        &mut self,
        paths: u128,
        verdict: Verdict,
        blocked: BTreeSet<Blocked>,
    ) -> Result<(), GivenUp> {
        // The other counts are parts of this one.
        let interleavings = self.interleavings.checked_add(paths);
        self.interleavings = interleavings.ok_or(GivenUp::TooManyInterleavings)?;
        match verdict {
            Verdict::Corrupted => self.corrupted += paths,
            Verdict::Safe(record) if record.let_stale_in => self.let_stale_in += paths,
            Verdict::Safe(_) => {}
        }
        if !blocked.is_empty() {
            self.cut_short += paths;
            self.blocked.extend(blocked);
        }
        Ok(())
    }
}

impl State {
    /// Becomes the state after this step of this thread, which must be possible in `before`.
    fn set_to_after(&mut self, before: &State, step: Step, thread: u32) {
        self.taken.clone_from(&before.taken);
        self.taken[thread as usize] += 1;
        self.verdict = before.verdict;
        self.world.clone_from(&before.world);
        if let Ok(event) = self.world.take(step) {
            self.verdict.observe(&event);
        }
        self.world.drop_contents();
    }

    /// The next step of each thread that has one, with the thread's number.
    fn next_steps(&self, threads: &[Thread]) -> impl Iterator<Item = (ScriptStep, u32)> {
        let numbered = threads.iter().zip(&self.taken).zip(0..);
        numbered.filter_map(|((thread, &taken), number)| {
            thread.get(taken as usize).map(|&step| (step, number))
        })
    }
}

/// Finds the steps that can come next, by their lines, and the threads whose steps they are.
fn find_moves(threads: &[Thread], state: &State, moves: &mut Vec<(ScriptStep, u32)>) {
    let next = state.next_steps(threads);
    moves.clear();
    moves.extend(next.filter(|(step, _)| may_come(step.step, &state.world).is_ok()));
    moves.sort_unstable_by_key(|(step, _)| step.line);
}

/// Why the threads that have steps left cannot move, where none can. That a lease which was never
/// acquired cannot expire, or a packet which was never sent cannot arrive, is a reason of its own
/// only if there is no other.
fn why_stuck(threads: &[Thread], state: &State) -> BTreeSet<Blocked> {
    let next = state.next_steps(threads);
    let blocked = next.filter_map(|(step, _)| may_come(step.step, &state.world).err());
    let blocked: BTreeSet<Blocked> = blocked.collect();
    let (consequences, causes): (BTreeSet<Blocked>, BTreeSet<Blocked>) = blocked
        .into_iter()
        .partition(|blocked| blocked.is_consequence());
    if causes.is_empty() {
        consequences
    } else {
        causes
    }
}

/// Whether a step may come next: if a run would not call it an error, its client need not wait for
/// the lease, and something would come of it.
fn may_come(step: Step, world: &World) -> Result<(), Blocked> {
    if let Step::Acquires(client) = step
        && world.holder().is_some_and(|holder| holder != client)
    {
        return Err(Blocked::LeaseHeld);
    }
    if step.actor().is_some_and(|client| world.is_off(client)) {
        return Err(Blocked::ClientOff);
    }
    if let Step::IsPoweredOff(client) = step
        && world.is_off(client)
    {
        return Err(Blocked::ClientOff);
    }
    world.possible(step).map_err(|impossible| match impossible {
        Impossible::Paused(_)
        | Impossible::Suspended(_)
        | Impossible::NotPaused(_)
        | Impossible::NotSuspended(_) => Blocked::Condition,
        Impossible::NotHolder(_) => Blocked::NoLease,
        Impossible::NoPacket(_) | Impossible::NoSuchPacket(..) => Blocked::NoPacket,
        Impossible::OutOfTokens => Blocked::OutOfTokens,
    })
}

/// The steps of the first order that leads to the state of this rank after so many steps.
fn way_to(
    (steps, rank): (usize, u32),
    trail: &[Vec<Transition>],
    threads: &[Thread],
) -> Vec<ScriptStep> {
    let mut rank = rank;
    let mut way = Vec::with_capacity(steps);
    for moves in trail[..steps].iter().rev() {
        let Transition { from, thread } = moves[rank as usize];
        rank = from;
        way.push(thread as usize);
    }
    let mut taken = vec![0; threads.len()];
    let way = way.into_iter().rev();
    way.map(|thread| {
        taken[thread] += 1;
        threads[thread][taken[thread] - 1]
    })
    .collect()
}

impl Blocked {
    fn is_consequence(self) -> bool {
        match self {
            Blocked::NoLease | Blocked::NoPacket => true,
            Blocked::LeaseHeld | Blocked::ClientOff | Blocked::OutOfTokens | Blocked::Condition => {
                false
            }
        }
    }
}
