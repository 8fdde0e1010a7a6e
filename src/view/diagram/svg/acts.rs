//! What happens in an SVG picture: arrows, packets, and the words beside them.

use std::mem::discriminant;

use crate::view::diagram::act::{Act, Notice, Reception, Word, in_vain, show};
use crate::view::diagram::layout::{Diagram, Packet};
use crate::view::diagram::span::Span;
use crate::view::diagram::standing::Standing;
use crate::view::diagram::svg::geometry::{Geometry, LOCK_SERVICE, channel, fan};
use crate::view::diagram::svg::labels::{Label, Reason, labels};
use crate::view::diagram::svg::look::Look;
use crate::view::diagram::svg::page::{Page, Point, Stroke};
use crate::view::diagram::svg::put::{Escaped, put};
use crate::view::diagram::svg::texts::fit;
use crate::world::event::{Answer, Choice, Moment, Preference, Reply, Request};
use crate::world::names::{ClientId, StorageId};
use crate::world::step::WriteMode;
use crate::world::storage_service::{Fencing, Rejection};

/// Half the height of a storage's bar.
const STORAGE: i32 = 12;

/// Half the height of the lock service's bar.
const LEASE: i32 = 11;

/// Draws all that happens.
pub fn draw(page: &mut Page, diagram: &Diagram<'_>, geometry: &Geometry) {
    let mut standing = Standing::new(diagram);
    let mut acts = Vec::new();
    for at in diagram.moments() {
        standing.take(at);
        show(&diagram.run.events, at, &mut acts);
        let mut drawing = Acts {
            page,
            diagram,
            geometry,
            standing: &standing,
            replies_differ: acts.iter().any(|act| matches!(act, Act::Taken(..))),
            at,
            x: geometry.step(at),
        };
        for (place, act) in acts.iter().enumerate() {
            let kind = discriminant(act);
            let is_first = place == 0 || discriminant(&acts[place - 1]) != kind;
            drawing.draw(act, is_first);
        }
    }
    for packet in diagram.packets.iter().filter(|it| it.until.is_none()) {
        draw_departure(page, geometry, packet);
        page.line_to((geometry.lane_end(), level(geometry, packet)));
        page.end_line();
    }
}

/// The height of a packet's line.
fn level(geometry: &Geometry, packet: &Span<Packet>) -> i32 {
    geometry.client(packet.what.client) + channel(packet.what.channel)
}

/// Draws a packet's line up to where it is level.
fn draw_departure(page: &mut Page, geometry: &Geometry, packet: &Span<Packet>) {
    let (x, level) = (geometry.step(packet.from), level(geometry, packet));
    let edge = edge(packet.what.grant.is_some());
    page.move_to((x, geometry.client(packet.what.client) + edge));
    page.curve_to((x + 10, level), (x + 16, level), (x + 34, level));
}

/// How far a client's lane reaches from its middle: a bar does if it believes.
fn edge(believes: bool) -> i32 {
    if believes { 7 } else { 3 }
}

/// One step.
struct Acts<'d, 'page> {
    page: &'page mut Page,
    diagram: &'d Diagram<'d>,
    geometry: &'d Geometry,
    standing: &'d Standing<'d>,
    /// The storages that it reads hold different values.
    replies_differ: bool,
    at: Moment,
    x: i32,
}

impl Acts<'_, '_> {
    /// Draws the act, the first of its kind with what is said but once.
    fn draw(&mut self, act: &Act<'_>, is_first: bool) {
        match *act {
            Act::Notice(client, notice) => self.notice(client, notice),
            Act::Word(client, word) => self.word(client, word),
            Act::Departure { data, .. } => self.departure_label(self.diagram.data(data)),
            Act::Request {
                request,
                answer,
                undid,
                ..
            } => {
                self.request(request, answer, undid, is_first);
                if is_first {
                    self.labels(request);
                }
            }
            Act::Reply(reader, reply) => {
                self.reply(reader, reply);
                if is_first && !self.replies_differ {
                    self.read(reader, reply);
                }
            }
            Act::Taken(reader, choice) => self.choice(reader, &choice),
            Act::Repair {
                reader,
                choice,
                repair,
                ..
            } => self.repair(reader, &choice, repair, is_first),
            Act::Heard {
                client,
                asked,
                answer,
                ..
            } => self.heard(client, asked, answer, is_first),
            Act::StorageForgot { storage, had_one } => self.storage_forgot(storage, had_one),
            Act::CounterForgotten(_) => self.lock_service_forgot("forgets its", "counter"),
            Act::HolderForgotten(Some(_)) => self.lock_service_forgot("forgets its", "holder"),
            Act::HolderForgotten(None) => self.lock_service_forgot("no holder", "to forget"),
        }
    }

    fn arrow(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.page.line(from, to, stroke);
        self.page.head(from, to);
    }

    fn notice(&mut self, client: ClientId, notice: Notice) {
        let (x, y) = (self.x, self.geometry.client(client));
        let bottom = LOCK_SERVICE + LEASE;
        let believed = self.standing.client(client).believed;
        let label = match notice {
            Notice::Granted(_) | Notice::HeldAlready | Notice::Renewed => {
                let tip = if believed { y - edge(true) } else { y };
                self.page.line((x - 12, y), (x - 2, bottom), Stroke::Thin);
                self.arrow((x, bottom), (x + 10, tip), Stroke::Thick);
                match notice {
                    Notice::HeldAlready => Some(("has it", 14, Look::NOTE)),
                    Notice::Renewed => Some(("renewed", 14, Look::NOTE)),
                    Notice::Granted(_)
                    | Notice::Refused
                    | Notice::Expired
                    | Notice::Released
                    | Notice::ReleasedTooLate => None,
                }
            }
            Notice::Refused => {
                let tip = y - edge(believed);
                self.page.line((x - 22, y), (x - 12, bottom), Stroke::Thin);
                self.arrow((x - 10, bottom), (x, tip), Stroke::Thick);
                self.knows(client);
                Some(("refused", 4, Look::RED))
            }
            Notice::Expired => {
                let tip = (x + 9, y - 24);
                self.page.line((x, bottom), tip, Stroke::Thick);
                self.page.cross(tip);
                Some(("expired", 14, Look::NOTE))
            }
            Notice::Released => {
                let from = (x - 10, y - edge(believed));
                self.arrow(from, (x, bottom), Stroke::Thick);
                Some(("release", 10, Look::NOTE))
            }
            Notice::ReleasedTooLate => {
                let (from, tip) = ((x - 10, y - edge(believed)), (x, bottom + 8));
                self.page.line(from, tip, Stroke::Thick);
                self.page.cross(tip);
                Some(("too late", 14, Look::RED))
            }
        };
        if let Some((label, right, look)) = label {
            self.page.text((x + right, LOCK_SERVICE + 28), look, label);
        }
    }

    fn word(&mut self, client: ClientId, word: Word) {
        let (x, y) = (self.x, self.geometry.client(client));
        let note = Look::NOTE.centred();
        match word {
            // These two stand at the boxes that they begin.
            Word::Paused | Word::Asleep => {}
            Word::Woke => self.page.text((x, y - 24), note, "wakes"),
            Word::Resumed => self.page.text((x, y - 24), note, "resumes"),
            Word::CheckPassed => self.page.text((x, y - 24), note, "check passes"),
            Word::CheckFailed => {
                self.page.text((x, y - 26), note, "check fails");
                self.knows(client);
            }
            Word::HasNone => self.page.text((x, y - 24), note, "has no lease"),
            Word::Withheld(_) => {
                let look = Look::RED.centred();
                self.page.text((x, y - 12), look, "held back");
            }
            Word::ClockSlow => self.page.text((x, y - 24), note, "clock slow"),
            Word::SwitchedOff => {
                self.page.cross((x, y));
                self.page.text((x, y - 24), note, "off");
            }
            Word::NoReply => {
                self.page.text((x, y - 38), note, "power-off:");
                self.page.text((x, y - 24), note, "no answer");
            }
            Word::ClockSlowInVain => self.page.text((x, y - 24), note, "(clock slow)"),
            Word::InVain(step) => self.page.text((x, y - 24), note, in_vain(step)),
        }
    }

    /// Says that the client has learned just now that it has no lease.
    fn knows(&mut self, client: ClientId) {
        let standing = self.standing.client(client);
        if standing.believed && standing.belief.is_none() {
            let y = self.geometry.client(client);
            self.page.text((self.x + 6, y - 12), Look::NOTE, "knows");
        }
    }

    fn departure_label(&mut self, data: &str) {
        let Some(packet) = self.diagram.packet(self.at) else {
            return;
        };
        let x = self.x + 40;
        let end = packet.until.map_or(self.geometry.lane_end(), |until| {
            self.geometry.step(until) + self.geometry.column - 10
        });
        let room = Look::NOTE.room(end - x).saturating_sub("''".len());
        let data = fit(data, room);
        let y = level(self.geometry, packet) - 5;
        self.page.text_of((x, y), Look::NOTE, |texts| {
            put!(*texts; "'", Escaped(&data), "'");
        });
    }

    fn request(
        &mut self,
        request: &Request,
        answer: &Answer,
        undid: Option<Moment>,
        is_first: bool,
    ) {
        let storage = self.geometry.storage(answer.storage);
        let x = self.x + fan(answer.storage);
        let is_accepted = answer.is_accepted();
        let above = if is_accepted { STORAGE } else { STORAGE + 6 };
        let tip = (x + 14, storage - above);
        let from = if let Some(packet) = self.diagram.packet(request.left) {
            self.arrival(packet, x, tip, is_first)
        } else {
            let y = self.geometry.client(request.client);
            let from = (x, y + self.edge(request.client));
            let stroke = match request.mode {
                WriteMode::PastTheGuard => Stroke::Dashed,
                WriteMode::Plain | WriteMode::IfUnchanged | WriteMode::WithToken(_) => {
                    Stroke::Thick
                }
            };
            self.page.line(from, tip, stroke);
            from
        };
        if is_accepted {
            self.page.head(from, tip);
        } else {
            self.page.cross(tip);
        }
        let Some(reason) = Reason::of(request, answer, undid) else {
            return;
        };
        let look = Look::REASON;
        if self.has_several_storages() {
            let place = (tip.0 - 12, storage - 15);
            self.page.text(place, look.ending(), reason);
        } else {
            self.page.text((tip.0 + 12, storage - 18), look, reason);
            if let Some(data) = request.data.filter(|_| !is_accepted) {
                self.rejected_data(answer.storage, self.diagram.data(data));
            }
        }
    }

    /// Draws the end of a packet's line, and its beginning once. Returns where it last turned.
    fn arrival(&mut self, packet: &Span<Packet>, x: i32, tip: Point, is_first: bool) -> Point {
        let level = level(self.geometry, packet);
        if is_first {
            draw_departure(self.page, self.geometry, packet);
        } else {
            self.page.move_to((self.x - 22, level));
        }
        let turn = (x + 8, level + 24);
        self.page.line_to((x - 22, level));
        self.page.curve_to((x + 4, level), (x + 6, level + 8), turn);
        self.page.line_to(tip);
        self.page.end_line();
        turn
    }

    /// What stands left of the request, the last line just above the first storage.
    fn labels(&mut self, request: &Request) {
        let is_packet = request.left < self.at;
        let x = self.x - if is_packet { 2 } else { 6 };
        let room = Look::NOTE.room(self.geometry.column - 2);
        let mut y = self.geometry.first_storage - 34;
        for label in labels(self.diagram, request).rev() {
            let (place, look) = ((x, y), label.look());
            if let Label::Rejected(data) = label {
                let data = fit(self.diagram.data(data), room);
                self.page.text(place, look, Escaped(&data));
            } else {
                self.page.text_of(place, look, |texts| label.put(texts));
            }
            y -= 14;
        }
    }

    /// The data that storage rejected, as far as the next ones that it rejects.
    fn rejected_data(&mut self, storage: StorageId, data: &str) {
        let entries = &self.diagram.storages[storage.index()].entries;
        let later = &entries[entries.partition_point(|entry| entry.at <= self.at)..];
        let next = later
            .iter()
            .find(|entry| entry.reception == Reception::Rejected);
        let end = next.map_or(self.geometry.lane_end(), |next| {
            self.geometry.step(next.at) + 8
        });
        let x = self.x + 16;
        let place = (x, self.geometry.storage(storage) + 27);
        let data = fit(data, Look::RED.room(end - x));
        self.page.text(place, Look::RED, Escaped(&data));
    }

    fn reply(&mut self, reader: ClientId, reply: &Reply) {
        let storage = self.geometry.storage(reply.storage);
        let x = self.x + fan(reply.storage);
        let tip = (x, self.geometry.client(reader) + self.edge(reader));
        let tail = (x - 14, storage - STORAGE);
        self.arrow(tail, tip, Stroke::Thick);
        if let (Fencing::On, Some(value)) = (self.diagram.fencing(), reply.value) {
            let place = (tail.0 - 6, storage - self.above_storage());
            let token = Label::Token(value.token);
            self.page
                .text_of(place, token.look(), |texts| token.put(texts));
        }
    }

    /// What the reader got, if all replies agree.
    fn read(&mut self, reader: ClientId, reply: &Reply) {
        let (x, y) = (self.x, self.geometry.client(reader));
        self.page.text((x, y - 26), Look::NOTE.centred(), "reads");
        let (place, look) = ((x, y - 12), Look::SMALL.centred());
        let Some(value) = reply.value else {
            return self.page.text(place, look, "(empty)");
        };
        let room = look.room(self.geometry.column - 8) - "''".len();
        let data = fit(self.diagram.data(value.data), room);
        self.page
            .text_of(place, look, |texts| put!(*texts; "'", Escaped(&data), "'"));
    }

    fn choice(&mut self, reader: ClientId, choice: &Choice) {
        let (x, y) = (self.x - 6, self.geometry.client(reader));
        let place = (x, y - 26);
        match (choice.why, choice.value.token) {
            (Preference::HigherToken(Some(over)), Some(token)) => {
                self.page.text_of(place, Look::STRONG, |texts| {
                    put!(*texts; token, " &gt; ", over);
                });
            }
            (Preference::HigherToken(_), Some(token)) => {
                self.page.text_of(
                    place,
                    Look::STRONG,
                    |texts| put!(*texts; token, " &gt; none"),
                );
            }
            (Preference::Later, _) => self.page.text(place, Look::STRONG, "the later"),
            (Preference::HigherToken(_), None) | (Preference::Only, _) => {}
        }
        let room = Look::NOTE.room(2 * self.geometry.column - 50) - "takes ''".len();
        let data = fit(self.diagram.data(choice.value.data), room);
        self.page.text_of((x, y - 10), Look::NOTE, |texts| {
            put!(*texts; "takes '", Escaped(&data), "'");
        });
    }

    fn repair(&mut self, reader: ClientId, choice: &Choice, repair: &Answer, is_first: bool) {
        let storage = self.geometry.storage(repair.storage);
        let x = self.x + self.geometry.column + fan(repair.storage);
        let from = (x, self.geometry.client(reader) + self.edge(reader));
        self.arrow(from, (x + 14, storage - STORAGE), Stroke::Thick);
        if !is_first {
            return;
        }
        let mut y = self.geometry.first_storage - 34;
        if self.diagram.fencing() == Fencing::On {
            let token = Label::Token(choice.value.token);
            let place = (x - 6, y);
            self.page
                .text_of(place, token.look(), |texts| token.put(texts));
            y -= 14;
        }
        self.page
            .text((x - 6, y), Look::NOTE.ending(), "read repair");
    }

    fn heard(&mut self, client: ClientId, asked: Moment, answer: &Answer, is_first: bool) {
        let storage = self.geometry.storage(answer.storage);
        let x = self.x + fan(answer.storage);
        let tip = (x, self.geometry.client(client) + self.edge(client));
        let tail = (x - 14, storage - STORAGE);
        self.arrow(tail, tip, Stroke::Thick);
        let (verdict, look) = match answer.outcome {
            Ok(()) => ("accepted", Look::NOTE),
            Err(Rejection::LowerToken | Rejection::NoToken) => ("rejected", Look::RED),
            Err(Rejection::Changed) => ("changed", Look::RED),
        };
        let (x, y) = (tail.0 - 6, storage - self.above_storage());
        self.page.text((x, y), look.ending(), verdict);
        if is_first {
            let place = (x, y - 14);
            self.page.text_of(place, Look::NOTE.ending(), |texts| {
                put!(*texts; "to step ", asked);
            });
            self.knows(client);
        }
    }

    fn storage_forgot(&mut self, storage: StorageId, had_one: bool) {
        let below = self.geometry.storage(storage) + 22;
        let y = self.geometry.max_token(storage).unwrap_or(below) + 5;
        let x = self.x + 16 + self.geometry.whole_fan;
        let word = if had_one { "forgotten" } else { "no max_token" };
        self.page.text((x, y), Look::NOTE, word);
    }

    fn lock_service_forgot(&mut self, first: &str, second: &str) {
        let note = Look::NOTE.centred();
        self.page.text((self.x, LOCK_SERVICE - 30), note, first);
        self.page.text((self.x, LOCK_SERVICE - 17), note, second);
    }

    /// How far the client's lane reaches from its middle.
    fn edge(&self, client: ClientId) -> i32 {
        let standing = self.standing.client(client);
        edge(standing.believed || standing.belief.is_some())
    }

    fn has_several_storages(&self) -> bool {
        self.diagram.storages.len() > 1
    }

    /// How far above a storage's lane the label of an arrow from there is.
    fn above_storage(&self) -> i32 {
        if self.has_several_storages() { 15 } else { 34 }
    }
}
