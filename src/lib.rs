//! `fencing-demo`: see why a lease is not enough, and a fencing token is.
//!
//! Data flows one way. A script is parsed to a [`scenario`]; a [`run`](mod@run) takes its steps
//! through the [`simulation`] and gives one [`event`] for each; the views render events, and never
//! touch a service. The story is that of *Designing Data-Intensive Applications* (2nd ed.),
//! chapter 9, "Distributed Locks and Leases" and "Fencing off zombies and delayed requests".

pub mod app;
pub mod cli;
pub mod client;
pub mod closing;
pub mod command;
pub mod event;
pub mod explainer;
pub mod explore;
pub mod finding;
pub mod grant;
pub mod header;
pub mod history;
pub mod layer;
pub mod listing;
pub mod lock_service;
pub mod names;
pub mod network;
pub mod palette;
pub mod run;
pub mod scenario;
pub mod scenarios;
pub mod script_error;
pub mod simulation;
pub mod step;
pub mod step_line;
pub mod stepping;
pub mod storage_service;
pub mod story;
pub mod survey;
pub mod telling;
pub mod text;
pub mod threads;
pub mod transcript;
pub mod verdict;
