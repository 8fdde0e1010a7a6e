//! The step language: one step a line, in words that read like the book.
//!
//! Every form of a step is one row of [`FORMS`]. The row [parses](super::parse_step) the step, prints
//! it, and is the hint that a mistaken line gets. To add a kind of step, add its row: the compiler
//! names every other place.

use std::fmt;

use crate::world::names::{ClientId, Data, Names};
use crate::world::step::Step;

/// One form of the step language.
pub struct Form {
    /// How the step is written: `C` stands for a client, `'data'` for the data.
    pub text: &'static str,
    pub(crate) build: Build,
}

/// The step that a form builds, from what its text leaves open.
pub(crate) enum Build {
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

/// How a form's text stands for its client, and for its data.
pub(crate) const CLIENT: &str = "C";
pub(crate) const DATA: &str = "'data'";

impl Step {
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
    pub(crate) fn after_client(&self) -> &'static str {
        match self.build {
            Build::Nothing(_) => self.text,
            Build::Client(_) | Build::ClientAndData(_) => &self.text[CLIENT.len()..],
        }
    }

    /// The texts between client and data, and behind the data, if data are in it.
    pub(crate) fn around_data(&self) -> Option<(&'static str, &'static str)> {
        self.after_client().split_once(DATA)
    }
}
