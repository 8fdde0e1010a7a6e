//! `fencing-demo`: see why a lease is not enough, and a fencing token is.
//!
//! Data flows one way. A script is parsed to a [`script`]; a [`run`](mod@run) takes its steps
//! through the [`world`] and gives one [event](world::event) for each; the views render events, and never
//! touch a service. The story is that of *Designing Data-Intensive Applications* (2nd ed.),
//! chapter 9, "Distributed Locks and Leases" and "Fencing off zombies and delayed requests".

pub mod app;
pub mod cli;
pub mod command;
pub mod explore;
pub mod run;
pub mod script;
pub mod source;
pub mod text;
pub mod verdict;
pub mod view;
pub mod world;
