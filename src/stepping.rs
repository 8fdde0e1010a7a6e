//! Predict first: a transcript revealed beat by beat, one at each Enter.
//!
//! Prompts go to a stream of their own, so that the transcript comes out as the same bytes as
//! without them.

use std::io::{self, BufRead, Write};

use crate::transcript::Transcript;

/// What is asked if the scenario asks nothing of its own.
const GENERAL_QUESTION: &str = "Who gets to write, and what does storage hold at the end?";

/// Asks the question, then reveals the transcript. At the end of input it reveals the rest.
///
/// # Errors
/// Whatever one of the streams fails with.
pub fn step_through(
    transcript: &Transcript<'_>,
    question: Option<&str>,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    prompts: &mut dyn Write,
) -> io::Result<()> {
    transcript.write_heading(out)?;
    out.flush()?;
    writeln!(prompts, "Predict: {}", question.unwrap_or(GENERAL_QUESTION))?;
    let mut enter = Enter {
        input,
        prompts,
        ended: false,
    };
    let mut prompt = "[Enter, when you have decided] ";
    for beat in transcript.beats() {
        enter.wait(prompt)?;
        transcript.write_beat(out, beat)?;
        out.flush()?;
        prompt = "[Enter: next step] ";
    }
    enter.wait("[Enter: final contents and verdict] ")?;
    transcript.write_closing(out)?;
    out.flush()
}

/// Whoever presses Enter, until they are gone.
struct Enter<'streams> {
    input: &'streams mut dyn BufRead,
    prompts: &'streams mut dyn Write,
    ended: bool,
}

impl Enter<'_> {
    fn wait(&mut self, prompt: &str) -> io::Result<()> {
        if self.ended {
            return Ok(());
        }
        write!(self.prompts, "{prompt}")?;
        self.prompts.flush()?;
        if self.input.skip_until(b'\n')? == 0 {
            self.ended = true;
            writeln!(self.prompts)?;
        }
        Ok(())
    }
}
