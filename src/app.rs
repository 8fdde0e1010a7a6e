//! Carries out a command: the one place that knows both where scenarios come from and how they are
//! shown.

use std::io::{BufRead, Write};

use anyhow::Result;

use crate::command::Command;
use crate::explore::{Limits, explore};
use crate::run::run;
use crate::script::Scenario;
use crate::script::built_in::BuiltIn;
use crate::source::{LoadedScenario, Source};
use crate::view::exploration::ExplorationReport;
use crate::view::listing::write_list;
use crate::view::palette::Palette;
use crate::view::stepping::step_through;
use crate::view::transcript::Transcript;
use crate::world::storage_service::Fencing;

/// The streams of the process, and how to colour what goes out.
pub struct Terminal<'streams> {
    /// Standard input.
    pub input: &'streams mut dyn BufRead,
    /// Standard output, buffered. Whoever opened it flushes it at the end.
    pub out: &'streams mut dyn Write,
    /// Standard error, for prompts.
    pub prompts: &'streams mut dyn Write,
    /// The colours.
    pub palette: Palette,
}

impl Terminal<'_> {
    /// Carries out the command.
    pub fn execute(&mut self, command: &Command) -> Result<()> {
        match command {
            Command::List => self.list(),
            Command::Run {
                sources,
                fencing,
                step,
            } => self.each(sources, |terminal, story| {
                terminal.tell(story, *fencing, *step)
            }),
            Command::Print { source, fencing } => {
                let story = LoadedScenario::read(source, self.input)?.with_fencing(*fencing);
                Ok(write!(self.out, "{:#}", story.scenario)?)
            }
            Command::Explore { sources } => {
                self.each(sources, |terminal, story| terminal.survey(&story))
            }
        }
    }

    /// Shows the stories, one after another, separated by one blank line.
    fn each(
        &mut self,
        sources: &[Source],
        mut show: impl FnMut(&mut Self, LoadedScenario) -> Result<()>,
    ) -> Result<()> {
        for (index, source) in sources.iter().enumerate() {
            if index > 0 {
                writeln!(self.out)?;
            }
            let story = LoadedScenario::read(source, self.input)?;
            show(self, story)?;
        }
        Ok(())
    }

    fn list(&mut self) -> Result<()> {
        let load = |built_in| -> Result<(BuiltIn, Scenario)> {
            let story = LoadedScenario::read(&Source::BuiltIn(built_in), self.input)?;
            Ok((built_in, story.scenario))
        };
        let entries = BuiltIn::all().map(load).collect::<Result<Vec<_>>>()?;
        Ok(write_list(self.out, self.palette, &entries)?)
    }

    fn tell(&mut self, story: LoadedScenario, fencing: Option<Fencing>, step: bool) -> Result<()> {
        let story = story.with_fencing(fencing);
        let run = run(&story.scenario).map_err(|error| story.locate(&error))?;
        let transcript = Transcript::new(&story.label, &story.scenario, &run, self.palette);
        if step {
            let question = story.scenario.headers.predict.as_deref();
            step_through(&transcript, question, self.input, self.out, self.prompts)?;
        } else {
            transcript.write(self.out)?;
        }
        Ok(())
    }

    fn survey(&mut self, story: &LoadedScenario) -> Result<()> {
        run(&story.scenario).map_err(|error| story.locate(&error))?;
        let explore = |fencing| {
            explore(
                &story.scenario.clone().with_fencing(fencing),
                Limits::DEFAULT,
            )
            .map_err(|given_up| story.give_up(given_up))
        };
        let (unfenced, fenced) = (explore(Fencing::Off)?, explore(Fencing::On)?);
        let survey = ExplorationReport {
            label: &story.label,
            scenario: &story.scenario,
            unfenced,
            fenced,
        };
        Ok(survey.write(self.out, self.palette)?)
    }
}
