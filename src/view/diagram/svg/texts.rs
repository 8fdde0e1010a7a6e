//! Texts in an SVG picture: cut, or broken into lines.

use std::borrow::Cow;

/// How many characters of the usual width the text takes. East Asian ones, emoji and the like take
/// two each.
fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(character: char) -> usize {
    if character < '\u{1100}' { 1 } else { 2 }
}

/// The text, cut to so many columns.
pub fn fit(text: &str, room: usize) -> Cow<'_, str> {
    // Almost all texts are short: counting bytes settles it.
    if text.len() <= room || columns(text) <= room {
        return Cow::Borrowed(text);
    }
    let mut cut = String::new();
    let mut left = room.saturating_sub(1);
    for character in text.chars() {
        let Some(rest) = left.checked_sub(columns_of(character)) else {
            break;
        };
        left = rest;
        cut.push(character);
    }
    if room > 0 {
        cut.push('…');
    }
    Cow::Owned(cut)
}

/// Takes the text in lines of so many columns, broken at blanks where that is possible.
pub fn wrap<'text>(text: &'text str, room: usize, mut take: impl FnMut(Cow<'text, str>)) {
    if text.len() <= room {
        return take(Cow::Borrowed(text));
    }
    let (mut line, mut left) = (String::new(), room);
    for word in text.split_inclusive(' ') {
        let width = columns(word.trim_end());
        if width > left && width <= room {
            take(Cow::Owned(std::mem::take(&mut line)));
            left = room;
        }
        for character in word.chars() {
            let width = columns_of(character);
            // A blank that ends a line takes no room.
            if width > left && character != ' ' {
                take(Cow::Owned(std::mem::take(&mut line)));
                left = room;
            }
            line.push(character);
            left = left.saturating_sub(width);
        }
    }
    take(Cow::Owned(line));
}
