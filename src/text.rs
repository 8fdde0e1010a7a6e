//! How texts and numbers are shown. A script must not drive its reader's terminal: what comes from
//! outside is shown escaped, or not at all.

use std::fmt::Write;

/// The most characters of an offending text that an error message quotes.
pub const LONGEST_QUOTE: usize = 60;

/// Whether a script must not contain the character: control characters other than tab, and the
/// invisible marks that change the direction of the text around them.
pub fn is_forbidden(character: char) -> bool {
    match character {
        '\t' => false,
        '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        other => other.is_control(),
    }
}

/// The text in double quotes, escaped, and cut at [`LONGEST_QUOTE`] characters.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((cut, _)) => {
            let mut quoted = format!("{:?}", &text[..cut]);
            quoted.pop();
            quoted + "…\""
        }
        None => format!("{text:?}"),
    }
}

/// The text as it is, but for characters that would drive the terminal, which are escaped. For
/// names of files.
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        if is_forbidden(character) || character == '\t' {
            // Writing to a string cannot fail.
            let _ = write!(printable, "{}", character.escape_default());
        } else {
            printable.push(character);
        }
    }
    printable
}

/// The number with its digits grouped by commas.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The text broken between words, into lines of at most `width` characters each. A word that is
/// longer has a line of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}
