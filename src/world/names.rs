//! Names and data live once, in the scenario; everything else carries small numbers that stand for
//! them.
//!
//! So a step, an event or a whole [`World`](crate::world::World) is cheap to copy, compare and
//! hash, and only the views turn numbers back into text.

use std::collections::BTreeMap;

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

impl Data {
    /// Stands for any data where an exploration cares for none.
    pub const ANY: Data = Data(0);
}

/// A storage of the scenario, such as `replica1`. Ordered as the `storages:` header has them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StorageId(u8);

impl StorageId {
    /// The first storage: the only one, unless a script names several.
    pub const FIRST: StorageId = StorageId(0);

    /// Where the storage stands in a list with one entry for each storage.
    pub fn index(self) -> usize {
        self.0.into()
    }
}

/// Some of a scenario's storages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Storages(u8);

impl Storages {
    /// The most storages that a scenario has.
    pub const MOST: u8 = 5;
    /// None of them.
    pub const NONE: Storages = Storages(0);

    /// All storages of a scenario that has so many, at most [`Storages::MOST`].
    pub fn all(count: usize) -> Storages {
        (0..Storages::MOST)
            .take(count)
            .fold(Storages::NONE, |all, storage| all.with(StorageId(storage)))
    }

    /// The same, and this one.
    #[must_use]
    pub fn with(self, storage: StorageId) -> Storages {
        Storages(self.0 | 1 << storage.0)
    }

    /// Whether this one is among them.
    pub fn contains(self, storage: StorageId) -> bool {
        self.0 & 1 << storage.0 != 0
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self == Storages::NONE
    }

    /// The storage, if there is just one.
    pub fn only(self) -> Option<StorageId> {
        self.iter().next().filter(|_| self.len() == 1)
    }

    /// The storages, in order.
    pub fn iter(self) -> impl Iterator<Item = StorageId> {
        (0..Storages::MOST)
            .map(StorageId)
            .filter(move |&storage| self.contains(storage))
    }
}

/// What a scenario's only storage is called.
pub const STORAGE: &str = "storage";

/// The texts behind the [`ClientId`]s, [`StorageId`]s and [`Data`] of one scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Names {
    clients: Vec<Box<str>>,
    data: Vec<Box<str>>,
    storages: Vec<Box<str>>,
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

    /// All clients, by first appearance in the script.
    pub fn clients(&self) -> impl Iterator<Item = ClientId> {
        (0..).map(ClientId).take(self.clients.len())
    }

    /// The storage's name. `storage` must come from the same scenario.
    pub fn storage(&self, storage: StorageId) -> &str {
        &self.storages[storage.index()]
    }

    /// All storages of the scenario: one at least.
    pub fn storages(&self) -> Storages {
        Storages::all(self.storages.len())
    }

    /// Whether the scenario names several storages.
    pub fn has_several_storages(&self) -> bool {
        self.storages.len() > 1
    }
}

/// Collects the names of a script while it is parsed, each text once.
#[derive(Default)]
pub struct NameCollector<'script> {
    clients: Numbered<'script>,
    data: Numbered<'script>,
    /// Empty if the script names none.
    storages: Vec<&'script str>,
}

impl<'script> NameCollector<'script> {
    /// The client of that name: the one met before, or a new one.
    pub fn client(&mut self, name: &'script str) -> ClientId {
        ClientId(self.clients.number(name))
    }

    /// Whether a client of that name was met.
    pub fn has_client(&self, name: &str) -> bool {
        self.clients.numbers.contains_key(name)
    }

    /// The data of that text: the one met before, or a new one.
    pub fn data(&mut self, text: &'script str) -> Data {
        Data(self.data.number(text))
    }

    /// Names the storages: two to [`Storages::MOST`].
    pub fn set_storages(&mut self, names: Vec<&'script str>) {
        self.storages = names;
    }

    /// All storages.
    pub fn storages(&self) -> Storages {
        Storages::all(self.storage_names().len())
    }

    /// The storage of that name, if there is one.
    pub fn storage(&self, name: &str) -> Option<StorageId> {
        let mut storages = (0..).map(StorageId).zip(self.storage_names());
        storages.find(|&(_, it)| *it == name).map(|(id, _)| id)
    }

    /// What the storages are called, in order.
    pub fn storage_names(&self) -> &[&'script str] {
        if self.storages.is_empty() {
            &[STORAGE]
        } else {
            &self.storages
        }
    }

    /// All texts that were met.
    pub fn into_names(self) -> Names {
        Names {
            storages: self
                .storage_names()
                .iter()
                .copied()
                .map(Box::from)
                .collect(),
            clients: self.clients.into_texts(),
            data: self.data.into_texts(),
        }
    }
}

/// Distinct texts, numbered from 0 in the order in which they were first met.
#[derive(Default)]
struct Numbered<'script> {
    texts: Vec<&'script str>,
    numbers: BTreeMap<&'script str, u32>,
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
