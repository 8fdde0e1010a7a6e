//! What no step has anywhere, and the line without it.

use crate::script::line::around_data;
use crate::text::quoted;

/// What no step has, and the line without it.
pub struct Slip {
    /// What is wrong, as it stands before the line.
    pub wrong: String,
    /// The line without it.
    pub mended: String,
    /// What else there is to say, behind what is expected.
    pub hint: &'static str,
}

/// Looks for each of these in what the ones before it left.
pub const SLIPS: &[fn(&str) -> Option<Slip>] = &[
    comment_at_the_end,
    invisible_character,
    quotes_around,
    words_before,
    curly_quote,
    double_quotes,
    mark_at_the_end,
    space_in_a_name,
    comma_between_storages,
];

/// `client1 pauses # like this`
fn comment_at_the_end(text: &str) -> Option<Slip> {
    let mut is_quoted = false;
    let mut last = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let is_first = last.is_none_or(char::is_whitespace);
        let is_last = characters
            .peek()
            .is_none_or(|(_, next)| next.is_whitespace());
        if is_quote(character) {
            is_quoted = if is_quoted { !is_last } else { is_first };
        } else if character == '#' && is_first && !is_quoted {
            let mended = text[..at].trim_end();
            // Nobody comments on one word: client #1.
            return mended.contains(char::is_whitespace).then(|| Slip {
                wrong: "comment at the end of".to_owned(),
                mended: mended.to_owned(),
                hint: ", and the comment on a line of its own",
            });
        }
        last = Some(character);
    }
    None
}

/// What looks like a blank, or like nothing at all, and is neither.
fn invisible_character(text: &str) -> Option<Slip> {
    let is_blank = |it: char| it.is_whitespace() && !it.is_ascii();
    let is_nothing = |it| {
        matches!(
            it,
            '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}'
        )
    };
    let found = outside_data(text).find(|&it| is_blank(it) || is_nothing(it))?;
    let plain = replace_outside_data(text, is_blank, " ");
    let plain = replace_outside_data(&plain, is_nothing, "");
    Some(Slip {
        wrong: format!("invisible character \"{}\" in", found.escape_unicode()),
        mended: plain.trim_ascii().to_owned(),
        hint: ", with plain blanks",
    })
}

/// `'client1 pauses'`
fn quotes_around(text: &str) -> Option<Slip> {
    let inner = text.strip_prefix(is_quote)?.strip_suffix(is_quote)?;
    Some(Slip {
        wrong: "quotes around".to_owned(),
        mended: inner.trim_ascii().to_owned(),
        hint: ", without them",
    })
}

/// What people write before a step, besides numbers; blanks between.
const BEFORE: &str = "- * + • – — > $ step first second then now next and so but later afterwards \
                      meanwhile suddenly finally again the";

/// Whether it is often written before a step.
pub fn is_often_before(word: &str) -> bool {
    BEFORE.split(' ').any(|it| it == word)
}

/// `1. client1 pauses`
fn words_before(text: &str) -> Option<Slip> {
    let mut left = text;
    while let Some((word, behind)) = left.split_once([' ', '\t']) {
        let bare = word.trim_end_matches([',', ':']).to_ascii_lowercase();
        let number = word.trim_matches(['(', ')', '[', ']', '.', ':', '#']);
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number && !is_often_before(&bare) {
            break;
        }
        left = behind.trim_ascii_start();
    }
    let taken_out = text[..text.len() - left.len()].trim_ascii_end();
    (left != text).then(|| Slip {
        wrong: format!("{} before the step in", quoted(taken_out)),
        mended: left.to_owned(),
        hint: "",
    })
}

/// `client1’s lease expires`
fn curly_quote(text: &str) -> Option<Slip> {
    let is_odd = |it| is_quote(it) && it != '\'' && it != '"';
    let found = outside_data(text).find(|&it| is_odd(it))?;
    let kind = if CURLY_QUOTES.contains(found) {
        "curly quote"
    } else {
        "quote"
    };
    Some(Slip {
        wrong: format!("{kind} \"{found}\" in"),
        mended: replace_outside_data(text, is_odd, "'"),
        hint: ", with straight quotes",
    })
}

/// `client1 writes "data"`
fn double_quotes(text: &str) -> Option<Slip> {
    let is_double = |it| it == '"';
    outside_data(text).find(|&it| is_double(it))?;
    Some(Slip {
        wrong: "double quotes in".to_owned(),
        mended: replace_outside_data(text, is_double, "'"),
        hint: ", with single quotes",
    })
}

/// `client1 pauses.`
fn mark_at_the_end(text: &str) -> Option<Slip> {
    let mended = text.trim_end_matches(['.', ',', ';', ':', '!', '…', ' ']);
    let mark = &text[mended.len()..];
    (!mark.is_empty()).then(|| Slip {
        wrong: format!("{} at the end of", quoted(mark)),
        mended: mended.to_owned(),
        hint: "",
    })
}

/// `client 1 pauses`
fn space_in_a_name(text: &str) -> Option<Slip> {
    let (before, data, behind) = around_data(text);
    let joined_before = join_names(before, true);
    let joined_behind = join_names(behind, false);
    if joined_before.is_none() && joined_behind.is_none() {
        return None;
    }
    let before = joined_before.unwrap_or_else(|| before.trim_ascii_end().to_owned());
    let behind = joined_behind.unwrap_or_else(|| behind.trim_ascii_start().to_owned());
    let data = data.map(|data| format!(" '{data}' ")).unwrap_or_default();
    Some(Slip {
        wrong: "space in a name in".to_owned(),
        mended: format!("{before}{data}{behind}")
            .trim_ascii_end()
            .to_owned(),
        hint: "",
    })
}

/// The words with one blank between two, but none before the number of a name; none if no name has
/// such a blank.
fn join_names(text: &str, begins_with_name: bool) -> Option<String> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let mut joined = String::new();
    for (index, word) in words.iter().enumerate() {
        let bare = word
            .strip_suffix("'s")
            .unwrap_or(word)
            .trim_end_matches(',');
        let number = bare.strip_prefix('#').unwrap_or(bare);
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let is_letter = bare.len() == 1 && bare.as_bytes()[0].is_ascii_alphabetic();
        let of_client = begins_with_name && index == 1 && (is_number || is_letter);
        let of_storage =
            index > 1 && is_number && ["to", "from", "and"].contains(&words[index - 2]);
        if of_client || of_storage {
            joined += word.trim_start_matches('#');
        } else {
            joined += if index > 0 { " " } else { "" };
            joined += word;
        }
    }
    (joined != words.join(" ")).then_some(joined)
}

/// `client1 writes 'data' to replica1, replica2`
fn comma_between_storages(text: &str) -> Option<Slip> {
    let (before, data, behind) = around_data(text);
    let end = if data.is_some() { behind } else { before };
    let is_between = |it: char| matches!(it, ',' | '&' | '+');
    let mut words = end.split_ascii_whitespace();
    words.find(|word| ["to", "from"].contains(word))?;
    let found = words
        .clone()
        .find_map(|word| word.chars().find(|&it| is_between(it)))?;
    let spaced = end.replace(is_between, " and ");
    let mut joined: Vec<&str> = spaced.split_ascii_whitespace().collect();
    joined.dedup_by(|word, other| *word == "and" && *other == "and");
    let begin = &text[..text.len() - end.len()];
    Some(Slip {
        wrong: format!("\"{found}\" between storages in"),
        mended: format!("{begin} {}", joined.join(" "))
            .trim_ascii()
            .to_owned(),
        hint: ", with \"and\" between two",
    })
}

const CURLY_QUOTES: &str = "‘’‚‛“”„‟";
const OTHER_QUOTES: &str = "'\"‹›«»′″`´＇＂";

/// Whether somebody may take the character for a quote.
pub fn is_quote(character: char) -> bool {
    CURLY_QUOTES.contains(character) || OTHER_QUOTES.contains(character)
}

fn outside_data(text: &str) -> impl Iterator<Item = char> {
    let (before, _, behind) = around_data(text);
    before.chars().chain(behind.chars())
}

fn replace_outside_data(text: &str, is_wrong: impl Fn(char) -> bool, right: &str) -> String {
    let (before, data, behind) = around_data(text);
    let [before, behind] = [before, behind].map(|part| part.replace(&is_wrong, right));
    let data = data.map(|data| format!("'{data}'")).unwrap_or_default();
    before + &data + &behind
}
