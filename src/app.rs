//! Carries out a command: the one place that knows both where scenarios come from and how they are
//! shown.

use std::io::{BufRead, Write};

use anyhow::Result;

use crate::command::{Command, Source};
use crate::explore::{Limits, explore};
use crate::listing::write_list;
use crate::palette::Palette;
use crate::run::run;
use crate::stepping::step_through;
use crate::storage_service::Fencing;
use crate::story::Story;
use crate::survey::Survey;
use crate::transcript::Transcript;

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
    ///
    /// # Errors
    /// Whatever a stream fails with, or what is wrong with a script.
    pub fn execute(&mut self, command: &Command) -> Result<()> {
        match command {
            Command::List => write_list(self.out, self.palette),
            Command::Run {
                sources,
                fencing,
                step,
            } => self.each(sources, |terminal, story| {
                terminal.tell(story, *fencing, *step)
            }),
            Command::Print { source, fencing } => {
                let story = Story::read(source, self.input)?.with_fencing(*fencing);
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
        mut show: impl FnMut(&mut Self, Story) -> Result<()>,
    ) -> Result<()> {
        for (index, source) in sources.iter().enumerate() {
            if index > 0 {
                writeln!(self.out)?;
            }
            let story = Story::read(source, self.input)?;
            show(self, story)?;
        }
        Ok(())
    }

    fn tell(&mut self, story: Story, fencing: Option<Fencing>, step: bool) -> Result<()> {
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

    fn survey(&mut self, story: &Story) -> Result<()> {
        run(&story.scenario).map_err(|error| story.locate(&error))?;
        let explore = |fencing| {
            explore(
                &story.scenario.clone().with_fencing(fencing),
                Limits::DEFAULT,
            )
            .map_err(|given_up| story.give_up(given_up))
        };
        let (unfenced, fenced) = (explore(Fencing::Off)?, explore(Fencing::On)?);
        let survey = Survey {
            label: &story.label,
            scenario: &story.scenario,
            unfenced,
            fenced,
        };
        Ok(survey.write(self.out, self.palette)?)
    }
}
