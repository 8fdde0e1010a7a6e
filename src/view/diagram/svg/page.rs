//! An SVG file: layers of shapes, and texts over all of them. Light colours stand in attributes; a
//! style sheet puts dark ones in their place where the reader prefers them.
//!
//! All numbers are whole. Lines of one look are one path, so that a file stays small.

use std::io::{self, Write};

use crate::view::diagram::svg::look::Look;
use crate::view::diagram::svg::put::{Escaped, Piece, put};
use crate::world::grant::Grant;

/// The colours of grants, in turn: each is legible under white text, and none is red.
const GRANTS: [&str; 6] = [
    "#2f6fb7", "#b0621c", "#7a4fb5", "#1a7a6e", "#a8447c", "#5d7318",
];

/// The colour of what was written without a lease.
const NO_GRANT: &str = "#5f6670";

/// What each class looks like in the dark. The picture itself is of the colour of ink.
const DARK: [&str; 10] = [
    "{fill:#e8e8e8}",
    " .bg{fill:#14171c}",
    " .l{stroke:#e8e8e8}",
    " .r{stroke:#ff6b7a}",
    " .p{fill:#4a4f58;stroke:#c8c8c8}",
    " .b{fill:#14171c;stroke:#ff6b7a}",
    " .ok{fill:#57c785}",
    " .no{fill:#ff6b7a}",
    " .k{fill:#2a1216}",
    " .s{fill:#ff6b7a}",
];

/// A place, in pixels from the upper left corner.
pub type Point = (i32, i32);

/// A rectangle along a lane.
#[derive(Clone, Copy)]
pub struct Bar {
    /// Where it begins.
    pub from: i32,
    /// Where it ends.
    pub to: i32,
    /// Where the lane is.
    pub y: i32,
    /// How far it reaches above the lane, and below.
    pub half: i32,
}

impl Bar {
    /// How wide it is.
    pub fn width(self) -> i32 {
        (self.to - self.from).max(0)
    }
}

/// How a line is drawn.
#[derive(Clone, Copy)]
pub enum Stroke {
    /// A request that only asks.
    Thin,
    /// An arrow.
    Thick,
    /// An arrow past the guard.
    Dashed,
}

/// An SVG file under construction. Arrows come in layers of their own, each of them one path; texts
/// come last, over all else.
pub struct Page {
    id: String,
    file: Vec<u8>,
    thin_lines: Vec<u8>,
    thick_lines: Vec<u8>,
    dashed_lines: Vec<u8>,
    heads: Vec<u8>,
    crosses: Vec<u8>,
    texts: Vec<u8>,
}

impl Page {
    /// Opens the file: a picture of this size, with a title, and with the story for who cannot see
    /// it. Its ids are made from the story: another one has others.
    pub fn new((width, height): Point, title: &str, story: &str) -> Page {
        let id = id(hash(story.as_bytes()));
        let mut file = Vec::with_capacity(1 << 13);
        put!(file;
            "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"", &*id,
            "\" viewBox=\"0 0 ", (width, height),
            "\" width=\"", width, "\" height=\"", height,
            "\" role=\"img\" aria-labelledby=\"", &*id, "t ", &*id,
            "d\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
             font-size=\"12\" fill=\"#1b1b1b\">\n<title id=\"", &*id, "t\">",
            Escaped(title), "</title>\n<desc id=\"", &*id, "d\">",
            Escaped(story), "</desc>\n<style>@media(prefers-color-scheme:dark){",
        );
        for rule in DARK {
            put!(file; "#", &*id, rule);
        }
        put!(file;
            "}</style>\n<defs><pattern id=\"", &*id,
            "h\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><rect class=\"k\" width=\"8\" height=\"8\" \
             fill=\"#ffffff\"/><rect class=\"s\" width=\"3\" height=\"8\" fill=\"#e08a94\"/>\
             </pattern></defs>\n<rect class=\"bg\" width=\"", width,
            "\" height=\"", height, "\" fill=\"#ffffff\"/>\n",
        );
        let small = || Vec::with_capacity(500);
        Page {
            id,
            file,
            thin_lines: small(),
            thick_lines: small(),
            dashed_lines: Vec::new(),
            heads: small(),
            crosses: small(),
            texts: Vec::with_capacity(1 << 12),
        }
    }

    /// Writes the file.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.file)?;
        out.write_all(&self.texts)?;
        out.write_all(b"</svg>\n")
    }

    /// Draws the arrows: what comes later is drawn over them, but for crosses and texts.
    pub fn put_arrows(&mut self) {
        let thin = "class=\"l\" fill=\"none\" stroke=\"#1b1b1b\"";
        let thick = "class=\"l\" fill=\"none\" stroke=\"#1b1b1b\" stroke-width=\"2\"";
        let dashed = "class=\"l\" fill=\"none\" stroke=\"#1b1b1b\" stroke-width=\"2\" \
                      stroke-dasharray=\"6 4\"";
        put_path(&mut self.file, thin, &self.thin_lines);
        put_path(&mut self.file, thick, &self.thick_lines);
        put_path(&mut self.file, dashed, &self.dashed_lines);
        put_path(&mut self.file, "stroke=\"none\"", &self.heads);
    }

    /// Draws the crosses.
    pub fn put_crosses(&mut self) {
        let red = "class=\"r\" fill=\"none\" stroke=\"#c0182b\" stroke-width=\"3\"";
        put_path(&mut self.file, red, &self.crosses);
    }

    /// A text. What is not our own has to come [`Escaped`].
    pub fn text(&mut self, place: Point, look: Look, text: impl Piece) {
        self.text_of(place, look, |texts| text.put(texts));
    }

    /// A text of several pieces.
    pub fn text_of(&mut self, place: Point, look: Look, put_pieces: impl FnOnce(&mut Vec<u8>)) {
        self.begin_text(place, look);
        put_pieces(&mut self.texts);
        put!(self.texts; "</text>\n");
    }

    fn begin_text(&mut self, (x, y): Point, look: Look) {
        put!(self.texts; "<text x=\"", x, "\" y=\"", y, look.anchor, look.style);
    }

    /// Begins the lanes.
    pub fn begin_lanes(&mut self) {
        put!(self.file; "<path fill=\"none\" stroke=\"#8a8f98\" stroke-dasharray=\"4 6\" d=\"");
    }

    /// The line of a lane.
    pub fn lane(&mut self, y: i32, from: i32, to: i32) {
        put!(self.file; "M", (from, y), "H", to, "\n");
    }

    /// Ends the lanes.
    pub fn end_lanes(&mut self) {
        put!(self.file; "\"/>\n");
    }

    /// A bar in the colour of its grant.
    pub fn bar(&mut self, bar: Bar, grant: Option<Grant>) {
        let colour = grant.map_or(NO_GRANT, |grant| GRANTS[grant.seq.index() % GRANTS.len()]);
        self.rectangle(bar);
        put!(self.file; colour, "\"/>\n");
    }

    /// The sign for the bar of a grant.
    pub fn sign_of_grants(&mut self, bar: Bar) {
        self.rectangle(bar);
        put!(self.file; GRANTS[0], "\"/>\n");
    }

    /// The bar of who believes and is wrong.
    pub fn wrong_bar(&mut self, bar: Bar) {
        self.rectangle(bar);
        let red = "h)\" class=\"r\" stroke=\"#c0182b\" stroke-width=\"2\"/>\n";
        put!(self.file; "url(#", &*self.id, red);
    }

    /// The box around who is stopped.
    pub fn stopped(&mut self, bar: Bar) {
        self.rectangle(bar);
        put!(self.file; "#dcdcdc\" class=\"p\" stroke=\"#555555\"/>\n");
    }

    fn rectangle(&mut self, bar: Bar) {
        put!(self.file;
            "<rect x=\"", bar.from, "\" y=\"", bar.y - bar.half, "\" width=\"", bar.width(),
            "\" height=\"", 2 * bar.half, "\" fill=\""
        );
    }

    /// A straight line.
    pub fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        let lines = match stroke {
            Stroke::Thin => &mut self.thin_lines,
            Stroke::Thick => &mut self.thick_lines,
            Stroke::Dashed => &mut self.dashed_lines,
        };
        put!(*lines; "M", from, "L", to, "\n");
    }

    /// Begins a curved line here.
    pub fn move_to(&mut self, point: Point) {
        put!(self.thick_lines; "M", point);
    }

    /// Goes straight on.
    pub fn line_to(&mut self, point: Point) {
        put!(self.thick_lines; "L", point);
    }

    /// Goes on in a curve, which these two points pull.
    pub fn curve_to(&mut self, first: Point, second: Point, point: Point) {
        put!(self.thick_lines; "C", first, " ", second, " ", point);
    }

    /// Ends a curved line.
    pub fn end_line(&mut self) {
        put!(self.thick_lines; "\n");
    }

    /// The head of an arrow that comes from there.
    pub fn head(&mut self, (from_x, from_y): Point, (x, y): Point) {
        // In eighths of a pixel, so that whole numbers are exact enough.
        let (dx, dy) = (x - from_x, y - from_y);
        let length = ((dx * dx + dy * dy) * 64).isqrt().max(1);
        let along = |d: i32| rounded(d * 11 * 8, length);
        let (base_x, base_y) = (x - along(dx), y - along(dy));
        let (out_x, out_y) = (rounded(-dy * 4 * 8, length), rounded(dx * 4 * 8, length));
        put!(self.heads;
            "M", (x, y),
            "L", (base_x + out_x, base_y + out_y),
            "L", (base_x - out_x, base_y - out_y), "Z\n"
        );
    }

    /// A cross: what comes here does not get through.
    pub fn cross(&mut self, (x, y): Point) {
        put!(self.crosses; "M", (x - 7, y + 7), "l14-14m0 14l-14-14\n");
    }

    /// A burst: a newer value was overwritten.
    pub fn burst(&mut self, (x, y): Point) {
        put!(self.file;
            "<path class=\"b\" fill=\"#ffffff\" stroke=\"#c0182b\" stroke-width=\"2\" d=\"M",
            (x, y - 16), "l3 8 8-3-3 8 8 3-8 3 3 8-8-3-3 8-3-8-8 3 3-8-8-3 8-3-3-8 8 3Z\"/>\n"
        );
    }
}

fn put_path(file: &mut Vec<u8>, style: &str, commands: &[u8]) {
    if !commands.is_empty() {
        put!(*file; "<path ", style, " d=\"");
        file.extend_from_slice(commands);
        put!(*file; "\"/>\n");
    }
}

/// The quotient, rounded to the nearest whole number.
fn rounded(dividend: i32, divisor: i32) -> i32 {
    (2 * dividend + divisor).div_euclid(2 * divisor)
}

/// The number in letters, which is what an id may begin with.
fn id(number: u64) -> String {
    let letter =
        |place: u32| char::from(b"abcdefghijklmnop"[(number >> (4 * place) & 15) as usize]);
    (0..16).map(letter).collect()
}

/// The same on every machine and with every compiler: multiplies and folds, eight bytes at a time.
fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain(std::iter::once(&last));
    words.fold(0xcbf2_9ce4_8422_2325, |hash: u64, &word| {
        let mixed = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 32
    })
}
