//! The book's figures, drawn from the same events as the transcript.
//!
//! Two ideas carry every picture. Truth beside belief: the lock service's lane shows who holds the
//! lease, a client's lane what that client believes, and where it is wrong. A packet takes its time:
//! it leaves at one step, passes whatever happens meanwhile, and arrives at another.
//!
//! A [`Diagram`] says where everything goes, in steps and lanes. Three renderers draw it: [`text`]
//! knows characters, [`svg`] pixels, and [`mermaid`] the syntax of its reader. They decide nothing
//! about the story.

pub mod act;
pub mod layout;
pub mod mermaid;
pub mod span;
pub mod standing;
pub mod svg;
pub mod text;

pub use layout::{Diagram, TooLarge};
