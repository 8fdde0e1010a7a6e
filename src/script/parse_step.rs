//! Reads a line as a step, by the [forms](FORMS) of the step language.

use crate::script::error::Problem;
use crate::script::form::{Build, FORMS, Form};
use crate::script::header::parse_token;
use crate::script::line::Line;
use crate::world::grant::Token;
use crate::world::names::{NameCollector, STORAGE, Storages};
use crate::world::step::Step;

/// The longest name of a client or a storage, in characters.
pub const LONGEST_NAME: usize = 32;
/// The longest data, in characters.
pub const LONGEST_DATA: usize = 200;

/// Reads one step; none if no form is like the line. The line has no blanks around it, no line
/// ending and no forbidden character. Blanks between its words do not matter; those within the data
/// are kept.
pub fn parse_step<'script>(
    line: &'script str,
    names: &mut NameCollector<'script>,
) -> Result<Option<Step>, Problem> {
    let line = Line::split(line);
    let form = FORMS.iter().find(|form| line.has_form(form));
    form.map(|form| line.build(form, names)).transpose()
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

impl<'script> Line<'script> {
    /// The step of this form, which is the line's.
    fn build(&self, form: &Form, names: &mut NameCollector<'script>) -> Result<Step, Problem> {
        match form.build {
            Build::Nothing(step) => Ok(step),
            Build::Storage(step) => {
                let storage = names.storage(self.name);
                Ok(step(
                    storage.ok_or_else(|| unknown_storage(self.name, names))?,
                ))
            }
            Build::Client(step) => {
                let client = self.client(names)?;
                Ok(step(names.client(client)))
            }
            Build::ClientAndData(step) => {
                let (client, data) = (self.client(names)?, self.data()?);
                Ok(step(names.client(client), names.data(data)))
            }
            Build::ClientAndStorages(_, step) => {
                let (client, storages) = (self.client(names)?, self.storages(names)?);
                Ok(step(names.client(client), storages))
            }
            Build::Write(step) => {
                let (client, data) = (self.client(names)?, self.data()?);
                let storages = self.storages(names)?;
                Ok(step(names.client(client), names.data(data), storages))
            }
            Build::WriteWithToken(step) => {
                let (client, data) = (self.client(names)?, self.data()?);
                let (storages, token) = (self.storages(names)?, self.token()?);
                Ok(step(
                    names.client(client),
                    names.data(data),
                    storages,
                    token,
                ))
            }
        }
    }

    fn client(&self, names: &NameCollector<'_>) -> Result<&'script str, Problem> {
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

    fn data(&self) -> Result<&'script str, Problem> {
        let data = self.data.unwrap_or_default();
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
}
