//! The built-in scenarios: one small text file each, in the step language.
//!
//! To add one, write its file, list it in its group, and bless its golden files.

use crate::script::Scenario;
use crate::script::error::ScriptError;

/// What scenarios have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// The story that the book tells in three figures.
    TheStory,
    /// What if one thing in it were different?
    WhatIf,
    /// What else the book's section says.
    TheRestOfTheSection,
    /// Public incidents, each reduced to its interleaving.
    FromTheField,
}

/// The scripts of each group. They are numbered from 1, in this order.
const SCRIPTS: &[(Group, &[&str])] = &[
    (
        Group::TheStory,
        &[
            include_str!("scenarios/01-zombie.script"),
            include_str!("scenarios/02-fenced.script"),
            include_str!("scenarios/03-delayed-packet.script"),
        ],
    ),
    (
        Group::WhatIf,
        &[
            include_str!("scenarios/04-stonith.script"),
            include_str!("scenarios/05-stonith-unanswered.script"),
            include_str!("scenarios/06-packet-outlives-sender.script"),
            include_str!("scenarios/07-check-then-pause.script"),
            include_str!("scenarios/08-suspended-machine.script"),
            include_str!("scenarios/09-unique-tokens.script"),
            include_str!("scenarios/10-storage-forgets.script"),
            include_str!("scenarios/11-one-token-twice.script"),
            include_str!("scenarios/12-window.script"),
            include_str!("scenarios/13-polite-release.script"),
            include_str!("scenarios/14-belief.script"),
        ],
    ),
    (
        Group::TheRestOfTheSection,
        &[
            include_str!("scenarios/15-stonith-too-late.script"),
            include_str!("scenarios/16-stonith-both.script"),
            include_str!("scenarios/17-storages-answer.script"),
            include_str!("scenarios/18-read-before-write.script"),
            include_str!("scenarios/19-conditional-write.script"),
            include_str!("scenarios/20-conditional-reread.script"),
            include_str!("scenarios/21-replicas.script"),
            include_str!("scenarios/22-two-services.script"),
            include_str!("scenarios/23-slow-clock.script"),
            include_str!("scenarios/24-not-a-signature.script"),
        ],
    ),
    (
        Group::FromTheField,
        &[
            include_str!("scenarios/25-failover.script"),
            include_str!("scenarios/26-standby.script"),
            include_str!("scenarios/27-fence-first.script"),
            include_str!("scenarios/28-one-grant.script"),
            include_str!("scenarios/29-own-old-token.script"),
            include_str!("scenarios/30-lock-delay.script"),
            include_str!("scenarios/31-old-picture.script"),
            include_str!("scenarios/32-past-the-guard.script"),
        ],
    ),
];

impl Group {
    /// All groups, in the order of their scenarios' numbers.
    pub fn all() -> impl Iterator<Item = Group> {
        SCRIPTS.iter().map(|&(group, _)| group)
    }

    /// What the list calls it.
    pub fn heading(self) -> &'static str {
        match self {
            Group::TheStory => {
                "The story of Designing Data-Intensive Applications, 2nd ed. (DDIA 2e), chapter 9"
            }
            Group::WhatIf => "What if ...",
            Group::TheRestOfTheSection => "The rest of the section",
            Group::FromTheField => "From the field",
        }
    }

    /// Its scenarios, in the order of their numbers.
    pub fn scenarios(self) -> impl Iterator<Item = BuiltIn> {
        BuiltIn::all().filter(move |built_in| built_in.group == self)
    }
}

/// A built-in scenario, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuiltIn {
    group: Group,
    number: usize,
    script: &'static str,
}

impl BuiltIn {
    /// All of them, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = BuiltIn> {
        let grouped = SCRIPTS
            .iter()
            .flat_map(|&(group, scripts)| scripts.iter().map(move |&script| (group, script)));
        (1..).zip(grouped).map(|(number, (group, script))| BuiltIn {
            group,
            number,
            script,
        })
    }

    /// Its number, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// Its group.
    pub fn group(self) -> Group {
        self.group
    }

    /// Reads its script. It is right: a test reads all of them.
    pub fn scenario(self) -> Result<Scenario, ScriptError> {
        Scenario::parse(self.script)
    }
}
