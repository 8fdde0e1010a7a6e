//! Every interleaving of a scenario's steps, counted.
//!
//! Frontier by frontier: all states after one step, after two, and so on, with the number of paths
//! that lead to each. The cost grows with the number of distinct states, never with the number of
//! paths; only two frontiers live at once, and nothing recurses. The services, the world and the
//! verdict are those of a run.

use std::collections::BTreeSet;
use std::fmt;

use crate::explore::frontier::{Frontier, Reached, State, TooManyPaths, Transition};
use crate::explore::threads::{Thread, threads};
use crate::script::{Scenario, ScriptStep};
use crate::text::grouped;
use crate::verdict::Verdict;
use crate::world::event::Moment;
use crate::world::names::ClientId;
use crate::world::step::Step;
use crate::world::{Impossible, Questions, World};

/// How far an exploration goes before it gives up. Whether it does depends on the states alone, not
/// on the order in which they are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most distinct states.
    pub states: u32,
    /// The most memory that all of them together would take, in bytes.
    pub bytes: usize,
    /// The most work, in bytes that are gone through: for each state, [`Limits::THREAD`] for each
    /// thread that may move or not, and for each step from it the size of the state that it leads to.
    pub work: usize,
}

impl Limits {
    /// What it takes to find out whether a thread can move, as if so many bytes were gone through.
    pub const THREAD: usize = 128;

    /// Two million states, 1 GiB of them, and 12 GiB of steps between them: seconds, not minutes.
    pub const DEFAULT: Limits = Limits {
        states: 2_000_000,
        bytes: 1 << 30,
        work: 12 << 30,
    };
}

/// What there is to say of all interleavings under one setting of the toggle.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Exploration {
    /// How many there are.
    pub interleavings: u128,
    /// How many are CORRUPTED.
    pub corrupted: u128,
    /// How many are SAFE although a stale write got in.
    pub stale_accepted: u128,
    /// How many are SAFE although an update was lost.
    pub update_lost: u128,
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

/// Why a step does not come.
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
    /// Its client has looked at nothing that could be unchanged.
    NothingSeen,
    /// There is no answer that its client could hear.
    NoAnswer,
}

/// Why an exploration was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GivenUp {
    /// More interleavings than 128 bits can count.
    TooManyInterleavings,
    /// More states than the [`Limits`] allow, larger ones, or more steps between them.
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
                "{steps} steps in {threads} threads come to more than {} distinct states, {} MiB of \
                 them, or {} GiB of steps between them; expected fewer: leave out clients, or steps \
                 that do not matter",
                grouped(limits.states.into()),
                grouped((limits.bytes >> 20) as u128),
                grouped((limits.work >> 30) as u128)
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
pub fn explore(scenario: &Scenario, limits: Limits) -> Result<Exploration, GivenUp> {
    let threads = threads(scenario);
    let start = State {
        taken: vec![0; threads.len()].into(),
        world: scenario.world(),
        verdict: Verdict::default(),
    };
    let steps = threads.iter().flatten();
    let mut explorer = Explorer {
        questions: Questions::of(steps.map(|step| step.step), scenario.headers.fencing),
        threads,
        budget: Budget::new(limits),
        scratch: start.clone(),
        moves: Vec::new(),
        trail: Vec::new(),
        first_corrupted: None,
        found: Exploration::default(),
    };
    explorer.budget.pay_for_state(&start);
    let mut frontier = Frontier::start(start);
    while !frontier.is_empty() {
        frontier = explorer.advance(&frontier)?;
    }
    Ok(explorer.finish())
}

/// What is left of the limits.
struct Budget {
    limits: Limits,
    states: u32,
    bytes: usize,
    work: usize,
    /// More was asked for than the limits allow.
    is_exceeded: bool,
}

impl Budget {
    fn new(limits: Limits) -> Self {
        Budget {
            limits,
            states: limits.states,
            bytes: limits.bytes,
            work: limits.work,
            is_exceeded: false,
        }
    }

    fn pay_for_state(&mut self, state: &State) {
        let bytes = self.bytes.checked_sub(state.bytes());
        match (self.states.checked_sub(1), bytes) {
            (Some(states), Some(bytes)) => (self.states, self.bytes) = (states, bytes),
            (_, _) => self.is_exceeded = true,
        }
    }

    fn pay_for_threads(&mut self, threads: usize) {
        self.pay_for_work(threads * Limits::THREAD);
    }

    fn pay_for_step_to(&mut self, state: &State) {
        self.pay_for_work(state.bytes());
    }

    fn pay_for_work(&mut self, bytes: usize) {
        match self.work.checked_sub(bytes) {
            Some(work) => self.work = work,
            None => self.is_exceeded = true,
        }
    }
}

/// An exploration on its way.
struct Explorer {
    threads: Vec<Thread>,
    questions: Questions,
    budget: Budget,
    /// The state that a step leads to, in memory that is used again for the next.
    scratch: State,
    /// The threads whose next step can come, by the line of that step.
    moves: Vec<(u32, u32)>,
    /// The transitions that first led to each frontier, to find the way back from the first
    /// interleaving that is CORRUPTED.
    trail: Vec<Vec<Transition>>,
    first_corrupted: Option<FirstCorrupted>,
    found: Exploration,
}

/// The first CORRUPTED interleaving found so far.
#[derive(Clone, Copy)]
struct FirstCorrupted {
    /// After how many steps it ends.
    steps: usize,
    /// The rank of its last state.
    rank: u32,
    /// So many states of the frontier that is being explored, from the first, lie before it: an
    /// interleaving that goes on from one of them would come first.
    ahead: u32,
}

impl Explorer {
    /// Takes every step that can come next from each state of the frontier, and counts the
    /// interleavings that end there.
    fn advance(&mut self, frontier: &Frontier) -> Result<Frontier, GivenUp> {
        let mut next = Frontier::with_capacity(frontier.len());
        let mut ahead = 0;
        for (rank, Reached { state, paths, .. }) in (0..).zip(frontier.states()) {
            self.find_moves(state);
            self.budget.pay_for_threads(self.threads.len());
            for index in 0..self.moves.len() {
                let (_, thread) = self.moves[index];
                self.step_from(state, thread);
                self.budget.pay_for_step_to(&self.scratch);
                let by = Transition { from: rank, thread };
                if next.reach(&self.scratch, *paths, by)? {
                    self.budget.pay_for_state(&self.scratch);
                }
                if self.budget.is_exceeded {
                    return Err(GivenUp::TooManyStates {
                        steps: self.threads.iter().map(Vec::len).sum(),
                        threads: self.threads.len(),
                        limits: self.budget.limits,
                    });
                }
            }
            let is_end = self.moves.is_empty();
            if is_end {
                let blocked = self.why_stuck(state);
                self.found.end(*paths, state.verdict, blocked)?;
            }
            if self.first_corrupted.is_none_or(|first| rank < first.ahead) {
                ahead = next.len();
                if is_end && state.verdict == Verdict::Corrupted {
                    self.first_corrupted = Some(FirstCorrupted {
                        steps: self.trail.len(),
                        rank,
                        ahead: rank,
                    });
                }
            }
        }
        if let Some(first) = &mut self.first_corrupted {
            first.ahead = ahead;
        }
        self.found.states += frontier.len();
        let first_ways = next.states().iter().map(|reached| reached.first);
        self.trail.push(first_ways.collect());
        Ok(next)
    }

    /// Finds the threads that can move, by the line of their next step.
    fn find_moves(&mut self, state: &State) {
        let next = state.next_steps(&self.threads);
        let next = next.filter(|(step, _)| may_come(step.step, &state.world));
        self.moves.clear();
        self.moves
            .extend(next.map(|(step, thread)| (step.line, thread)));
        self.moves.sort_unstable();
    }

    /// Makes `scratch` the state after the next step of this thread, which must be possible.
    fn step_from(&mut self, before: &State, thread: u32) {
        let steps = &self.threads[thread as usize];
        let after = &mut self.scratch;
        after.taken.clone_from(&before.taken);
        let taken = &mut after.taken[thread as usize];
        let step = steps[*taken as usize].step;
        *taken += 1;
        let is_last = *taken as usize == steps.len();
        after.verdict = before.verdict;
        after.world.clone_from(&before.world);
        // When something happens makes no difference here: all of it happens at the first moment.
        if let Ok(event) = after.world.take(step, Moment::FIRST) {
            after.verdict.observe(&event);
        }
        if let Some(client) = retires(step, is_last) {
            after.world.forget_belief(client);
        }
        let verdict_is_final = after.verdict == Verdict::Corrupted;
        after
            .world
            .forget_what_decides_nothing(self.questions, verdict_is_final);
    }

    /// Why the threads that have steps left cannot move, where none can. That a lease which was never
    /// granted cannot expire, or a packet which was never sent cannot arrive, is a reason of its own
    /// only if there is no other.
    fn why_stuck(&self, state: &State) -> BTreeSet<Blocked> {
        let next = state.next_steps(&self.threads);
        let blocked = next.flat_map(|(step, _)| why_not(step.step, &state.world));
        let (consequences, causes): (BTreeSet<_>, BTreeSet<_>) =
            blocked.partition(|blocked| blocked.is_consequence());
        if causes.is_empty() {
            consequences
        } else {
            causes
        }
    }

    fn finish(self) -> Exploration {
        let first = self.first_corrupted;
        let way = first.map(|first| way_to((first.steps, first.rank), &self.trail, &self.threads));
        Exploration {
            counterexample: way,
            ..self.found
        }
    }
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
            Verdict::Safe(blemishes) => {
                if blemishes.stale_accepted {
                    self.stale_accepted += paths;
                }
                if blemishes.update_lost {
                    self.update_lost += paths;
                }
            }
        }
        if !blocked.is_empty() {
            self.cut_short += paths;
            self.blocked.extend(blocked);
        }
        Ok(())
    }
}

impl State {
    /// The next step of each thread that has one, with the thread's number.
    fn next_steps(&self, threads: &[Thread]) -> impl Iterator<Item = (ScriptStep, u32)> {
        let numbered = threads.iter().zip(&self.taken).zip(0..);
        numbered.filter_map(|((thread, &taken), number)| {
            thread.get(taken as usize).map(|&step| (step, number))
        })
    }
}

/// Whether a step may come next: if a run would not call it an error, its client need not wait for
/// the lease, and something would come of it.
fn may_come(step: Step, world: &World) -> bool {
    !waits_for_lease(step, world) && !is_of_client_off(step, world) && world.possible(step).is_ok()
}

/// Every reason why it may not.
fn why_not(step: Step, world: &World) -> Vec<Blocked> {
    let impossible = world.possible(step).err();
    let reasons = [
        waits_for_lease(step, world).then_some(Blocked::LeaseHeld),
        is_of_client_off(step, world).then_some(Blocked::ClientOff),
        impossible.map(|impossible| match impossible {
            Impossible::Paused(_)
            | Impossible::Suspended(_)
            | Impossible::NotPaused(_)
            | Impossible::NotSuspended(_) => Blocked::Condition,
            Impossible::NotHolder(_) => Blocked::NoLease,
            Impossible::NoPacket(_) | Impossible::NoSuchPacket(..) => Blocked::NoPacket,
            Impossible::NeverLooked(..) => Blocked::NothingSeen,
            Impossible::NothingToHear(_) => Blocked::NoAnswer,
            Impossible::OutOfTokens => Blocked::OutOfTokens,
        }),
    ];
    reasons.into_iter().flatten().collect()
}

/// The client of whose own steps none comes after this one, if it `is_last` of its thread.
fn retires(step: Step, is_last: bool) -> Option<ClientId> {
    if let Step::IsPoweredOff(client) = step {
        Some(client)
    } else {
        step.actor().filter(|_| is_last)
    }
}

/// Here a client that asks for a lease waits while another one holds it, instead of being refused.
fn waits_for_lease(step: Step, world: &World) -> bool {
    if let Step::Acquires(client) = step {
        world.holder().is_some_and(|holder| holder != client)
    } else {
        false
    }
}

/// Nothing of a powered-off client's own comes, nor a second power-off.
fn is_of_client_off(step: Step, world: &World) -> bool {
    let client = if let Step::IsPoweredOff(client) = step {
        Some(client)
    } else {
        step.actor()
    };
    client.is_some_and(|client| world.is_off(client))
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
    /// Whether it only follows from another step's not having come.
    fn is_consequence(self) -> bool {
        match self {
            Blocked::NoLease | Blocked::NoPacket | Blocked::NothingSeen | Blocked::NoAnswer => true,
            Blocked::LeaseHeld | Blocked::ClientOff | Blocked::OutOfTokens | Blocked::Condition => {
                false
            }
        }
    }
}
