//! The command line. No type of the argument parser goes beyond this module: what comes out is a
//! [`Command`].

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, ValueEnum};

use crate::command::Command;
use crate::script::built_in::BuiltIn;
use crate::script::form::FORMS;
use crate::source::Source;
use crate::text::printable;
use crate::view::palette::ColorChoice;
use crate::world::storage_service::Fencing;

/// What the command line comes to.
#[derive(Debug)]
pub struct Invocation {
    /// What to do.
    pub command: Command,
    /// What `--color` says.
    pub color: ColorChoice,
}

/// What the command line asks for instead of a [`Command`]: help, the version, or better arguments.
#[derive(Debug)]
pub struct Answer {
    /// The whole text, with its last newline.
    pub text: String,
    /// Whether it tells of a mistake.
    pub is_error: bool,
}

/// Reads the command line, of which the first argument is the program's name.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Invocation, Answer> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let parsed = Arguments::try_parse_from(&arguments).and_then(Arguments::into_invocation);
    parsed.map_err(|error| {
        let error = answer(&arguments).unwrap_or(error);
        Answer {
            text: error.render().to_string(),
            is_error: error.use_stderr(),
        }
    })
}

/// What to answer to arguments that are no command, with what only an answer needs: the end of the
/// long help, and arguments that do not drive the terminal when a message repeats them.
fn answer(arguments: &[OsString]) -> Option<clap::Error> {
    let forms: Vec<&str> = FORMS.iter().map(|form| form.text).collect();
    let long_help = LONG_HELP.replace("{steps}", &forms.join("\n  "));
    let command = Arguments::command().after_long_help(long_help);
    let shown = arguments
        .iter()
        .map(|argument| printable(&argument.to_string_lossy()));
    command.try_get_matches_from(shown).err()
}

#[derive(Parser)]
#[command(name = "fencing-demo", bin_name = "fencing-demo", version, about, long_about = LONG_ABOUT)]
struct Arguments {
    /// Run one built-in scenario
    #[arg(long, value_name = "N", value_parser = scenario_number, group = "source")]
    scenario: Option<BuiltIn>,

    /// Run your own script ('-' reads standard input)
    #[arg(long, value_name = "FILE", group = "source")]
    script: Option<PathBuf>,

    /// Switch the guard in storage on or off, whatever the scenario says
    #[arg(long, value_name = "WHETHER")]
    fencing: Option<Toggle>,

    /// Predict first, then press Enter for each step
    #[arg(long)]
    step: bool,

    /// Print the steps in another format, to edit them
    #[arg(
        long,
        value_name = "FORMAT",
        requires = "source",
        conflicts_with = "step"
    )]
    format: Option<Format>,

    /// Count every interleaving of the steps, with fencing off and on
    #[arg(long, conflicts_with_all = ["fencing", "step", "format"])]
    explore: bool,

    /// List all scenarios, and where to read about them
    #[arg(long, conflicts_with_all = ["scenario", "script", "fencing", "step", "format", "explore"])]
    list: bool,

    /// When to use colour (auto unless you say otherwise)
    #[arg(long, value_name = "WHEN")]
    color: Option<When>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Toggle {
    On,
    Off,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// The step language, as --script reads it
    Script,
}

#[derive(Clone, Copy, ValueEnum)]
enum When {
    /// If standard output is a terminal
    Auto,
    Always,
    Never,
}

impl Arguments {
    fn into_invocation(self) -> Result<Invocation, clap::Error> {
        let fencing = self.fencing.map(|toggle| match toggle {
            Toggle::On => Fencing::On,
            Toggle::Off => Fencing::Off,
        });
        let color = match self.color {
            None | Some(When::Auto) => ColorChoice::Auto,
            Some(When::Always) => ColorChoice::Always,
            Some(When::Never) => ColorChoice::Never,
        };
        let source = match (self.scenario, self.script) {
            (Some(built_in), _) => Some(Source::BuiltIn(built_in)),
            (None, Some(path)) if path.as_os_str() == "-" => Some(Source::StandardInput),
            (None, Some(path)) => Some(Source::File(path)),
            (None, None) => None,
        };
        if self.step && source == Some(Source::StandardInput) {
            return Err(Arguments::command().error(
                ErrorKind::ArgumentConflict,
                "the argument '--step' cannot be used with '--script -': both read standard input",
            ));
        }
        let command = match (self.list, self.explore, self.format, source) {
            (true, ..) => Command::List,
            (false, true, _, source) => Command::Explore {
                sources: or_book(source),
            },
            (false, false, Some(Format::Script), Some(source)) => {
                Command::Print { source, fencing }
            }
            (false, false, _, source) => Command::Run {
                sources: or_book(source),
                fencing,
                step: self.step,
            },
        };
        Ok(Invocation { command, color })
    }
}

/// The source, or the book's three scenarios if none was named.
fn or_book(source: Option<Source>) -> Vec<Source> {
    source.map_or_else(
        || BuiltIn::book().map(Source::BuiltIn).collect(),
        |source| vec![source],
    )
}

fn scenario_number(argument: &str) -> Result<BuiltIn, String> {
    let mut all = BuiltIn::all();
    let built_in = all.find(|built_in| built_in.number().to_string() == argument);
    built_in.ok_or_else(|| {
        let last = BuiltIn::all().last().map_or(0, BuiltIn::number);
        format!("the scenarios are 1 to {last}; --list shows them")
    })
}

const LONG_ABOUT: &str = "\
See why a lease is not enough, and a fencing token is.

A client holds a lease, pauses for too long, and wakes as a zombie: it writes
although the lease went to another client long ago. Without fencing, storage
takes the stale write, and the data are corrupted. With fencing, the write
carries the token of its lease, and storage rejects it: token 33 < 34.

The program runs such stories step by step, through a lock service and a
storage service, and prints what happened. The same command prints the same
bytes every time. Without arguments it tells the three stories of Designing
Data-Intensive Applications (2nd ed.), chapter 9.";

const LONG_HELP: &str = "\
Examples:
  fencing-demo                              the book's three scenarios
  fencing-demo --scenario 2                 one of them
  fencing-demo --scenario 3 --fencing off   the same steps, the guard switched off
  fencing-demo --scenario 1 --step          predict first, then step through it
  fencing-demo --list                       all scenarios
  fencing-demo --scenario 1 --format script > mine.script
  fencing-demo --script mine.script         your own steps, after you edited them
  fencing-demo --scenario 1 --explore       every order of the steps, counted

Figures of the book (2nd ed.):
  9-4   --scenario 1
  9-5   --scenario 3 --fencing off; with the sender gone for good: --scenario 6
  9-6   --scenario 2

Steps of a script, one a line, where C is a client:
  {steps}

The verdict:
  CORRUPTED   storage accepted a write made under an older grant of the lease
              than one whose write it had accepted before: 33's after 34's, or
              one without any lease after a leaseholder's
  SAFE        it did not. SAFE says nothing about lost updates, stale reads, or
              whether the rightful leaseholder could write.

Exit status: 0 whatever the verdict; 1 if a script is wrong or the output
cannot be written; 2 if the command line is wrong.";
