//! Reads a line as a step, by the [forms](FORMS) of the step language, or says why it is none.

use crate::script::error::Problem;
use crate::script::form::{Build, CLIENT, DATA, FORMS, Form};
use crate::world::names::NameCollector;
use crate::world::step::Step;

/// The longest name of a client, in characters.
pub const LONGEST_NAME: usize = 32;
/// The longest data, in characters.
pub const LONGEST_DATA: usize = 200;

/// How much of a mistaken line is compared with the forms, in characters.
const LONGEST_COMPARED: usize = 80;

/// Reads one step. The line has no blanks around it, no line ending and no forbidden character.
/// Blanks between its words do not matter; those within the data are kept.
///
/// # Errors
/// Why the line is no step.
pub fn parse_step<'script>(
    line: &'script str,
    names: &mut NameCollector<'script>,
) -> Result<Step, Problem> {
    let line = Line::split(line);
    let Some(form) = FORMS.iter().find(|form| line.has_form(form)) else {
        return Err(line.diagnose());
    };
    match form.build {
        Build::Nothing(step) => Ok(step),
        Build::Client(step) => Ok(step(names.client(line.client(form)?))),
        Build::ClientAndData(step) => {
            let (client, data) = (line.client(form)?, line.data(form)?);
            Ok(step(names.client(client), names.data(data)))
        }
    }
}

/// A line that should be a step, split into what forms fix and what they leave open.
struct Line<'script> {
    text: &'script str,
    /// The first word, without `'s`: the client, if the line has one.
    name: &'script str,
    /// What stands between the first and the last quote.
    data: Option<&'script str>,
    /// All that is behind the name, with one blank between two words, and [`DATA`] for the data.
    after_name: String,
}

impl<'script> Line<'script> {
    fn split(text: &'script str) -> Self {
        // The quote that opens the data stands behind a blank, unlike the one in `client1's`.
        let opening = text
            .match_indices('\'')
            .find(|&(at, _)| text[..at].ends_with([' ', '\t']));
        let closing = text.rfind('\'');
        let (before, data, behind) = match (opening, closing) {
            (Some((opening, _)), Some(closing)) if opening < closing => (
                &text[..opening],
                Some(&text[opening + 1..closing]),
                &text[closing + 1..],
            ),
            (Some(_) | None, Some(_) | None) => (text, None, ""),
        };
        let mut words = before.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        let name = first.strip_suffix("'s").unwrap_or(first);

        let mut after_name = String::with_capacity(text.len());
        after_name.push_str(&first[name.len()..]);
        for word in words
            .chain(data.map(|_| DATA))
            .chain(behind.split_ascii_whitespace())
        {
            after_name.push(' ');
            after_name.push_str(word);
        }
        Line {
            text,
            name,
            data,
            after_name,
        }
    }

    fn has_form(&self, form: &Form) -> bool {
        match form.build {
            Build::Nothing(_) => form.text.strip_prefix(self.name) == Some(&self.after_name),
            Build::Client(_) | Build::ClientAndData(_) => form.after_client() == self.after_name,
        }
    }

    fn client(&self, form: &Form) -> Result<&'script str, Problem> {
        let of_name =
            |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
        let expected = if self.name.is_empty() {
            return Err(Problem::MissingName {
                line: self.text.to_owned(),
                form: form.text,
            });
        } else if self.name == "storage" {
            "another, for that is the storage service".to_owned()
        } else if !self
            .name
            .starts_with(|first: char| first.is_ascii_alphabetic())
            || !self.name.chars().all(of_name)
        {
            "an ASCII letter, then ASCII letters, digits, '_' or '-'".to_owned()
        } else if self.name.len() > LONGEST_NAME {
            format!(
                "at most {LONGEST_NAME} characters, found {}",
                self.name.len()
            )
        } else {
            return Ok(self.name);
        };
        Err(Problem::BadName {
            name: self.name.to_owned(),
            expected,
        })
    }

    fn data(&self, form: &Form) -> Result<&'script str, Problem> {
        let data = self.data.ok_or_else(|| Problem::MissingData {
            line: self.text.to_owned(),
            form: form.text,
        })?;
        match data.chars().count() {
            1..=LONGEST_DATA => Ok(data),
            found => Err(Problem::BadData {
                data: data.to_owned(),
                expected: format!(
                    "1 to {LONGEST_DATA} characters between the quotes, found {found}"
                ),
            }),
        }
    }

    /// Why the line has no form.
    fn diagnose(&self) -> Problem {
        let line = self.text.to_owned();
        let words = format!("{}{}", self.name, self.after_name);
        for form in FORMS {
            let without_client = form.after_client().trim_start_matches("'s").trim_start();
            if without_client == words {
                return Problem::MissingName {
                    line,
                    form: form.text,
                };
            }
            let Some((before, after)) = form.around_data() else {
                continue;
            };
            if self.after_name == format!("{}{after}", before.trim_end()) {
                return Problem::MissingData {
                    line,
                    form: form.text,
                };
            }
            let around = self.after_name.starts_with(before) && self.after_name.ends_with(after);
            if around && self.data.is_none() {
                return Problem::MissingQuote {
                    line,
                    form: form.text,
                };
            }
        }
        Problem::UnknownStep {
            line,
            nearest: self.nearest(&words),
        }
    }

    /// The forms that the line begins, or else those that take the fewest edits to come to from
    /// here; all of them if none is near.
    fn nearest(&self, words: &str) -> Vec<&'static str> {
        let with_client = format!("{CLIENT}{}", self.after_name);
        let is_begun = |form: &&str| {
            form.starts_with(words) || with_client != CLIENT && form.starts_with(&with_client)
        };
        let begun: Vec<_> = FORMS
            .iter()
            .map(|form| form.text)
            .filter(is_begun)
            .collect();
        if !begun.is_empty() {
            return begun;
        }
        let distances = FORMS.iter().map(|form| match form.build {
            Build::Nothing(_) => edit_distance(words, form.text),
            Build::Client(_) | Build::ClientAndData(_) => edit_distance(&with_client, form.text),
        });
        let distances: Vec<usize> = distances.collect();
        let fewest = distances.iter().copied().min().unwrap_or_default();
        let is_near = |form: &Form| fewest * 3 <= form.text.len();
        let nearest = FORMS.iter().zip(distances);
        let nearest = nearest.filter(|&(form, edits)| edits == fewest && is_near(form));
        let nearest: Vec<_> = nearest.map(|(form, _)| form.text).collect();
        if nearest.is_empty() {
            FORMS.iter().map(|form| form.text).collect()
        } else {
            nearest
        }
    }
}

/// How many characters to insert, delete or replace to come from one text to the other
/// (Levenshtein). No form is near a long text, so only its beginning counts.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut distances: Vec<usize> = (0..=to.len()).collect();
    for (row, from) in from.chars().take(LONGEST_COMPARED).enumerate() {
        let mut diagonal = std::mem::replace(&mut distances[0], row + 1);
        for (column, &to) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = distances[column + 1];
            distances[column + 1] = replaced.min(diagonal + 1).min(distances[column] + 1);
        }
    }
    distances[to.len()]
}
