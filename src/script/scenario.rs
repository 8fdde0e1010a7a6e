//! A scenario is one order of steps, and what holds before the first of them.
//!
//! It comes from a text in the step language, built in or a user's own, and can be printed as one.

use std::fmt;

use crate::script::diagnose::{Place, diagnose, diagnose_header};
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
        let mut reader = Reader::default();
        let mut last_line = 0;
        for (line, text) in (1u32..).zip(lines(script)) {
            last_line = line;
            check_characters(text)
                .and_then(|()| reader.take(line, text.trim_ascii()))
                .map_err(|problem| ScriptError { line, problem })?;
        }
        if reader.steps.is_empty() {
            return Err(ScriptError {
                line: last_line.max(1),
                problem: Problem::NoSteps,
            });
        }
        Ok(Scenario {
            headers: reader.headers.headers,
            names: reader.names.into_names(),
            steps: reader.steps,
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
    let colon = text.bytes().position(|byte| byte == b':')?;
    let (name, value) = (&text[..colon], &text[colon + 1..]);
    let name = name.trim_ascii_end();
    let is_word = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    (is_word && !name.is_empty()).then_some((name, value.trim_ascii_start()))
}

/// A script as far as it has been read.
#[derive(Default)]
struct Reader<'script> {
    headers: HeaderLines,
    names: NameCollector<'script>,
    steps: Vec<ScriptStep>,
}

impl<'script> Reader<'script> {
    /// Takes the next line, which has no blanks around it.
    fn take(&mut self, line: u32, text: &'script str) -> Result<(), Problem> {
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        let Some((name, value)) = split_header(text) else {
            return match parse_step(text, &mut self.names)? {
                Some(step) => {
                    self.steps.push(ScriptStep { line, step });
                    Ok(())
                }
                None => Err(diagnose(text, self)),
            };
        };
        match Header::named(name) {
            Some(header) => {
                let is_late = !self.steps.is_empty();
                self.headers
                    .set(line, header, value, is_late, &mut self.names)
            }
            None => Err(diagnose_header(name, text, self)),
        }
    }
}

impl Place for Reader<'_> {
    fn would_take(&self, text: &str) -> Result<bool, Problem> {
        let mut names = NameCollector::default();
        names.set_storages(self.names.storage_names().to_vec());
        let Some((name, value)) = split_header(text) else {
            return Ok(parse_step(text, &mut names)?.is_some());
        };
        let Some(header) = Header::named(name) else {
            return Ok(false);
        };
        let is_late = !self.steps.is_empty();
        let mut headers = self.headers.clone();
        headers.set(0, header, value, is_late, &mut names)?;
        Ok(true)
    }

    fn has_client(&self, name: &str) -> bool {
        self.names.has_client(name)
    }
}

/// The headers as they come in, each at most once.
#[derive(Clone, Default)]
struct HeaderLines {
    headers: Headers,
    seen: Vec<(Header, u32)>,
}

impl HeaderLines {
    fn set<'script>(
        &mut self,
        line: u32,
        header: Header,
        value: &'script str,
        is_late: bool,
        names: &mut NameCollector<'script>,
    ) -> Result<(), Problem> {
        let name = header.name();
        if let Some(&(_, first)) = self.seen.iter().find(|&&(seen, _)| seen == header) {
            return Err(Problem::DuplicateHeader { name, first });
        }
        if is_late {
            return Err(Problem::MisplacedHeader { name });
        }
        self.seen.push((header, line));
        self.headers.set(header, value, names)
    }
}
