//! The command line. No type of the argument parser goes beyond this module: what comes out is a
//! [`Command`].

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches};

use crate::command::{Command, Format, Picture, Settings, Sources, Stories};
use crate::script::built_in::BuiltIn;
use crate::script::reference::reference;
use crate::source::Source;
use crate::text::printable;
use crate::verdict::Outcome;
use crate::view::palette::ColorChoice;

/// What the command line comes to.
#[derive(Debug)]
pub struct Invocation {
    /// What to do.
    pub command: Command,
    /// What `--color` says.
    pub color: ColorChoice,
}

/// What the command line is answered with instead of a [`Command`]'s being carried out: a whole text,
/// with its last newline.
#[derive(Debug)]
pub enum Answer {
    /// Help or the version, as asked for.
    Information(String),
    /// What is wrong with the arguments.
    Mistake(String),
}

/// Reads the command line, of which the first argument is the program's name.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Invocation, Answer> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let matches = definition().try_get_matches_from(&arguments);
    let invocation = matches.and_then(|matches| {
        let arguments = Arguments::new(matches);
        match arguments.refusal() {
            Some(why) => Err(definition().error(ErrorKind::ArgumentConflict, why)),
            None => Ok(arguments.into_invocation()),
        }
    });
    invocation.map_err(|error| {
        let error = answer(&arguments).unwrap_or(error);
        let text = error.render().to_string();
        if error.use_stderr() {
            Answer::Mistake(text)
        } else {
            Answer::Information(text)
        }
    })
}

/// What to answer to arguments that are no command, with what only an answer needs: the long help, a
/// tip, and arguments that do not drive the terminal when a message repeats them.
fn answer(arguments: &[OsString]) -> Option<clap::Error> {
    let shown = arguments.iter().map(|argument| argument.to_string_lossy());
    let shown: Vec<String> = shown.map(|argument| printable(&argument)).collect();
    let long_help = LONG_HELP.replace("{script}", &reference());
    let mut definition = definition().after_long_help(long_help);
    for &(option, help) in LONG_HELPS {
        definition = definition.mut_arg(option, |it| it.long_help(help));
    }
    let mut error = definition.try_get_matches_from(&shown).err()?;
    if let Some(tip) = tip(&error, &shown) {
        let tips = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, tips);
    }
    Some(error)
}

/// Each option: its name, what stands for its value, and its help. Cheap, for it is built at every
/// start: a flag is an option without a value, because the parser's own flags cost a default each.
fn definition() -> clap::Command {
    let flag = |name, help: &'static str| {
        let flag = Arg::new(name).long(name).action(ArgAction::Set);
        flag.num_args(0).help(help)
    };
    let option = |name, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    clap::Command::new("fencing-demo")
        .bin_name("fencing-demo")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .arg(
            option("scenario", "N", "Run one built-in scenario")
                .allow_negative_numbers(true)
                .value_parser(scenario_number),
        )
        .arg(
            option(
                "script",
                "FILE",
                "Run your own script ('-': standard input)",
            )
            .value_parser(clap::value_parser!(PathBuf)),
        )
        .arg(
            option("fencing", "on|off|both", "Switch the guard in storage")
                .value_parser(|word: &str| one_of(SETTINGS, word)),
        )
        .arg(flag("step", "Predict first, then Enter for each step"))
        .arg(
            option("format", "FORMAT", "Show it as a picture or a script")
                .value_parser(|word: &str| one_of(FORMATS, word)),
        )
        .arg(flag("explore", "Count every order of the steps"))
        .arg(
            option("expect", "safe|corrupted", "Fail unless it ends like this")
                .value_parser(|word: &str| one_of(OUTCOMES, word)),
        )
        .arg(flag("list", "List all scenarios"))
        .arg(
            option("color", "auto|always|never", "When to use colour")
                .value_parser(|word: &str| one_of(COLORS, word)),
        )
}

/// The words that an option takes, and what each stands for.
type Words<T> = &'static [(&'static str, T)];

const SETTINGS: Words<Settings> = &[
    ("on", Settings::On),
    ("off", Settings::Off),
    ("both", Settings::Both),
];
const FORMATS: Words<Format> = &[
    ("transcript", Format::Transcript),
    ("diagram", Format::Picture(Picture::Diagram)),
    ("ascii", Format::Picture(Picture::Ascii)),
    ("svg", Format::Picture(Picture::Svg)),
    ("mermaid", Format::Picture(Picture::Mermaid)),
    ("script", Format::Script),
];
const OUTCOMES: Words<Outcome> = &[("safe", Outcome::Safe), ("corrupted", Outcome::Corrupted)];
const COLORS: Words<ColorChoice> = &[
    ("auto", ColorChoice::Auto),
    ("always", ColorChoice::Always),
    ("never", ColorChoice::Never),
];

fn one_of<T: Copy>(words: Words<T>, argument: &str) -> Result<T, String> {
    let found = words.iter().find(|(word, _)| *word == argument);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
        let (last, others) = words.split_last().unwrap_or((&"", &[]));
        format!("expected {} or {last}", others.join(", "))
    })
}

fn scenario_number(argument: &str) -> Result<BuiltIn, String> {
    numbered(argument).ok_or_else(|| {
        let last = BuiltIn::all().last().map_or(0, BuiltIn::number);
        format!("the scenarios are 1 to {last}; --list shows them")
    })
}

fn numbered(argument: &str) -> Option<BuiltIn> {
    BuiltIn::all().find(|built_in| built_in.number().to_string() == argument)
}

/// The arguments, each of which is right by itself.
struct Arguments {
    scenario: Option<BuiltIn>,
    script: Option<PathBuf>,
    fencing: Option<Settings>,
    step: bool,
    format: Option<Format>,
    explore: bool,
    expect: Option<Outcome>,
    list: bool,
    color: Option<ColorChoice>,
}

impl Arguments {
    fn new(mut matches: ArgMatches) -> Self {
        Arguments {
            scenario: matches.remove_one("scenario"),
            script: matches.remove_one("script"),
            fencing: matches.remove_one("fencing"),
            step: matches.contains_id("step"),
            format: matches.remove_one("format"),
            explore: matches.contains_id("explore"),
            expect: matches.remove_one("expect"),
            list: matches.contains_id("list"),
            color: matches.remove_one("color"),
        }
    }

    /// What does not go together, and why.
    fn refusal(&self) -> Option<String> {
        let Arguments {
            step,
            explore,
            list,
            ..
        } = *self;
        let scenario = self.scenario.is_some();
        let script = self.script.is_some();
        let expect = self.expect.is_some();
        let both = self.fencing == Some(Settings::Both);
        let to_transcript = self.format == Some(Format::Transcript);
        let to_script = self.format == Some(Format::Script);
        let picture = self.format.and_then(to_picture);
        let to_svg = self.format == Some(Format::Picture(Picture::Svg));
        let refusals = [
            (
                scenario && script,
                SCENARIO,
                SCRIPT,
                "a run is of one or the other",
            ),
            (list && scenario, "--list", SCENARIO, IT_LISTS),
            (list && script, "--list", SCRIPT, IT_LISTS),
            (list && self.fencing.is_some(), "--list", FENCING, IT_LISTS),
            (list && step, "--list", "--step", IT_LISTS),
            (list && self.format.is_some(), "--list", FORMAT, IT_LISTS),
            (list && explore, "--list", "--explore", IT_LISTS),
            (list && expect, "--list", EXPECT, IT_LISTS),
            (
                explore && step,
                "--explore",
                "--step",
                "it counts many orders of the steps, and --step reveals one",
            ),
            (
                explore && to_transcript,
                "--explore",
                "--format transcript",
                "it counts many orders of the steps, and a transcript tells one",
            ),
            (
                explore && picture.is_some(),
                "--explore",
                picture.unwrap_or(FORMAT),
                "it counts many orders of the steps, and a picture shows one",
            ),
            (
                step && picture.is_some(),
                "--step",
                picture.unwrap_or(FORMAT),
                "it reveals step after step, and a picture shows them all",
            ),
            (
                step && to_script,
                "--step",
                "--format script",
                "it tells a story, and a script is only printed",
            ),
            (
                step && self.script_comes_in(),
                "--step",
                "--script -",
                "both read standard input",
            ),
            (
                expect && to_script,
                EXPECT,
                "--format script",
                "a script is only printed",
            ),
            (
                both && to_script && !explore,
                "--fencing both",
                "--format script",
                "a script has one setting",
            ),
            (
                both && to_svg,
                "--fencing both",
                "--format svg",
                "an SVG file holds one picture",
            ),
        ];
        let mut refusals = refusals.into_iter();
        if let Some((_, one, other, why)) = refusals.find(|(holds, ..)| *holds) {
            return Some(format!(
                "the argument '{one}' cannot be used with '{other}': {why}"
            ));
        }
        self.lack_of_a_story()
    }

    /// What is of one story, if none was named.
    fn lack_of_a_story(&self) -> Option<String> {
        let (argument, why) = match self.format? {
            Format::Script => ("--format script", "a script is one story"),
            Format::Picture(Picture::Svg) => ("--format svg", "an SVG file holds one picture"),
            Format::Transcript
            | Format::Picture(Picture::Diagram | Picture::Ascii | Picture::Mermaid) => return None,
        };
        (self.scenario.is_none() && self.script.is_none())
            .then(|| format!("the argument '{argument}' needs '{SCENARIO}' or '{SCRIPT}': {why}"))
    }

    /// Whether the script comes in on standard input.
    fn script_comes_in(&self) -> bool {
        let mut script = self.script.iter();
        script.any(|path| path.as_os_str() == "-")
    }

    /// What they ask for, if all of them go together.
    fn into_invocation(self) -> Invocation {
        let script_comes_in = self.script_comes_in();
        let sources = match (self.scenario, self.script) {
            (Some(built_in), _) => Sources::One(Source::BuiltIn(built_in)),
            (None, Some(_)) if script_comes_in => Sources::One(Source::StandardInput),
            (None, Some(path)) => Sources::One(Source::File(path)),
            (None, None) => Sources::Book,
        };
        let settings = match (self.fencing, self.explore) {
            (Some(settings), _) => settings,
            (None, true) => Settings::Both,
            (None, false) => Settings::Own,
        };
        let stories = Stories { sources, settings };
        let expected = self.expect;
        let format = self.format.unwrap_or(Format::Transcript);
        let command = match (self.list, self.explore, self.step, format) {
            (true, ..) => Command::List,
            (_, true, _, Format::Script) => Command::ExploreToScript { stories },
            (_, true, _, Format::Transcript | Format::Picture(_)) => {
                Command::Explore { stories, expected }
            }
            (_, _, true, _) => Command::Step { stories, expected },
            (_, _, _, format) => Command::Show {
                stories,
                format,
                expected,
            },
        };
        Invocation {
            command,
            color: self.color.unwrap_or(ColorChoice::Auto),
        }
    }
}

/// The argument for a picture.
fn to_picture(format: Format) -> Option<&'static str> {
    match format {
        Format::Picture(Picture::Diagram) => Some("--format diagram"),
        Format::Picture(Picture::Ascii) => Some("--format ascii"),
        Format::Picture(Picture::Svg) => Some("--format svg"),
        Format::Picture(Picture::Mermaid) => Some("--format mermaid"),
        Format::Transcript | Format::Script => None,
    }
}

const SCENARIO: &str = "--scenario <N>";
const SCRIPT: &str = "--script <FILE>";
const FENCING: &str = "--fencing <on|off|both>";
const FORMAT: &str = "--format <FORMAT>";
const EXPECT: &str = "--expect <safe|corrupted>";
const IT_LISTS: &str = "it lists all scenarios, and shows none";

/// What whoever typed this may have meant.
fn tip(error: &clap::Error, arguments: &[String]) -> Option<String> {
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_wrong_number = wrong == SCENARIO && error.kind() == ErrorKind::ValueValidation;
    let is_bare = error.kind() == ErrorKind::UnknownArgument && !wrong.starts_with('-');
    if is_wrong_number || (is_bare && (wrong == "scenario" || numbered(wrong).is_some())) {
        let number = arguments.iter().find_map(|argument| numbered(argument));
        let number = number.map_or(2, BuiltIn::number);
        return Some(format!(
            "a scenario goes by its number: '--scenario {number}'"
        ));
    }
    if !is_bare {
        return None;
    }
    let is_option = definition().get_arguments().any(|it| it.get_id() == wrong);
    Some(if is_option {
        format!("an option begins with two dashes: '--{wrong}'")
    } else {
        format!("a script of your own goes by its file: '--script {wrong}'")
    })
}

const ABOUT: &str = "See why a lease is not enough, and a fencing token is.";

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

/// What the long help says of an option if that is more than its help.
const LONG_HELPS: &[(&str, &str)] = &[
    (
        "fencing",
        "Switch the guard in storage on or off, whatever the scenario says, or\n\
         show both settings, off first",
    ),
    (
        "step",
        "Predict first, then press Enter for each step; s or c bets on SAFE or\n\
         CORRUPTED, q quits",
    ),
    (
        "format",
        "Show it in another form:\n\
         - transcript: told line by line, as without this option\n\
         - diagram: drawn for the terminal: lease, beliefs, packets, storage\n\
         - ascii: the same in ASCII, for where box drawings do not show\n\
         - svg: drawn for a slide or a web page, to save as a file\n\
         - mermaid: text for a Markdown page, which GitHub and GitLab draw\n\
         - script: its steps, as --script reads them; with --explore, the first\n  \
           CORRUPTED order of them",
    ),
    (
        "explore",
        "Count every order of the steps, with fencing off and on unless\n\
         --fencing says which",
    ),
    (
        "expect",
        "Exit with status 1 unless each story shown ends like this; with\n\
         --explore: unless no order is CORRUPTED (safe), or one is (corrupted),\n\
         under each setting shown",
    ),
    ("list", "List all scenarios, and where to read about them"),
    (
        "color",
        "When to use colour; auto, the default, goes by NO_COLOR,\n\
         CLICOLOR_FORCE, FORCE_COLOR, CLICOLOR and TERM, and by whether\n\
         standard output is a terminal",
    ),
];

const LONG_HELP: &str = "\
Examples:
  fencing-demo                              the book's three scenarios
  fencing-demo --scenario 2                 one of them
  fencing-demo --scenario 3 --fencing off   the same steps, the guard off
  fencing-demo --scenario 1 --fencing both  both settings, off first
  fencing-demo --scenario 1 --step          predict first, then step through it
  fencing-demo --list                       all scenarios
  fencing-demo --scenario 2 --format diagram        drawn for the terminal
  fencing-demo --scenario 2 --format svg > 9-6.svg  drawn for a slide
  fencing-demo --scenario 1 --format script > mine.script
  fencing-demo --script mine.script         your own steps, once edited
  fencing-demo --script mine.script --expect safe   status 1 unless it is
  fencing-demo --scenario 1 --explore       every order of the steps, counted

Figures of the book (2nd ed.):
  9-4   --scenario 1
  9-5   --scenario 3 --fencing off; with the sender gone for good: --scenario 6
  9-6   --scenario 2
  9-7   --scenario 21

{script}

Words:
  zombie          a client that believes in a lease that it has lost
  stale write     one that reaches storage when the lease has been granted again
                  since its own grant
  would-be token  a grant's number while fencing is off: no write carries it
  STONITH         \"shoot the other node in the head\": a client that does not
                  answer is powered off, so that it writes no more

The verdict:
  CORRUPTED   storage accepted a write made under an older grant of the lease
              than one whose write it had accepted before: 33's after 34's, or
              one without any lease after a leaseholder's
  SAFE        it did not. SAFE says nothing about lost updates, stale reads, or
              whether the rightful leaseholder could write.

Exit status: 0 whatever the verdict, unless --expect says which it should be; 1
if it is another one, a script is wrong, or the output cannot be written; 2 if
the command line is wrong.";
