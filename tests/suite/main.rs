//! All integration tests, in one crate.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should say where"
)]
#![allow(clippy::panic, reason = "so fails a test that compares whole files")]
#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for some kinds of events"
)]
#![allow(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "speed is no matter here"
)]

mod claims;
mod expecting;
mod explaining;
mod exploring;
mod findings;
mod goldens;
mod house;
mod language;
mod mistakes;
mod near_names;
mod newer_steps;
mod pictures;
mod program;
mod properties;
mod readme;
mod scripts;
mod services;
mod stepping;
mod steps;
mod stories;
mod streams;
mod terminal;
mod usage;
