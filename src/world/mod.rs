//! What can happen: the two services, the clients, the packets in flight, and the one place where a
//! step changes them.
//!
//! Nothing here knows how a step is written or how an event is shown.

pub mod client;
pub mod event;
mod forgetting;
pub mod grant;
pub mod lock_service;
mod looks;
pub mod names;
pub mod network;
mod requests;
pub mod step;
pub mod storage_service;
mod world;

pub use forgetting::Questions;
pub use world::{Impossible, Setting, World};
