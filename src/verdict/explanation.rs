//! Why a run is SAFE or CORRUPTED: one or two lines, each computed from what happened.
//!
//! Two lists of rules, in order of precedence, are the table of contents of all that can be said:
//! [`corrupted::RULES`] of the first write that corrupted, [`safe::RULES`] of a run in which none
//! did. The first rule that applies explains. A rule sees the whole run, back (how did the lease
//! end?) and ahead (who overwrote it later?), and says in one place when it applies, and what. With
//! fencing off no sentence speaks of tokens as if they had been checked.

use crate::script::Scenario;
use crate::verdict::corrupted::{self, Corruption};
use crate::verdict::outcome::Outcome;
use crate::verdict::safe;
use crate::verdict::timeline::{Tenure, Timeline};
use crate::world::event::{Event, Moment, Request};
use crate::world::grant::Token;
use crate::world::names::{ClientId, Data, Names, StorageId};
use crate::world::step::WriteMode;
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

/// Explains the run of the scenario that these events are.
pub fn explain(scenario: &Scenario, events: &[Event]) -> Explanation {
    explain_events(scenario.headers.fencing, &scenario.names, events)
}

/// Explains these events, of clients and storages of these names.
pub fn explain_events(fencing: Fencing, names: &Names, events: &[Event]) -> Explanation {
    let run = Explained {
        timeline: Timeline::new(events),
        fencing,
        names,
    };
    let (outcome, found) = if let Some(corruption) = Corruption::first(&run.timeline) {
        let mut rules = corrupted::RULES.iter();
        let applies = |&(rule, says): &corrupted::Rule| Some((rule, says(&run, &corruption)?));
        (Outcome::Corrupted, rules.find_map(applies))
    } else {
        let mut rules = safe::RULES.iter();
        let applies = |&(rule, says): &safe::Rule| Some((rule, says(&run)?));
        (Outcome::Safe, rules.find_map(applies))
    };
    // The last rule of each list always applies; a test goes through all that a run can come to.
    let (rule, said) = found.unwrap_or(("none", Said::of_the_run("")));
    Explanation {
        outcome,
        rule,
        decided: said.decided,
        because: said.because,
        moreover: said.moreover,
    }
}

/// What a rule says, and of which event.
pub struct Said {
    decided: Option<Moment>,
    because: String,
    moreover: Option<String>,
}

impl Said {
    /// One line of the run as a whole.
    pub fn of_the_run(because: impl Into<String>) -> Said {
        Said {
            decided: None,
            because: because.into(),
            moreover: None,
        }
    }

    /// One line of the event of that moment.
    pub fn of(at: Moment, because: impl Into<String>) -> Said {
        Said {
            decided: Some(at),
            ..Said::of_the_run(because)
        }
    }

    /// And a second line.
    #[must_use]
    pub fn and(self, moreover: impl Into<String>) -> Said {
        Said {
            moreover: Some(moreover.into()),
            ..self
        }
    }
}

/// The token that the request showed instead of its grant's, if it did.
pub fn forged(request: &Request) -> Option<Token> {
    match request.mode {
        WriteMode::WithToken(token) => {
            let own = request.grant.map(|grant| grant.token);
            Some(token).filter(|_| own != Some(token))
        }
        WriteMode::Plain | WriteMode::IfUnchanged | WriteMode::PastTheGuard => None,
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

/// How an accepted write of one grant could come after one of a newer grant, or ahead of it,
/// although tokens were checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gap {
    /// The older grant has the higher token.
    OutOfOrder,
    /// Both grants have one token.
    OneToken,
    /// The storage had seen the newer token, and forgot it.
    Forgotten,
    /// The storage had not seen the newer token.
    NotSeen,
    /// None of these: the guard did not do what it is there for.
    NoGuard,
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

    /// ` at replica3` where there are several storages; nothing where there is one.
    pub fn at(&self, storage: StorageId) -> String {
        if self.has_several_storages() {
            format!(" at {}", self.storage(storage))
        } else {
            String::new()
        }
    }

    /// Why the guard of this storage let the older grant's token pass, or could have.
    pub fn gap(&self, older: &Tenure, newer: &Tenure, storage: StorageId, at: Moment) -> Gap {
        use std::cmp::Ordering::{Equal, Greater, Less};

        let token = newer.grant.token;
        match older.grant.token.cmp(&token) {
            Greater => Gap::OutOfOrder,
            Equal => Gap::OneToken,
            Less => match self.timeline.last_saw(storage, token, at) {
                None => Gap::NotSeen,
                Some(saw) if self.forgot_max_token(storage, saw, at) => Gap::Forgotten,
                Some(_) => Gap::NoGuard,
            },
        }
    }

    /// Whether the storage forgot a `max_token` between the two moments.
    pub fn forgot_max_token(&self, storage: StorageId, from: Moment, to: Moment) -> bool {
        self.timeline.between(from, to).any(|(_, event)| {
            matches!(event, Event::MaxTokenForgotten { storage: it, was: Some(_) } if *it == storage)
        })
    }

    /// Whether the lock service forgot its counter between the two grants.
    pub fn forgot_counter(&self, older: &Tenure, newer: &Tenure) -> bool {
        let mut between = self.timeline.between(older.from, newer.from);
        between.any(|(_, event)| matches!(event, Event::CounterForgotten { .. }))
    }

    /// What there is to learn where the tokens of two grants do not tell which is the newer.
    pub fn unordered_tokens(&self, gap: Gap, older: &Tenure, newer: &Tenure) -> String {
        if gap == Gap::OutOfOrder && self.timeline.tokens_are_unique() {
            "Unique is not ordered: tokens must grow with every grant.".to_owned()
        } else if self.forgot_counter(older, newer) {
            "The lock service forgot its counter: 'higher' is no longer 'later'.".to_owned()
        } else if gap == Gap::OutOfOrder {
            "'Higher' is not 'later': tokens must grow with every grant.".to_owned()
        } else if older.client == newer.client {
            "A new grant needs a new token, even if its owner is the same.".to_owned()
        } else {
            "A token tells grants apart only if no other grant ever gets it.".to_owned()
        }
    }

    /// Whether the client was granted this token before then.
    pub fn was_granted(&self, client: ClientId, token: Token, then: Moment) -> bool {
        let mut granted = self.timeline.granted_before(then).iter();
        granted.any(|it| it.client == client && it.grant.token == token)
    }

    /// When the client's own check last passed, if the check was for this write: made under its
    /// lease, and with no other write of the client in between.
    pub fn check_for(&self, write: &Request) -> Option<Moment> {
        let tenure = self.timeline.tenure(write.seq()?);
        for (at, event) in self.timeline.between(tenure.from, write.left).rev() {
            if let Event::Checked { client, outcome } = event
                && *client == write.client
            {
                return outcome.is_ok().then_some(at);
            }
            let writes = matches!(event, Event::Wrote(other) if other.client == write.client)
                || matches!(event, Event::Sent { client, .. } if *client == write.client);
            if writes {
                return None;
            }
        }
        None
    }

    /// Whether a power-off of the client got no answer between its being granted the lease of this
    /// write and the write.
    pub fn power_off_unanswered(&self, write: &Request) -> bool {
        let Some(seq) = write.seq() else { return false };
        let tenure = self.timeline.tenure(seq);
        let mut between = self.timeline.between(tenure.from, write.left);
        between.any(|(_, event)| {
            matches!(event, Event::PowerOffUnanswered { client } if *client == write.client)
        })
    }

    /// When the client was powered off, if it was.
    pub fn powered_off(&self, of: ClientId) -> Option<Moment> {
        let mut all = self.timeline.all();
        all.find(|(_, event)| matches!(event, Event::PoweredOff { client } if *client == of))
            .map(|(at, _)| at)
    }

    /// Whether the client heard the answer to its request of that moment, and so gave up its lease.
    pub fn heard_answer(&self, of: ClientId, then: Moment) -> Option<bool> {
        self.timeline.after(then).find_map(|(_, event)| {
            if let Event::AnswerHeard {
                client,
                request,
                gave_up,
            } = *event
                && client == of
                && request == then
            {
                Some(gave_up)
            } else {
                None
            }
        })
    }

    /// What the storage last took before then, and what it took next after: the answer to a write, or
    /// a repair.
    pub fn next_taken(
        &self,
        storage: StorageId,
        then: Moment,
    ) -> Option<(Moment, Option<&Request>)> {
        self.timeline.after(then).find_map(|(at, event)| {
            if let Some(write) = event.write() {
                let mut answers = write.answers.iter();
                answers
                    .any(|it| it.storage == storage && it.is_accepted())
                    .then_some((at, Some(write)))
            } else if let Event::Read(read) = event {
                let mut repairs = read.repairs.iter();
                repairs
                    .any(|it| it.storage == storage)
                    .then_some((at, None))
            } else {
                None
            }
        })
    }
}
