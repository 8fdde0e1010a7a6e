//! The headers of a script: its title, its fencing toggle and its tokens, what to ask before it
//! runs, and where to read about it. All are optional, and stand before the first step.

use crate::script::error::Problem;
use crate::world::grant::Token;
use crate::world::lock_service::Tokens;
use crate::world::storage_service::Fencing;

/// A header that a script may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Header {
    /// What the transcript's heading says.
    Title,
    /// Whether storage checks tokens.
    Fencing,
    /// Which tokens the lock service hands out.
    Tokens,
    /// What `--step` asks before the first step.
    Predict,
    /// Where to read about the scenario.
    See,
}

impl Header {
    /// All headers, in the order in which a script is printed.
    pub const ALL: [Header; 5] = [
        Header::Title,
        Header::Fencing,
        Header::Tokens,
        Header::Predict,
        Header::See,
    ];

    /// Its name, without the colon.
    pub fn name(self) -> &'static str {
        match self {
            Header::Title => "title",
            Header::Fencing => "fencing",
            Header::Tokens => "tokens",
            Header::Predict => "predict",
            Header::See => "see",
        }
    }

    /// What its value must be.
    fn expected(self) -> &'static str {
        match self {
            Header::Title => "a title",
            Header::Fencing => "on or off",
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
    /// Takes in one header of the script. `value` has no blanks around it.
    ///
    /// # Errors
    /// Why the header does not take the value.
    pub fn set(&mut self, header: Header, value: &str) -> Result<(), Problem> {
        let bad = |value: &str| Problem::BadHeader {
            name: header.name(),
            value: value.to_owned(),
            expected: header.expected(),
        };
        if value.is_empty() {
            return Err(bad(value));
        }
        match header {
            Header::Title => self.title = Some(value.into()),
            Header::Fencing => {
                self.fencing = match value {
                    "on" => Fencing::On,
                    "off" => Fencing::Off,
                    _ => return Err(bad(value)),
                }
            }
            Header::Tokens => {
                let token = |entry: &str| parse_token(entry).ok_or_else(|| bad(entry));
                let tokens = value.split(',').map(str::trim_ascii).map(token);
                self.tokens = Tokens::Listed(tokens.collect::<Result<_, _>>()?);
            }
            Header::Predict => self.predict = Some(value.into()),
            Header::See => self.see = Some(value.into()),
        }
        Ok(())
    }
}

/// Digits alone: `u64`'s own parser takes a plus sign as well.
fn parse_token(entry: &str) -> Option<Token> {
    let digits = entry.bytes().all(|byte| byte.is_ascii_digit());
    entry.parse().ok().filter(|_| digits).map(Token)
}
