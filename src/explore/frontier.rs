//! The states after so many steps, each once, however many paths lead to it.
//!
//! Orders that lead to equal states have equal futures. So it is enough to know how many there are,
//! and which of them comes first.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::mem::size_of;

use crate::verdict::Verdict;
use crate::world::World;

/// Where an exploration can be.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// How many steps of each thread have been taken.
    pub taken: Box<[u32]>,
    /// What they made of the world, but for what decides nothing.
    pub world: World,
    /// What they come to.
    pub verdict: Verdict,
}

/// A state, and the paths of steps that lead to it.
pub struct Reached {
    /// The state.
    pub state: State,
    /// How many paths lead to it.
    pub paths: u128,
    /// The last transition of the path that comes first.
    pub first: Transition,
    /// The rank of another state with the same hash.
    same_hash: Option<u32>,
}

/// A step from the frontier before.
#[derive(Clone, Copy)]
pub struct Transition {
    /// The rank, in that frontier, of the state that the step was taken from.
    pub from: u32,
    /// The thread whose step it was.
    pub thread: u32,
}

/// More paths lead to one state than 128 bits can count.
pub struct TooManyPaths;

/// The states after the same number of steps, ranked by the first of the paths that lead to each.
#[derive(Default)]
pub struct Frontier {
    states: Vec<Reached>,
    /// By the hash of a state, which is computed only once, the rank of the latest with that hash.
    ranks: HashMap<u64, u32, BuildHasherDefault<WordHasher>>,
}

impl Frontier {
    /// The state before the first step.
    pub fn start(state: State) -> Frontier {
        let nowhere = Transition { from: 0, thread: 0 };
        let reached = Reached {
            state,
            paths: 1,
            first: nowhere,
            same_hash: None,
        };
        Frontier {
            states: vec![reached],
            ..Frontier::default()
        }
    }

    /// An empty frontier, with room for so many states.
    pub fn with_capacity(states: u32) -> Frontier {
        let states = states as usize;
        Frontier {
            states: Vec::with_capacity(states),
            ranks: HashMap::with_capacity_and_hasher(states, BuildHasherDefault::default()),
        }
    }

    /// Adds `paths` ways to reach the state, and says whether it is new. Call in rank order: the
    /// first call for a state decides its path.
    pub fn reach(
        &mut self,
        state: &State,
        paths: u128,
        by: Transition,
    ) -> Result<bool, TooManyPaths> {
        let hash = self.ranks.hasher().hash_one(state);
        let latest = self.ranks.get(&hash).copied();
        let mut next = latest;
        while let Some(rank) = next {
            let reached = &mut self.states[rank as usize];
            if reached.state == *state {
                reached.paths = reached.paths.checked_add(paths).ok_or(TooManyPaths)?;
                return Ok(false);
            }
            next = reached.same_hash;
        }
        self.ranks.insert(hash, self.len());
        self.states.push(Reached {
            state: state.clone(),
            paths,
            first: by,
            same_hash: latest,
        });
        Ok(true)
    }

    /// How many states there are.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an exploration's limit is far below 2^32"
    )]
    pub fn len(&self) -> u32 {
        self.states.len() as u32
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The states, in the order of their ranks.
    pub fn states(&self) -> &[Reached] {
        &self.states
    }
}

impl State {
    /// How much memory it takes in a frontier, with its place in the table of hashes, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Reached>()
            + 2 * size_of::<(u64, u32)>()
            + size_of_val(&self.taken[..])
            + self.world.heap_bytes()
    }
}

/// Hashes word by word. The keys are the program's own, so nothing stronger is needed, and a
/// stronger hash took most of an exploration's time.
#[derive(Default)]
struct WordHasher(u64);

impl WordHasher {
    /// An odd number whose bits look random: 2⁶⁴ divided by the golden ratio.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Takes in a flag or which variant of an enum it is: so few bits that they need no product of
    /// their own, and the next number's spreads them.
    fn write_flag(&mut self, flag: u64) {
        self.0 = self.0.rotate_left(5) ^ flag;
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for &word in words {
            self.write_u64(u64::from_le_bytes(word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, flag: u8) {
        self.write_flag(flag.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(Self::FACTOR);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, variant: isize) {
        self.write_flag(variant.cast_unsigned() as u64);
    }

    fn finish(&self) -> u64 {
        // The product's high bits depend on all of the word, its low bits do not.
        self.0 ^ (self.0 >> 32)
    }
}
