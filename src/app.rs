//! Carries out a command: the one place that knows both where scenarios come from and how they are
//! shown.

use std::fmt;
use std::io::{self, BufRead, Write};

use anyhow::{Result, anyhow};

use crate::command::{Command, Format, Picture, Sources, Stories};
use crate::explore::{Exploration, Limits, explore};
use crate::run::{Run, run};
use crate::script::Scenario;
use crate::script::built_in::{BuiltIn, Group};
use crate::script::near_name::{NearName, near_names};
use crate::source::{LoadedScenario, Source};
use crate::text::grouped;
use crate::verdict::Outcome;
use crate::view::diagram::text::Glyphs;
use crate::view::diagram::{Diagram, mermaid, svg, text};
use crate::view::exploration::ExplorationReport;
use crate::view::listing::write_list;
use crate::view::palette::Palette;
use crate::view::stepping::{OnScreen, Prediction, Stepper};
use crate::view::transcript::Transcript;
use crate::world::storage_service::Fencing;

/// The streams of the process, and how to colour what goes out.
pub struct Terminal<'streams> {
    /// Standard input.
    pub input: &'streams mut dyn BufRead,
    /// Standard output, buffered. Whoever opened it flushes it at the end.
    pub out: &'streams mut dyn Write,
    /// Standard error, for prompts and notes.
    pub prompts: &'streams mut dyn Write,
    /// Which of them are at a terminal.
    pub at_terminal: AtTerminal,
    /// The colours.
    pub palette: Palette,
}

/// Which streams are at a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtTerminal {
    /// Standard input.
    pub input: bool,
    /// Standard output.
    pub out: bool,
    /// Standard error, and the terminal can erase a line.
    pub prompts: bool,
}

impl Terminal<'_> {
    /// Carries out the command. All its stories are run or explored before the first is shown.
    pub fn execute(&mut self, command: &Command) -> Result<()> {
        match command {
            Command::List => self.list(),
            Command::Show {
                stories,
                format: Format::Transcript,
                expected,
            } => self.tell(stories, *expected),
            Command::Show {
                stories,
                format: Format::Picture(picture),
                expected,
            } => self.draw(stories, *picture, *expected),
            Command::Show {
                stories,
                format: Format::Script,
                ..
            } => {
                let stories = self.load(stories)?;
                self.each(&stories, |out, story| write!(out, "{:#}", story.scenario))
            }
            Command::Step { stories, expected } => self.step(stories, *expected),
            Command::Explore { stories, expected } => self.survey(stories, *expected),
            Command::ExploreToScript { stories } => self.print_counterexamples(stories),
        }
    }

    fn list(&mut self) -> Result<()> {
        let load = |built_in| Ok((built_in, self.read(&Source::BuiltIn(built_in))?.scenario));
        let entries = BuiltIn::all().map(load).collect::<Result<Vec<_>>>()?;
        Ok(write_list(self.out, self.palette, &entries)?)
    }

    fn tell(&mut self, stories: &Stories, expected: Option<Outcome>) -> Result<()> {
        let told = self.run(stories)?;
        let palette = self.palette;
        let shown = self.each(&told, |out, story| story.transcript(palette).write(out));
        // The verdict counts even if nobody reads on to it.
        judge(expected, told.iter().map(RunStory::judged))?;
        shown?;
        self.note_other_stories(stories)
    }

    fn draw(
        &mut self,
        stories: &Stories,
        picture: Picture,
        expected: Option<Outcome>,
    ) -> Result<()> {
        let run = self.run(stories)?;
        let diagrams = run.iter().map(|story| story.diagram(picture));
        let diagrams = diagrams.collect::<Result<Vec<_>>>()?;
        let palette = self.palette;
        let shown = self.each(&diagrams, |out, diagram| match picture {
            Picture::Diagram => text::write(out, palette, diagram, &Glyphs::UNICODE),
            Picture::Ascii => text::write(out, palette, diagram, &Glyphs::ASCII),
            Picture::Svg => svg::write(out, diagram),
            Picture::Mermaid => mermaid::write(out, diagram),
        });
        judge(expected, run.iter().map(RunStory::judged))?;
        shown
    }

    fn step(&mut self, stories: &Stories, expected: Option<Outcome>) -> Result<()> {
        let run = self.run(stories)?;
        let on_screen = OnScreen {
            answers: self.at_terminal.input,
            prompts: self.at_terminal.input && self.at_terminal.prompts,
        };
        let mut stepper = Stepper::new(self.input, self.prompts, on_screen);
        for (index, story) in run.iter().enumerate() {
            if index > 0 {
                writeln!(self.out)?;
            }
            let transcript = story.transcript(self.palette);
            let told = stepper.step_through(&story.prediction(), &transcript, self.out)?;
            if told.is_break() {
                return judge(expected, run[..index].iter().map(RunStory::judged));
            }
        }
        stepper.sum_up();
        judge(expected, run.iter().map(RunStory::judged))?;
        self.note_other_stories(stories)
    }

    fn survey(&mut self, stories: &Stories, expected: Option<Outcome>) -> Result<()> {
        let explored = self.explore(stories)?;
        let palette = self.palette;
        let shown = self.each(&explored, |out, story| story.report().write(out, palette));
        judge(expected, explored.iter().flat_map(ExploredStory::judged))?;
        shown
    }

    fn print_counterexamples(&mut self, stories: &Stories) -> Result<()> {
        let explored = self.explore(stories)?;
        let scripts: Vec<Scenario> = explored
            .iter()
            .flat_map(|story| story.report().counterexamples())
            .collect();
        if scripts.is_empty() {
            judge(
                Some(Outcome::Corrupted),
                explored.iter().flat_map(ExploredStory::judged),
            )?;
        }
        self.each(&scripts, |out, script| write!(out, "{script}"))
    }

    /// Shows what there is to show, one after another, separated by one blank line.
    fn each<T>(
        &mut self,
        shown: &[T],
        show: impl Fn(&mut dyn Write, &T) -> io::Result<()>,
    ) -> Result<()> {
        for (index, one) in shown.iter().enumerate() {
            if index > 0 {
                writeln!(self.out)?;
            }
            show(self.out, one)?;
        }
        Ok(())
    }

    fn read(&mut self, source: &Source) -> Result<LoadedScenario> {
        if *source == Source::StandardInput && self.at_terminal.input {
            self.note("type a script, one step a line; Ctrl-D at the start of a line ends it");
        }
        let story = LoadedScenario::read(source, self.input)?;
        for NearName { name, meant } in near_names(&story.scenario) {
            self.note(&format!(
                "{name} never asks for the lease; did you mean {meant}?"
            ));
        }
        Ok(story)
    }

    fn load(&mut self, stories: &Stories) -> Result<Vec<LoadedScenario>> {
        let mut loaded = Vec::new();
        for source in stories.sources.all() {
            let story = self.read(&source)?;
            let settings = stories.settings.of(story.scenario.headers.fencing);
            if let Some((&last, others)) = settings.split_last() {
                let under = |&fencing| story.clone().with_fencing(fencing);
                loaded.extend(others.iter().map(under));
                loaded.push(story.with_fencing(last));
            }
        }
        Ok(loaded)
    }

    fn run(&mut self, stories: &Stories) -> Result<Vec<RunStory>> {
        let run_one = |story: LoadedScenario| {
            let run = run(&story.scenario).map_err(|error| story.locate(&error))?;
            Ok(RunStory { story, run })
        };
        self.load(stories)?.into_iter().map(run_one).collect()
    }

    fn explore(&mut self, stories: &Stories) -> Result<Vec<ExploredStory>> {
        let mut explored = Vec::new();
        for source in stories.sources.all() {
            let story = self.read(&source)?;
            run(&story.scenario).map_err(|error| story.locate(&error))?;
            let settings = stories.settings.of(story.scenario.headers.fencing);
            let explore_under = |&fencing| {
                let scenario = story.scenario.clone().with_fencing(fencing);
                let exploration = explore(&scenario, Limits::DEFAULT);
                let exploration = exploration.map_err(|given_up| story.give_up(given_up))?;
                Ok((fencing, exploration))
            };
            let explorations: Result<_> = settings.iter().map(explore_under).collect();
            explored.push(ExploredStory {
                explorations: explorations?,
                source,
                story,
            });
        }
        Ok(explored)
    }

    /// After the default run, says that there is more.
    fn note_other_stories(&mut self, stories: &Stories) -> Result<()> {
        if stories.sources == Sources::Book && self.at_terminal.out {
            self.out.flush()?;
            let others = BuiltIn::all().filter(|built_in| built_in.group() != Group::TheStory);
            let others = others.count();
            self.note(&format!("{others} more stories: fencing-demo --list"));
        }
        Ok(())
    }

    fn note(&mut self, note: &str) {
        // A note that nobody can see is no reason to stop.
        let _ = writeln!(self.prompts, "note: {note}");
    }
}

/// A story that has been run.
struct RunStory {
    story: LoadedScenario,
    run: Run,
}

impl RunStory {
    fn transcript(&self, palette: Palette) -> Transcript<'_> {
        Transcript::new(&self.story.label, &self.story.scenario, &self.run, palette)
    }

    fn diagram(&self, picture: Picture) -> Result<Diagram<'_>> {
        let diagram = Diagram::new(&self.story.label, &self.story.scenario, &self.run);
        let diagram = match picture {
            Picture::Svg => diagram.and_then(|diagram| diagram.of_at_most(svg::MOST_STEPS)),
            Picture::Diagram | Picture::Ascii | Picture::Mermaid => diagram,
        };
        diagram.map_err(|too_large| anyhow!("{}: {too_large}", self.story.origin))
    }

    fn prediction(&self) -> Prediction<'_> {
        Prediction {
            label: &self.story.label,
            fencing: self.story.scenario.headers.fencing,
            question: self.story.scenario.headers.predict.as_deref(),
            outcome: self.outcome(),
        }
    }

    fn outcome(&self) -> Outcome {
        self.run.verdict.outcome()
    }

    fn judged(&self) -> Judged<'_> {
        Judged {
            origin: &self.story.origin,
            fencing: self.story.scenario.headers.fencing,
            outcome: self.outcome(),
            interleavings: None,
        }
    }
}

/// A story whose interleavings have been explored, under each of the settings asked for.
struct ExploredStory {
    source: Source,
    story: LoadedScenario,
    explorations: Vec<(Fencing, Exploration)>,
}

impl ExploredStory {
    fn report(&self) -> ExplorationReport<'_> {
        ExplorationReport {
            label: &self.story.label,
            arguments: self.source.arguments(),
            scenario: &self.story.scenario,
            explorations: &self.explorations,
        }
    }

    /// Each setting is judged by itself: one CORRUPTED interleaving is enough.
    fn judged(&self) -> impl Iterator<Item = Judged<'_>> {
        self.explorations.iter().map(|(fencing, explored)| {
            let (outcome, so_many) = match explored.corrupted {
                0 => (Outcome::Safe, explored.interleavings),
                corrupted => (Outcome::Corrupted, corrupted),
            };
            Judged {
                origin: &self.story.origin,
                fencing: *fencing,
                outcome,
                interleavings: Some((so_many, explored.interleavings)),
            }
        })
    }
}

/// What a story came to under one setting.
struct Judged<'story> {
    origin: &'story str,
    fencing: Fencing,
    outcome: Outcome,
    /// In how many interleavings, of how many, if they were explored.
    interleavings: Option<(u128, u128)>,
}

impl fmt::Display for Judged<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (fencing, outcome) = (self.fencing.word(), self.outcome.word());
        write!(f, "{} with fencing {fencing} is {outcome}", self.origin)?;
        match self.interleavings {
            Some((some, all)) => {
                write!(f, " in {} of {} interleavings", grouped(some), grouped(all))
            }
            None => Ok(()),
        }
    }
}

/// Whether all came to what is expected.
fn judge<'story>(
    expected: Option<Outcome>,
    judged: impl Iterator<Item = Judged<'story>>,
) -> Result<()> {
    let Some(expected) = expected else {
        return Ok(());
    };
    let others = judged.filter(|judged| judged.outcome != expected);
    let others: Vec<String> = others.map(|judged| judged.to_string()).collect();
    if others.is_empty() {
        Ok(())
    } else {
        let (expected, others) = (expected.word(), others.join(" and "));
        Err(anyhow!("expected {expected}, but {others}"))
    }
}
