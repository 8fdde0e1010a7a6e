//! Puts an SVG file together, piece by piece. The general formatting machinery would cost more than
//! all the rest of a picture.

use crate::view::diagram::svg::page::Point;
use crate::world::event::Moment;
use crate::world::grant::Token;

/// Something that an SVG file is made of.
pub trait Piece {
    /// Appends it.
    fn put(self, to: &mut Vec<u8>);
}

impl Piece for &str {
    fn put(self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.as_bytes());
    }
}

impl Piece for i32 {
    fn put(self, to: &mut Vec<u8>) {
        if self < 0 {
            to.push(b'-');
        }
        self.unsigned_abs().put(to);
    }
}

impl Piece for u32 {
    fn put(self, to: &mut Vec<u8>) {
        let digit = |place: u32| DIGITS[(self / place % 10) as usize];
        if self >= 1000 {
            (self / 1000).put(to);
        }
        if self >= 100 {
            to.extend_from_slice(&[digit(100), digit(10), digit(1)]);
        } else if self >= 10 {
            to.extend_from_slice(&[digit(10), digit(1)]);
        } else {
            to.push(digit(1));
        }
    }
}

const DIGITS: [u8; 10] = *b"0123456789";

/// A place, as the commands of a path have it.
impl Piece for Point {
    fn put(self, to: &mut Vec<u8>) {
        let (x, y) = self;
        x.put(to);
        to.push(b' ');
        y.put(to);
    }
}

/// A text that is not our own, as XML has it.
pub struct Escaped<'text>(pub &'text str);

impl Piece for Escaped<'_> {
    fn put(self, to: &mut Vec<u8>) {
        let mut rest = self.0;
        while let Some(place) = rest.bytes().position(may_need_escape) {
            let (plain, special) = rest.split_at(place);
            plain.put(to);
            let mut characters = special.chars();
            match characters.next() {
                Some('&') => "&amp;".put(to),
                Some('<') => "&lt;".put(to),
                Some('>') => "&gt;".put(to),
                // Characters that no XML file may have.
                Some('\u{fffe}' | '\u{ffff}') => "\u{fffd}".put(to),
                Some(other) => (&special[..other.len_utf8()]).put(to),
                None => {}
            }
            rest = characters.as_str();
        }
        rest.put(to);
    }
}

/// Whether a character that begins with this byte may have to be escaped.
fn may_need_escape(byte: u8) -> bool {
    matches!(byte, b'&' | b'<' | b'>' | 0xef)
}

/// A token; of a long one the last four digits.
impl Piece for Token {
    fn put(self, to: &mut Vec<u8>) {
        match u32::try_from(self.0) {
            Ok(short @ ..=999_999) => short.put(to),
            Ok(_) | Err(_) => (&*format!("…{:04}", self.0 % 10_000)).put(to),
        }
    }
}

/// The number of a step.
impl Piece for Moment {
    fn put(self, to: &mut Vec<u8>) {
        self.number().put(to);
    }
}

/// Appends the pieces.
macro_rules! put {
    ($to:expr; $($piece:expr),+ $(,)?) => {{
        $($crate::view::diagram::svg::put::Piece::put($piece, &mut $to);)+
    }};
}

pub(super) use put;
