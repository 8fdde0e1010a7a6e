//! What people see: pure functions from a scenario and its run, or its exploration, to text.

pub mod diagram;
pub mod event_lines;
pub mod exploration;
pub mod listing;
pub mod palette;
pub mod stepping;
pub mod transcript;
