//! Why a run is SAFE or CORRUPTED: one or two lines, each computed from what happened.
//!
//! Two lists of rules, in order of precedence, are the table of contents of all that can be said:
//! [`corrupted::RULES`] of the first write that corrupted, [`safe::RULES`] of a run in which none
//! did. The first rule that applies explains. A rule sees the whole run, back (how did the lease
//! end?) and ahead (who overwrote it later?), and says in one place when it applies, and what. With
//! fencing off no sentence speaks of tokens as if they had been checked.

use crate::verdict::corrupted::{self, Corruption};
use crate::verdict::outcome::Outcome;
use crate::verdict::safe;
use crate::verdict::timeline::Timeline;
use crate::world::event::{Event, Moment};
use crate::world::names::{ClientId, Data, Names, StorageId};
use crate::world::storage_service::Fencing;

/// A verdict and its explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// SAFE or CORRUPTED.
    pub outcome: Outcome,
    /// The name of the rule that explains it.
    pub rule: &'static str,
    /// The event that decided; none if the run as a whole did.
    pub decided: Option<Moment>,
    /// What comes behind the verdict, on its line.
    pub because: String,
    /// The line below, if there is more to say.
    pub moreover: Option<String>,
}

/// Explains a run: these events, under this setting, of clients and storages of these names.
pub fn explain(fencing: Fencing, names: &Names, events: &[Event]) -> Explanation {
    let run = Explained {
        timeline: Timeline::new(events),
        fencing,
        names,
    };
    let (outcome, found) = if let Some(corruption) = Corruption::first(&run.timeline) {
        let mut rules = corrupted::RULES.iter();
        let applies = |&(rule, says): &corrupted::Rule| {
            let lines = says(&run, &corruption)?;
            Some((rule, lines.of(corruption.at)))
        };
        (Outcome::Corrupted, rules.find_map(applies))
    } else {
        let mut rules = safe::RULES.iter();
        let applies = |&(rule, says): &safe::Rule| Some((rule, says(&run)?));
        (Outcome::Safe, rules.find_map(applies))
    };
    // A rule of either list always applies: tests go through all that a run can come to.
    let (rule, said) = found.unwrap_or_else(|| ("none", one("").of_the_run()));
    Explanation {
        outcome,
        rule,
        decided: said.decided,
        because: said.lines.because,
        moreover: said.lines.moreover,
    }
}

/// What a rule says.
pub struct Lines {
    because: String,
    moreover: Option<String>,
}

/// What a rule says, and of which event; of none if it is of the run as a whole.
pub struct Said {
    lines: Lines,
    decided: Option<Moment>,
}

/// One line.
pub fn one(because: impl Into<String>) -> Lines {
    Lines {
        because: because.into(),
        moreover: None,
    }
}

/// Two lines.
pub fn two(because: impl Into<String>, moreover: impl Into<String>) -> Lines {
    Lines {
        because: because.into(),
        moreover: Some(moreover.into()),
    }
}

impl Lines {
    /// That is said of the event of that moment.
    pub fn of(self, at: Moment) -> Said {
        Said {
            lines: self,
            decided: Some(at),
        }
    }

    /// That is said of the run as a whole.
    pub fn of_the_run(self) -> Said {
        Said {
            lines: self,
            decided: None,
        }
    }
}

/// The run that the rules explain.
pub struct Explained<'run> {
    /// What happened.
    pub timeline: Timeline<'run>,
    /// The setting of the toggle.
    pub fencing: Fencing,
    names: &'run Names,
}

impl Explained<'_> {
    /// What the client is called.
    pub fn client(&self, client: ClientId) -> &str {
        self.names.client(client)
    }

    /// What the storage is called.
    pub fn storage(&self, storage: StorageId) -> &str {
        self.names.storage(storage)
    }

    /// The text of the data, in quotes.
    pub fn data(&self, data: Data) -> String {
        format!("'{}'", self.names.data(data))
    }

    /// Whether the scenario has several storages.
    pub fn has_several_storages(&self) -> bool {
        self.names.has_several_storages()
    }

    /// All clients.
    pub fn clients(&self) -> impl Iterator<Item = ClientId> {
        self.names.clients()
    }
}
