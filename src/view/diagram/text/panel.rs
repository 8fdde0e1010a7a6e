//! The panels of the strip: so many steps each as the page is wide enough for.

use std::ops::Range;

use crate::view::diagram::layout::Diagram;
use crate::view::diagram::span::Span;
use crate::view::diagram::text::PAGE;
use crate::view::diagram::text::columns::digits;
use crate::world::event::Moment;

/// The most characters of the name of a line.
pub const LONGEST_NAME: usize = 16;

/// How much room is left behind the steps, for the words at the ends of lines.
const END_WORDS: usize = 10;

/// How wide things are in every panel.
pub struct Scale {
    /// The names of the lines, and the blanks around them.
    pub label: usize,
    /// One step.
    pub step: usize,
    /// How many steps a panel has; the last may have fewer.
    pub steps: usize,
}

impl Scale {
    /// The widths for this picture.
    pub fn new(diagram: &Diagram<'_>) -> Scale {
        let names = &diagram.scenario.names;
        let believers = names
            .clients()
            .filter(|client| !diagram.clients[client.index()].beliefs.spans.is_empty());
        let believers = believers.map(|client| names.client(client));
        let storages = diagram.named_storages().map(|(_, name)| name);
        let widest = believers.chain(storages).map(str::len).max();
        let least = if names.has_several_storages() { 11 } else { 9 };
        let label = widest.unwrap_or_default().min(LONGEST_NAME).max(least) + 3;
        let steps = diagram.run.events.len();
        let panels = |step: usize| steps.div_ceil((PAGE - label - END_WORDS) / step);
        let number = digits(diagram.last().number().into());
        let (narrow, wide) = (3, 4.max(number + 1));
        let is_narrow =
            panels(narrow) < panels(wide) && number < narrow && has_short_tokens(diagram);
        let step = if is_narrow { narrow } else { wide };
        Scale {
            label,
            step,
            steps: steps.div_ceil(panels(step)),
        }
    }
}

/// Whether all tokens have at most two digits.
fn has_short_tokens(diagram: &Diagram<'_>) -> bool {
    let granted = diagram.lease.spans.iter().map(|span| span.what.1.token);
    let entries = diagram.storages.iter().flat_map(|lane| &lane.entries);
    granted
        .chain(entries.filter_map(|entry| entry.token))
        .all(|token| digits(token.0) <= 2)
}

/// Some steps, and their columns.
pub struct Panel<'scale> {
    /// How wide they are.
    pub scale: &'scale Scale,
    /// The first of them.
    pub first: Moment,
    /// The last of them.
    pub last: Moment,
}

impl Panel<'_> {
    /// Where the step's column begins.
    pub fn column(&self, at: Moment) -> usize {
        self.scale.label + (at.index() - self.first.index()) * self.scale.step
    }

    /// Where ink ends that goes on: within the last step's column.
    pub fn end(&self) -> usize {
        self.column(self.last) + 2.max(self.scale.step - 2)
    }

    /// The columns of the span, as far as it lies in the panel.
    pub fn columns<T>(&self, span: &Span<T>) -> Range<usize> {
        let start = self.column(span.from.max(self.first));
        let until = span.until.filter(|&until| until <= self.last);
        start..until.map_or(self.end(), |until| self.column(until.max(self.first)))
    }

    /// Whether some of the span lies in the panel.
    pub fn has<T>(&self, span: &Span<T>) -> bool {
        span.from <= self.last && !span.is_over(self.first)
    }
}

/// A track, panel after panel.
pub struct Cursor<'d, T> {
    before: Option<&'d Span<T>>,
    ahead: &'d [Span<T>],
}

impl<'d, T> Cursor<'d, T> {
    /// Before the first panel.
    pub fn new(spans: &'d [Span<T>]) -> Self {
        Cursor {
            before: None,
            ahead: spans,
        }
    }

    /// The spans that begin, last or end in the panel, each with the one before it.
    pub fn part(
        &mut self,
        panel: &Panel<'_>,
    ) -> impl Iterator<Item = (Option<&'d Span<T>>, &'d Span<T>)> + Clone + use<'d, T> {
        while let [first, later @ ..] = self.ahead
            && first.until.is_some_and(|until| until < panel.first)
        {
            self.before = Some(first);
            self.ahead = later;
        }
        let mut before = self.before;
        let last = panel.last;
        let spans = self.ahead.iter().take_while(move |span| span.from <= last);
        spans.map(move |span| (before.replace(span), span))
    }
}
