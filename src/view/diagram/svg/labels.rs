//! The labels of an SVG picture: what stands left of a request, and what is said of it in red.

use crate::view::diagram::layout::Diagram;
use crate::view::diagram::svg::look::Look;
use crate::view::diagram::svg::put::{Piece, put};
use crate::world::event::{Answer, Moment, Request};
use crate::world::grant::Token;
use crate::world::names::Data;
use crate::world::step::WriteMode;
use crate::world::storage_service::{Fencing, Rejection};

/// A line that stands left of a request.
#[derive(Clone, Copy)]
pub enum Label {
    /// The data that some storage rejected.
    Rejected(Data),
    /// It brings a token alone.
    Announces,
    /// It does not pass the guard.
    PastTheGuard,
    /// The token that it shows.
    Token(Option<Token>),
    /// The token is of its client's own choosing.
    OwnChoice,
    /// It is conditional.
    IfUnchanged,
    /// Since when nothing may have changed.
    Since(Moment),
}

/// What stands left of the request, above the first storage, from the top.
pub fn labels(
    diagram: &Diagram<'_>,
    request: &Request,
) -> impl DoubleEndedIterator<Item = Label> + use<> {
    let is_rejected = || request.answers.iter().any(|answer| !answer.is_accepted());
    let what = match request.data {
        _ if diagram.storages.len() == 1 => None,
        None => Some(Label::Announces),
        Some(data) => Some(Label::Rejected(data)).filter(|_| is_rejected()),
    };
    let token = match (request.mode, diagram.fencing()) {
        (WriteMode::PastTheGuard, _) => Some(Label::PastTheGuard),
        (_, Fencing::Off) => None,
        (_, Fencing::On) => Some(Label::Token(request.token)),
    };
    let since = || {
        let looks = request.answers.iter().filter_map(|answer| answer.look);
        looks.map(|look| look.since).max()
    };
    let (terms, since) = match request.mode {
        WriteMode::Plain | WriteMode::PastTheGuard => (None, None),
        WriteMode::WithToken(_) => (Some(Label::OwnChoice), None),
        WriteMode::IfUnchanged => (Some(Label::IfUnchanged), since().map(Label::Since)),
    };
    [what, token, terms, since].into_iter().flatten()
}

impl Label {
    /// How it looks.
    pub fn look(self) -> Look {
        match self {
            Label::PastTheGuard | Label::OwnChoice => Look::RED.ending(),
            Label::Rejected(_)
            | Label::Announces
            | Label::Token(_)
            | Label::IfUnchanged
            | Label::Since(_) => Look::NOTE.ending(),
        }
    }

    /// Its words, but for the data, which have to be cut and escaped.
    pub fn put(self, to: &mut Vec<u8>) {
        match self {
            Label::Rejected(_) => {}
            Label::Announces => put!(*to; "announces"),
            Label::PastTheGuard => put!(*to; "past the guard"),
            Label::Token(Some(token)) => put!(*to; "token ", token),
            Label::Token(None) => put!(*to; "no token"),
            Label::OwnChoice => put!(*to; "its own choice"),
            Label::IfUnchanged => put!(*to; "if unchanged"),
            Label::Since(since) => put!(*to; "since ", since),
        }
    }
}

/// What is said of a request in red.
pub enum Reason {
    /// Its token is lower than that one.
    Lower(Token, Token),
    /// It has no token.
    NoToken,
    /// The contents have changed: then, if that is known.
    Changed(Option<Moment>),
    /// It overwrote what had come then, unread.
    Lost(Moment),
    /// It overwrote what had come then, and was newer.
    Undid(Moment),
}

impl Reason {
    /// Why the storage rejected the request, or what the request did to what was there.
    pub fn of(request: &Request, answer: &Answer, undid: Option<Moment>) -> Option<Reason> {
        match answer.outcome {
            Err(Rejection::LowerToken) => Some(Reason::Lower(request.token?, answer.max_token?)),
            Err(Rejection::NoToken) => Some(Reason::NoToken),
            Err(Rejection::Changed) => {
                Some(Reason::Changed(answer.look.and_then(|look| look.changed)))
            }
            Ok(()) => answer.lost.map(Reason::Lost).or(undid.map(Reason::Undid)),
        }
    }
}

impl Piece for Reason {
    fn put(self, to: &mut Vec<u8>) {
        match self {
            Reason::Lower(token, max_token) => put!(*to; token, " &lt; ", max_token),
            Reason::NoToken => put!(*to; "no token"),
            Reason::Changed(Some(at)) => put!(*to; "changed at ", at),
            Reason::Changed(None) => put!(*to; "changed"),
            Reason::Lost(at) => put!(*to; "lost: step ", at),
            Reason::Undid(at) => put!(*to; "undid: step ", at),
        }
    }
}
