//! Who judges: the verdict on a run, and the explanation of it. Both read events alone.

pub mod closing;
pub mod explainer;
pub mod finding;
pub mod history;
mod outcome;
mod verdict;

pub use outcome::Outcome;
pub use verdict::{Record, Verdict};
