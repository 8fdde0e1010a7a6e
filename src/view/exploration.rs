//! The survey: what exploring every interleaving found, for people who have never heard of it.
//!
//! Orders are counted, not weighed: nothing here is a ratio, for counts of orders are not odds.

use std::io::{self, Write};
use std::iter;

use crate::explore::threads::threads;
use crate::explore::{Blocked, Exploration};
use crate::script::header::Headers;
use crate::script::{Scenario, ScriptStep};
use crate::text::{grouped, wrapped};
use crate::view::palette::{Palette, Role};
use crate::view::transcript::write_heading;
use crate::world::step::Owner;
use crate::world::storage_service::Fencing;

/// What a count below another stands behind.
const INDENT: &str = "             ";
/// How wide it may be, to end in column 80.
const WIDTH: usize = 80 - INDENT.len();

/// The explorations of one scenario.
pub struct ExplorationReport<'story> {
    /// What the scenario's own heading begins with, such as `SCENARIO 1`.
    pub label: &'story str,
    /// What names the scenario on a command line, such as `--scenario 1`.
    pub arguments: String,
    /// The scenario.
    pub scenario: &'story Scenario,
    /// Its interleavings, under one setting of the toggle or both.
    pub explorations: &'story [(Fencing, Exploration)],
}

impl ExplorationReport<'_> {
    /// Writes all of it.
    pub fn write(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        let label = format!("{}, EXPLORED", self.label);
        write_heading(out, palette, &label, self.scenario.headers.title.as_deref())?;
        self.write_steps(out)?;
        for (fencing, explored) in self.explorations {
            write_counts(out, palette, *fencing, explored)?;
        }
        for script in self.counterexamples() {
            self.write_counterexample(out, &script)?;
        }
        self.write_closing(out, palette)
    }

    /// The first CORRUPTED interleaving of each setting that has one, as a script of its own.
    pub fn counterexamples(&self) -> Vec<Scenario> {
        let found = self.explorations.iter().filter_map(|(fencing, explored)| {
            let steps = explored.counterexample.as_ref()?;
            let title = format!(
                "the first CORRUPTED interleaving, fencing {}",
                fencing.word()
            );
            let headers = Headers {
                title: Some(title.into()),
                fencing: *fencing,
                tokens: self.scenario.headers.tokens.clone(),
                predict: None,
                see: None,
            };
            Some(Scenario {
                headers,
                names: self.scenario.names.clone(),
                steps: steps.clone(),
            })
        });
        found.collect()
    }

    /// Writes the steps, by what keeps their order.
    fn write_steps(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "An interleaving is one of the orders in which these steps can come:\n"
        )?;
        let threads = threads(self.scenario).into_iter();
        let (ordered, single): (Vec<_>, Vec<_>) = threads.partition(|thread| thread.len() > 1);
        for thread in ordered {
            self.write_labelled(out, "keeps its order:", &thread)?;
        }
        self.write_labelled(out, "may come any time:", &single.concat())?;
        let is_nobodys = |step: &&ScriptStep| step.step.owner() == Owner::Nobody;
        let without_effect = self.scenario.steps.iter().filter(is_nobodys);
        let without_effect: Vec<ScriptStep> = without_effect.copied().collect();
        self.write_labelled(out, "has no effect:", &without_effect)?;
        writeln!(out)
    }

    fn write_labelled(
        &self,
        out: &mut dyn Write,
        label: &str,
        steps: &[ScriptStep],
    ) -> io::Result<()> {
        let labels = iter::once(label).chain(iter::repeat(""));
        for (label, step) in labels.zip(steps) {
            let step = step.step.display(&self.scenario.names);
            writeln!(out, "  {label:<18}  {step}")?;
        }
        Ok(())
    }

    fn write_counterexample(&self, out: &mut dyn Write, script: &Scenario) -> io::Result<()> {
        let (arguments, fencing) = (&self.arguments, script.headers.fencing.word());
        writeln!(
            out,
            "\nThe first CORRUPTED interleaving with fencing {fencing}, as a script. To run it:"
        )?;
        writeln!(
            out,
            "  fencing-demo {arguments} --fencing {fencing} --explore --format script |"
        )?;
        writeln!(out, "    fencing-demo --script -")?;
        write!(out, "\n{script}")
    }

    fn write_closing(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        let corrupted = |wanted: Fencing| {
            let mut explorations = self.explorations.iter();
            let explored = explorations.find(|(fencing, _)| *fencing == wanted);
            explored.map(|(_, explored)| explored.corrupted > 0)
        };
        let (unfenced, fenced) = (corrupted(Fencing::Off), corrupted(Fencing::On));
        let finding = match (unfenced, fenced) {
            (_, Some(true)) => "Even fenced, some orders of these steps are CORRUPTED.",
            (Some(true), Some(false)) => {
                "Unfenced, some orders of these steps are CORRUPTED; fenced, none is."
            }
            (Some(true), None) => "Unfenced, some orders of these steps are CORRUPTED.",
            (Some(false), Some(false)) => {
                "No order of these steps is CORRUPTED, fenced or unfenced."
            }
            (Some(false), None) => "Unfenced, no order of these steps is CORRUPTED.",
            (None, _) => "Fenced, no order of these steps is CORRUPTED.",
        };
        let role = match fenced.or(unfenced) {
            Some(true) => Role::Corrupted,
            Some(false) | None => Role::Safe,
        };
        let moreover = if unfenced == Some(true) || fenced == Some(true) {
            "Orders are counted, not weighed: these are not odds, and one is enough."
        } else {
            "Other steps may be: add a pause, a packet, or something forgotten."
        };
        writeln!(
            out,
            "\n  >> {}\n     {moreover}",
            palette.style(role).style(finding)
        )
    }
}

/// Writes what there is to count under one setting.
fn write_counts(
    out: &mut dyn Write,
    palette: Palette,
    fencing: Fencing,
    explored: &Exploration,
) -> io::Result<()> {
    let name = format!("{}:", fencing.word());
    let plural = if explored.interleavings == 1 { "" } else { "s" };
    let role = match explored.corrupted {
        0 => Role::Safe,
        _ => Role::Corrupted,
    };
    writeln!(
        out,
        "fencing {name:<4} {} interleaving{plural}, {}",
        grouped(explored.interleavings),
        palette
            .style(role)
            .style(format_args!("{} CORRUPTED", grouped(explored.corrupted)))
    )?;
    let reasons: Vec<&str> = explored.blocked.iter().copied().map(reason).collect();
    let cut_short = format!("cut short: some steps never come ({})", reasons.join(", "));
    for (count, what) in [
        (
            explored.stale_accepted,
            "SAFE although a stale write got in",
        ),
        (explored.update_lost, "SAFE although an update was lost"),
        (explored.cut_short, &cut_short),
    ] {
        if count > 0 {
            for line in wrapped(&format!("{} {what}", grouped(count)), WIDTH) {
                writeln!(out, "{INDENT}{line}")?;
            }
        }
    }
    Ok(())
}

/// Why some steps never come.
fn reason(blocked: Blocked) -> &'static str {
    match blocked {
        Blocked::LeaseHeld => "the lease stays taken",
        Blocked::ClientOff => "a client is off",
        Blocked::OutOfTokens => "no token is left",
        Blocked::Condition => "a client has nothing to wake from",
        Blocked::NoLease => "no lease is left to expire",
        Blocked::NoPacket => "no packet is left to arrive",
        Blocked::NothingSeen => "a client has seen nothing that could be unchanged",
        Blocked::NoAnswer => "no answer is left to hear",
    }
}
