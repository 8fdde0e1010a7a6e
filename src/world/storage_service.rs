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
    /// Its token is lower than the highest that storage has seen.
    LowerToken,
    /// It came without a token.
    NoToken,
    /// It was to be accepted only if nothing had changed, and something had.
    Changed,
}

/// What storage holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value {
    /// The data.
    pub data: Data,
    /// The token that they came with; none if unfenced, or past the guard.
    pub token: Option<Token>,
}

/// Holds one value and, if fencing is on, guards it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StorageService {
    fencing: Fencing,
    contents: Option<Value>,
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
    pub fn contents(&self) -> Option<Value> {
        self.contents
    }

    /// The highest token seen; none before the first, or with fencing off.
    pub fn max_token(&self) -> Option<Token> {
        self.max_token
    }

    /// Stores the data, unless fencing is on and the guard rejects the token. If it does, everything
    /// is as it was.
    pub fn write(&mut self, data: Data, token: Option<Token>) -> Result<(), Rejection> {
        self.write_if(true, data, token)
    }

    /// Compare-and-set: the same, but only if the condition is met. The guard's answer comes first.
    pub fn write_if(
        &mut self,
        is_unchanged: bool,
        data: Data,
        token: Option<Token>,
    ) -> Result<(), Rejection> {
        self.guard(token)?;
        if !is_unchanged {
            return Err(Rejection::Changed);
        }
        self.see(token);
        self.contents = Some(Value { data, token });
        Ok(())
    }

    /// Stores data that came on a path where nobody checks tokens.
    pub fn write_past_the_guard(&mut self, data: Data) {
        self.contents = Some(Value { data, token: None });
    }

    /// Hears of a token before any data comes with it. With fencing off nobody listens.
    pub fn announce(&mut self, token: Option<Token>) -> Result<(), Rejection> {
        self.guard(token)?;
        self.see(token);
        Ok(())
    }

    /// Read repair (Figure 9-7): takes the value that a reader found to be the newest, and its token
    /// if that is higher than all seen so far.
    pub fn repair(&mut self, value: Value) {
        self.max_token = self.max_token.max(value.token);
        self.contents = Some(value);
    }

    /// THE GUARD: a token lower than the highest seen is rejected.
    fn guard(&self, token: Option<Token>) -> Result<(), Rejection> {
        if self.fencing == Fencing::Off {
            return Ok(());
        }
        let token = token.ok_or(Rejection::NoToken)?;
        if let Some(max_token) = self.max_token
            && token < max_token
        {
            return Err(Rejection::LowerToken);
        }
        Ok(())
    }

    /// The guard let this token pass: it is the highest now. Unfenced storage sees none.
    fn see(&mut self, token: Option<Token>) {
        if self.fencing == Fencing::On {
            self.max_token = token;
        }
    }

    /// No longer knows the highest token; the contents stay. Returns what was forgotten.
    pub fn forget_max_token(&mut self) -> Option<Token> {
        self.max_token.take()
    }

    /// Drops the contents, where they decide nothing: two storages that differ only in what they
    /// hold are one state to an exploration.
    pub fn drop_contents(&mut self) {
        self.contents = None;
    }

    /// Drops the data alone, which never decide anything.
    pub fn forget_data(&mut self) {
        if let Some(value) = &mut self.contents {
            value.data = Data::ANY;
        }
    }

    /// Whether it checks tokens.
    pub fn fencing(&self) -> Fencing {
        self.fencing
    }
}
