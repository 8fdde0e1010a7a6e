//! What holds for every picture: of the built-in scenarios, of generated scripts, and of hostile ones.

use std::collections::BTreeSet;
use std::fmt::Write;

use fencing_demo::run::{Run, run};
use fencing_demo::script::Scenario;
use fencing_demo::script::built_in::BuiltIn;
use fencing_demo::view::diagram::span::Track;
use fencing_demo::view::diagram::text::{self, Glyphs};
use fencing_demo::view::diagram::{Diagram, TooLarge, mermaid, svg};
use fencing_demo::view::palette::Palette;
use fencing_demo::world::event::Moment;
use fencing_demo::world::storage_service::Fencing;
use proptest::prelude::*;
use roxmltree::Document;

use crate::program::Program;
use crate::properties::{scenario, scripts_with_answers};

/// A scenario and its run, to be drawn.
struct Story {
    scenario: Scenario,
    run: Run,
}

impl Story {
    fn new(scenario: Scenario) -> Story {
        let run = run(&scenario).unwrap();
        Story { scenario, run }
    }

    fn of(script: &str) -> Story {
        Story::new(Scenario::parse(script).unwrap())
    }

    fn drawn(&self) -> Result<Diagram<'_>, TooLarge> {
        Diagram::new("TEST", &self.scenario, &self.run)
    }

    fn picture(&self) -> Diagram<'_> {
        self.drawn().ok().unwrap()
    }

    fn text(&self, glyphs: &Glyphs) -> String {
        let mut bytes = Vec::new();
        text::write(&mut bytes, Palette::default(), &self.picture(), glyphs).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn svg(&self) -> String {
        let mut bytes = Vec::new();
        svg::write(&mut bytes, &self.picture()).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn mermaid(&self) -> String {
        let mut bytes = Vec::new();
        mermaid::write(&mut bytes, &self.picture()).unwrap();
        String::from_utf8(bytes).unwrap()
    }
}

fn built_in() -> impl Iterator<Item = Story> {
    BuiltIn::all().flat_map(|built_in| {
        let scenario = built_in.scenario().unwrap();
        [Fencing::Off, Fencing::On]
            .map(|fencing| Story::new(scenario.clone().with_fencing(fencing)))
    })
}

/// Names and data that are syntax to somebody, or wide, or long.
fn hostile() -> Vec<Story> {
    let names = ["end", "loop", "note", "activate", "rect", "C-_9"];
    let data = [
        "; # < > % \" { } \\ '",
        "&amp; <script>alert(1)</script> ]]> -->",
        "ü€𝄞漢字",
        "%%{init: {}}%%",
        "\u{301}combining",
    ];
    let long = "x".repeat(200);
    let data = data.into_iter().chain([long.as_str()]);
    let stories = data.enumerate().map(|(at, data)| {
        let (one, other) = (names[at % names.len()], "n".repeat(32));
        format!(
            "title: <b>&\"{data}\nfencing: on\n{one} acquires the lease\n{one} sends '{data}'\n\
             {one}'s lease expires\n{other} acquires the lease\n{other} reads\n\
             {other} writes '{data}' if unchanged\n{one} writes '{data}'\n\
             {one} hears storage's answer\n{one}'s packet arrives\n\
             {one} writes '{data}' with token 7\n{one} writes '{data}' past the guard\n"
        )
    });
    stories
        .filter_map(|script| Scenario::parse(&script).ok())
        .filter(|scenario| run(scenario).is_ok())
        .map(Story::new)
        .collect()
}

/// What lasts at that moment, once its step is over.
fn at<T: Copy>(track: &Track<T>, at: Moment) -> Vec<T> {
    let spans = track.spans.iter();
    spans
        .filter(|span| span.from <= at && !span.is_over(at))
        .map(|span| span.what)
        .collect()
}

/// Every span says who holds the lease and who believes so, as the world itself does.
fn assert_spans(story: &Story) {
    let (Story { scenario, .. }, Ok(picture)) = (story, story.drawn()) else {
        return;
    };
    let mut world = scenario.world();
    let mut now = Moment::FIRST;
    for step in &scenario.steps {
        world.take(step.step, now).unwrap();
        let holder: Vec<_> = at(&picture.lease, now)
            .into_iter()
            .map(|(it, _)| it)
            .collect();
        assert_eq!(
            holder,
            world.holder().into_iter().collect::<Vec<_>>(),
            "{now:?}"
        );
        for (client, lane) in scenario.names.clients().zip(&picture.clients) {
            let believed = world.client(client).believes_in();
            let believed = believed.filter(|_| !world.is_off(client));
            let is_wrong = world.holder() != Some(client);
            let drawn: Vec<_> = at(&lane.beliefs, now)
                .into_iter()
                .map(|belief| (belief.grant, belief.is_wrong))
                .collect();
            let expected: Vec<_> = believed
                .into_iter()
                .map(|grant| (grant, is_wrong))
                .collect();
            assert_eq!(drawn, expected, "{now:?}");
        }
        now = now.next();
    }
}

/// The lanes of the lock service, the clients that are never off, and the storages stand in the same
/// columns in every row.
fn assert_columns(story: &Story) {
    let Ok(picture) = story.drawn() else { return };
    let text = story.text(&Glyphs::UNICODE);
    let mut rows = text.lines().skip_while(|line| !line.ends_with("(empty)"));
    let first: Vec<char> = rows.next().unwrap().chars().collect();
    let lanes = first.iter().enumerate();
    let lanes: Vec<usize> = lanes
        .filter(|(_, it)| **it == '│')
        .map(|(at, _)| at)
        .collect();
    let clients = picture.clients.len();
    assert_eq!(lanes.len(), 1 + clients + picture.storages.len());
    let is_never_off = |lane: usize| {
        let client = lane
            .checked_sub(1)
            .and_then(|client| picture.clients.get(client));
        client.is_none_or(|client| client.off.is_none())
    };
    for row in rows.take_while(|line| !line.is_empty()) {
        let row: Vec<char> = row.chars().collect();
        for (lane, &column) in lanes
            .iter()
            .enumerate()
            .filter(|(lane, _)| is_never_off(*lane))
        {
            let glyph = row.get(column).copied().unwrap_or(' ');
            assert!(
                "│┃╏┼~╳".contains(glyph),
                "lane {lane} is {glyph:?} in {row:?}\n{text}"
            );
        }
    }
}

/// It is one well-formed document that asks for nothing, holds all data, and stays within its frame.
fn assert_svg(story: &Story) {
    let Ok(picture) = story.drawn() else { return };
    if picture.last().number() > 1000 {
        return;
    }
    let svg = story.svg();
    assert_eq!(svg, story.svg(), "the same story, the same bytes");
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    let view: Vec<f64> = root
        .attribute("viewBox")
        .unwrap()
        .split(' ')
        .map(|it| it.parse().unwrap())
        .collect();
    let mut texts = String::new();
    let mut ids = BTreeSet::new();
    for node in root.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(
            !["script", "image", "foreignObject", "use", "a"].contains(&name),
            "{name}"
        );
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            assert!(!key.starts_with("on") && key != "href", "{key}");
            assert!(
                !value.contains("url(") || value.contains("url(#"),
                "{value}"
            );
            if key == "id" {
                assert!(ids.insert(value.to_owned()), "{value} twice");
            }
            // The pattern's own tile is no place in the picture.
            let is_tile = node.ancestors().any(|it| it.has_tag_name("pattern"));
            let bound = match key {
                "x" | "x1" | "x2" => view[2],
                "y" | "y1" | "y2" => view[3],
                _ => continue,
            };
            let place: f64 = value.parse().unwrap();
            assert!(
                is_tile || (0.0..=bound).contains(&place),
                "{key}={value} of {bound}"
            );
        }
        if name == "text" || name == "desc" {
            texts.extend(node.descendants().filter_map(|it| it.text()));
            texts.push('\n');
        }
    }
    for event in &story.run.events {
        if let Some(data) = event.request().and_then(|request| request.data) {
            let data = story.scenario.names.data(data);
            assert!(texts.contains(data), "{data:?} is not in the picture");
        }
    }
}

/// Every line begins with a word of the format and short names, and says nothing that is syntax.
fn assert_mermaid(story: &Story) {
    if story.drawn().is_err() {
        return;
    }
    let text = story.mermaid();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("sequenceDiagram"));
    for line in lines {
        let line = line.trim_start();
        let is_id = |id: &str| {
            let letters = id.trim_end_matches(|it: char| it.is_ascii_digit());
            ["L", "S", "c", "N"].contains(&letters)
        };
        let (head, said) = match line.split_once(": ") {
            Some((head, said))
                if !line.starts_with("title") && !line.starts_with("participant") =>
            {
                (head, said)
            }
            _ => (line, ""),
        };
        let words: Vec<&str> = head.split(' ').collect();
        let is_known = match words[0] {
            "title" | "end" | "rect" => true,
            "participant" => is_id(words[1]) && words[2] == "as",
            "activate" | "deactivate" => is_id(words[1]),
            "Note" => words.last().unwrap().split(',').all(is_id),
            arrow => {
                let ends = ["-->>", "->>", "--x", "-x", "--)", "-)"];
                let ends = ends.iter().find_map(|it| arrow.split_once(it));
                ends.is_some_and(|(from, to)| is_id(from) && is_id(to))
            }
        };
        assert!(is_known, "{line}");
        for (place, _) in said.match_indices('#') {
            let code = said[place + 1..].split(';').next().unwrap();
            assert!(
                code.bytes().all(|it| it.is_ascii_digit()) && !code.is_empty(),
                "{line}"
            );
        }
        let codes = said.matches('#').count();
        assert_eq!(said.matches(';').count(), codes, "{line}");
        assert!(!said.contains(['<', '>', '%', '"', '{', '}']), "{line}");
    }
}

fn assert_all(story: &Story) {
    assert_spans(story);
    assert_columns(story);
    assert_svg(story);
    assert_mermaid(story);
}

#[test]
fn built_in_pictures_are_true_well_formed_and_aligned() {
    for story in built_in() {
        assert_all(&story);
        let ascii = story.text(&Glyphs::ASCII);
        assert!(ascii.is_ascii(), "{ascii}");
        let picture = story.picture();
        if picture.clients.len() <= 3 && picture.storages.len() == 1 {
            let wide = ascii.lines().find(|line| line.chars().count() > 80);
            assert_eq!(wide, None);
        }
    }
}

#[test]
fn hostile_names_and_data_are_drawn_as_they_are() {
    let stories = hostile();
    assert!(stories.len() >= 5, "{}", stories.len());
    for story in &stories {
        assert_all(story);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_pictures_are_true_well_formed_and_aligned(
        script in scripts_with_answers(1..=40),
        on in any::<bool>(),
    ) {
        let fencing = if on { Fencing::On } else { Fencing::Off };
        let scenario = scenario(&script, fencing);
        prop_assume!(run(&scenario).is_ok());
        assert_all(&Story::new(scenario));
    }
}

/// A story of so many steps by so many clients.
fn long(clients: usize, steps: usize) -> String {
    let mut script = String::new();
    for step in 0..steps / 3 {
        let client = step % clients;
        let _ = write!(
            script,
            "c{client} acquires the lease\nc{client} writes 'x'\nc{client} releases the lease\n"
        );
    }
    script
}

#[test]
fn what_is_too_large_to_draw_is_refused_in_a_line() {
    assert!(Story::of(&long(12, 510)).drawn().is_ok());
    assert!(Story::of(&long(2, 30_000)).drawn().is_ok());
    for (script, format) in [
        (long(13, 60), "diagram"),
        (long(13, 60), "mermaid"),
        (long(13, 60), "svg"),
        ("a sends 'x'\n".repeat(13), "ascii"),
        (long(2, 1005), "svg"),
    ] {
        let line = format!("--script - --format {format}");
        let (status, out, said) = Program::line(&line).input(script).run();
        assert_eq!((status, out.as_str()), (Some(1), ""), "{format}");
        assert!(
            said.starts_with("error: ") && said.lines().count() == 1,
            "{said}"
        );
    }
}

#[test]
fn two_pictures_on_one_page_share_no_name() {
    let ids = |story: &Story| -> BTreeSet<String> {
        let svg = story.svg();
        let document = Document::parse(&svg).unwrap();
        let ids = document.descendants().filter_map(|it| it.attribute("id"));
        ids.map(str::to_owned).collect()
    };
    let all: Vec<_> = built_in().map(|story| ids(&story)).collect();
    for (index, one) in all.iter().enumerate() {
        assert!(!one.is_empty());
        assert!(
            all[..index].iter().all(|other| one.is_disjoint(other)),
            "{one:?}"
        );
    }
}

#[test]
fn pictures_follow_one_another_but_svg_is_one_a_file() {
    let one = |setting: &str| {
        Program::line(&format!(
            "--scenario 2 --format diagram --fencing {setting}"
        ))
        .stdout()
    };
    assert_eq!(one("both"), [one("off"), one("on")].join("\n"));
    for line in [
        "--format svg",
        "--scenario 2 --fencing both --format svg",
        "--scenario 2 --explore --format svg",
        "--scenario 2 --step --format diagram",
    ] {
        let (status, out, said) = Program::line(line).run();
        assert_eq!((status, out.as_str()), (Some(2), ""), "{line}");
        assert!(said.starts_with("error: "), "{line}: {said}");
    }
    let transcript = Program::line("--scenario 2 --format transcript").stdout();
    assert_eq!(transcript, Program::line("--scenario 2").stdout());
}
