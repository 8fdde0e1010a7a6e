//! The lock service: at most one client holds the lease, and every grant comes with a new, larger
//! token (DDIA 2e, chapter 9, "Distributed Locks and Leases").
//!
//! It is correct. That is the point: the data can be corrupted all the same.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use crate::world::grant::{Grant, GrantSeq, Token};
use crate::world::names::ClientId;

/// The first token that a lock service hands out if the scenario lists none.
pub const FIRST_TOKEN: Token = Token(33);

/// Which tokens a lock service hands out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tokens {
    /// [`FIRST_TOKEN`] and up, one larger with every grant.
    Counted,
    /// These, in this order, then none: the `tokens:` header.
    Listed(Rc<[Token]>),
}

impl Tokens {
    /// The token of the grant that comes after `handed_out` others, unless the list has run out.
    fn after(&self, handed_out: u32) -> Option<Token> {
        match self {
            Tokens::Counted => Some(Token(FIRST_TOKEN.0 + u64::from(handed_out))),
            Tokens::Listed(list) => list.get(handed_out as usize).copied(),
        }
    }
}

/// The lock services of one exploration have the same list, which may be long: hashing reads none of
/// it.
impl Hash for Tokens {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// The answer to a client that asks for the lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acquisition {
    /// The lease was free, and is the client's now.
    Granted(Grant),
    /// The client holds it already, under this grant.
    HeldAlready(Grant),
    /// Another client holds it.
    Refused {
        /// The client that holds it.
        holder: ClientId,
    },
}

/// The `tokens:` list has no token left for a lease that would be granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfTokens;

/// Grants the lease to one client at a time.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LockService {
    lease: Option<(ClientId, Grant)>,
    /// Shared by all worlds of an exploration, which are equal in this without being compared.
    tokens: Rc<Tokens>,
    /// How many tokens were handed out since counting began.
    counter: u32,
    grants: u32,
}

impl LockService {
    /// A lock service with a free lease that has granted nothing yet.
    pub fn new(tokens: Tokens) -> Self {
        LockService {
            lease: None,
            tokens: Rc::new(tokens),
            counter: 0,
            grants: 0,
        }
    }

    /// Who holds the lease.
    pub fn holder(&self) -> Option<ClientId> {
        self.lease.map(|(holder, _)| holder)
    }

    /// The newest grant, whether its lease is still out or not.
    pub fn newest(&self) -> Option<GrantSeq> {
        self.grants.checked_sub(1).map(GrantSeq::after)
    }

    /// The token that the next grant would get, unless the list has run out.
    pub fn next_token(&self) -> Result<Token, OutOfTokens> {
        self.tokens.after(self.counter).ok_or(OutOfTokens)
    }

    /// Grants the lease with the next token if it is free. It never grants a lease that is out.
    /// It runs [out of tokens](OutOfTokens) only if the lease is free.
    pub fn acquire(&mut self, client: ClientId) -> Result<Acquisition, OutOfTokens> {
        match self.lease {
            Some((holder, grant)) if holder == client => Ok(Acquisition::HeldAlready(grant)),
            Some((holder, _)) => Ok(Acquisition::Refused { holder }),
            None => {
                let token = self.next_token()?;
                let grant = Grant {
                    seq: GrantSeq::after(self.grants),
                    token,
                };
                self.counter += 1;
                self.grants += 1;
                self.lease = Some((client, grant));
                Ok(Acquisition::Granted(grant))
            }
        }
    }

    /// The client's grant, unchanged, if it still holds the lease; else the renewal is refused.
    pub fn renew(&self, client: ClientId) -> Option<Grant> {
        self.lease
            .filter(|&(holder, _)| holder == client)
            .map(|(_, grant)| grant)
    }

    /// Takes the lease back if `client` still holds it, and gives the grant that ended so. So ends a
    /// lease that is given back, and so ends one that expires.
    pub fn reclaim(&mut self, client: ClientId) -> Option<Grant> {
        let lease = self.lease.take_if(|&mut (holder, _)| holder == client);
        lease.map(|(_, grant)| grant)
    }

    /// Counts from the first token again. A lease that is out stays out.
    pub fn forget_counter(&mut self) {
        self.counter = 0;
    }

    /// The lease is free again, and nobody tells its client. Returns who held it.
    pub fn forget_holder(&mut self) -> Option<ClientId> {
        self.lease.take().map(|(holder, _)| holder)
    }
}
