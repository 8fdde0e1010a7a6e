//! Reads a line as a step, by the [forms](FORMS) of the step language, or says why it is none.

use crate::script::error::Problem;
use crate::script::form::{Build, CLIENT, DATA, FORMS, Form, TOKEN};
use crate::script::header::parse_token;
use crate::world::grant::Token;
use crate::world::names::{NameCollector, STORAGE, Storages};
use crate::world::step::Step;

/// The longest name of a client or a storage, in characters.
pub const LONGEST_NAME: usize = 32;
/// The longest data, in characters.
pub const LONGEST_DATA: usize = 200;

/// How much of a mistaken line is compared with the forms, in characters.
const LONGEST_COMPARED: usize = 80;

/// Reads one step. The line has no blanks around it, no line ending and no forbidden character.
/// Blanks between its words do not matter; those within the data are kept.
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
        Build::Storage(step) => {
            let storage = names.storage(line.name);
            Ok(step(
                storage.ok_or_else(|| unknown_storage(line.name, names))?,
            ))
        }
        Build::Client(step) => {
            let client = line.client(form, names)?;
            Ok(step(names.client(client)))
        }
        Build::ClientAndData(step) => {
            let (client, data) = (line.client(form, names)?, line.data(form)?);
            Ok(step(names.client(client), names.data(data)))
        }
        Build::ClientAndStorages(_, step) => {
            let (client, storages) = (line.client(form, names)?, line.storages(names)?);
            Ok(step(names.client(client), storages))
        }
        Build::Write(step) => {
            let (client, data) = (line.client(form, names)?, line.data(form)?);
            let storages = line.storages(names)?;
            Ok(step(names.client(client), names.data(data), storages))
        }
        Build::WriteWithToken(step) => {
            let (client, data) = (line.client(form, names)?, line.data(form)?);
            let (storages, token) = (line.storages(names)?, line.token()?);
            Ok(step(
                names.client(client),
                names.data(data),
                storages,
                token,
            ))
        }
    }
}

/// What a client or a storage can be called, if this is not such a name.
pub fn expected_name(name: &str) -> Option<String> {
    let of_name = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    if name == STORAGE {
        Some("another, for that is the storage service".to_owned())
    } else if !name.starts_with(|first: char| first.is_ascii_alphabetic())
        || !name.chars().all(of_name)
    {
        Some("an ASCII letter, then ASCII letters, digits, '_' or '-'".to_owned())
    } else if name.len() > LONGEST_NAME {
        Some(format!(
            "at most {LONGEST_NAME} characters, found {}",
            name.len()
        ))
    } else {
        None
    }
}

fn unknown_storage(name: &str, names: &NameCollector<'_>) -> Problem {
    Problem::UnknownStorage {
        name: name.to_owned(),
        known: names
            .storage_names()
            .iter()
            .map(ToString::to_string)
            .collect(),
    }
}

/// A line that should be a step, split into what forms fix and what they leave open.
struct Line<'script> {
    text: &'script str,
    /// The first word, without `'s`: the client or the storage, if the line has one.
    name: &'script str,
    /// What stands between the first and the last quote.
    data: Option<&'script str>,
    /// The storages that it names, if it names some.
    storages: Vec<&'script str>,
    /// The preposition before them.
    preposition: Option<&'script str>,
    /// The word behind `with token`.
    token: Option<&'script str>,
    /// All that is behind the name but for the storages, with one blank between two words, and
    /// [`DATA`] and [`TOKEN`] for data and token.
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

        let mut line = Line {
            text,
            name,
            data,
            storages: Vec::new(),
            preposition: None,
            token: None,
            after_name: String::with_capacity(text.len()),
        };
        line.after_name.push_str(&first[name.len()..]);
        let words = words
            .chain(data.map(|_| DATA))
            .chain(behind.split_ascii_whitespace());
        line.take_words(words);
        line
    }

    /// Takes the words behind the name: the storages apart, between `to` or `from` and the first
    /// word that is not behind an `and`.
    fn take_words(&mut self, words: impl Iterator<Item = &'script str>) {
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            if self.preposition.is_none()
                && ["to", "from"].contains(&word)
                && words.peek().is_some()
            {
                self.preposition = Some(word);
                self.storages.extend(words.next());
                while words.next_if_eq(&"and").is_some() {
                    self.storages.extend(words.next());
                }
                continue;
            }
            let word = if self.after_name.ends_with(" with token") && words.peek().is_none() {
                self.token = Some(word);
                TOKEN
            } else {
                word
            };
            self.after_name.push(' ');
            self.after_name.push_str(word);
        }
    }

    fn has_form(&self, form: &Form) -> bool {
        let is_alike = match form.build {
            Build::Nothing(_) => form.text.strip_prefix(self.name) == Some(&self.after_name),
            Build::Storage(_)
            | Build::Client(_)
            | Build::ClientAndData(_)
            | Build::ClientAndStorages(..)
            | Build::Write(_)
            | Build::WriteWithToken(_) => form.after_name() == self.after_name,
        };
        is_alike && (self.preposition.is_none() || self.preposition == form.preposition())
    }

    fn client(&self, form: &Form, names: &NameCollector<'_>) -> Result<&'script str, Problem> {
        if self.name.is_empty() {
            return Err(Problem::MissingName {
                line: self.text.to_owned(),
                form: form.text,
            });
        }
        let expected = expected_name(self.name).or_else(|| {
            let storage = names.storage(self.name);
            storage.map(|_| "another, for that is a storage".to_owned())
        });
        match expected {
            None => Ok(self.name),
            Some(expected) => Err(Problem::BadName {
                name: self.name.to_owned(),
                expected,
            }),
        }
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

    /// The storages that the step names; all of them if it names none.
    fn storages(&self, names: &NameCollector<'_>) -> Result<Storages, Problem> {
        if self.storages.is_empty() {
            return Ok(names.storages());
        }
        let mut storages = Storages::NONE;
        for name in &self.storages {
            let storage = names.storage(name);
            let storage = storage.ok_or_else(|| unknown_storage(name, names))?;
            if storages.contains(storage) {
                return Err(Problem::RepeatedStorage {
                    name: (*name).to_owned(),
                    line: self.text.to_owned(),
                });
            }
            storages = storages.with(storage);
        }
        Ok(storages)
    }

    fn token(&self) -> Result<Token, Problem> {
        let word = self.token.unwrap_or_default();
        parse_token(word).ok_or_else(|| Problem::BadToken {
            word: word.to_owned(),
        })
    }

    /// Why the line has no form.
    fn diagnose(&self) -> Problem {
        let line = self.text.to_owned();
        let words = format!("{}{}", self.name, self.after_name);
        for form in FORMS {
            let without_client = form.after_name().trim_start_matches("'s").trim_start();
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
            Build::Nothing(_) | Build::Storage(_) => edit_distance(words, form.text),
            Build::Client(_)
            | Build::ClientAndData(_)
            | Build::ClientAndStorages(..)
            | Build::Write(_)
            | Build::WriteWithToken(_) => edit_distance(&with_client, form.text),
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
