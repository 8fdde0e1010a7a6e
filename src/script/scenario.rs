//! A scenario is one order of steps, and what holds before the first of them.
//!
//! It comes from a text in the step language, built in or a user's own, and can be printed as one.

use std::fmt;

use crate::script::error::{Problem, ScriptError};
use crate::script::header::{Header, Headers};
use crate::script::parse_step::parse_step;
use crate::text::is_forbidden;
use crate::world::lock_service::Tokens;
use crate::world::names::{NameCollector, Names};
use crate::world::step::Step;
use crate::world::storage_service::Fencing;

/// A parsed script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenario {
    /// What the script says before its steps.
    pub headers: Headers,
    /// The clients and data that the steps speak of.
    pub names: Names,
    /// The steps, in order; at least one.
    pub steps: Vec<ScriptStep>,
}

/// A step, and where the script has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScriptStep {
    /// The line, counted from 1.
    pub line: u32,
    /// What happens.
    pub step: Step,
}

impl Scenario {
    /// Reads a script.
    pub fn parse(script: &str) -> Result<Scenario, ScriptError> {
        let mut headers = HeaderLines::default();
        let mut names = NameCollector::default();
        let mut steps = Vec::new();
        let mut last_line = 0;
        for (line, text) in (1u32..).zip(lines(script)) {
            last_line = line;
            let at_line = |problem| ScriptError { line, problem };
            check_characters(text).map_err(at_line)?;
            let text = text.trim_ascii();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if let Some((name, value)) = split_header(text) {
                headers
                    .set(line, (name, value), !steps.is_empty(), &mut names)
                    .map_err(at_line)?;
            } else {
                let step = parse_step(text, &mut names).map_err(at_line)?;
                steps.push(ScriptStep { line, step });
            }
        }
        if steps.is_empty() {
            return Err(ScriptError {
                line: last_line.max(1),
                problem: Problem::NoSteps,
            });
        }
        Ok(Scenario {
            headers: headers.headers,
            names: names.into_names(),
            steps,
        })
    }

    /// The same steps under this setting of the toggle. If it is not the scenario's own, the title
    /// says so: at its end, or, if it speaks of fencing itself and would no longer be true, instead.
    /// The question, which may speak of a guard that is not there, is dropped.
    #[must_use]
    pub fn with_fencing(mut self, fencing: Fencing) -> Scenario {
        if self.headers.fencing != fencing {
            let switched = format!("fencing switched {}", fencing.word());
            let title = match self.headers.title {
                Some(title) if !speaks_of_fencing(&title) => format!("{title} ({switched})"),
                Some(_) | None => switched,
            };
            self.headers.fencing = fencing;
            self.headers.title = Some(title.into());
            self.headers.predict = None;
        }
        self
    }
}

fn speaks_of_fencing(title: &str) -> bool {
    let mut words = title.split(|character: char| !character.is_alphanumeric());
    words.any(|word| word.eq_ignore_ascii_case("fencing"))
}

/// The scenario as a script: parsing it gives the same scenario, but for the numbers of the lines.
/// The alternate form has a blank line before the first step.
impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Headers {
            title,
            fencing,
            tokens,
            predict,
            see,
        } = &self.headers;
        for header in Header::ALL {
            let name = header.name();
            match header {
                Header::Title => write_header(f, name, title.as_deref())?,
                Header::Fencing => write_header(f, name, Some(fencing.word()))?,
                Header::Storages if self.names.has_several_storages() => {
                    let storages = self.names.storages();
                    let storages = storages.iter().map(|storage| self.names.storage(storage));
                    write_header(f, name, Some(&storages.collect::<Vec<_>>().join(", ")))?;
                }
                Header::Storages => {}
                Header::Tokens => match tokens {
                    Tokens::Counted => {}
                    Tokens::Listed(list) => {
                        let list: Vec<String> = list.iter().map(ToString::to_string).collect();
                        write_header(f, name, Some(&list.join(", ")))?;
                    }
                },
                Header::Predict => write_header(f, name, predict.as_deref())?,
                Header::See => write_header(f, name, see.as_deref())?,
            }
        }
        if f.alternate() {
            writeln!(f)?;
        }
        self.steps
            .iter()
            .try_for_each(|step| writeln!(f, "{}", step.step.display(&self.names)))
    }
}

fn write_header(f: &mut fmt::Formatter<'_>, name: &str, value: Option<&str>) -> fmt::Result {
    value.map_or(Ok(()), |value| writeln!(f, "{name}: {value}"))
}

/// The lines, without a byte-order mark and without their endings, Windows' included.
fn lines(script: &str) -> impl Iterator<Item = &str> {
    let script = script.strip_prefix('\u{feff}').unwrap_or(script);
    // A carriage return at the very end is a line ending that lost its second half.
    let script = script.strip_suffix('\r').unwrap_or(script);
    script.lines()
}

fn check_characters(text: &str) -> Result<(), Problem> {
    // Almost all lines are plain ASCII, for which a look at each byte will do.
    if text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')) {
        return Ok(());
    }
    match text.chars().find(|&character| is_forbidden(character)) {
        Some(character) => Err(Problem::ForbiddenCharacter {
            line: text.to_owned(),
            character,
        }),
        None => Ok(()),
    }
}

/// A word with a colon behind it makes a header; no step has one there.
fn split_header(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    let name = name.trim_ascii_end();
    let is_word = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    (is_word && !name.is_empty()).then_some((name, value.trim_ascii_start()))
}

/// The headers as they come in, each at most once.
#[derive(Default)]
struct HeaderLines {
    headers: Headers,
    seen: Vec<(Header, u32)>,
}

impl HeaderLines {
    fn set<'script>(
        &mut self,
        line: u32,
        (name, value): (&str, &'script str),
        too_late: bool,
        names: &mut NameCollector<'script>,
    ) -> Result<(), Problem> {
        let Some(header) = Header::ALL.into_iter().find(|header| header.name() == name) else {
            let known = Header::ALL.map(Header::name).to_vec();
            return Err(Problem::UnknownHeader {
                name: name.to_owned(),
                known,
            });
        };
        if let Some(&(_, first)) = self.seen.iter().find(|&&(seen, _)| seen == header) {
            return Err(Problem::DuplicateHeader {
                name: header.name(),
                first,
            });
        }
        if too_late {
            return Err(Problem::MisplacedHeader {
                name: header.name(),
            });
        }
        self.seen.push((header, line));
        self.headers.set(header, value, names)
    }
}
