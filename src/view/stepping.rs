//! Predict first: a question, and then a transcript revealed beat by beat, one at each Enter.
//!
//! Nothing of the story is shown before the answer. Questions and prompts go to a stream of their
//! own, so that the transcript comes out as the same bytes as without them.

use std::io::{self, BufRead, Read, Write};
use std::ops::ControlFlow;

use crate::text::wrapped;
use crate::verdict::Outcome;
use crate::view::transcript::Transcript;
use crate::world::storage_service::Fencing;

/// What is asked if the scenario asks nothing of its own.
const GENERAL_QUESTION: &str =
    "Does an older grant's write get in after a newer one's (CORRUPTED), or not (SAFE)?";

const BET: &str = "[Verdict? s: SAFE, c: CORRUPTED, Enter: no bet, q: quit] ";
const NEXT_STEP: &str = "[Enter: next step, q: quit] ";
const CLOSING: &str = "[Enter: final contents and verdict, q: quit] ";

/// The width of a question, in characters.
const WIDTH: usize = 80;
/// So much of a line is an answer, in bytes.
const LONGEST_ANSWER: u64 = 80;

/// A story before it is told.
pub struct Prediction<'story> {
    /// What its heading begins with, such as `SCENARIO 1`.
    pub label: &'story str,
    /// The setting of the toggle.
    pub fencing: Fencing,
    /// What the scenario asks, if it asks anything.
    pub question: Option<&'story str>,
    /// What it will come to.
    pub outcome: Outcome,
}

/// Steps through stories, one after another, for one reader, who presses Enter.
pub struct Stepper<'streams> {
    /// Where the reader's answers come from.
    input: &'streams mut dyn BufRead,
    /// Where questions and prompts go.
    prompts: &'streams mut dyn Write,
    on_screen: OnScreen,
    /// Input has ended: what is left is revealed at once.
    input_ended: bool,
    bets: Vec<Bet>,
}

/// What of the conversation is held at a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnScreen {
    /// Answers are typed there: their end is a wish to stop.
    pub answers: bool,
    /// Prompts are shown there: each is erased once it is answered.
    pub prompts: bool,
}

/// What the reader said that a story would come to, and what it came to.
#[derive(Clone, Copy)]
struct Bet {
    said: Outcome,
    is: Outcome,
}

impl<'streams> Stepper<'streams> {
    /// Before the first question.
    pub fn new(
        input: &'streams mut dyn BufRead,
        prompts: &'streams mut dyn Write,
        on_screen: OnScreen,
    ) -> Self {
        Stepper {
            input,
            prompts,
            on_screen,
            input_ended: false,
            bets: Vec::new(),
        }
    }

    /// Asks the question, reveals the transcript, and tells how the bet came out, if there was one.
    /// Breaks off as soon as the reader wants to stop.
    pub fn step_through(
        &mut self,
        story: &Prediction<'_>,
        transcript: &Transcript<'_>,
        out: &mut dyn Write,
    ) -> io::Result<ControlFlow<()>> {
        out.flush()?;
        self.ask(story);
        let Some(answer) = self.answer(BET)? else {
            return Ok(ControlFlow::Break(()));
        };
        transcript.write_heading(out)?;
        out.flush()?;
        for beat in transcript.beats() {
            if self.answer(NEXT_STEP)?.is_none() {
                return Ok(ControlFlow::Break(()));
            }
            transcript.write_beat(out, beat)?;
            out.flush()?;
        }
        if self.answer(CLOSING)?.is_none() {
            return Ok(ControlFlow::Break(()));
        }
        transcript.write_closing(out)?;
        out.flush()?;
        if let Some(said) = bet(&answer) {
            self.settle(Bet {
                said,
                is: story.outcome,
            });
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Tells how many bets were right, if there were several.
    pub fn sum_up(&mut self) {
        let bets = self.bets.len();
        if bets > 1 {
            let right = self.bets.iter().filter(|bet| bet.said == bet.is).count();
            self.show(&format!("You were right {right} times of {bets}.\n"));
        }
    }

    fn ask(&mut self, story: &Prediction<'_>) {
        let (label, fencing) = (story.label, story.fencing.word());
        let question = story.question.unwrap_or(GENERAL_QUESTION);
        let question = wrapped(&format!("Predict: {question}"), WIDTH).join("\n");
        self.show(&format!("{label}, fencing {fencing}\n{question}\n\n"));
    }

    fn settle(&mut self, bet: Bet) {
        self.bets.push(bet);
        let (said, is) = (bet.said.word(), bet.is.word());
        self.show(&format!("You said {said}. It is {is}.\n"));
    }

    /// Waits for Enter, and gives what was typed before it: none if the reader wants to stop.
    fn answer(&mut self, prompt: &str) -> io::Result<Option<Vec<u8>>> {
        if self.input_ended {
            return Ok(Some(Vec::new()));
        }
        self.show(prompt);
        let typed = self.read_line().map_err(|error| {
            self.show("\n");
            io::Error::new(
                error.kind(),
                format!("standard input cannot be read: {error}"),
            )
        })?;
        self.input_ended = typed.is_empty();
        if self.on_screen.prompts {
            // Whoever pressed Enter is one line below the prompt.
            let entered = typed.ends_with(b"\n");
            self.show(if entered {
                "\x1b[A\r\x1b[2K"
            } else {
                "\r\x1b[2K"
            });
        } else if self.input_ended {
            self.show("\n");
        }
        let stops = is_one_of(&typed, ["q", "quit"]) || self.input_ended && self.on_screen.answers;
        Ok((!stops).then_some(typed))
    }

    /// The beginning of the next line, with its end if that is near. Nothing at the end of input.
    fn read_line(&mut self) -> io::Result<Vec<u8>> {
        let mut typed = Vec::new();
        let mut beginning = (&mut *self.input).take(LONGEST_ANSWER);
        beginning.read_until(b'\n', &mut typed)?;
        if typed.len() as u64 == LONGEST_ANSWER && !typed.ends_with(b"\n") {
            self.input.skip_until(b'\n')?;
        }
        Ok(typed)
    }

    fn show(&mut self, prompt: &str) {
        // The transcript is what counts: it comes out whole even if nobody sees the prompts.
        let _ = self
            .prompts
            .write_all(prompt.as_bytes())
            .and_then(|()| self.prompts.flush());
    }
}

/// The bet that the answer is, if it is one.
fn bet(answer: &[u8]) -> Option<Outcome> {
    if is_one_of(answer, ["s", "safe"]) {
        Some(Outcome::Safe)
    } else if is_one_of(answer, ["c", "corrupted"]) {
        Some(Outcome::Corrupted)
    } else {
        None
    }
}

fn is_one_of(answer: &[u8], words: [&str; 2]) -> bool {
    let answer = answer.trim_ascii();
    let mut words = words.iter();
    words.any(|word| answer.eq_ignore_ascii_case(word.as_bytes()))
}
