//! What lasts in an SVG picture: the lanes, and the bars along them.

use crate::view::diagram::act::Reception;
use crate::view::diagram::layout::{Belief, Diagram, Entry, Stop};
use crate::view::diagram::span::Span;
use crate::view::diagram::svg::geometry::{Geometry, LOCK_SERVICE, fan};
use crate::view::diagram::svg::look::Look;
use crate::view::diagram::svg::page::{Bar, Page};
use crate::view::diagram::svg::put::{Escaped, put};
use crate::view::diagram::svg::texts::fit;
use crate::world::event::{Event, Moment};
use crate::world::names::{ClientId, StorageId};
use crate::world::storage_service::Fencing;

/// Draws the title, the numbers of the steps, all lanes, and who holds the lease and believes so.
pub fn draw(page: &mut Page, diagram: &Diagram<'_>, geometry: &Geometry, title: &str) {
    let room = Look::TITLE.room(geometry.width - 32);
    page.text((16, 30), Look::TITLE, Escaped(&fit(title, room)));
    for at in diagram.moments() {
        page.text((geometry.step(at), 62), Look::NOTE.centred(), at);
    }
    draw_lanes(page, diagram, geometry);
    draw_lease(page, diagram, geometry);
    for client in diagram.scenario.names.clients() {
        draw_stops(page, diagram, geometry, client);
    }
    for client in diagram.scenario.names.clients() {
        draw_beliefs(page, diagram, geometry, client);
    }
}

fn draw_lanes(page: &mut Page, diagram: &Diagram<'_>, geometry: &Geometry) {
    let names = &diagram.scenario.names;
    let end = geometry.lane_end();
    page.begin_lanes();
    let mut lane = |y: i32, name: &str, look: Look, end: i32| {
        page.text((geometry.left - 14, y + 5), look.ending(), name);
        page.lane(y, geometry.left, end);
    };
    lane(LOCK_SERVICE, "lock service", Look::TEXT, end);
    for client in names.clients() {
        let off = diagram.clients[client.index()].off;
        let end = off.map_or(end, |off| geometry.step(off));
        lane(
            geometry.client(client),
            names.client(client),
            Look::TEXT,
            end,
        );
    }
    for (storage, name) in diagram.named_storages() {
        lane(geometry.storage(storage), name, Look::TEXT, end);
        if let Some(y) = geometry.max_token(storage) {
            lane(y, "max_token", Look::NOTE, end);
        }
    }
    page.end_lanes();
}

fn draw_lease(page: &mut Page, diagram: &Diagram<'_>, geometry: &Geometry) {
    for span in &diagram.lease.spans {
        let (client, grant) = span.what;
        let bar = geometry.bar(span, 0, LOCK_SERVICE, 11);
        page.bar(bar, Some(grant));
        let (open, close) = match diagram.fencing() {
            Fencing::Off => ("(", ") "),
            Fencing::On => ("", " "),
        };
        let room = Look::ON_BAR.room(bar.width() - 10) - "(123456) ".len();
        let client = fit(diagram.scenario.names.client(client), room);
        page.text_of((bar.from + 6, bar.y + 4), Look::ON_BAR, |texts| {
            put!(*texts; open, grant.token, close, &*client);
        });
    }
}

fn draw_stops(page: &mut Page, diagram: &Diagram<'_>, geometry: &Geometry, client: ClientId) {
    let y = geometry.client(client);
    for span in &diagram.clients[client.index()].stops.spans {
        page.stopped(geometry.bar(span, 0, y, 18));
        let word = match span.what {
            Stop::Paused => "paused",
            Stop::Asleep => "asleep",
        };
        page.text((geometry.step(span.from) + 6, y - 22), Look::NOTE, word);
    }
}

fn draw_beliefs(page: &mut Page, diagram: &Diagram<'_>, geometry: &Geometry, client: ClientId) {
    let y = geometry.client(client);
    let mut before: Option<&Span<Belief>> = None;
    for span in &diagram.clients[client.index()].beliefs.spans {
        let Belief { grant, is_wrong } = span.what;
        let goes_on = before
            .is_some_and(|before| before.what.grant == grant && before.until == Some(span.from));
        // A belief begins when the message has come; that it turns wrong takes no message.
        let later = if goes_on { 0 } else { 10 };
        let bar = geometry.bar(span, later, y, 7);
        if is_wrong {
            page.wrong_bar(bar);
        } else {
            page.bar(bar, Some(grant));
        }
        before = Some(span);
    }
}

/// Draws what each storage holds, and its highest token; last of all the bursts.
pub fn draw_storages(page: &mut Page, diagram: &Diagram<'_>, geometry: &Geometry) {
    for (storage, _) in diagram.named_storages() {
        let entries = diagram.storages[storage.index()].entries.iter();
        let mut taken = entries.filter(|entry| entry.reception != Reception::Rejected);
        let mut next = taken.next();
        while let Some(entry) = next {
            next = taken.next();
            draw_contents(page, diagram, geometry, storage, entry, next);
        }
    }
    for (storage, _) in diagram.named_storages() {
        let Some(y) = geometry.max_token(storage) else {
            continue;
        };
        for span in &diagram.storages[storage.index()].max_token.spans {
            let x = arrival(diagram, geometry, span.from) + 16 + geometry.whole_fan;
            page.text((x, y + 5), Look::STRONG, span.what);
        }
    }
    for (storage, _) in diagram.named_storages() {
        let entries = diagram.storages[storage.index()].entries.iter();
        for entry in entries.filter(|entry| entry.reception == Reception::Overwrote) {
            let x = arrival(diagram, geometry, entry.at) + fan(storage) + 16;
            page.burst((x, geometry.storage(storage)));
        }
    }
}

fn draw_contents(
    page: &mut Page,
    diagram: &Diagram<'_>,
    geometry: &Geometry,
    storage: StorageId,
    entry: &Entry,
    next: Option<&Entry>,
) {
    let begins = |at| arrival(diagram, geometry, at) + fan(storage) + 16;
    // Values of one grant, and so of one colour, are parted by a seam.
    let seam = if next.is_some_and(|next| next.grant == entry.grant) {
        2
    } else {
        0
    };
    let bar = Bar {
        from: begins(entry.at),
        to: next.map_or(geometry.bar_end(), |next| begins(next.at) - seam),
        y: geometry.storage(storage),
        half: 12,
    };
    page.bar(bar, entry.grant);
    // A burst covers the end of one bar and the beginning of the next.
    let is_burst = |entry: &Entry| entry.reception == Reception::Overwrote;
    let before = if is_burst(entry) { 20 } else { 6 };
    let behind = if next.is_some_and(is_burst) { 18 } else { 4 };
    let room = Look::ON_BAR.room(bar.width() - before - behind);
    let data = fit(diagram.data(entry.data), room);
    let place = (bar.from + before, bar.y + 4);
    page.text(place, Look::ON_BAR, Escaped(&data));
}

/// The column in which what the step brings to a storage comes there: of a read that is a repair,
/// in its second column.
fn arrival(diagram: &Diagram<'_>, geometry: &Geometry, at: Moment) -> i32 {
    let is_repair = matches!(diagram.run.events[at.index()], Event::Read(_));
    let later = if is_repair { geometry.column } else { 0 };
    geometry.step(at) + later
}
