//! The headers of a script: its title, its fencing toggle, its storages and its tokens, what to ask
//! before it runs, and where to read about it. All are optional, and stand before the first step.

use crate::script::error::Problem;
use crate::script::parse_step::expected_name;
use crate::world::grant::Token;
use crate::world::lock_service::Tokens;
use crate::world::names::{NameCollector, Storages};
use crate::world::storage_service::Fencing;

/// A header that a script may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Header {
    /// What the transcript's heading says.
    Title,
    /// Whether storage checks tokens.
    Fencing,
    /// What the storages are called, if there are several.
    Storages,
    /// Which tokens the lock service hands out.
    Tokens,
    /// What `--step` asks before the first step.
    Predict,
    /// Where to read about the scenario.
    See,
}

impl Header {
    /// All headers, in the order in which a script is printed.
    pub const ALL: [Header; 6] = [
        Header::Title,
        Header::Fencing,
        Header::Storages,
        Header::Tokens,
        Header::Predict,
        Header::See,
    ];

    /// The header of that name, if there is one.
    pub fn named(name: &str) -> Option<Header> {
        let mut headers = Header::ALL.into_iter();
        headers.find(|header| header.name() == name)
    }

    /// Its name, without the colon.
    pub fn name(self) -> &'static str {
        match self {
            Header::Title => "title",
            Header::Fencing => "fencing",
            Header::Storages => "storages",
            Header::Tokens => "tokens",
            Header::Predict => "predict",
            Header::See => "see",
        }
    }

    /// A value as it can be written, for `--help`.
    pub fn example(self) -> &'static str {
        match self {
            Header::Title | Header::Predict | Header::See => "...",
            Header::Fencing => "on",
            Header::Storages => "A, B",
            Header::Tokens => "87, 34",
        }
    }

    /// What it is for, in at most 56 characters.
    pub fn meaning(self) -> &'static str {
        match self {
            Header::Title => "what the heading says",
            Header::Fencing => "storage checks tokens (off, or left out: it does not)",
            Header::Storages => "two to five storages, instead of one called storage",
            Header::Tokens => "the tokens of the grants, instead of 33, 34, ...",
            Header::Predict => "what --step asks first",
            Header::See => "where to read about it",
        }
    }

    /// What its value must be.
    fn expected(self) -> &'static str {
        match self {
            Header::Title => "a title",
            Header::Fencing => "on or off",
            Header::Storages => "two to five names with commas between, such as replica1, replica2",
            Header::Tokens => "whole numbers from 0 to 18446744073709551615, such as 87, 34",
            Header::Predict => "a question",
            Header::See => "where to read about it",
        }
    }
}

/// The headers of one script, with what holds for those that it leaves out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Headers {
    /// What the story is.
    pub title: Option<Box<str>>,
    /// Off unless the script says otherwise.
    pub fencing: Fencing,
    /// Counted unless the script lists them.
    pub tokens: Tokens,
    /// The question that `--step` asks.
    pub predict: Option<Box<str>>,
    /// Where to read about it.
    pub see: Option<Box<str>>,
}

impl Default for Headers {
    fn default() -> Self {
        Headers {
            title: None,
            fencing: Fencing::Off,
            tokens: Tokens::Counted,
            predict: None,
            see: None,
        }
    }
}

impl Headers {
    /// Takes one header of the script. `value` has no blanks around it.
    pub fn set<'script>(
        &mut self,
        header: Header,
        value: &'script str,
        names: &mut NameCollector<'script>,
    ) -> Result<(), Problem> {
        let bad = |value: &str, expected: &str| Problem::BadHeader {
            name: header.name(),
            value: value.to_owned(),
            expected: if value.contains(" #") {
                format!("{expected}; a comment has a line of its own")
            } else {
                expected.to_owned()
            },
        };
        let expected = header.expected();
        if value.is_empty() {
            return Err(bad(value, expected));
        }
        match header {
            Header::Title => self.title = Some(value.into()),
            Header::Fencing => {
                self.fencing = match value {
                    "on" => Fencing::On,
                    "off" => Fencing::Off,
                    _ => return Err(bad(value, expected)),
                }
            }
            Header::Storages => {
                let storages: Vec<&str> = value.split(',').map(str::trim_ascii).collect();
                if let [one] = storages[..] {
                    let why = "a single one has no header, and is called storage";
                    return Err(bad(one, &format!("{expected}; {why}")));
                }
                for (index, name) in storages.iter().enumerate() {
                    if name.contains([' ', '\t']) {
                        return Err(bad(name, expected));
                    }
                    if let Some(expected) = expected_name(name) {
                        return Err(bad(name, &expected));
                    }
                    if storages[..index].contains(name) {
                        return Err(bad(name, "each name once"));
                    }
                }
                if !(2..=usize::from(Storages::MOST)).contains(&storages.len()) {
                    return Err(bad(value, expected));
                }
                names.set_storages(storages);
            }
            Header::Tokens => {
                let token = |entry: &str| parse_token(entry).ok_or_else(|| bad(entry, expected));
                let tokens = value.split(',').map(str::trim_ascii).map(token);
                self.tokens = Tokens::Listed(tokens.collect::<Result<_, _>>()?);
            }
            Header::Predict => self.predict = Some(value.into()),
            Header::See => self.see = Some(value.into()),
        }
        Ok(())
    }
}

/// What a token must be.
pub const EXPECTED_TOKEN: &str = "a whole number from 0 to 18446744073709551615";

/// Digits alone: `u64`'s own parser takes a plus sign as well.
pub fn parse_token(entry: &str) -> Option<Token> {
    let digits = entry.bytes().all(|byte| byte.is_ascii_digit());
    entry.parse().ok().filter(|_| digits).map(Token)
}
