//! Names and data live once, in the scenario; everything else carries small numbers that stand for
//! them.
//!
//! So a step, an event or a whole [`World`](crate::world::World) is cheap to copy, compare and
//! hash, and only the views turn numbers back into text.

use std::collections::HashMap;

/// A client of the scenario, such as `client1`. Ordered by first appearance in the script.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClientId(u32);

impl ClientId {
    /// Where the client stands in a list with one entry for each client.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a client writes, such as `'client1 data'`. Two writes of the same text carry the same
/// `Data`. Ordered by first appearance in the script.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Data(u32);

/// The texts behind the [`ClientId`]s and [`Data`] of one scenario.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Names {
    clients: Vec<Box<str>>,
    data: Vec<Box<str>>,
}

impl Names {
    /// The client's name, as the script spells it. `client` must come from the same scenario.
    pub fn client(&self, client: ClientId) -> &str {
        &self.clients[client.index()]
    }

    /// The text of the data, without quotes. `data` must come from the same scenario.
    pub fn data(&self, data: Data) -> &str {
        &self.data[data.0 as usize]
    }

    /// How many clients the scenario has.
    pub fn client_count(&self) -> usize {
        self.clients.len()
    }
}

/// Collects the names of a script while it is parsed, each text once.
#[derive(Default)]
pub struct NameCollector<'script> {
    clients: Numbered<'script>,
    data: Numbered<'script>,
}

impl<'script> NameCollector<'script> {
    /// The client of that name: the one met before, or a new one.
    pub fn client(&mut self, name: &'script str) -> ClientId {
        ClientId(self.clients.number(name))
    }

    /// The data of that text: the one met before, or a new one.
    pub fn data(&mut self, text: &'script str) -> Data {
        Data(self.data.number(text))
    }

    /// All texts that were met.
    pub fn into_names(self) -> Names {
        Names {
            clients: self.clients.into_texts(),
            data: self.data.into_texts(),
        }
    }
}

/// Distinct texts, numbered from 0 in the order in which they were first met.
#[derive(Default)]
struct Numbered<'script> {
    texts: Vec<&'script str>,
    numbers: HashMap<&'script str, u32>,
}

impl<'script> Numbered<'script> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "16 MiB of script have fewer texts"
    )]
    fn number(&mut self, text: &'script str) -> u32 {
        *self.numbers.entry(text).or_insert_with(|| {
            self.texts.push(text);
            (self.texts.len() - 1) as u32
        })
    }

    fn into_texts(self) -> Vec<Box<str>> {
        self.texts.into_iter().map(Box::from).collect()
    }
}
