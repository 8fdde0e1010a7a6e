//! The storage service: the one place where a stale write can still be stopped, because the write
//! has to pass here (DDIA 2e, chapter 9, "Fencing off zombies and delayed requests", Figure 9-6).
//!
//! The rule: remember the highest token seen, reject any lower one. An *equal* token passes: the
//! same leaseholder writes more than once.

use crate::world::grant::Token;
use crate::world::names::Data;

/// The fencing toggle of a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fencing {
    /// Storage accepts whatever arrives, and nothing carries a token.
    Off,
    /// Every write carries its client's token, and storage checks it.
    On,
}

impl Fencing {
    /// `on` or `off`, as scripts and the command line spell it.
    pub fn word(self) -> &'static str {
        match self {
            Fencing::Off => "off",
            Fencing::On => "on",
        }
    }
}

/// Why storage rejected a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// Its token is lower than one that storage has seen.
    LowerToken {
        /// The token that came with the request.
        token: Token,
        /// The highest token seen before.
        max_token: Token,
    },
    /// It came without a token.
    NoToken,
}

/// Holds one value and, if fencing is on, guards it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StorageService {
    fencing: Fencing,
    contents: Option<Data>,
    max_token: Option<Token>,
}

impl StorageService {
    /// Empty storage that has seen no token.
    pub fn new(fencing: Fencing) -> Self {
        StorageService {
            fencing,
            contents: None,
            max_token: None,
        }
    }

    /// What storage holds; nothing before the first accepted write.
    pub fn contents(&self) -> Option<Data> {
        self.contents
    }

    /// The highest token seen; none before the first, or with fencing off.
    pub fn max_token(&self) -> Option<Token> {
        self.max_token
    }

    /// Stores the data, unless fencing is on and the guard rejects the token.
    ///
    /// # Errors
    /// The guard's [`Rejection`]; the contents are then as they were.
    pub fn write(&mut self, data: Data, token: Option<Token>) -> Result<(), Rejection> {
        self.announce(token)?;
        self.contents = Some(data);
        Ok(())
    }

    /// Hears of a token before any data comes with it. With fencing off nobody listens.
    ///
    /// # Errors
    /// The guard's [`Rejection`].
    pub fn announce(&mut self, token: Option<Token>) -> Result<(), Rejection> {
        match self.fencing {
            Fencing::Off => Ok(()),
            Fencing::On => self.guard(token),
        }
    }

    /// THE GUARD: a token lower than the highest seen is rejected.
    fn guard(&mut self, token: Option<Token>) -> Result<(), Rejection> {
        let token = token.ok_or(Rejection::NoToken)?;
        if let Some(max_token) = self.max_token
            && token < max_token
        {
            return Err(Rejection::LowerToken { token, max_token });
        }
        self.max_token = Some(token);
        Ok(())
    }

    /// A restart without the highest token, which had not been persisted; the contents stay.
    /// Returns what was forgotten.
    pub fn forget_max_token(&mut self) -> Option<Token> {
        self.max_token.take()
    }

    /// Drops the contents, which decide nothing: two storages that differ only in what they hold
    /// are one state to an exploration.
    pub fn drop_contents(&mut self) {
        self.contents = None;
    }
}
