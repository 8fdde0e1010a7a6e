//! Each grant of the lease has two numbers: the [`Token`] that the lock service hands out, and its
//! place among all grants, its [`GrantSeq`].
//!
//! The token is what stands for that place on the wire (DDIA 2e, chapter 9, "Fencing off zombies
//! and delayed requests"). In a sound lock service the two agree; some scenarios show what happens
//! when they do not.

use std::fmt;
use std::num::NonZeroU32;

/// A fencing token: the number that comes with a grant and that storage compares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Token(pub u64);

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The place of a grant among all grants, the first being 1: the truth that a token stands for.
///
/// Only the judgement of a run (the verdict and its explanation) may compare it. No service
/// decides by it, for nothing of it travels over the network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GrantSeq(NonZeroU32);

/// One grant of the lease.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Grant {
    /// Its place among all grants.
    pub seq: GrantSeq,
    /// The token that the lock service gave with it.
    pub token: Token,
}

impl GrantSeq {
    /// The place of the grant that comes after `grants` others.
    pub fn after(grants: u32) -> Self {
        GrantSeq(NonZeroU32::MIN.saturating_add(grants))
    }

    /// Where the grant stands in a list of all grants.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}
