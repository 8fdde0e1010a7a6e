//! Where the lanes and the steps of an SVG picture are, in pixels.
//!
//! Lanes lie 84 apart, or further where packets and labels need the room; a step is one column, and
//! a read that repairs two. An arrow to a further storage stands further right, so that the arrows of
//! one step run side by side.

use crate::view::diagram::layout::Diagram;
use crate::view::diagram::span::Span;
use crate::view::diagram::svg::labels::labels;
use crate::view::diagram::svg::page::Bar;
use crate::world::event::{Event, Moment};
use crate::world::names::{ClientId, StorageId};
use crate::world::step::WriteMode;
use crate::world::storage_service::Fencing;

/// Where the lock service's lane is.
pub const LOCK_SERVICE: i32 = 114;

/// The least distance of two lanes.
const PITCH: i32 = 84;

/// The distance of two packets' lines.
const CHANNEL: i32 = 17;

/// How much further right an arrow to the next storage stands.
const FAN: i32 = 14;

/// From the last column to the right edge.
const RIGHT: i32 = 136;

/// What the legend takes.
const LEAST_WIDTH: i32 = 720;

/// Where everything is.
pub struct Geometry {
    /// How wide the picture is.
    pub width: i32,
    /// Where lanes begin.
    pub left: i32,
    /// How wide one column is.
    pub column: i32,
    /// Where the lines below the picture begin.
    pub closing: i32,
    /// The first storage's lane.
    pub first_storage: i32,
    /// How much further right than its step stands what is right of the whole fan of its arrows.
    pub whole_fan: i32,
    steps: Vec<i32>,
    clients: Vec<i32>,
    /// How much lower than its storage's lane that of its `max_token` is, if there is one.
    max_token: Option<i32>,
}

impl Geometry {
    /// The geometry of this picture.
    pub fn new(diagram: &Diagram<'_>) -> Geometry {
        let names = &diagram.scenario.names;
        let needs = Needs::of(diagram);
        let several = diagram.storages.len() > 1;

        let clients = names.clients().map(|client| names.client(client));
        let storages = diagram.named_storages().map(|(_, name)| name);
        let longest = clients.chain(storages).map(str::len).max();
        let longest = pixels(longest.unwrap_or_default().max("lock service".len()));
        let left = 30 + (longest * 17 + 1) / 2;

        let column = needs.column(diagram.storages.len());
        let mut steps = Vec::with_capacity(diagram.run.events.len());
        let mut x = left + column / 2;
        for event in &diagram.run.events {
            steps.push(x);
            x += if repairs(event) { 2 * column } else { column };
        }

        // Where each client is takes the place of how much room it needs.
        let mut clients = needs.above;
        let (mut y, mut below) = (LOCK_SERVICE, 32);
        for client in names.clients() {
            y += PITCH.max(below + clients[client.index()]);
            below = below_client(diagram, client);
            clients[client.index()] = y;
        }
        let for_labels = 30 + 14 * needs.label_lines;
        let first_storage = y + PITCH.max(below + for_labels);
        let storages = diagram.storages.len();
        let last_storage = first_storage + PITCH * pixels(storages - 1);
        let max_token = match diagram.fencing() {
            Fencing::Off => None,
            Fencing::On => Some(if several { 34 } else { 44 }),
        };
        Geometry {
            width: (x - column / 2 + RIGHT).max(LEAST_WIDTH),
            left,
            column,
            closing: last_storage + max_token.map_or(72, |lower| lower + 48),
            steps,
            clients,
            first_storage,
            whole_fan: if several { FAN * pixels(storages) } else { 0 },
            max_token,
        }
    }

    /// Where lanes end.
    pub fn lane_end(&self) -> i32 {
        self.width - 16
    }

    /// Where bars end that go on.
    pub fn bar_end(&self) -> i32 {
        self.width - 24
    }

    /// The step's column.
    pub fn step(&self, at: Moment) -> i32 {
        self.steps[at.index()]
    }

    /// The client's lane.
    pub fn client(&self, client: ClientId) -> i32 {
        self.clients[client.index()]
    }

    /// The storage's lane.
    pub fn storage(&self, storage: StorageId) -> i32 {
        self.first_storage + PITCH * pixels(storage.index())
    }

    /// The lane of the storage's `max_token`, if fencing is on.
    pub fn max_token(&self, storage: StorageId) -> Option<i32> {
        self.max_token.map(|lower| self.storage(storage) + lower)
    }

    /// The bar of a span along the lane there, begun so much further right than its step.
    pub fn bar<T>(&self, span: &Span<T>, later: i32, y: i32, half: i32) -> Bar {
        Bar {
            from: self.step(span.from) + later,
            to: span.until.map_or(self.bar_end(), |until| self.step(until)),
            y,
            half,
        }
    }
}

/// What the steps need room for.
struct Needs {
    /// The most lines that stand left of a request.
    label_lines: i32,
    has_endings: bool,
    has_reads_or_answers: bool,
    /// How much room each client needs above its lane.
    above: Vec<i32>,
}

impl Needs {
    fn of(diagram: &Diagram<'_>) -> Needs {
        let events = &diagram.run.events;
        let (one_line, two_lines) = (34, 48);
        let mut needs = Needs {
            label_lines: 0,
            has_endings: false,
            has_reads_or_answers: false,
            above: vec![one_line; diagram.clients.len()],
        };
        for event in events {
            if let Some(request) = event.request() {
                let lines = labels(diagram, request).count();
                needs.label_lines = needs.label_lines.max(pixels(lines));
                needs.has_endings |= request.mode != WriteMode::Plain;
            } else if let Event::Read(read) = event {
                needs.has_reads_or_answers = true;
                needs.label_lines = needs.label_lines.max(1);
                needs.above[read.client.index()] = two_lines;
            } else if let Event::AnswerHeard { .. } = event {
                needs.has_reads_or_answers = true;
                needs.label_lines = needs.label_lines.max(2);
            } else if let Event::PowerOffUnanswered { client } = event {
                needs.above[client.index()] = two_lines;
            }
        }
        needs
    }

    fn column(&self, storages: usize) -> i32 {
        let several = storages > 1;
        if storages > 3 || (several && self.has_endings) {
            118 + FAN * pixels(storages)
        } else if several || self.has_endings || self.has_reads_or_answers {
            132
        } else {
            104
        }
    }
}

/// Whether the step takes two columns.
fn repairs(event: &Event) -> bool {
    matches!(event, Event::Read(read) if !read.repairs.is_empty())
}

/// How much room the client's packets need below its lane, or else its bar.
fn below_client(diagram: &Diagram<'_>, client: ClientId) -> i32 {
    let packets = diagram.packets.iter().map(|packet| packet.what);
    let of_client = packets.filter(|packet| packet.client == client);
    match of_client.map(|packet| packet.channel).max() {
        Some(lowest) => channel(lowest) + 4,
        None => 18,
    }
}

/// How much lower than its sender's lane the line of a packet in this channel is.
pub fn channel(channel: usize) -> i32 {
    24 + CHANNEL * pixels(channel)
}

/// How much further right what concerns this storage stands: the arrows of one step fan out.
pub fn fan(storage: StorageId) -> i32 {
    FAN * pixels(storage.index())
}

/// A small number of things, to reckon with in pixels.
fn pixels(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
