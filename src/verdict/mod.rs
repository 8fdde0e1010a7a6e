//! Who judges: the verdict on a run, and the explanation of it. Both read events alone.

mod corrupted;
mod explanation;
mod guard;
mod outcome;
mod safe;
mod stale_accepted;
mod stale_rejected;
mod timeline;
mod verdict;

pub use explanation::{Explanation, explain};
pub use outcome::Outcome;
pub use verdict::{Blemishes, Verdict, corrupts};
