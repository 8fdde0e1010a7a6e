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
        let (rest, [ten, one]) = (self / 100, PAIRS[(self % 100) as usize]);
        match self {
            0..10 => to.push(one),
            10..100 => to.extend_from_slice(&[ten, one]),
            100..1000 => to.extend_from_slice(&[PAIRS[rest as usize][1], ten, one]),
            1000.. => {
                rest.put(to);
                to.extend_from_slice(&[ten, one]);
            }
        }
    }
}

/// The digits of the numbers below 100.
const PAIRS: [[u8; 2]; 100] = {
    let digits = *b"0123456789";
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [digits[number / 10], digits[number % 10]];
        number += 1;
    }
    pairs
};

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
        while let Some(place) = first_special(rest.as_bytes()) {
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

/// Where the first character is that may have to be escaped.
fn first_special(text: &[u8]) -> Option<usize> {
    const CHUNK: usize = 16;
    // A whole chunk is looked at in one go.
    let (chunks, _) = text.as_chunks::<CHUNK>();
    let specials = |chunk: &[u8; CHUNK]| {
        let specials = chunk.iter().map(|&byte| special(byte));
        specials.fold(0, |any, special| any | special)
    };
    let plain = chunks.iter().take_while(|chunk| specials(chunk) == 0);
    let plain = CHUNK * plain.count();
    let place = text[plain..].iter().position(|&byte| special(byte) != 0);
    place.map(|place| plain + place)
}

/// Not 0 if a character that begins with this byte may have to be escaped.
fn special(byte: u8) -> u8 {
    u8::from(byte == b'&')
        | u8::from(byte == b'<')
        | u8::from(byte == b'>')
        | u8::from(byte == 0xef)
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
