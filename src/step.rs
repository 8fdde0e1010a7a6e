//! The step language: one step a line, in words that read like the book.
//!
//! Every form of a step is one row of [`FORMS`]. The row parses the step, prints it, and is the hint
//! that a mistaken line gets. To add a kind of step, add its row: the compiler names every other
//! place.

use std::fmt;

use crate::names::{ClientId, Data, NameCollector, Names};
use crate::script_error::Problem;

/// One thing that happens, and to whom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// It asks the lock service for the lease.
    Acquires(ClientId),
    /// It asks the lock service to go on holding the lease.
    Renews(ClientId),
    /// It gives the lease back.
    Releases(ClientId),
    /// Its process stops: a stop-the-world pause (DDIA 2e, "Process Pauses").
    Pauses(ClientId),
    /// Its process goes on.
    Wakes(ClientId),
    /// Its whole machine sleeps, the clock included.
    IsSuspended(ClientId),
    /// Its machine is awake again.
    Resumes(ClientId),
    /// The lock service takes its lease back.
    LeaseExpires(ClientId),
    /// Its write reaches storage at once.
    Writes(ClientId, Data),
    /// Its write leaves now and is delayed in the network.
    Sends(ClientId, Data),
    /// Its oldest packet in flight reaches storage.
    PacketArrives(ClientId),
    /// Its oldest packet in flight that carries this reaches storage, overtaking the others.
    PacketWithArrives(ClientId, Data),
    /// It tells storage its token before any data.
    AnnouncesToken(ClientId),
    /// It asks its own memory and timer whether it still has the lease.
    ChecksLease(ClientId),
    /// STONITH: nothing of its own happens from here on.
    IsPoweredOff(ClientId),
    /// STONITH that gets no answer, and has no effect.
    CannotBePoweredOff(ClientId),
    /// Storage restarts without having persisted its `max_token`.
    StorageForgetsMaxToken,
    /// The lock service restarts, and counts from the first token again.
    LockServiceForgetsCounter,
    /// The lock service fails over: the lease is free again, and nobody told its client.
    LockServiceForgetsHolder,
}

/// One form of the step language.
pub struct Form {
    /// How the step is written: `C` stands for a client, `'data'` for the data.
    pub text: &'static str,
    build: Build,
}

/// The step that a form builds, from what its text leaves open.
enum Build {
    Nothing(Step),
    Client(fn(ClientId) -> Step),
    ClientAndData(fn(ClientId, Data) -> Step),
}

/// Every form of the step language, in the order in which the README tells them.
pub const FORMS: &[Form] = &[
    client("C acquires the lease", Step::Acquires),
    client("C renews the lease", Step::Renews),
    client("C releases the lease", Step::Releases),
    client("C pauses", Step::Pauses),
    client("C wakes", Step::Wakes),
    client("C is suspended", Step::IsSuspended),
    client("C resumes", Step::Resumes),
    client("C's lease expires", Step::LeaseExpires),
    client_and_data("C writes 'data'", Step::Writes),
    client_and_data("C sends 'data'", Step::Sends),
    client("C's packet arrives", Step::PacketArrives),
    client_and_data("C's packet 'data' arrives", Step::PacketWithArrives),
    client("C announces its token", Step::AnnouncesToken),
    client("C checks its lease", Step::ChecksLease),
    client("C is powered off", Step::IsPoweredOff),
    client("C cannot be powered off", Step::CannotBePoweredOff),
    nothing(
        "storage forgets its max_token",
        Step::StorageForgetsMaxToken,
    ),
    nothing(
        "the lock service forgets its counter",
        Step::LockServiceForgetsCounter,
    ),
    nothing(
        "the lock service forgets its holder",
        Step::LockServiceForgetsHolder,
    ),
];

const fn nothing(text: &'static str, step: Step) -> Form {
    Form {
        text,
        build: Build::Nothing(step),
    }
}

const fn client(text: &'static str, step: fn(ClientId) -> Step) -> Form {
    Form {
        text,
        build: Build::Client(step),
    }
}

const fn client_and_data(text: &'static str, step: fn(ClientId, Data) -> Step) -> Form {
    Form {
        text,
        build: Build::ClientAndData(step),
    }
}

/// The longest name of a client, in characters.
pub const LONGEST_NAME: usize = 32;
/// The longest data, in characters.
pub const LONGEST_DATA: usize = 200;

/// How a form's text stands for its client, and for its data.
const CLIENT: &str = "C";
const DATA: &str = "'data'";

/// How much of a mistaken line is compared with the forms.
const LONGEST_COMPARED: usize = 80;

impl Step {
    /// Reads one step. The line has no blanks around it, no line ending and no forbidden character.
    /// Blanks between its words do not matter; those within the data are kept.
    ///
    /// # Errors
    /// Why the line is no step.
    pub fn parse<'script>(
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

    /// The step as the language writes it.
    pub fn display(self, names: &Names) -> StepDisplay<'_> {
        StepDisplay { step: self, names }
    }

    /// What the form of this step leaves open.
    fn parts(self) -> (Option<ClientId>, Option<Data>) {
        match self {
            Step::Acquires(client)
            | Step::Renews(client)
            | Step::Releases(client)
            | Step::Pauses(client)
            | Step::Wakes(client)
            | Step::IsSuspended(client)
            | Step::Resumes(client)
            | Step::LeaseExpires(client)
            | Step::PacketArrives(client)
            | Step::AnnouncesToken(client)
            | Step::ChecksLease(client)
            | Step::IsPoweredOff(client)
            | Step::CannotBePoweredOff(client) => (Some(client), None),
            Step::Writes(client, data)
            | Step::Sends(client, data)
            | Step::PacketWithArrives(client, data) => (Some(client), Some(data)),
            Step::StorageForgetsMaxToken
            | Step::LockServiceForgetsCounter
            | Step::LockServiceForgetsHolder => (None, None),
        }
    }

    /// The client whose process must run for the step to happen: a step of its own. None if the
    /// step happens to a client, or to a service.
    pub fn actor(self) -> Option<ClientId> {
        match self {
            Step::Acquires(client)
            | Step::Renews(client)
            | Step::Releases(client)
            | Step::Pauses(client)
            | Step::Wakes(client)
            | Step::IsSuspended(client)
            | Step::Resumes(client)
            | Step::Writes(client, _)
            | Step::Sends(client, _)
            | Step::AnnouncesToken(client)
            | Step::ChecksLease(client) => Some(client),
            Step::LeaseExpires(_)
            | Step::PacketArrives(_)
            | Step::PacketWithArrives(..)
            | Step::IsPoweredOff(_)
            | Step::CannotBePoweredOff(_)
            | Step::StorageForgetsMaxToken
            | Step::LockServiceForgetsCounter
            | Step::LockServiceForgetsHolder => None,
        }
    }
}

/// Prints a step by the form that builds it.
pub struct StepDisplay<'names> {
    step: Step,
    names: &'names Names,
}

impl fmt::Display for StepDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.step.parts();
        let form = FORMS
            .iter()
            .find(|form| form.build.step(parts) == Some(self.step));
        // A step without a form cannot be parsed either; a test goes through all of them.
        let form = form.ok_or(fmt::Error)?;
        match parts {
            (Some(client), Some(data)) => {
                let (before, after) = form.around_data().ok_or(fmt::Error)?;
                let (client, data) = (self.names.client(client), self.names.data(data));
                write!(f, "{client}{before}'{data}'{after}")
            }
            (Some(client), None) => {
                write!(f, "{}{}", self.names.client(client), form.after_client())
            }
            (None, _) => f.write_str(form.text),
        }
    }
}

impl Build {
    /// The step of these parts, if they are what the form leaves open.
    fn step(&self, parts: (Option<ClientId>, Option<Data>)) -> Option<Step> {
        match (self, parts) {
            (Build::Nothing(step), (None, None)) => Some(*step),
            (Build::Client(step), (Some(client), None)) => Some(step(client)),
            (Build::ClientAndData(step), (Some(client), Some(data))) => Some(step(client, data)),
            (Build::Nothing(_) | Build::Client(_) | Build::ClientAndData(_), _) => None,
        }
    }
}

impl Form {
    /// The text behind the client; all of it if no client is in it.
    fn after_client(&self) -> &'static str {
        match self.build {
            Build::Nothing(_) => self.text,
            Build::Client(_) | Build::ClientAndData(_) => &self.text[CLIENT.len()..],
        }
    }

    /// The texts between client and data, and behind the data, if data are in it.
    fn around_data(&self) -> Option<(&'static str, &'static str)> {
        self.after_client().split_once(DATA)
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
        let missing = Problem::MissingData {
            line: self.text.to_owned(),
            form: form.text,
        };
        let data = self.data.ok_or(missing)?;
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

    /// Why no form is like the line.
    fn diagnose(&self) -> Problem {
        let line = self.text.to_owned();
        let words = format!("{}{}", self.name, self.after_name);
        for form in FORMS {
            let form_text = form.text;
            if form.after_client().trim_start_matches("'s").trim_start() == words {
                return Problem::MissingName {
                    line,
                    form: form_text,
                };
            }
            if let Some((before, after)) = form.around_data() {
                if self.after_name == format!("{}{after}", before.trim_end()) {
                    return Problem::MissingData {
                        line,
                        form: form_text,
                    };
                }
                if self.after_name.starts_with(before) && self.after_name.ends_with(after) {
                    return Problem::MissingQuote {
                        line,
                        form: form_text,
                    };
                }
            }
        }
        Problem::UnknownStep {
            line,
            nearest: self.nearest(&words),
        }
    }

    /// The forms that take the fewest edits to come to from here; all of them if none is near.
    fn nearest(&self, words: &str) -> Vec<&'static str> {
        let with_client = format!("{CLIENT}{}", self.after_name);
        let distances = FORMS.iter().map(|form| match form.build {
            Build::Nothing(_) => edit_distance(words, form.text),
            Build::Client(_) | Build::ClientAndData(_) => edit_distance(&with_client, form.text),
        });
        let distances: Vec<usize> = distances.collect();
        let fewest = distances.iter().copied().min().unwrap_or_default();
        let is_near = |form: &Form| fewest * 2 < form.text.len();
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
