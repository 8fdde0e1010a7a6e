//! A line of a picture for the terminal: characters in columns, each with a role.

use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use crate::view::diagram::text::glyphs::Cut;
use crate::view::palette::{Palette, Role};

/// A line under construction. Columns are counted from 0; blank until something is put there.
pub struct Line {
    cells: Vec<(char, Role)>,
    /// The first column behind all that is seen.
    end: usize,
    text: String,
}

impl Line {
    /// A blank line, with memory for so many columns. It grows if there are more.
    pub fn new(columns: usize) -> Line {
        Line {
            cells: vec![BLANK; columns],
            end: 0,
            text: String::with_capacity(LONGEST_CHARACTER * columns + 1),
        }
    }

    /// Puts one character into the column.
    pub fn set(&mut self, column: usize, character: char, role: Role) {
        if self.cells.len() <= column {
            self.cells.resize(column + 1, BLANK);
        }
        self.cells[column] = (character, role);
        if character != ' ' {
            self.end = self.end.max(column + 1);
        }
    }

    /// Puts the text into the columns from this one on. Returns the first column behind it.
    pub fn put(&mut self, column: usize, text: &str, role: Role) -> usize {
        let mut column = column;
        for character in text.chars() {
            // A tab would move whatever stands behind it.
            let character = if character == '\t' { ' ' } else { character };
            self.set(column, character, role);
            column += 1;
        }
        column
    }

    /// Puts as much of a text as was left when it was cut.
    pub fn put_cut(&mut self, column: usize, cut: Cut<'_>, role: Role) -> usize {
        let end = self.put(column, cut.text, role);
        match cut.mark {
            Some(mark) => {
                self.set(end, mark, role);
                end + 1
            }
            None => end,
        }
    }

    /// Puts what the format says.
    pub fn put_format(&mut self, column: usize, text: fmt::Arguments<'_>, role: Role) -> usize {
        struct Pen<'line> {
            line: &'line mut Line,
            column: usize,
            role: Role,
        }

        impl fmt::Write for Pen<'_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.column = self.line.put(self.column, text, self.role);
                Ok(())
            }
        }

        let mut pen = Pen {
            line: self,
            column,
            role,
        };
        // Writing into a line cannot fail.
        let _ = fmt::write(&mut pen, text);
        pen.column
    }

    /// Fills columns with one character.
    pub fn fill(&mut self, columns: Range<usize>, character: char, role: Role) {
        for column in columns {
            self.set(column, character, role);
        }
    }

    /// What stands in the column.
    pub fn get(&self, column: usize) -> char {
        let cell = self.cells.get(column);
        cell.map_or(' ', |&(character, _)| character)
    }

    /// Whether nothing is seen.
    pub fn is_blank(&self) -> bool {
        self.end == 0
    }

    /// The first column behind all that is seen.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Writes the line without the blanks at its end, and begins the next one.
    pub fn finish(&mut self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        let cells = &mut self.cells[..self.end];
        if palette.is_plain() {
            self.text
                .extend(cells.iter().map(|&(character, _)| character));
        } else {
            let mut role = Role::Plain;
            for &(character, of) in cells.iter() {
                // A blank looks the same in every role.
                if of != role && character != ' ' {
                    flush(&mut self.text, out, palette, role)?;
                    role = of;
                }
                self.text.push(character);
            }
            flush(&mut self.text, out, palette, role)?;
        }
        cells.fill(BLANK);
        self.end = 0;
        self.text.push('\n');
        out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }
}

/// How many bytes the glyphs take, at most.
const LONGEST_CHARACTER: usize = 3;

const BLANK: (char, Role) = (' ', Role::Plain);

fn flush(text: &mut String, out: &mut dyn Write, palette: Palette, role: Role) -> io::Result<()> {
    if !text.is_empty() {
        palette.write(out, role, text)?;
        text.clear();
    }
    Ok(())
}
