//! What scripts come to: helpers for the tests that assert on events.

use fencing_demo::run::{Run, run};
use fencing_demo::script::Scenario;
use fencing_demo::verdict::{Explanation, Verdict};
use fencing_demo::view::palette::Palette;
use fencing_demo::view::transcript::Transcript;
use fencing_demo::world::event::Event;
use fencing_demo::world::storage_service::{Fencing, Rejection};

/// A script, its run, and what to say of it.
pub struct Told {
    pub scenario: Scenario,
    pub run: Run,
}

/// Runs a script. Its steps can stand on one line each, or be separated by semicolons.
#[track_caller]
pub fn tell(script: &str) -> Told {
    let scenario = Scenario::parse(&script.replace(';', "\n")).unwrap();
    let run = run(&scenario).unwrap();
    Told { scenario, run }
}

impl Told {
    /// The writes that reached storage: by whom, what, and with which outcome.
    pub fn writes(&self) -> Vec<(&str, &str, &str)> {
        let names = &self.scenario.names;
        let writes = self.run.events.iter().filter_map(Event::write);
        let answers = writes.flat_map(|write| {
            write.answers.iter().map(|answer| {
                let outcome = match answer.outcome {
                    Ok(()) => "accepted",
                    Err(Rejection::LowerToken) => "lower token",
                    Err(Rejection::NoToken) => "no token",
                    Err(Rejection::Changed) => "changed",
                };
                (
                    names.client(write.client),
                    names.data(write.data.unwrap()),
                    outcome,
                )
            })
        });
        answers.collect()
    }

    /// What the first storage holds at the end.
    pub fn contents(&self) -> Option<&str> {
        let contents = self.run.contents[0];
        contents.map(|data| self.scenario.names.data(data))
    }

    pub fn is_corrupted(&self) -> bool {
        self.run.verdict == Verdict::Corrupted
    }

    /// The verdict and its explanation, as a transcript has them.
    pub fn closing(&self) -> String {
        let closing = self.explanation();
        let moreover = closing
            .moreover
            .map(|moreover| format!("\n{moreover}"))
            .unwrap_or_default();
        format!("{}: {}{moreover}", closing.outcome.word(), closing.because)
    }

    pub fn explanation(&self) -> Explanation {
        self.run.explain(&self.scenario)
    }

    /// The lines of the transcript between its rule and its final contents.
    pub fn lines(&self) -> Vec<String> {
        let mut bytes = Vec::new();
        let transcript = Transcript::new("TEST", &self.scenario, &self.run, Palette::default());
        transcript.write(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lines = text
            .lines()
            .skip(2)
            .take_while(|line| !line.starts_with("  FINAL"));
        lines.map(str::to_owned).collect()
    }
}

/// The same script with its toggle set.
pub fn fenced(fencing: Fencing, script: &str) -> String {
    format!("fencing: {}\n{script}", fencing.word())
}
