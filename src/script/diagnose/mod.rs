//! What is wrong with a line that says nothing to the parser, for whoever wrote it.
//!
//! A mistake is found in two moves. A [slip](SLIPS) is something that no step has anywhere, such as a
//! curly quote: it is taken out. A [reading](READINGS) takes what is left for a step, the surest
//! first. What is proposed is a line that could stand there, so that no message promises what would
//! be refused; and each recogniser has its message beside it.

mod other_words;
mod readings;
mod slips;

use std::iter;

use crate::script::diagnose::readings::{Proposal, READINGS, edit_distance};
use crate::script::diagnose::slips::{SLIPS, Slip};
use crate::script::error::Problem;
use crate::script::header::Header;
use crate::script::line::Line;
use crate::text::quoted;

/// Where the line stands: what else could be there.
pub trait Place {
    /// Whether this line could be there instead. An error if it is a step or a header, but cannot.
    fn would_take(&self, line: &str) -> Result<bool, Problem>;
    /// Whether a line before it has a client of this name.
    fn has_client(&self, name: &str) -> bool;
}

impl dyn Place + '_ {
    fn could_take(&self, line: &str) -> bool {
        self.would_take(line).unwrap_or(false)
    }
}

/// The longest line that is looked at, in bytes. No step is longer but for blanks.
const LONGEST: usize = 2000;

/// What is wrong with a line that is neither a step nor a header.
pub fn diagnose(text: &str, place: &dyn Place) -> Problem {
    let mistake = |wrong: &str, right: String| Problem::Mistake {
        wrong: wrong.to_owned(),
        line: text.to_owned(),
        right,
    };
    if let Some(right) = line_of_a_transcript(text) {
        return mistake("unknown step", right);
    }
    if text.starts_with("//") {
        let right = "expected a comment to begin with #".to_owned();
        return mistake("unknown step", right);
    }
    if text.len() > LONGEST {
        return mistake("unknown step", A_STEP.to_owned());
    }
    let mut slips: Vec<Slip> = Vec::new();
    for slip in SLIPS {
        let found = slip(slips.last().map_or(text, |slip| &slip.mended));
        slips.extend(found);
    }
    let mended = || slips.iter().map(|slip| slip.mended.as_str());
    if let Some(right) = mended().find(|line| place.could_take(line)) {
        let Slip { wrong, hint, .. } = &slips[0];
        return mistake(wrong, format!("expected {}{hint}", quoted(right)));
    }
    // Whatever else is wrong with a step can only be seen once it is one.
    if let Some(problem) = mended().find_map(|line| place.would_take(line).err()) {
        return problem;
    }
    for read in READINGS {
        for (taken_out, line) in iter::once(text).chain(mended()).enumerate() {
            let Some(mut reading) = read(&Line::split(line), place) else {
                continue;
            };
            reading.right.retain(|right| place.could_take(&right.line));
            if reading.right.is_empty() {
                continue;
            }
            let right = format!("{}{}", expected(&reading.right), reading.hint);
            return match slips.first().filter(|_| taken_out > 0) {
                Some(slip) => mistake(&slip.wrong, right + slip.hint),
                None => mistake(&reading.wrong, right),
            };
        }
    }
    mistake("unknown step", A_STEP.to_owned())
}

/// What is said where nothing is near.
const A_STEP: &str =
    "expected a step, such as \"client1 acquires the lease\"; fencing-demo --help lists them";

/// What is wrong with a line that has a header's form, but the name of none.
pub fn diagnose_header(name: &str, text: &str, place: &dyn Place) -> Problem {
    let mistake = |wrong: String, line: &str, right: &str| Problem::Mistake {
        wrong,
        line: line.to_owned(),
        right: format!("expected {}", quoted(right)),
    };
    let value = text[name.len()..].trim_ascii_start();
    let value = value.strip_prefix(':').unwrap_or(value);
    let without_colon = format!("{name} {}", value.trim_ascii());
    if place.could_take(&without_colon) {
        return mistake("colon in".to_owned(), text, &without_colon);
    }
    let step = value.trim_ascii();
    if place.could_take(step) {
        let wrong = format!("{} before the step in", quoted(&format!("{name}:")));
        return mistake(wrong, text, step);
    }
    let lower = name.to_ascii_lowercase();
    for header in Header::ALL.map(Header::name) {
        let right = format!("{header}:{value}");
        let is_near = edit_distance(&lower, header) <= if header.len() > 3 { 2 } else { 1 };
        if is_near && place.could_take(&right) {
            return mistake("unknown header".to_owned(), name, &right);
        }
    }
    Problem::UnknownHeader {
        name: name.to_owned(),
        known: Header::ALL.map(Header::name).to_vec(),
    }
}

fn expected(right: &[Proposal]) -> String {
    let shown = right.iter().map(|Proposal { line, meaning }| {
        let line = quoted(line);
        meaning.map_or(line.clone(), |meaning| format!("{line} ({meaning})"))
    });
    let shown: Vec<String> = shown.collect();
    match &shown[..] {
        [] | [_] | [_, _] => format!("expected {}", shown.join(" or ")),
        several => format!("expected one of {}", several.join(", ")),
    }
}

/// A line that the program prints, of a transcript that was handed in as a script.
fn line_of_a_transcript(text: &str) -> Option<String> {
    let script = "expected a script, such as fencing-demo --scenario 1 --format script prints";
    let begins = |beginnings: &[&str]| beginnings.iter().any(|it| text.starts_with(it));
    let is_number = |text: &str| text.starts_with(|digit: char| digit.is_ascii_digit());
    let is_heading = text.strip_prefix("SCENARIO ").is_some_and(is_number)
        || text.strip_prefix("SCRIPT ").is_some_and(|name| {
            name.contains(" -- ") || !name.contains(' ') || name == "standard input"
        });
    let is_granted = text.ends_with(')') && text.contains(" lease (") && text.contains("token ");
    let is_of_it = begins(&["... ", ">> SAFE", ">> CORRUPTED", "========"])
        || begins(&[
            "FINAL storage contents: ",
            "FINAL contents of ",
            "storage now holds ",
        ])
        || text.contains("  -> ACCEPTED")
        || text.contains("  -> REJECTED")
        || text.contains(" (frozen; cannot act)")
        || is_granted;
    if is_heading {
        Some(format!("a transcript begins like this; {script}"))
    } else if is_of_it {
        Some(format!("a transcript has such lines; {script}"))
    } else {
        None
    }
}
