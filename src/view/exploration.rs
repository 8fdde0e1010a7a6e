//! The survey: what exploring every interleaving found, with fencing off and on.
//!
//! Orders are counted, not weighed: nothing here is a ratio, for counts of orders are not odds.

use std::io::{self, Write};

use crate::explore::threads::threads;
use crate::explore::{Blocked, Exploration};
use crate::script::header::Headers;
use crate::script::{Scenario, ScriptStep};
use crate::text::grouped;
use crate::view::palette::Palette;
use crate::view::transcript::write_heading;
use crate::world::step::Owner;
use crate::world::storage_service::Fencing;

/// The explorations of one scenario.
pub struct ExplorationReport<'story> {
    /// What the scenario's own heading begins with, such as `SCENARIO 1`.
    pub label: &'story str,
    /// The scenario.
    pub scenario: &'story Scenario,
    /// Its interleavings with fencing off.
    pub unfenced: Exploration,
    /// Its interleavings with fencing on.
    pub fenced: Exploration,
}

impl ExplorationReport<'_> {
    /// Writes all of it.
    pub fn write(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        let label = format!("{}, EVERY INTERLEAVING", self.label);
        write_heading(out, palette, &label, self.scenario.headers.title.as_deref())?;
        self.write_threads(out)?;
        writeln!(out)?;
        for (name, explored) in [("off:", &self.unfenced), ("on: ", &self.fenced)] {
            let style = if explored.corrupted == 0 {
                palette.safe
            } else {
                palette.corrupted
            };
            let corrupted = format!("{} CORRUPTED", grouped(explored.corrupted));
            let interleavings = counted(explored.interleavings, "interleaving");
            writeln!(
                out,
                "fencing {name} {interleavings}, {}",
                style.style(corrupted)
            )?;
        }
        for (fencing, explored) in [(Fencing::Off, &self.unfenced), (Fencing::On, &self.fenced)] {
            if let Some(steps) = &explored.counterexample {
                write!(out, "\n{}", self.counterexample(fencing, steps))?;
            }
        }
        writeln!(out)?;
        self.write_closing(out, palette)
    }

    fn write_threads(&self, out: &mut dyn Write) -> io::Result<()> {
        let Scenario { names, steps, .. } = self.scenario;
        for (number, thread) in (1..).zip(threads(self.scenario)) {
            let mut label = format!("thread {number}:");
            for step in thread {
                writeln!(out, "  {label:<11} {}", step.step.display(names))?;
                label.clear();
            }
        }
        let is_nobodys = |step: &&ScriptStep| step.step.owner() == Owner::Nobody;
        for step in steps.iter().filter(is_nobodys) {
            writeln!(out, "  no effect:  {}", step.step.display(names))?;
        }
        Ok(())
    }

    /// The interleaving as a script of its own.
    fn counterexample(&self, fencing: Fencing, steps: &[ScriptStep]) -> Scenario {
        let title = format!(
            "the first CORRUPTED interleaving, fencing {}",
            fencing.word()
        );
        let headers = Headers {
            title: Some(title.into()),
            fencing,
            tokens: self.scenario.headers.tokens.clone(),
            predict: None,
            see: None,
        };
        Scenario {
            headers,
            names: self.scenario.names.clone(),
            steps: steps.to_vec(),
        }
    }

    fn write_closing(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        let ExplorationReport {
            unfenced, fenced, ..
        } = self;
        let (style, finding) = match (unfenced.corrupted, fenced.corrupted) {
            (0, 0) => (
                palette.safe,
                "No order of these steps is CORRUPTED, fenced or unfenced.",
            ),
            (_, 0) => (
                palette.safe,
                "Unfenced, some orders of these steps are CORRUPTED; fenced, none is.",
            ),
            (_, _) => (
                palette.corrupted,
                "Even fenced, some orders of these steps are CORRUPTED (first: above).",
            ),
        };
        writeln!(out, "  >> {}", style.style(finding))?;
        if unfenced.corrupted == 0 && fenced.corrupted == 0 {
            writeln!(
                out,
                "     Other steps may be: add a pause, a packet, or something forgotten."
            )?;
        } else {
            writeln!(
                out,
                "     Orders are counted, not weighed: these are not odds, and one is enough."
            )?;
        }
        if fenced.stale_accepted > 0 {
            // Where some orders are CORRUPTED, these are counted among the others.
            let which = if fenced.corrupted > 0 {
                "SAFE fenced order"
            } else {
                "fenced order"
            };
            writeln!(
                out,
                "     In {} a stale write got in.",
                counted(fenced.stale_accepted, which)
            )?;
        }
        if fenced.cut_short > 0 {
            let reasons: Vec<&str> = fenced
                .blocked
                .iter()
                .map(|&blocked| reason(blocked))
                .collect();
            writeln!(
                out,
                "     In {} of the {}, some steps never came ({}).",
                grouped(fenced.cut_short),
                grouped(fenced.interleavings),
                reasons.join(", ")
            )?;
        }
        Ok(())
    }
}

fn reason(blocked: Blocked) -> &'static str {
    match blocked {
        Blocked::LeaseHeld => "no free lease",
        Blocked::ClientOff => "a client off",
        Blocked::OutOfTokens => "no token left",
        Blocked::Condition => "nothing to wake from",
        Blocked::NoLease => "no lease to expire",
        Blocked::NoPacket => "no packet in flight",
        Blocked::NothingSeen => "nothing seen that could be unchanged",
        Blocked::NoAnswer => "no answer to hear",
    }
}

/// The number and what it counts, in the plural unless it is one.
fn counted(number: u128, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}
