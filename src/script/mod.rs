//! How a story is written: the step language, its headers, and the built-in scripts.

pub mod built_in;
mod diagnose;
pub mod error;
pub mod form;
pub mod header;
mod line;
pub mod near_name;
pub mod parse_step;
pub mod reference;
mod scenario;

pub use scenario::{Scenario, ScriptStep};
