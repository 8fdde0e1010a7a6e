//! The characters that a picture for the terminal is drawn with: box drawings, or ASCII alone.

use std::fmt::{self, Display};

use crate::view::diagram::act::Reception;
use crate::view::palette::Role;
use crate::world::grant::Token;

/// The characters that a picture is drawn with.
pub struct Glyphs {
    /// The lease is out; a client believes and is right.
    pub right: char,
    /// A client believes and is wrong.
    pub wrong: char,
    /// A lane with nothing of this.
    pub thin: char,
    /// A client is paused.
    pub paused: char,
    /// A client's machine sleeps.
    pub asleep: char,
    /// A packet is in flight.
    pub flying: char,
    /// A packet leaves.
    pub leaves: char,
    /// A packet arrives.
    pub arrives: char,
    /// A packet arrives at this storage and at a further one.
    pub arrives_here_too: char,
    /// An arrow.
    pub arrow: char,
    /// An arrow across a thin lane.
    pub across: char,
    /// What does not get through.
    pub lost: char,
    /// In the strip: the lease is out, a client believes and is right, a `max_token` is known.
    pub ink: char,
    /// In the strip: so it ends.
    pub ink_end: char,
    /// In the strip: a client believes and is wrong.
    pub wrong_ink: char,
    /// In the strip: a packet is in flight.
    pub flying_ink: char,
    /// Something was cut off.
    pub cut: char,
}

/// A service forgets.
pub const FORGETS: char = '~';

impl Glyphs {
    /// For any terminal that shows box drawings.
    pub const UNICODE: Glyphs = Glyphs {
        right: '┃',
        wrong: '╏',
        thin: '│',
        paused: '▒',
        asleep: '▓',
        flying: '┊',
        leaves: '┐',
        arrives: '└',
        arrives_here_too: '├',
        arrow: '─',
        across: '┼',
        lost: '╳',
        ink: '━',
        ink_end: '╸',
        wrong_ink: '╍',
        flying_ink: '┈',
        cut: '…',
    };

    /// For everything else.
    pub const ASCII: Glyphs = Glyphs {
        right: '#',
        wrong: ':',
        thin: '|',
        paused: 'z',
        asleep: 'Z',
        flying: ';',
        leaves: '+',
        arrives: '+',
        arrives_here_too: '+',
        arrow: '-',
        across: '+',
        lost: 'x',
        ink: '=',
        ink_end: ' ',
        wrong_ink: ':',
        flying_ink: ';',
        cut: '~',
    };

    /// The text, cut to so many characters.
    pub fn fit<'text>(&self, text: &'text str, room: usize) -> Cut<'text> {
        // Almost all texts are short: counting bytes settles it.
        if text.len() <= room || width(text) <= room {
            return Cut { text, mark: None };
        }
        let kept = text.char_indices().nth(room.saturating_sub(1));
        Cut {
            text: &text[..kept.map_or(0, |(end, _)| end)],
            mark: Some(self.cut),
        }
    }

    /// The mark of data that a storage received, if it has one.
    pub fn reception(&self, reception: Reception) -> Option<(char, Role)> {
        match reception {
            Reception::Rejected => Some((self.lost, Role::Rejected)),
            Reception::Overwrote => Some(('*', Role::Corrupted)),
            Reception::LetIn => Some(('!', Role::AcceptedStale)),
            Reception::Taken => None,
        }
    }

    /// The token; of a long one the last four digits.
    pub fn token(&self, token: Token) -> ShortToken {
        ShortToken {
            token,
            cut: self.cut,
        }
    }
}

/// A text, or as much of it as there is room for.
#[derive(Clone, Copy)]
pub struct Cut<'text> {
    /// What is left.
    pub text: &'text str,
    /// The mark behind it, if there was more.
    pub mark: Option<char>,
}

impl Cut<'_> {
    /// How many characters are left, the mark included.
    pub fn width(&self) -> usize {
        width(self.text) + usize::from(self.mark.is_some())
    }
}

/// A token as pictures show it: one of more than six digits by its last four.
#[derive(Clone, Copy)]
pub struct ShortToken {
    token: Token,
    cut: char,
}

impl Display for ShortToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.token.0 > 999_999 {
            write!(f, "{}{:04}", self.cut, self.token.0 % 10_000)
        } else {
            self.token.fmt(f)
        }
    }
}

/// How many characters the text has.
pub fn width(text: &str) -> usize {
    text.chars().count()
}
