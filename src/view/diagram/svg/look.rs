//! How the texts of an SVG picture look.
//!
//! Nothing is measured: fonts are generic, and a character is taken for 0.6 of their size. What a
//! look does not say is the whole picture's: 12 pixels, in the colour of ink.

/// How a text looks.
#[derive(Clone, Copy)]
pub struct Look {
    /// The size of the font, in pixels.
    size: i32,
    /// The attribute for where it is put, if that is not its beginning; from a quote on.
    pub anchor: &'static str,
    /// The other attributes, up to the end of the tag.
    pub style: &'static str,
}

impl Look {
    /// A note beside what it is about.
    pub const NOTE: Look = Look::new(12, ">");
    /// A note on what went wrong.
    pub const RED: Look = Look::new(12, " class=\"no\" fill=\"#c0182b\">");
    /// Why something went wrong.
    pub const REASON: Look = Look::new(12, " class=\"no\" fill=\"#c0182b\" font-weight=\"bold\">");
    /// A text on a bar.
    pub const ON_BAR: Look = Look::new(12, " fill=\"#ffffff\">");
    /// The highest token, and what a reader prefers.
    pub const STRONG: Look = Look::new(13, " font-size=\"13\" font-weight=\"bold\">");
    /// What a reader got.
    pub const SMALL: Look = Look::new(11, " font-size=\"11\">");
    /// The name of a lane, and a text below the picture.
    pub const TEXT: Look = Look::new(14, " font-size=\"14\">");
    /// The title.
    pub const TITLE: Look = Look::new(16, " font-size=\"16\" font-weight=\"bold\">");
    /// The verdict SAFE.
    pub const SAFE: Look = Look::new(
        14,
        " class=\"ok\" fill=\"#146b3a\" font-size=\"14\" font-weight=\"bold\">",
    );
    /// The verdict CORRUPTED.
    pub const CORRUPTED: Look = Look::new(
        14,
        " class=\"no\" fill=\"#c0182b\" font-size=\"14\" font-weight=\"bold\">",
    );

    const fn new(size: i32, style: &'static str) -> Look {
        Look {
            size,
            anchor: "\"",
            style,
        }
    }

    /// The same, ending where it is put.
    pub const fn ending(self) -> Look {
        Look {
            anchor: "\" text-anchor=\"end\"",
            ..self
        }
    }

    /// The same, centred where it is put.
    pub const fn centred(self) -> Look {
        Look {
            anchor: "\" text-anchor=\"middle\"",
            ..self
        }
    }

    /// How many characters fit into so many pixels.
    pub fn room(self, pixels: i32) -> usize {
        usize::try_from(pixels * 10 / (self.size * 6)).unwrap_or_default()
    }
}
