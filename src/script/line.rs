//! A line that should be a step, split into what a form fixes and what it leaves open.

use crate::script::form::{DATA, Form, TOKEN};

/// A line of a script.
#[derive(Clone)]
pub(super) struct Line<'script> {
    /// All of it.
    pub text: &'script str,
    /// The first word, without `'s`: the client or the storage, if the line has one.
    pub name: &'script str,
    /// What stands between the first and the last quote.
    pub data: Option<&'script str>,
    /// The storages that it names, if it names some.
    pub storages: Vec<&'script str>,
    /// The preposition before them.
    preposition: Option<&'script str>,
    /// Behind how much of `after_name` they stand.
    storages_at: usize,
    /// The word behind `with token`.
    pub token: Option<&'script str>,
    /// All that is behind the name but for the storages, with one blank between two words, and
    /// [`DATA`] and [`TOKEN`] for data and token.
    pub after_name: String,
}

impl<'script> Line<'script> {
    /// Splits a line that has no blanks around it.
    pub fn split(text: &'script str) -> Self {
        let (before, data, behind) = around_data(text);
        let mut words = before.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        let name = first.strip_suffix("'s").unwrap_or(first);

        let mut line = Line {
            text,
            name,
            data,
            storages: Vec::new(),
            preposition: None,
            storages_at: 0,
            token: None,
            after_name: String::with_capacity(text.len()),
        };
        line.after_name.push_str(&first[name.len()..]);
        let words = words
            .chain(data.map(|_| DATA))
            .chain(behind.split_ascii_whitespace());
        line.take_words(words);
        line
    }

    /// Takes the words behind the name: the storages apart, between `to` or `from` and the first
    /// word that is not behind an `and`.
    fn take_words(&mut self, words: impl Iterator<Item = &'script str>) {
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            if self.preposition.is_none()
                && ["to", "from"].contains(&word)
                && words.peek().is_some()
            {
                self.preposition = Some(word);
                self.storages_at = self.after_name.len();
                self.storages.extend(words.next());
                while words.next_if_eq(&"and").is_some() {
                    match words.next() {
                        Some(storage) => self.storages.push(storage),
                        None => self.after_name.push_str(" and"),
                    }
                }
                continue;
            }
            let word = if self.after_name.ends_with(" with token") {
                self.token = Some(word);
                TOKEN
            } else {
                word
            };
            self.after_name.push(' ');
            self.after_name.push_str(word);
        }
    }

    /// All that is behind the name, with one blank between two words, and [`DATA`] for data.
    pub fn all_after_name(&self) -> String {
        let (before, data, behind) = around_data(self.text);
        let words = before.split_ascii_whitespace().chain(data.map(|_| DATA));
        let words: Vec<&str> = words.chain(behind.split_ascii_whitespace()).collect();
        words.join(" ")[self.name.len()..].to_owned()
    }

    /// The same line with these data and these storages.
    pub fn with<'line>(
        &'line self,
        data: Option<&'line str>,
        storages: &[&'line str],
    ) -> Line<'line> {
        Line {
            data,
            storages: storages.to_vec(),
            ..self.clone()
        }
    }

    /// Whether the line is of this form, whatever it has where the form leaves something open.
    pub fn has_form(&self, form: &Form) -> bool {
        let is_in_place = || self.storages_at == form.storages_at();
        self.has_words_of(form) && (self.preposition.is_none() || is_in_place())
    }

    /// Whether it is of this form wherever it names its storages.
    pub fn has_words_of(&self, form: &Form) -> bool {
        let is_alike = if form.name().is_empty() {
            form.text.strip_prefix(self.name) == Some(&self.after_name)
        } else {
            !self.name.is_empty() && form.after_name() == self.after_name
        };
        let is_prepositions =
            || self.preposition.is_none() || self.preposition == form.preposition();
        let is_list = || self.storages.iter().any(|storage| storage.contains(','));
        is_alike && is_prepositions() && !is_list()
    }

    /// A step of this form and this client or storage, with as much of the line as the form has a
    /// place for.
    pub fn in_form(&self, form: &Form, name: &str) -> String {
        let name = if form.name().is_empty() { "" } else { name };
        let mut step = name.to_owned();
        let (before, behind) = form.after_name().split_at(form.storages_at());
        match before.split_once(DATA) {
            Some((before, _)) => {
                let data = self.data.map(|data| format!("{before}'{data}'"));
                step += &data.unwrap_or_else(|| format!("{before}{DATA}"));
            }
            None => step += before,
        }
        if let Some(preposition) = form.preposition() {
            let prepositions = std::iter::once(preposition).chain(std::iter::repeat("and"));
            for (preposition, storage) in prepositions.zip(&self.storages) {
                step.extend([" ", preposition, " ", storage]);
            }
        }
        match behind.strip_suffix(TOKEN) {
            Some(behind) => step + behind + self.token_or_example(),
            None => step + behind,
        }
    }

    fn token_or_example(&self) -> &'script str {
        let last = self.text.split_ascii_whitespace().last();
        let number = last.filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        self.token.or(number).unwrap_or("99")
    }
}

/// What stands before the data, the data, and what stands behind them.
pub(super) fn around_data(text: &str) -> (&str, Option<&str>, &str) {
    // The quote that opens the data stands behind a blank, unlike the one in `client1's`.
    let pairs = text.as_bytes().windows(2);
    let is_opening = |pair: &[u8]| matches!(pair, [b' ' | b'\t', b'\'']);
    let opening = pairs.into_iter().position(is_opening).map(|at| at + 1);
    let closing = text.bytes().rposition(|byte| byte == b'\'');
    match (opening, closing) {
        (Some(opening), Some(closing)) if opening < closing => (
            &text[..opening],
            Some(&text[opening + 1..closing]),
            &text[closing + 1..],
        ),
        (Some(_) | None, Some(_) | None) => (text, None, ""),
    }
}
