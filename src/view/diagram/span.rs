//! What lasts: from one step on, until another.

use crate::world::event::Moment;

/// Something that lasts. It holds after the step at which it begins, and no longer after the one at
/// which it ends; without an end it lasts until the story does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span<T> {
    /// What lasts.
    pub what: T,
    /// The step at which it begins.
    pub from: Moment,
    /// The step at which it ends.
    pub until: Option<Moment>,
}

/// Spans that do not overlap, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Track<T> {
    /// The spans.
    pub spans: Vec<Span<T>>,
}

impl<T> Span<T> {
    /// Whether it has ended by the time that the step is over.
    pub fn is_over(&self, at: Moment) -> bool {
        self.until.is_some_and(|until| until <= at)
    }
}

impl<T> Default for Track<T> {
    fn default() -> Self {
        Track { spans: Vec::new() }
    }
}

impl<T: Copy + PartialEq> Track<T> {
    /// From this step on it is this, or nothing.
    pub fn set(&mut self, at: Moment, now: Option<T>) {
        let last = self.spans.last_mut().filter(|span| span.until.is_none());
        if last.as_ref().map(|span| span.what) == now {
            return;
        }
        if let Some(last) = last {
            last.until = Some(at);
        }
        if let Some(what) = now {
            self.spans.push(Span {
                what,
                from: at,
                until: None,
            });
        }
    }

    /// What it is so far.
    pub fn now(&self) -> Option<T> {
        let last = self.spans.last().filter(|span| span.until.is_none());
        last.map(|span| span.what)
    }
}
