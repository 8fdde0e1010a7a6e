//! What a line could be meant for, where nothing in it is wrong by itself.

use std::cmp::Reverse;

use crate::script::diagnose::Place;
use crate::script::diagnose::other_words::in_other_words;
use crate::script::diagnose::slips::{is_often_before, is_quote};
use crate::script::form::{CLIENT, DATA, FORMS, Form};
use crate::script::header::Header;
use crate::script::line::{Line, around_data};
use crate::text::quoted;

/// How much of a mistaken line is compared with the forms, in characters.
const LONGEST_COMPARED: usize = 80;

/// What the line could be meant for.
pub struct Reading {
    /// What is wrong, as it stands before the line.
    pub wrong: String,
    /// What would be right: one at least.
    pub right: Vec<Proposal>,
    /// What else there is to say, behind what is expected.
    pub hint: &'static str,
}

/// A line that could stand there, and what it means if that is not plain.
pub struct Proposal {
    pub line: String,
    pub meaning: Option<&'static str>,
}

/// Reads the line in one way, if it can be read like that.
type Read = fn(&Line<'_>, &dyn Place) -> Option<Reading>;

/// The surest first.
pub const READINGS: &[Read] = &[
    capital_letters,
    misplaced_storages,
    other_preposition,
    missing_name,
    missing_possessive,
    one_word_too_many,
    missing_data,
    missing_quotes,
    two_endings,
    ending_of_a_packet,
    other_words,
    unfinished,
    misspelt,
    too_much,
    missing_colon,
];

/// `client1 WAKES`
fn capital_letters(line: &Line<'_>, _: &dyn Place) -> Option<Reading> {
    let words = format!("{}{}", line.name, line.after_name);
    let is_alike = |form: &&Form| {
        let found = if form.name().is_empty() {
            &words
        } else {
            &line.after_name
        };
        form.after_name().eq_ignore_ascii_case(found) && form.after_name() != found
    };
    let form = FORMS.iter().find(is_alike)?;
    reading("capital letters in", [line.in_form(form, line.name)], "")
}

/// `client1 writes 'data' if unchanged to replica1`
fn misplaced_storages(line: &Line<'_>, _: &dyn Place) -> Option<Reading> {
    let form = FORMS.iter().find(|form| line.has_words_of(form))?;
    let right = line.in_form(form, line.name);
    reading("storages in the wrong place in", [right], "")
}

/// `client1 reads in replica1`, `client1 reads replica1`
fn other_preposition(line: &Line<'_>, place: &dyn Place) -> Option<Reading> {
    let (before, data, behind) = around_data(line.text);
    let end = if data.is_some() { behind } else { before };
    let words: Vec<&str> = end.split_ascii_whitespace().collect();
    let begin = line.text[..line.text.len() - end.len()].trim_ascii_end();
    // The first word is the client's name.
    let first = usize::from(data.is_none());
    for (at, word) in words.iter().enumerate().skip(first) {
        let is_preposition = ["to", "from", "in", "into", "at", "on", "onto", "of"].contains(word);
        let rest = if is_preposition { at + 1 } else { at };
        for wanted in ["to", "from"] {
            let end = [&words[..at], &[wanted], &words[rest..]].concat().join(" ");
            let right = format!("{begin} {end}");
            let right = right.trim_ascii_start();
            if !place.could_take(right) {
                continue;
            }
            let wrong = if is_preposition {
                format!("\"{word}\" instead of \"{wanted}\" in")
            } else {
                format!("missing \"{wanted}\" in")
            };
            return reading(wrong, [right.to_owned()], "");
        }
    }
    None
}

/// `acquires the lease`
fn missing_name(line: &Line<'_>, _: &dyn Place) -> Option<Reading> {
    let words = format!("{}{}", line.name, line.after_name);
    let words = words.strip_prefix("the ").unwrap_or(&words);
    let bare = |text: &'static str| text.trim_start_matches("'s").trim_start();
    let is_alike = |form: &&Form| {
        form.name() == CLIENT
            && bare(form.after_name()) == words.trim_start_matches("'s").trim_start()
    };
    let form = FORMS.iter().find(is_alike)?;
    let right = line.in_form(form, CLIENT);
    reading("missing name in", [right], WHERE_C_IS_A_CLIENT)
}

/// Behind a step whose client is left open.
const WHERE_C_IS_A_CLIENT: &str = ", where C is a client";

/// `client1 lease expires`
fn missing_possessive(line: &Line<'_>, place: &dyn Place) -> Option<Reading> {
    let is_alike = |form: &&Form| form.after_name().strip_prefix("'s") == Some(&line.after_name);
    let form = FORMS.iter().find(is_alike)?;
    let name = line.name.trim_end_matches('\'');
    let names = match name.strip_suffix('s') {
        Some(short) if !place.has_client(name) => {
            let is_sure =
                place.has_client(short) || short.ends_with(|it: char| it.is_ascii_digit());
            if is_sure {
                vec![short]
            } else {
                vec![short, name]
            }
        }
        Some(_) | None => vec![name],
    };
    let right = names.into_iter().map(|name| line.in_form(form, name));
    reading("missing \"'s\" in", right, "")
}

/// `old leader pauses`, `client1 suddenly pauses`
fn one_word_too_many(line: &Line<'_>, place: &dyn Place) -> Option<Reading> {
    let (second, rest) = line.after_name.strip_prefix(' ')?.split_once(' ')?;
    let (second, after) = match second.strip_suffix("'s") {
        Some(second) => (second, format!("'s {rest}")),
        None => (second, format!(" {rest}")),
    };
    let form = FORMS
        .iter()
        .find(|form| form.name() == CLIENT && form.after_name() == after)?;
    let is_verb = |form: &Form| form.verb() == Some(second);
    if FORMS.iter().any(is_verb) || (line.name, second) == ("lock", "service") {
        return None;
    }
    let with_name = |name: &str| [line.in_form(form, name)];
    if place.has_client(second) {
        let wrong = format!("{} before the step in", quoted(line.name));
        reading(wrong, with_name(second), "")
    } else if place.has_client(line.name) || is_often_before(second) {
        reading("unknown step", with_name(line.name), "")
    } else {
        let name = format!("{}-{second}", line.name);
        reading("space in a name in", with_name(&name), "")
    }
}

/// `client1 writes`
fn missing_data(line: &Line<'_>, place: &dyn Place) -> Option<Reading> {
    let is_alike = |form: &&Form| {
        form.around_data().is_some_and(|(before, behind)| {
            line.after_name == format!("{}{behind}", before.trim_end())
        })
    };
    let form = FORMS.iter().find(is_alike)?;
    // What looks like storages may be none.
    let versions = [line.clone(), line.with(None, &[])];
    let mut right = versions
        .map(|line| line.in_form(form, line.name))
        .into_iter();
    let right = right.find(|right| place.could_take(right));
    reading("missing data in", right, ", with data of yours")
}

/// `client1 writes data`
fn missing_quotes(line: &Line<'_>, place: &dyn Place) -> Option<Reading> {
    let has_others = line.text.contains(|it| is_quote(it) && it != '\'');
    if line.data.is_some() || has_others {
        return None;
    }
    let words = line.all_after_name();
    let has_quote = words.trim_start_matches("'s").contains('\'');
    // What looks like storages may be part of the data.
    let versions = [(&line.after_name, &line.storages[..]), (&words, &[])];
    let proposals = versions.into_iter().flat_map(|(after, storages)| {
        let forms = FORMS
            .iter()
            .filter(move |form| has_quote || form.text != Form::PACKET_WITH_ARRIVES.text);
        forms.filter_map(move |form| {
            let (before, behind) = form.around_data()?;
            let data = after.strip_prefix(before)?.strip_suffix(behind)?;
            let data = data.trim_matches(['\'', ' ']);
            let quoted = line.with(Some(data), storages);
            Some((behind.len(), quoted.in_form(form, line.name)))
        })
    });
    let right = proposals.filter(|(_, right)| place.could_take(right));
    let (_, right) = right.min_by_key(|&(behind, _)| Reverse(behind))?;
    reading("missing quotes in", [right], "")
}

/// The forms of a write that have an ending, and the ending.
fn endings() -> impl Iterator<Item = (&'static Form, &'static str)> {
    let ending = |form: &'static Form| Some((form, form.text.strip_prefix(Form::WRITES.text)?));
    FORMS
        .iter()
        .filter_map(ending)
        .filter(|(_, ending)| !ending.is_empty())
}

/// `client1 writes 'data' if unchanged past the guard`
fn two_endings(line: &Line<'_>, _: &dyn Place) -> Option<Reading> {
    let rest = line.after_name.strip_prefix(Form::WRITES.after_name())?;
    let found: Vec<String> = endings()
        .filter(|(_, ending)| rest.contains(ending))
        .map(|(form, _)| line.in_form(form, line.name))
        .collect();
    let hint = ", for a write has one ending at most";
    reading("two endings in", found, hint).filter(|reading| reading.right.len() > 1)
}

/// `client1 sends 'data' if unchanged`
fn ending_of_a_packet(line: &Line<'_>, _: &dyn Place) -> Option<Reading> {
    let rest = line.after_name.strip_prefix(Form::SENDS.after_name())?;
    let (write, _) = endings().find(|&(_, ending)| ending == rest)?;
    let right = [&Form::SENDS, write].map(|form| line.in_form(form, line.name));
    let hint = ", for only what C writes can end like this";
    reading("unknown step", right, hint)
}

/// `client1 gets the lease`
fn other_words(line: &Line<'_>, _: &dyn Place) -> Option<Reading> {
    let right = in_other_words(line);
    (!right.is_empty()).then(|| Reading {
        wrong: "unknown step".to_owned(),
        right,
        hint: "",
    })
}

/// `client1 is`
fn unfinished(line: &Line<'_>, _: &dyn Place) -> Option<Reading> {
    let words = format!("{}{}", line.name, line.after_name);
    let is_begun = |form: &&Form| {
        if form.name().is_empty() {
            form.text.starts_with(&words)
        } else {
            let needs_more = form.name() == CLIENT && line.after_name.is_empty();
            form.after_name().starts_with(&line.after_name) && !needs_more
        }
    };
    let begun = FORMS.iter().filter(is_begun);
    reading(
        "unknown step",
        begun.map(|form| line.in_form(form, line.name)),
        "",
    )
}

/// `client1 aquires the lease`: the forms that take the fewest letters to come to from here. That
/// must not be more than one of three in the whole form, one of three in what says what happens, and
/// one of two in an ending.
fn misspelt(line: &Line<'_>, place: &dyn Place) -> Option<Reading> {
    let words = format!("{}{}", line.name, line.after_name).to_ascii_lowercase();
    let after_name = line.after_name.to_ascii_lowercase();
    let is_right = FORMS
        .iter()
        .any(|form| action(form.after_name()) == action(&after_name));
    let mut fewest = usize::MAX;
    let mut nearest = Vec::new();
    let mut hint = "";
    for form in FORMS {
        let (found, wanted) = if form.name().is_empty() {
            (&words, form.after_name().to_owned())
        } else {
            (&after_name, form.after_name().to_ascii_lowercase())
        };
        let edits = edit_distance(found, &wanted);
        let of_action = edit_distance(action(found), action(&wanted));
        let of_ending = edit_distance(ending(found), ending(&wanted));
        let is_near = edits * 3 <= form.text.len()
            && of_action * 3 <= action(&wanted).len()
            && of_ending * 2 <= ending(&wanted).len();
        if !is_near || is_right && of_action > 0 || edits > fewest {
            continue;
        }
        let named = line.in_form(form, line.name);
        let (right, where_c) = if place.could_take(&named) {
            (named, "")
        } else {
            (line.in_form(form, CLIENT), WHERE_C_IS_A_CLIENT)
        };
        if edits < fewest {
            (fewest, hint) = (edits, where_c);
            nearest.clear();
        }
        nearest.push(right);
    }
    reading("unknown step", nearest, hint)
}

/// What says what happens, of all that is behind a name: `␣writes`, or `'s␣packet`.
fn action(after_name: &str) -> &str {
    let begin = if after_name.starts_with("'s ") { 3 } else { 1 };
    let end = after_name.get(begin..).and_then(|rest| rest.find(' '));
    end.map_or(after_name, |end| &after_name[..begin + end])
}

/// What stands behind the data, if there are any.
fn ending(after_name: &str) -> &str {
    after_name.split_once(DATA).map_or("", |(_, ending)| ending)
}

/// `fencing on`
fn missing_colon(line: &Line<'_>, _: &dyn Place) -> Option<Reading> {
    let (word, value) = line.text.split_once([' ', '\t', '='])?;
    let mut headers = Header::ALL.into_iter().map(Header::name);
    let header = headers.find(|name| name.eq_ignore_ascii_case(word))?;
    let value = value.trim_start_matches([' ', '\t', '=']);
    reading("missing colon in", [format!("{header}: {value}")], "")
}

/// `client1 pauses for ten seconds`
fn too_much(line: &Line<'_>, place: &dyn Place) -> Option<Reading> {
    let blanks = line.text.rmatch_indices([' ', '\t']);
    let mut begins = blanks.map(|(at, _)| line.text[..at].trim_end_matches([' ', ',', ';', '.']));
    let step = begins.find(|begin| place.could_take(begin))?;
    let hint = ", with nothing behind it: one step a line";
    reading("too much in", [step.to_owned()], hint)
}

/// None if nothing would be right.
fn reading(
    wrong: impl Into<String>,
    right: impl IntoIterator<Item = String>,
    hint: &'static str,
) -> Option<Reading> {
    let proposal = |line| Proposal {
        line,
        meaning: None,
    };
    let right: Vec<Proposal> = right.into_iter().map(proposal).collect();
    (!right.is_empty()).then(|| Reading {
        wrong: wrong.into(),
        right,
        hint,
    })
}

/// How many characters to insert, delete or replace to come from one text to the other
/// (Levenshtein). No form is near a long text, so only its beginning counts.
pub fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut distances: Vec<usize> = (0..=to.len()).collect();
    for (row, from) in from.chars().take(LONGEST_COMPARED).enumerate() {
        let mut diagonal = std::mem::replace(&mut distances[0], row + 1);
        for (column, &to) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = distances[column + 1];
            distances[column + 1] = replaced.min(diagonal + 1).min(distances[column] + 1);
        }
    }
    distances[to.len()]
}
