//! The step language: one step a line, in words that read like the book.
//!
//! Every form of a step is one row of [`FORMS`]. The row [parses](super::parse_step) the step, prints
//! it, explains it in `--help`, and is the hint that a mistaken line gets. To add a kind of step, add
//! its row: the compiler names every other place.

use std::fmt;

use crate::world::grant::Token;
use crate::world::names::{ClientId, Data, Names, StorageId, Storages};
use crate::world::step::{Step, WriteMode};

/// One form of the step language.
#[derive(Clone, Copy)]
pub struct Form {
    /// How the step is written: `C` stands for a client, `'data'` for the data, `N` for a token, and
    /// `storage` at the beginning for a storage.
    pub text: &'static str,
    /// What the step means, in at most 40 characters.
    pub meaning: &'static str,
    pub(super) build: Build,
}

/// The step that a form builds, from what its text leaves open.
#[derive(Clone, Copy)]
pub(super) enum Build {
    Nothing(Step),
    Storage(fn(StorageId) -> Step),
    Client(fn(ClientId) -> Step),
    ClientAndData(fn(ClientId, Data) -> Step),
    /// The storages stand at the end, behind this word.
    ClientAndStorages(&'static str, fn(ClientId, Storages) -> Step),
    /// The storages stand behind the data, after `to`.
    Write(fn(ClientId, Data, Storages) -> Step),
    /// So they do here; the token comes last.
    WriteWithToken(fn(ClientId, Data, Storages, Token) -> Step),
}

/// Every form of the step language, in the order in which `--help` and the README tell them.
pub const FORMS: &[Form] = &[
    Form::ACQUIRES,
    Form::RENEWS,
    Form::RELEASES,
    Form::PAUSES,
    Form::WAKES,
    Form::IS_SUSPENDED,
    Form::RESUMES,
    Form::LEASE_EXPIRES,
    Form::READS,
    Form::WRITES,
    Form::WRITES_IF_UNCHANGED,
    Form::WRITES_PAST_THE_GUARD,
    Form::WRITES_WITH_TOKEN,
    Form::SENDS,
    Form::PACKET_ARRIVES,
    Form::PACKET_WITH_ARRIVES,
    Form::ANNOUNCES,
    Form::HEARS,
    Form::CHECKS,
    Form::CLOCK_RUNS_SLOW,
    Form::IS_POWERED_OFF,
    Form::CANNOT_BE_POWERED_OFF,
    Form::STORAGE_FORGETS,
    Form::COUNTER_FORGOTTEN,
    Form::HOLDER_FORGOTTEN,
];

impl Form {
    pub(super) const ACQUIRES: Form = Form {
        text: "C acquires the lease",
        meaning: "granted, unless another client holds it",
        build: Build::Client(Step::Acquires),
    };
    pub(super) const RENEWS: Form = Form {
        text: "C renews the lease",
        meaning: "goes on, or is refused if C has lost it",
        build: Build::Client(Step::Renews),
    };
    pub(super) const RELEASES: Form = Form {
        text: "C releases the lease",
        meaning: "gives it back, and forgets it",
        build: Build::Client(Step::Releases),
    };
    pub(super) const PAUSES: Form = Form {
        text: "C pauses",
        meaning: "its process stops, for a GC, say",
        build: Build::Client(Step::Pauses),
    };
    pub(super) const WAKES: Form = Form {
        text: "C wakes",
        meaning: "its process goes on",
        build: Build::Client(Step::Wakes),
    };
    pub(super) const IS_SUSPENDED: Form = Form {
        text: "C is suspended",
        meaning: "its machine sleeps, the clock included",
        build: Build::Client(Step::IsSuspended),
    };
    pub(super) const RESUMES: Form = Form {
        text: "C resumes",
        meaning: "its machine is awake again",
        build: Build::Client(Step::Resumes),
    };
    pub(super) const LEASE_EXPIRES: Form = Form {
        text: "C's lease expires",
        meaning: "the lock service takes the lease back",
        build: Build::Client(Step::LeaseExpires),
    };
    pub(super) const READS: Form = Form {
        text: "C reads",
        meaning: "sees what storage holds",
        build: Build::ClientAndStorages("from", Step::Reads),
    };
    pub(super) const WRITES: Form = Form {
        text: "C writes 'data'",
        meaning: "reaches storage at once",
        build: Build::Write(|client, data, to| Step::Writes(client, data, to, WriteMode::Plain)),
    };
    pub(super) const WRITES_IF_UNCHANGED: Form = Form {
        text: "C writes 'data' if unchanged",
        meaning: "only if nobody else wrote since C looked",
        build: Build::Write(|client, data, to| {
            Step::Writes(client, data, to, WriteMode::IfUnchanged)
        }),
    };
    pub(super) const WRITES_PAST_THE_GUARD: Form = Form {
        text: "C writes 'data' past the guard",
        meaning: "on a path where nobody checks tokens",
        build: Build::Write(|client, data, to| {
            Step::Writes(client, data, to, WriteMode::PastTheGuard)
        }),
    };
    pub(super) const WRITES_WITH_TOKEN: Form = Form {
        text: "C writes 'data' with token N",
        meaning: "shows N instead of its lease's token",
        build: Build::WriteWithToken(|client, data, to, token| {
            Step::Writes(client, data, to, WriteMode::WithToken(token))
        }),
    };
    pub(super) const SENDS: Form = Form {
        text: "C sends 'data'",
        meaning: "leaves now, is delayed in the network",
        build: Build::Write(Step::Sends),
    };
    pub(super) const PACKET_ARRIVES: Form = Form {
        text: "C's packet arrives",
        meaning: "C's oldest packet reaches storage",
        build: Build::Client(Step::PacketArrives),
    };
    pub(super) const PACKET_WITH_ARRIVES: Form = Form {
        text: "C's packet 'data' arrives",
        meaning: "that one does, overtaking the others",
        build: Build::ClientAndData(Step::PacketWithArrives),
    };
    pub(super) const ANNOUNCES: Form = Form {
        text: "C announces its token",
        meaning: "shows storage its token before any data",
        build: Build::ClientAndStorages("to", Step::AnnouncesToken),
    };
    pub(super) const HEARS: Form = Form {
        text: "C hears storage's answer",
        meaning: "learns what came of its latest request",
        build: Build::Client(Step::HearsAnswer),
    };
    pub(super) const CHECKS: Form = Form {
        text: "C checks its lease",
        meaning: "asks its own memory and timer alone",
        build: Build::Client(Step::ChecksLease),
    };
    pub(super) const CLOCK_RUNS_SLOW: Form = Form {
        text: "C's clock runs slow",
        meaning: "its timer no longer notices an expiry",
        build: Build::Client(Step::ClockRunsSlow),
    };
    pub(super) const IS_POWERED_OFF: Form = Form {
        text: "C is powered off",
        meaning: "does nothing of its own from here on",
        build: Build::Client(Step::IsPoweredOff),
    };
    pub(super) const CANNOT_BE_POWERED_OFF: Form = Form {
        text: "C cannot be powered off",
        meaning: "the power-off gets no answer: no effect",
        build: Build::Client(Step::CannotBePoweredOff),
    };
    pub(super) const STORAGE_FORGETS: Form = Form {
        text: "storage forgets its max_token",
        meaning: "it no longer knows its highest token",
        build: Build::Storage(Step::StorageForgetsMaxToken),
    };
    pub(super) const COUNTER_FORGOTTEN: Form = Form {
        text: "the lock service forgets its counter",
        meaning: "it counts from the first token again",
        build: Build::Nothing(Step::LockServiceForgetsCounter),
    };
    pub(super) const HOLDER_FORGOTTEN: Form = Form {
        text: "the lock service forgets its holder",
        meaning: "the lease is free, and no client hears",
        build: Build::Nothing(Step::LockServiceForgetsHolder),
    };

    /// What stands before the storages that the step names, if it can name some.
    pub(super) fn preposition(&self) -> Option<&'static str> {
        match self.build {
            Build::ClientAndStorages(preposition, _) => Some(preposition),
            Build::Write(_) | Build::WriteWithToken(_) => Some("to"),
            Build::Nothing(_) | Build::Storage(_) | Build::Client(_) | Build::ClientAndData(_) => {
                None
            }
        }
    }

    /// The word that says what happens, if a client's name stands before it.
    pub(super) fn verb(&self) -> Option<&'static str> {
        self.after_name().strip_prefix(' ')?.split(' ').next()
    }

    /// What stands for the client or the storage at the beginning of its text, if either does.
    pub(super) fn name(&self) -> &'static str {
        match self.build {
            Build::Nothing(_) => "",
            Build::Storage(_) => STORAGE,
            Build::Client(_)
            | Build::ClientAndData(_)
            | Build::ClientAndStorages(..)
            | Build::Write(_)
            | Build::WriteWithToken(_) => CLIENT,
        }
    }

    /// The text behind the client or the storage; all of it if neither is in it.
    pub(super) fn after_name(&self) -> &'static str {
        &self.text[self.name().len()..]
    }

    /// The texts between client and data, and behind the data, if data are in it.
    pub(super) fn around_data(&self) -> Option<(&'static str, &'static str)> {
        self.after_name().split_once(DATA)
    }

    /// Behind how much of [`Form::after_name`] the storages stand: at its end, or right behind the
    /// data.
    pub(super) fn storages_at(&self) -> usize {
        match self.around_data() {
            Some((before, _)) => before.len() + DATA.len(),
            None => self.after_name().len(),
        }
    }
}

/// How a form's text stands for its client, its data, its storage and its token.
pub(super) const CLIENT: &str = "C";
pub(super) const DATA: &str = "'data'";
pub(super) const TOKEN: &str = "N";
const STORAGE: &str = "storage";

impl Step {
    /// The step as the language writes it.
    pub fn display(self, names: &Names) -> StepDisplay<'_> {
        StepDisplay { step: self, names }
    }

    /// The form that writes the step, and what it leaves open.
    fn form(self) -> (Form, Open) {
        let client = |client| Open {
            client: Some(client),
            ..Open::default()
        };
        let data = |of, data| Open {
            data: Some(data),
            ..client(of)
        };
        let write = |of, written, to| Open {
            storages: Some(to),
            ..data(of, written)
        };
        match self {
            Step::Acquires(of) => (Form::ACQUIRES, client(of)),
            Step::Renews(of) => (Form::RENEWS, client(of)),
            Step::Releases(of) => (Form::RELEASES, client(of)),
            Step::Pauses(of) => (Form::PAUSES, client(of)),
            Step::Wakes(of) => (Form::WAKES, client(of)),
            Step::IsSuspended(of) => (Form::IS_SUSPENDED, client(of)),
            Step::Resumes(of) => (Form::RESUMES, client(of)),
            Step::LeaseExpires(of) => (Form::LEASE_EXPIRES, client(of)),
            Step::Reads(of, from) => {
                let storages = Some(from);
                (
                    Form::READS,
                    Open {
                        storages,
                        ..client(of)
                    },
                )
            }
            Step::Writes(of, written, to, mode) => match mode {
                WriteMode::Plain => (Form::WRITES, write(of, written, to)),
                WriteMode::IfUnchanged => (Form::WRITES_IF_UNCHANGED, write(of, written, to)),
                WriteMode::PastTheGuard => (Form::WRITES_PAST_THE_GUARD, write(of, written, to)),
                WriteMode::WithToken(token) => {
                    let token = Some(token);
                    let open = write(of, written, to);
                    (Form::WRITES_WITH_TOKEN, Open { token, ..open })
                }
            },
            Step::Sends(of, written, to) => (Form::SENDS, write(of, written, to)),
            Step::PacketArrives(of) => (Form::PACKET_ARRIVES, client(of)),
            Step::PacketWithArrives(of, carried) => (Form::PACKET_WITH_ARRIVES, data(of, carried)),
            Step::AnnouncesToken(of, to) => {
                let storages = Some(to);
                (
                    Form::ANNOUNCES,
                    Open {
                        storages,
                        ..client(of)
                    },
                )
            }
            Step::HearsAnswer(of) => (Form::HEARS, client(of)),
            Step::ChecksLease(of) => (Form::CHECKS, client(of)),
            Step::ClockRunsSlow(of) => (Form::CLOCK_RUNS_SLOW, client(of)),
            Step::IsPoweredOff(of) => (Form::IS_POWERED_OFF, client(of)),
            Step::CannotBePoweredOff(of) => (Form::CANNOT_BE_POWERED_OFF, client(of)),
            Step::StorageForgetsMaxToken(storage) => {
                let storage = Some(storage);
                (
                    Form::STORAGE_FORGETS,
                    Open {
                        storage,
                        ..Open::default()
                    },
                )
            }
            Step::LockServiceForgetsCounter => (Form::COUNTER_FORGOTTEN, Open::default()),
            Step::LockServiceForgetsHolder => (Form::HOLDER_FORGOTTEN, Open::default()),
        }
    }
}

/// What the form of a step leaves open.
#[derive(Clone, Copy, Default)]
struct Open {
    client: Option<ClientId>,
    data: Option<Data>,
    storages: Option<Storages>,
    token: Option<Token>,
    storage: Option<StorageId>,
}

/// Prints a step by its form.
pub struct StepDisplay<'names> {
    step: Step,
    names: &'names Names,
}

impl fmt::Display for StepDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StepDisplay { step, names } = self;
        let (form, open) = step.form();
        if let Some(client) = open.client {
            f.write_str(names.client(client))?;
        }
        if let Some(storage) = open.storage {
            f.write_str(names.storage(storage))?;
        }
        let to = StoragesDisplay {
            preposition: form.preposition().unwrap_or_default(),
            // A step that goes to all of them names none.
            storages: open.storages.filter(|&to| to != names.storages()),
            names,
        };
        match (open.data, form.around_data()) {
            (Some(data), Some((before, behind))) => {
                let behind = open.token.and(behind.strip_suffix(TOKEN)).unwrap_or(behind);
                write!(f, "{before}'{}'{to}{behind}", names.data(data))?;
            }
            (_, _) => write!(f, "{}{to}", form.after_name())?,
        }
        open.token.map_or(Ok(()), |token| write!(f, "{token}"))
    }
}

/// Prints the storages that a step names, if any, with what stands before them.
struct StoragesDisplay<'names> {
    preposition: &'static str,
    storages: Option<Storages>,
    names: &'names Names,
}

impl fmt::Display for StoragesDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = self.preposition;
        for storage in self.storages.into_iter().flat_map(Storages::iter) {
            write!(f, " {before} {}", self.names.storage(storage))?;
            before = "and";
        }
        Ok(())
    }
}
