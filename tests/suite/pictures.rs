//! What must hold of every picture, whatever the story.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use fencing_demo::run::{Run, run};
use fencing_demo::script::Scenario;
use fencing_demo::script::built_in::BuiltIn;
use fencing_demo::view::diagram::act::Reception;
use fencing_demo::view::diagram::layout::Belief;
use fencing_demo::view::diagram::span::Track;
use fencing_demo::view::diagram::text::Glyphs;
use fencing_demo::view::diagram::{Diagram, mermaid, svg, text};
use fencing_demo::view::palette::{Palette, Role};
use fencing_demo::world::client::Condition;
use fencing_demo::world::event::{Event, Moment};
use fencing_demo::world::storage_service::Fencing;
use proptest::prelude::*;
use roxmltree::Document;

use crate::program::Program;
use crate::properties::{scenario, scripts_with_answers};

/// A story, and what its heading begins with.
struct Story {
    label: String,
    scenario: Scenario,
    run: Run,
}

impl Story {
    fn new(label: &str, scenario: Scenario) -> Story {
        let run = run(&scenario).unwrap();
        Story {
            label: label.to_owned(),
            scenario,
            run,
        }
    }

    fn of(script: &str) -> Story {
        Story::new("TEST", Scenario::parse(script).unwrap())
    }

    fn diagram(&self) -> Diagram<'_> {
        Diagram::new(&self.label, &self.scenario, &self.run).unwrap()
    }

    fn text(&self, palette: Palette, glyphs: &Glyphs) -> String {
        let mut out = Vec::new();
        text::write(&mut out, palette, &self.diagram(), glyphs).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn plain(&self) -> String {
        self.text(Palette::default(), &Glyphs::UNICODE)
    }

    fn svg(&self) -> String {
        let mut out = Vec::new();
        svg::write(&mut out, &self.diagram()).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn mermaid(&self) -> String {
        let mut out = Vec::new();
        mermaid::write(&mut out, &self.diagram()).unwrap();
        String::from_utf8(out).unwrap()
    }
}

/// The built-in stories under both settings.
fn built_in_stories() -> impl Iterator<Item = Story> {
    BuiltIn::all().flat_map(|built_in| {
        let label = format!("SCENARIO {}", built_in.number());
        [Fencing::Off, Fencing::On].map(|fencing| {
            let scenario = built_in.scenario().unwrap().with_fencing(fencing);
            Story::new(&label, scenario)
        })
    })
}

/// Stories with names and data that might mean something to a terminal, to XML or to Mermaid.
fn hostile_stories() -> Vec<Story> {
    let data = [
        "<script>alert(1)</script>",
        "]]> &amp; &#x27; \" ' <!-- -->",
        "; # < > % \" { } \\ ' %% #9829; `code` $$x$$ :::",
        "end",
        "style:#fff; classDef a:#b;",
        "\ttab\tbed\t",
        "漢字とかな 😀 e\u{301} ﷽ \u{fffe}\u{ffff}\u{fffd}",
        "┃╏│╳┼─>[34]*",
        "x",
        " ",
        &"x".repeat(200),
        &"wide 宽 ".repeat(28),
        &"漢".repeat(200),
    ];
    let clients = [
        "end",
        "loop",
        "note",
        "activate",
        "a-client-with-a-name-of-32-chars",
    ];
    let mut stories = Vec::new();
    for storages in [
        "",
        "storages: a-storage-with-a-name-of-32-char, L, N, S, c1\n",
    ] {
        for fencing in ["off", "on"] {
            let mut script = format!(
                "title: end; <b> & \"quoted\" %% {{x}} {}\nfencing: {fencing}\n{storages}",
                "a title that goes on and on, ".repeat(9)
            );
            for (place, data) in data.iter().enumerate() {
                let client = clients[place % clients.len()];
                let packet = data.len() < 40;
                let lines = [
                    format!("{client} acquires the lease"),
                    format!("{client} reads"),
                    format!("{client} writes '{data}'"),
                    format!("{client} writes '{data}' if unchanged"),
                    format!("{client} writes '{data}' past the guard"),
                    format!("{client} writes '{data}' with token 18446744073709551615"),
                    format!("{client} announces its token"),
                    format!("{client} sends '{data}'"),
                    format!("{client} pauses"),
                    format!("{client}'s lease expires"),
                    format!("{client} wakes"),
                ];
                let last = if packet { lines.len() } else { 7 };
                for line in &lines[..last] {
                    script += line;
                    script += "\n";
                }
                if packet {
                    script += &format!("{client}'s packet arrives\n");
                    script += &format!("{client} hears storage's answer\n");
                } else {
                    script += &format!("{client} releases the lease\n");
                }
            }
            for data in &data[9..] {
                let _ = writeln!(script, "loop sends '{data}'");
            }
            script += &"loop's packet arrives\n".repeat(data[10..].len());
            stories.push(Story::of(&script));
        }
    }
    stories
}

/// So many clients, each of them a zombie in turn, and as many steps.
fn relay(clients: usize, steps: usize) -> String {
    let mut script = "fencing: on\n".to_owned();
    for step in 0..steps {
        let client = step / 4 % clients;
        script += &match step % 4 {
            0 => format!("n{client} acquires the lease\n"),
            1 => format!("n{client} writes 'v{step}'\n"),
            2 => format!("n{client} reads\n"),
            _ => format!("n{client}'s lease expires\n"),
        };
    }
    script
}

// ---- The layout: truth, belief and packets are what the world says.

/// What lasts after this step.
fn after<T: Copy>(track: &Track<T>, at: Moment) -> Option<T> {
    let mut spans = track.spans.iter().filter(|span| {
        let has_ended = span.until.is_some_and(|until| until <= at);
        span.from <= at && !has_ended
    });
    let found = spans.next().map(|span| span.what);
    assert!(spans.next().is_none(), "spans overlap at {at:?}");
    found
}

/// Steps through the world itself, and compares it with the layout after every step.
fn assert_spans_are_true(story: &Story) {
    let diagram = story.diagram();
    let names = &story.scenario.names;
    let mut world = story.scenario.world();
    let (mut in_flight, mut most_in_flight) = (BTreeSet::new(), 0);
    for (step, at) in story.scenario.steps.iter().zip(diagram.moments()) {
        let event = world.take(step.step, at).unwrap();
        let held = after(&diagram.lease, at).map(|(client, _)| client);
        assert_eq!(held, world.holder(), "who holds the lease after {at:?}");
        for client in names.clients() {
            let lane = &diagram.clients[client.index()];
            let state = world.client(client);
            let is_off = state.condition == Condition::PoweredOff;
            let grant = state.believes_in().filter(|_| !is_off);
            let drawn: Option<Belief> = after(&lane.beliefs, at);
            assert_eq!(
                drawn.map(|belief| belief.grant),
                grant,
                "what {client:?} believes after {at:?}"
            );
            let is_wrong = grant.is_some() && world.holder() != Some(client);
            assert_eq!(drawn.is_some_and(|belief| belief.is_wrong), is_wrong);
            assert_eq!(lane.off.is_some_and(|off| off <= at), is_off);
            let is_stopped = matches!(state.condition, Condition::Paused | Condition::Suspended);
            assert_eq!(after(&lane.stops, at).is_some(), is_stopped);
        }
        for storage in names.storages().iter() {
            let max_token = after(&diagram.storages[storage.index()].max_token, at);
            assert_eq!(max_token, world.storage(storage).max_token());
            let entries = diagram.storages[storage.index()].entries.iter();
            let mut taken =
                entries.filter(|entry| entry.reception != Reception::Rejected && entry.at <= at);
            let contents = world.storage(storage).contents();
            let holds = taken.next_back().map(|entry| entry.data);
            assert_eq!(holds, contents.map(|value| value.data));
        }
        match event {
            Event::Sent { .. } => assert!(in_flight.insert(at)),
            Event::Arrived { request, .. } => assert!(in_flight.remove(&request.left)),
            _ => {}
        }
        let packets = diagram
            .packets
            .iter()
            .filter(|packet| packet.from <= at && packet.until.is_none_or(|until| at < until));
        let mut channels = BTreeSet::new();
        let drawn: BTreeSet<Moment> = packets
            .inspect(|packet| assert!(channels.insert(packet.what.channel)))
            .map(|packet| packet.from)
            .collect();
        assert_eq!(drawn, in_flight);
        assert!(channels.iter().all(|&channel| channel < diagram.channels));
        most_in_flight = most_in_flight.max(in_flight.len());
    }
    assert_eq!(diagram.channels, most_in_flight);
}

// ---- The picture for the terminal.

/// The rows of the diagram, and below them the panels of the strip.
fn parts(picture: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut blocks = picture.split("\n\n");
    let rows = blocks.next().unwrap().lines().skip(1).collect();
    let panels = blocks
        .map(|block| block.lines().collect::<Vec<_>>())
        .take_while(|block| block[0].starts_with("  step"))
        .collect();
    (rows, panels)
}

/// Every lane stands in one column, and shows there what the world says; no lane's sign stands
/// anywhere else.
fn assert_lanes_are_true(story: &Story, picture: &str) {
    let (rows, _) = parts(picture);
    let names = &story.scenario.names;
    let storages = names.storages().len();
    let empty = rows[storages];
    let lanes: Vec<usize> = columns_of(empty, |sign| sign == '│');
    assert_eq!(lanes.len(), 1 + names.client_count() + storages, "{empty}");
    let notes = lanes.last().unwrap() + 1;
    let mut world = story.scenario.world();
    let mut steps = story.scenario.steps.iter();
    let (mut was_off, mut in_flight, mut now) = (Vec::new(), 0, Moment::FIRST);
    for row in &rows[storages + 1..] {
        let signs: Vec<char> = row.chars().collect();
        if signs[..3].iter().any(char::is_ascii_digit) {
            let is_off = |client| world.client(client).condition == Condition::PoweredOff;
            was_off = names.clients().map(is_off).collect();
            let event = world.take(steps.next().unwrap().step, now).unwrap();
            now = now.next();
            assert!(row.contains(word(&event)), "{event:?}: {row}");
            match event {
                Event::Sent { .. } => in_flight += 1,
                Event::Arrived { .. } => in_flight -= 1,
                _ => {}
            }
        }
        let flying = columns_of(row, |sign| "┊┐".contains(sign));
        let flying = flying.iter().filter(|column| **column < notes);
        assert_eq!(flying.count(), in_flight, "{row}");
        assert!(!row.contains('\t'));
        let mut drawn = lanes
            .iter()
            .map(|&lane| signs.get(lane).copied().unwrap_or(' '));
        let lock_service = drawn.next().unwrap();
        let is_out = if world.holder().is_some() {
            '┃'
        } else {
            '│'
        };
        assert!(lock_service == is_out || lock_service == '~', "{row}");
        for (client, was_off) in names.clients().zip(&was_off) {
            let sign = drawn.next().unwrap();
            let state = world.client(client);
            let expected = match (state.condition, state.believes_in()) {
                (Condition::PoweredOff, _) if !was_off => sign == '╳',
                // A word may reach into a blank lane, and an arrow goes through it.
                (Condition::PoweredOff, _) => !"┃╏│╳┼".contains(sign),
                (_, None) => "│┼".contains(sign),
                (_, Some(_)) if world.holder() == Some(client) => sign == '┃',
                (_, Some(_)) => sign == '╏',
            };
            assert!(expected, "{row}");
        }
        assert!(drawn.all(|storage| "│┼~".contains(storage)), "{row}");
        let elsewhere = columns_of(row, |sign| "┃╏│┼".contains(sign));
        let mut elsewhere = elsewhere.iter().filter(|column| **column < notes);
        assert!(elsewhere.all(|column| lanes.contains(column)), "{row}");
    }
    assert!(steps.next().is_none());
}

/// A word that the row of the event has, whole: nothing else is drawn over it.
fn word(event: &Event) -> &'static str {
    match event {
        Event::Paused { .. } => "▒GC pause",
        Event::Woke { .. } => " wakes",
        Event::Suspended { .. } => "▓asleep",
        Event::Resumed { .. } => " resumes",
        Event::HeldBack { .. } => " withheld",
        Event::ReleasedNothing { .. } => " has none",
        Event::Checked {
            outcome: Ok(()), ..
        } => " check ok",
        Event::Checked { .. } => " check no",
        Event::PowerOffUnanswered { .. } => "no reply",
        Event::PoweredOff { .. } => "╳ off",
        Event::CameToNothing { .. } => "(",
        Event::HolderForgotten { .. } | Event::CounterForgotten { .. } => "~ forgets",
        Event::MaxTokenForgotten { .. } => "~",
        Event::Sent { .. } => "┐",
        Event::Read(_) => "read: ",
        Event::AnswerHeard { .. } => "answer to ",
        _ => "",
    }
}

fn columns_of(row: &str, is_sign: impl Fn(char) -> bool) -> Vec<usize> {
    let signs = row.chars().enumerate();
    signs
        .filter(|&(_, sign)| is_sign(sign))
        .map(|(at, _)| at)
        .collect()
}

/// Each line of the strip is drawn at just the steps at which the world says so.
fn assert_strip_is_true(story: &Story, picture: &str) {
    let names = &story.scenario.names;
    let (_, panels) = parts(picture);
    let mut world = story.scenario.world();
    let mut steps = story.scenario.steps.iter();
    let mut now = Moment::FIRST;
    for panel in panels {
        let numbers = columns_of_steps(panel[0]);
        let width = numbers.get(1).map_or(4, |next| next - numbers[0]);
        let line = |name: &str| -> Option<Vec<char>> {
            let cut = names_cut(name);
            let mut lines = panel.iter().filter(|line| line[2..].starts_with(&cut));
            lines.next().map(|line| line.chars().collect())
        };
        for (place, &column) in numbers.iter().enumerate() {
            let step = steps.next().unwrap();
            world.take(step.step, now).unwrap();
            now = now.next();
            let is_last = place + 1 == numbers.len();
            let cells: Range<usize> = column..column + if is_last { 2 } else { width };
            let shows = |line: &Option<Vec<char>>, cell: usize| {
                let line = line.as_ref();
                line.and_then(|line| line.get(cell).copied()).unwrap_or(' ')
            };
            let lease = line("lease");
            let is_held = shows(&lease, cells.end - 1) != ' ';
            assert_eq!(is_held, world.holder().is_some(), "{panel:#?}");
            for client in names.clients() {
                let belief = line(names.client(client));
                let state = world.client(client);
                let believes =
                    state.condition != Condition::PoweredOff && state.believes_in().is_some();
                let drawn = shows(&belief, cells.end - 1);
                assert_eq!(drawn != ' ', believes, "{panel:#?}");
                // In the last column of a panel, the token can take all the room that there is.
                if believes && !drawn.is_ascii_digit() {
                    let is_wrong = world.holder() != Some(client);
                    assert_eq!(drawn, if is_wrong { '╍' } else { '━' }, "{panel:#?}");
                }
            }
        }
    }
    assert!(steps.next().is_none());
}

fn columns_of_steps(header: &str) -> Vec<usize> {
    let signs: Vec<char> = header.chars().collect();
    let begins = |at: &usize| signs[*at].is_ascii_digit() && signs[at - 1] == ' ';
    (1..signs.len()).filter(begins).collect()
}

fn names_cut(name: &str) -> String {
    let is_long = name.chars().count() > 16;
    let cut: String = name.chars().take(if is_long { 15 } else { 16 }).collect();
    cut + if is_long { "…" } else { " " }
}

// ---- SVG.

/// The box around a text, in pixels: left, top, right, bottom.
type TextBox = [f64; 4];

fn assert_svg_is_sound(story: &Story) {
    let picture = story.svg();
    let document = Document::parse(&picture).unwrap();
    let root = document.root_element();
    let size = |name| root.attribute(name).unwrap().parse::<f64>().unwrap();
    let (width, height) = (size("width"), size("height"));
    assert_eq!(
        root.attribute("viewBox"),
        Some(&*format!("0 0 {width} {height}"))
    );
    let id = root.attribute("id").unwrap();
    let mut boxes: Vec<(TextBox, &str)> = Vec::new();
    for node in root.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(
            [
                "svg", "title", "desc", "style", "defs", "pattern", "rect", "path", "text"
            ]
            .contains(&name),
            "{name}"
        );
        for attribute in node.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.contains("href") && !name.starts_with("on"), "{name}");
            if name == "id" {
                assert!(value.starts_with(id), "{value}");
            }
            if value.contains("url(") {
                assert_eq!(value, format!("url(#{id}h)"));
            }
        }
        let number = |name: &str| {
            let value = node.attribute(name).unwrap_or("0");
            value.parse::<i32>().map(f64::from).unwrap()
        };
        match name {
            "rect" => {
                let right = number("x") + number("width");
                let bottom = number("y") + number("height");
                assert!(number("x") >= 0.0 && number("y") >= 0.0);
                assert!(right <= width && bottom <= height, "{node:?}");
            }
            "path" => {
                for (x, y) in points(node.attribute("d").unwrap()) {
                    assert!((0.0..=width).contains(&x), "{x} in {node:?}");
                    assert!((0.0..=height).contains(&y), "{y} in {node:?}");
                }
            }
            "text" => {
                let size = node.attribute("font-size").unwrap_or("12");
                let size = size.parse::<f64>().unwrap();
                let text = node.text().unwrap();
                let wide = text
                    .chars()
                    .map(|it| if it < '\u{1100}' { 1.0 } else { 2.0 });
                let length = wide.sum::<f64>() * size * 0.6;
                let left = number("x")
                    - match node.attribute("text-anchor") {
                        Some("end") => length,
                        Some("middle") => length / 2.0,
                        _ => 0.0,
                    };
                let place = [
                    left,
                    number("y") - 0.75 * size,
                    left + length,
                    number("y") + 0.15 * size,
                ];
                let [left, top, right, bottom] = place;
                assert!(left >= 0.0 && top >= 0.0, "{text}: {place:?}");
                assert!(right <= width && bottom <= height, "{text}: {place:?}");
                boxes.push((place, text));
            }
            _ => {}
        }
    }
    for (place, (one, text)) in boxes.iter().enumerate() {
        for (other, other_text) in &boxes[place + 1..] {
            let apart = one[2] <= other[0]
                || other[2] <= one[0]
                || one[3] <= other[1]
                || other[3] <= one[1];
            assert!(
                apart,
                "{text} {one:?} collides with {other_text} {other:?} in {}",
                story.scenario
            );
        }
    }
    let told = document
        .descendants()
        .find(|node| node.has_tag_name("desc"));
    let told = told.unwrap().text().unwrap();
    for data in data_of(story) {
        let data = data.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
        assert!(told.contains(&format!("'{data}'")), "{data} in {told}");
    }
}

/// The data of a script that is printed one step a line.
fn data_of(story: &Story) -> Vec<String> {
    let script = format!("{:#}", story.scenario);
    let steps = script.split_once("\n\n").unwrap().1.to_owned();
    let between = |line: &str| {
        let is_of_data = ["writes", "sends"].iter().any(|word| line.contains(word));
        let (first, last) = (line.find('\'')?, line.rfind('\'')?);
        (is_of_data && first < last).then(|| line[first + 1..last].to_owned())
    };
    steps.lines().filter_map(between).collect()
}

/// All points that the commands of a path go to, or are pulled by.
fn points(commands: &str) -> Vec<(f64, f64)> {
    let mut tokens: Vec<String> = Vec::new();
    for character in commands.chars() {
        if character.is_ascii_alphabetic() {
            tokens.push(character.to_string());
            tokens.push(String::new());
        } else if character == '-' {
            tokens.push("-".to_owned());
        } else if character.is_ascii_digit() {
            tokens.last_mut().unwrap().push(character);
        } else {
            tokens.push(String::new());
        }
    }
    tokens.retain(|token| !token.is_empty());
    let (mut x, mut y, mut command) = (0.0, 0.0, 'M');
    let mut points = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let Some(letter) = token.chars().next().filter(char::is_ascii_alphabetic) {
            command = letter;
            continue;
        }
        let first: f64 = token.parse().unwrap();
        if command == 'H' {
            x = first;
        } else {
            let second: f64 = tokens.next().unwrap().parse().unwrap();
            (x, y) = match command {
                'M' | 'L' | 'C' => (first, second),
                'm' | 'l' => (x + first, y + second),
                other => panic!("command {other}"),
            };
        }
        points.push((x, y));
    }
    points
}

// ---- Mermaid.

fn assert_mermaid_is_sound(story: &Story) {
    let picture = story.mermaid();
    let mut lines = picture.lines();
    assert_eq!(lines.next(), Some("sequenceDiagram"));
    let mut participants = BTreeSet::new();
    let mut active = BTreeSet::new();
    let mut grounds = 0;
    for line in lines {
        assert!(line.starts_with("    "), "{line}");
        let line = line.trim_start();
        let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
        match keyword {
            "title" => assert_harmless(rest),
            "participant" => {
                let (id, name) = rest.split_once(" as ").unwrap();
                assert!(is_id(id) && participants.insert(id), "{line}");
                assert_harmless(name);
            }
            "activate" => assert!(participants.contains(rest) && active.insert(rest), "{line}"),
            "deactivate" => assert!(active.remove(rest), "{line}"),
            "rect" => grounds += 1,
            "end" => grounds -= 1,
            "Note" => {
                let (place, says) = rest.split_once(": ").unwrap();
                let place = place
                    .strip_prefix("over ")
                    .or(place.strip_prefix("right of "));
                for id in place.unwrap().split(',') {
                    assert!(participants.contains(id), "{line}");
                }
                assert_harmless(says);
            }
            _ => {
                let (arrow, says) = line.split_once(": ").unwrap();
                let arrows = ["-->>", "->>", "-x", "-)"];
                let ends = arrows.iter().find_map(|it| arrow.split_once(it));
                let (from, to) = ends.unwrap_or_else(|| panic!("{line}"));
                assert!(
                    participants.contains(from) && participants.contains(to),
                    "{line}"
                );
                assert_harmless(says);
            }
        }
        assert!((0..=1).contains(&grounds), "{line}");
    }
    assert!(active.is_empty() && grounds == 0);
}

fn is_id(id: &str) -> bool {
    let (letter, number) = id.split_at(1);
    ["L", "N", "S", "c"].contains(&letter) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// No sign that might be syntax, but for those of character codes.
fn assert_harmless(text: &str) {
    let mut rest = text;
    while let Some(start) = rest.find('#') {
        let (plain, code) = rest.split_at(start);
        let (digits, after) = code[1..].split_once(';').unwrap();
        assert!(digits.bytes().all(|byte| byte.is_ascii_digit()), "{text}");
        assert_plain(plain, text);
        rest = after;
    }
    assert_plain(rest, text);
}

fn assert_plain(part: &str, text: &str) {
    let syntax = |sign: char| ";<>%{}\"\\&`$|[]*^~\t\n".contains(sign);
    assert!(!part.contains(syntax), "{part} in {text}");
}

/// All that must hold of every picture of every story.
fn assert_pictures_are_sound(story: &Story) {
    assert_spans_are_true(story);
    let plain = story.plain();
    assert_lanes_are_true(story, &plain);
    assert_strip_is_true(story, &plain);
    let ascii = story.text(Palette::default(), &Glyphs::ASCII);
    if plain.chars().all(|it| it.is_ascii() || is_glyph(it)) {
        assert!(ascii.is_ascii(), "{ascii}");
    }
    assert_eq!(parts(&ascii).0.len(), parts(&plain).0.len());
    let coloured = story.text(Palette::coloured(), &Glyphs::UNICODE);
    assert_eq!(without_escapes(&coloured), plain);
    assert_svg_is_sound(story);
    assert_mermaid_is_sound(story);
}

fn is_glyph(character: char) -> bool {
    "┃╏│▒▓┊┐└├─┼╳━╸╍┈…".contains(character)
}

fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    for part in text.split_inclusive('\x1b') {
        let rest = part.split_once('m').filter(|_| part.starts_with('['));
        plain += rest.map_or(part, |(_, rest)| rest).trim_end_matches('\x1b');
    }
    plain
}

#[test]
fn pictures_of_all_built_in_stories_are_sound() {
    for story in built_in_stories() {
        assert_pictures_are_sound(&story);
        let names = &story.scenario.names;
        if names.client_count() <= 3 && !names.has_several_storages() {
            for line in story.plain().lines() {
                assert!(line.chars().count() <= 80, "{line}");
            }
        }
    }
}

#[test]
fn pictures_of_hostile_names_and_data_are_sound() {
    for story in hostile_stories() {
        assert_pictures_are_sound(&story);
    }
}

#[test]
fn pictures_of_twelve_clients_and_five_hundred_steps_are_sound() {
    assert_pictures_are_sound(&Story::of(&relay(12, 500)));
}

#[test]
fn the_lanes_of_the_book_s_stories_fit_a_terminal() {
    for (clients, storages, expected) in
        [(1, 1, 80), (3, 1, 80), (2, 2, 80), (3, 3, 93), (12, 1, 162)]
    {
        let mut script = "fencing: on\n".to_owned();
        if storages > 1 {
            let names = ["s1", "s2", "s3"][..storages].join(", ");
            script += &format!("storages: {names}\n");
        }
        for client in 1..=clients {
            script += &format!("c{client} acquires the lease\nc{client}'s lease expires\n");
        }
        script +=
            "c1 writes 'a value that is long enough for whatever room there may be, and more'\n";
        let picture = Story::of(&script).plain();
        let widest = parts(&picture)
            .0
            .iter()
            .map(|row| row.chars().count())
            .max();
        assert_eq!(widest, Some(expected), "{picture}");
    }
}

#[test]
fn three_clients_two_packets_and_two_digit_tokens_fit_80_columns() {
    let script = "fencing: on\nann acquires the lease\nann sends 'one'\nann sends 'two'\n\
                  ann's lease expires\nbob acquires the lease\nbob pauses\nbob's lease expires\n\
                  cy acquires the lease\ncy writes 'three'\nann's packet arrives\n";
    let picture = Story::of(script).plain();
    for line in picture.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_long_strip_comes_in_panels_that_carry_on() {
    let mut script = "fencing: on\nann acquires the lease\nann sends 'p'\n".to_owned();
    script += &"ann writes 'x'\n".repeat(9);
    script += "ann's lease expires\nbob acquires the lease\nbob writes 'y'\n";
    script += &"bob checks its lease\n".repeat(6);
    script += "bob releases the lease\nann's packet arrives\n";
    let picture = Story::of(&script).plain();
    let (_, panels) = parts(&picture);
    let expected = [
        "  step      1   2   3   4   5   6   7   8   9   10  11",
        "  lease     33━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  is held",
        "  ann       33━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  believes",
        "  in flight     33┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈",
        "  storage           33  33  33  33  33  33  33  33  33",
        "  max_token         33━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━",
        "  step      12  13  14  15  16  17  18  19  20  21  22",
        "  lease     ╸   34━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸       is held",
        "  ann       ╍33╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍  believes",
        "  bob           34━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸       believes",
        "  in flight ┈33┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈",
        "  storage           34                              33╳",
        "  max_token ━33━━━━━34━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━",
    ];
    assert_eq!(panels.concat(), expected);
}

#[test]
fn each_sign_stands_where_it_belongs_and_in_the_legend() {
    let script = "fencing: on\nann acquires the lease\nann reads\nbob reads\nann writes 'a'\n\
                  ann sends 'p'\nann writes 'b'\nann's packet arrives\nann writes 'c' if unchanged\n\
                  ann's lease expires\nbob acquires the lease\nbob writes 'd' if unchanged\n\
                  bob writes 'e'\nann writes 'f' past the guard\nann writes 'g' with token 99\n";
    let picture = Story::of(script).plain();
    let rows = [
        "  7      ┃          ┃          │     └─33──>│  'p'                  undid@6 [33]",
        "  8      ┃          ┃─33 if@6──┼───────────>│  'c'                          [33]",
        " 11      ┃          ╏          ┃─34 if@3───╳│  'd' ╳ changed@8",
        " 12      ┃          ╏          ┃─34────────>│  'e'                   lost@8 [34]",
        " 13      ┃          ╏─past─────┃───────────>│  'f'                * lost@12 [34]",
        " 14      ┃          ╏─99?──────┃───────────>│  'g'                        * [99]",
    ];
    for row in rows {
        assert!(picture.lines().any(|line| line == row), "{row}\n{picture}");
    }
    let legend = "
  ┃ holds the lease   ╏ believes so, wrongly   ▒ stopped   ┊ in flight
  ╳ does not get through   ! stale, let in   * overwrote a newer one
  if@6 only if unchanged since step 6   changed@8 step 8 changed it
  lost@8 overwrote step 8's data unread
  undid@6 older than step 6 of the same grant
  past the guard: no token is checked   99? a token of its own choosing
";
    assert!(picture.ends_with(legend), "{picture}");
}

#[test]
fn wrong_belief_is_coloured_as_badly_as_corrupted() {
    let story = built_in_stories().next().unwrap();
    let picture = story.text(Palette::coloured(), &Glyphs::UNICODE);
    let style = Palette::coloured().style(Role::Corrupted);
    for sign in ["╏", "╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍╍", "*", "CORRUPTED"]
    {
        let coloured = style.style(sign).to_string();
        let begins = coloured.strip_suffix("\x1b[0m").unwrap();
        assert!(picture.contains(begins), "{sign} in {picture}");
    }
}

#[test]
fn the_same_story_is_the_same_bytes_and_another_one_has_other_ids() {
    let mut ids = BTreeSet::new();
    let mut pictures = 0;
    for (one, again) in built_in_stories().zip(built_in_stories()) {
        let picture = one.svg();
        assert_eq!(picture, again.svg());
        pictures += 1;
        for part in picture.split(" id=\"").skip(1) {
            ids.insert(part.split_once('"').unwrap().0.to_owned());
        }
    }
    // The picture, its title, its description and its pattern have one each.
    assert_eq!(ids.len(), 4 * pictures);
}

/// How well one colour is seen on another: from 1 to 21 (WCAG 2.2, contrast ratio).
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |colour: &str| {
        let part = |place: usize| {
            let part = u8::from_str_radix(&colour[place..place + 2], 16).unwrap();
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn texts_are_legible_in_the_light_and_in_the_dark() {
    let story = Story::of(&relay(8, 32));
    let picture = story.svg();
    let document = Document::parse(&picture).unwrap();
    let root = document.root_element();
    let style = document
        .descendants()
        .find(|node| node.has_tag_name("style"));
    let dark = |class: &str| {
        let rules = style.unwrap().text().unwrap();
        let selector = format!("{class}{{fill:");
        let (_, rule) = rules.split_once(&selector)?;
        Some(rule[..7].to_owned())
    };
    let (light_ground, dark_ground) = ("#ffffff", dark(" .bg").unwrap());
    let dark_ink = dark(root.attribute("id").unwrap()).unwrap();
    let mut bars = 0;
    for node in document.descendants() {
        let fill = node.attribute("fill").filter(|fill| fill.starts_with('#'));
        let class = node.attribute("class");
        match (node.tag_name().name(), fill, class) {
            // A bar in the colour of a grant, under white text.
            ("rect", Some(fill), None) => {
                bars += 1;
                assert!(contrast(fill, "#ffffff") >= 4.5, "{fill}");
            }
            ("text", Some("#ffffff"), None) => {}
            ("text", fill, class) => {
                let light = fill.or(root.attribute("fill")).unwrap();
                let dark = class.map_or(dark_ink.clone(), |class| {
                    dark(&format!(" .{class}")).unwrap()
                });
                assert!(contrast(light, light_ground) >= 4.5, "{light}");
                assert!(contrast(&dark, &dark_ground) >= 4.5, "{dark}");
            }
            _ => {}
        }
    }
    // All six colours of grants, and that of what has none.
    assert!(bars > 16);
    let no_lease = Story::of("ann writes 'x'\n").svg();
    assert!(no_lease.contains("#5f6670") && contrast("#5f6670", "#ffffff") >= 4.5);
}

#[test]
fn what_is_too_large_is_refused_in_one_line() {
    let packets = "n sends 'x'\n".repeat(13);
    for (script, format, complaint) in [
        (
            relay(13, 52),
            "diagram",
            "too wide to draw: found 13 clients, expected at most 12",
        ),
        (
            relay(13, 52),
            "mermaid",
            "too wide to draw: found 13 clients, expected at most 12",
        ),
        (
            packets,
            "ascii",
            "too wide to draw: expected at most 12 packets in flight at once",
        ),
        (
            relay(2, 1001),
            "svg",
            "too long to draw: found 1001 steps, expected at most 1000",
        ),
    ] {
        Program::line(&format!("--script - --format {format}"))
            .input(script)
            .fails(1, format!("error: standard input: {complaint}\n"));
    }
}

#[test]
fn what_is_just_small_enough_is_drawn() {
    assert_svg_is_sound(&Story::of(&relay(2, 1000)));
    assert_pictures_are_sound(&Story::of(&"n sends 'x'\n".repeat(12)));
}

#[test]
fn a_picture_of_a_story_is_what_the_library_draws() {
    let story = built_in_stories().nth(3).unwrap();
    for (format, picture) in [
        ("diagram", story.plain()),
        ("ascii", story.text(Palette::default(), &Glyphs::ASCII)),
        ("svg", story.svg()),
        ("mermaid", story.mermaid()),
    ] {
        let command = format!("--scenario 2 --fencing on --format {format}");
        assert_eq!(Program::line(&command).stdout(), picture);
    }
    let transcript = Program::line("--scenario 2 --format transcript").stdout();
    assert_eq!(transcript, Program::line("--scenario 2").stdout());
}

#[test]
fn pictures_of_several_stories_follow_one_another() {
    for format in ["diagram", "ascii", "mermaid"] {
        let one =
            |arguments: &str| Program::line(&format!("{arguments} --format {format}")).stdout();
        let both = ["off", "on"].map(|fencing| one(&format!("--scenario 1 --fencing {fencing}")));
        assert_eq!(one("--scenario 1 --fencing both"), both.join("\n"));
        let book = ["1", "2", "3"].map(|number| one(&format!("--scenario {number}")));
        assert_eq!(one(""), book.join("\n"));
    }
}

#[test]
fn a_picture_can_be_expected_to_end_well() {
    Program::line("--scenario 2 --format svg --expect safe").stdout();
    let found = "error: expected SAFE, but scenario 1 with fencing off is CORRUPTED\n";
    let picture = Program::line("--scenario 1 --format diagram --expect safe")
        .exits(1, found)
        .stdout();
    assert_eq!(
        picture,
        Program::line("--scenario 1 --format diagram").stdout()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pictures_of_all_stories_are_sound(script in scripts_with_answers(1..=40), on in any::<bool>()) {
        let fencing = if on { Fencing::On } else { Fencing::Off };
        let story = Story::new("TEST", scenario(&script, fencing));
        if Diagram::new("TEST", &story.scenario, &story.run).is_ok() {
            assert_pictures_are_sound(&story);
        }
    }
}
