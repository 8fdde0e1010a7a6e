//! The step language on a page, for `--help`: what there is to say comes from the tables and limits
//! that the parser goes by.

use std::fmt::Write;

use crate::script::form::{FORMS, Form};
use crate::script::header::Header;
use crate::script::parse_step::{LONGEST_DATA, LONGEST_NAME};
use crate::world::names::STORAGE;

/// A script to begin with. Unfenced it is CORRUPTED, and fenced it is SAFE.
pub const EXAMPLE: &str = "\
client1 acquires the lease
client1's lease expires
client2 acquires the lease
client2 writes 'new data'
client1 writes 'old data'
";

/// The page: at most 80 columns wide, without a newline at its end.
pub fn reference() -> String {
    let steps = table(
        FORMS
            .iter()
            .map(|form| (form.text.to_owned(), form.meaning)),
    );
    let headers = table(Header::ALL.into_iter().map(|header| {
        let written = format!("{}: {}", header.name(), header.example());
        (written, header.meaning())
    }));
    let example = EXAMPLE.trim_end().replace('\n', "\n  ");
    let (to, from) = (verbs_with("to"), verbs_with("from"));
    format!(
        "\
Steps of a script, one a line, where C is a client:
{steps}
Headers, each at most once, before the first step:
{headers}
With a storages: header, a step is for all of them, or for those that it names
before any other ending, as in C writes 'x' to A and B if unchanged. What one of
them forgets has its name: A forgets its max_token.
  to A and B    {to}
  from A and B  {from}

Rules:
  names     an ASCII letter, then ASCII letters, digits, _ or -, and at most
            {LONGEST_NAME} characters; {STORAGE} and the names of storages are no client's
  data      1 to {LONGEST_DATA} characters between single quotes; they end at the last
            quote of the line, so 'it's' is fine
  quotes    straight ones, as in C's and 'data'
  comments  lines that begin with #; blank lines are fine, too

A script of five lines:
  {example}

Saved as mine.script and run by fencing-demo --script mine.script, it comes to
CORRUPTED; with --fencing on, to SAFE."
    )
}

/// Lines of two columns each, the first as wide as its widest entry.
fn table(rows: impl Iterator<Item = (String, &'static str)> + Clone) -> String {
    let widest = rows.clone().map(|(written, _)| written.len()).max();
    let width = widest.unwrap_or_default();
    rows.fold(String::new(), |mut table, (written, meaning)| {
        // Writing to a string cannot fail.
        let _ = writeln!(table, "  {written:<width$}  {meaning}");
        table
    })
}

/// The verbs behind which storages can be named with this preposition.
fn verbs_with(preposition: &str) -> String {
    let forms = FORMS.iter();
    let forms = forms.filter(|form| form.preposition() == Some(preposition));
    let mut verbs: Vec<&str> = forms.filter_map(Form::verb).collect();
    verbs.dedup();
    verbs.join(", ")
}
