//! Predict first: a transcript revealed beat by beat, one at each Enter.
//!
//! Prompts go to a stream of their own, so that the transcript comes out as the same bytes as
//! without them.

use std::io::{self, BufRead, Write};

use crate::view::transcript::Transcript;

/// What is asked if the scenario asks nothing of its own.
const GENERAL_QUESTION: &str = "Who gets to write, and what does storage hold at the end?";

/// Asks the question, then reveals the transcript. At the end of input it reveals the rest.
pub fn step_through(
    transcript: &Transcript<'_>,
    question: Option<&str>,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    prompts: &mut dyn Write,
) -> io::Result<()> {
    transcript.write_heading(out)?;
    out.flush()?;
    let mut reader = Reader {
        input,
        prompts,
        gone: false,
    };
    reader.show(&format!(
        "Predict: {}\n",
        question.unwrap_or(GENERAL_QUESTION)
    ));
    let mut prompt = "[Enter, when you have decided] ";
    for beat in transcript.beats() {
        reader.wait_for_enter(prompt)?;
        transcript.write_beat(out, beat)?;
        out.flush()?;
        prompt = "[Enter: next step] ";
    }
    reader.wait_for_enter("[Enter: final contents and verdict] ")?;
    transcript.write_closing(out)?;
    out.flush()
}

/// Whoever reads along and presses Enter, until they are gone.
struct Reader<'streams> {
    input: &'streams mut dyn BufRead,
    prompts: &'streams mut dyn Write,
    gone: bool,
}

impl Reader<'_> {
    fn wait_for_enter(&mut self, prompt: &str) -> io::Result<()> {
        if self.gone {
            return Ok(());
        }
        self.show(prompt);
        let typed = self.input.skip_until(b'\n');
        if !matches!(typed, Ok(1..)) {
            self.gone = true;
            self.show("\n");
        }
        typed.map(drop).map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("standard input cannot be read: {error}"),
            )
        })
    }

    fn show(&mut self, prompt: &str) {
        // The transcript is what counts: it comes out whole even if nobody sees the prompts.
        let _ = self
            .prompts
            .write_all(prompt.as_bytes())
            .and_then(|()| self.prompts.flush());
    }
}
