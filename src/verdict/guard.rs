//! Why a guard let the token of an older grant pass, although a newer grant was there: what the
//! guard compares are numbers, and it knows only those that it was shown.

use std::cmp::Ordering::{Equal, Greater, Less};

use crate::verdict::explanation::Explained;
use crate::verdict::timeline::{Tenure, Timeline, forgets};
use crate::world::event::{Event, Moment};
use crate::world::grant::Token;
use crate::world::names::StorageId;

/// Why the token of an older grant passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gap {
    /// It is higher than that of the newer grant.
    OutOfOrder,
    /// It is that of the newer grant as well.
    OneToken,
    /// The storage had seen this token, a higher one, and had forgotten it.
    Forgotten(Token),
    /// The storage had rejected what showed it the newer token.
    Rejected,
    /// Nothing had shown the storage the newer token.
    NotHeard,
    /// None of these: the guard did not do what it is there for.
    NoGuard,
}

impl Timeline<'_> {
    /// Why the guard of this storage let the older grant's token pass then, although there was the
    /// newer grant.
    pub fn gap(&self, older: &Tenure, newer: &Tenure, storage: StorageId, at: Moment) -> Gap {
        let token = older.grant.token;
        match token.cmp(&newer.grant.token) {
            Greater => Gap::OutOfOrder,
            Equal => Gap::OneToken,
            Less => {
                let mut before = self.before(at).rev();
                let forgotten = before.find_map(|(_, event)| forgotten(event, storage, token));
                if let Some(forgotten) = forgotten {
                    Gap::Forgotten(forgotten)
                } else if self.max_token(storage, at) > Some(token) {
                    Gap::NoGuard
                } else if self.was_rejected(newer, storage, at) {
                    Gap::Rejected
                } else {
                    Gap::NotHeard
                }
            }
        }
    }

    /// Whether the storage, before then, had rejected a request that showed it this grant's token.
    fn was_rejected(&self, grant: &Tenure, storage: StorageId, then: Moment) -> bool {
        self.between(grant.from, then).any(|(_, event)| {
            let Some(request) = event.request() else {
                return false;
            };
            let mut answers = request.answers.iter();
            request.seq() == Some(grant.grant.seq)
                && request.token == Some(grant.grant.token)
                && answers.any(|it| it.storage == storage && !it.is_accepted())
        })
    }

    /// Whether the storage forgot its `max_token` between the two moments, whatever it was.
    pub fn forgot_max_token(&self, storage: StorageId, from: Moment, to: Moment) -> bool {
        let mut between = self.between(from, to);
        between.any(|(_, event)| forgets(event, storage))
    }
}

/// The token that the storage forgets in this event, if it is higher than this one.
fn forgotten(event: &Event, storage: StorageId, token: Token) -> Option<Token> {
    if let Event::MaxTokenForgotten { storage: it, was } = *event
        && it == storage
    {
        was.filter(|&was| was > token)
    } else {
        None
    }
}

/// Whether it is for a forgotten counter that the newer grant's token is not the higher one.
pub fn forgot_counter(older: &Tenure, newer: &Tenure) -> bool {
    newer.counted <= older.counted
}

/// What there is to learn where the tokens of two grants do not tell which is the newer.
pub fn unordered_tokens(run: &Explained<'_>, older: &Tenure, newer: &Tenure) -> &'static str {
    let is_one = older.grant.token == newer.grant.token;
    if forgot_counter(older, newer) {
        "The lock service forgot its counter: 'higher' is no longer 'later'."
    } else if is_one && older.client == newer.client {
        "A new grant needs a new token, even if its owner is the same."
    } else if is_one {
        "A token tells grants apart only if no other grant ever gets it."
    } else if run.timeline.tokens_are_unique() {
        "Unique is not ordered: tokens must grow with every grant."
    } else {
        "'Higher' is not 'later': tokens must grow with every grant."
    }
}
