//! And in every other order? All interleavings of a scenario's steps, counted.

mod explore;
pub mod frontier;
pub mod threads;

pub use explore::{Blocked, Exploration, GivenUp, Limits, explore};
