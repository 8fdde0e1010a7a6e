//! The rows: what each step shows, among lanes that never move.

use std::io::{self, Write};

use crate::view::diagram::act::{Act, Lane, Notice, Place, Word, in_vain, show};
use crate::view::diagram::layout::{Diagram, Stop};
use crate::view::diagram::standing::{Power, Standing};
use crate::view::diagram::text::columns::{Columns, digits, granted};
use crate::view::diagram::text::glyphs::{FORGETS, Glyphs, width};
use crate::view::diagram::text::legend::Legend;
use crate::view::diagram::text::line::Line;
use crate::view::diagram::text::remarks::Remarks;
use crate::view::palette::{Palette, Role};
use crate::world::event::{Answer, Choice, Moment, Preference, Request};
use crate::world::grant::Token;
use crate::world::names::{ClientId, Data, StorageId};
use crate::world::storage_service::{Fencing, Rejection};

/// The rows of one picture.
pub struct Rows<'d> {
    /// The signs that have been drawn.
    pub legend: Legend,
    pub(super) diagram: &'d Diagram<'d>,
    pub(super) glyphs: &'d Glyphs,
    pub(super) columns: Columns,
    pub(super) line: Line,
    standing: Standing<'d>,
    /// How much room the data of a request need behind them, in whichever row.
    reserved: usize,
    /// The column behind them.
    data_end: usize,
}

impl<'d> Rows<'d> {
    /// Before the first row.
    pub fn new(diagram: &'d Diagram<'d>, glyphs: &'d Glyphs) -> Self {
        let columns = Columns::new(diagram, glyphs);
        Rows {
            legend: Legend::default(),
            diagram,
            glyphs,
            line: Line::new(columns.width),
            columns,
            standing: Standing::new(diagram),
            reserved: 0,
            data_end: 0,
        }
    }

    /// Writes the headings of the lanes, and all rows.
    pub fn write(&mut self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        self.write_headings(out, palette)?;
        self.draw_lanes();
        self.note("(empty)");
        self.line.finish(out, palette)?;
        let (mut acts, mut remarks) = (Vec::new(), Vec::new());
        for at in self.diagram.moments() {
            self.standing.take(at);
            show(&self.diagram.run.events, at, &mut acts);
            remarks.clear();
            remarks.extend(acts.iter().map(|act| Remarks::of(act, self.glyphs)));
            // The data stand in the first row only, and leave room for what is behind them in any.
            let reserved = remarks.iter().map(Remarks::width).max();
            self.reserved = reserved.unwrap_or_default();
            for (place, (act, remarks)) in acts.iter().zip(&remarks).enumerate() {
                self.draw_lanes();
                if place == 0 {
                    let (number, width) = (at.number(), self.columns.digits);
                    let number = format_args!("{number:>width$}");
                    self.line.put_format(0, number, Role::Plain);
                }
                self.draw_act(at, act, remarks, place == 0);
                self.draw_remarks(remarks);
                self.line.finish(out, palette)?;
            }
        }
        Ok(())
    }

    /// Draws how things stand after the step.
    fn draw_lanes(&mut self) {
        let glyphs = self.glyphs;
        let (lane, role) = if self.standing.is_out {
            (glyphs.right, Role::Accepted)
        } else {
            (glyphs.thin, Role::Plain)
        };
        self.line.set(self.columns.lock_service, lane, role);
        for client in self.diagram.scenario.names.clients() {
            let column = self.columns.client(client);
            let standing = self.standing.client(client);
            let (lane, role) = match (standing.power, standing.belief) {
                (Power::Off, _) => continue,
                (Power::GoesOff, _) => (glyphs.lost, Role::Rejected),
                (Power::On, None) => (glyphs.thin, Role::Plain),
                (Power::On, Some(belief)) if belief.is_wrong => (glyphs.wrong, Role::Corrupted),
                (Power::On, Some(_)) => (glyphs.right, Role::Accepted),
            };
            self.line.set(column, lane, role);
            match standing.stop {
                Some(Stop::Paused) => self.line.set(column + 1, glyphs.paused, Role::Fate),
                Some(Stop::Asleep) => self.line.set(column + 1, glyphs.asleep, Role::Fate),
                None => {}
            }
        }
        for packet in &self.standing.in_flight {
            let column = self.columns.channel(packet.what.channel);
            self.line.set(column, glyphs.flying, Role::Plain);
        }
        for storage in self.diagram.scenario.names.storages().iter() {
            let column = self.columns.storage(storage);
            self.line.set(column, glyphs.thin, Role::Plain);
        }
    }

    fn draw_act(&mut self, at: Moment, act: &Act<'_>, remarks: &Remarks, is_first: bool) {
        if let Place::Arrow(arrow) = act.place(at) {
            self.draw_arrow(arrow);
        }
        match *act {
            Act::Notice(client, notice) => self.draw_notice(client, notice),
            Act::Word(client, word) => self.draw_word(client, word),
            Act::Departure {
                client,
                data,
                grant,
            } => {
                let token = self.shown(grant.map(|grant| grant.token));
                let gap = self.gap_from(self.columns.client(client) + 1);
                if width(&token) + 2 <= gap.len() {
                    self.line.put(gap.start + 1, &token, Role::Plain);
                }
                let channel = self.column(Lane::Channel(at));
                self.line.set(channel, self.glyphs.leaves, Role::Plain);
                self.note_data("sent: ", data, 0);
            }
            Act::Request {
                request,
                answer,
                is_last,
                ..
            } => {
                let from = if request.left < at {
                    let channel = self.column(Lane::Channel(request.left));
                    let corner = if is_last {
                        self.glyphs.arrives
                    } else {
                        self.glyphs.arrives_here_too
                    };
                    self.line.set(channel, corner, Role::Plain);
                    channel
                } else {
                    self.columns.client(request.client)
                };
                self.label_request(from, request, answer);
                self.note_request(request, is_first);
            }
            Act::Reply(reader, reply) => {
                let token = reply.value.map(|value| self.shown(value.token));
                self.label_answer(reader, &token.unwrap_or_default());
                match reply.value {
                    Some(value) => self.note_data("read: ", value.data, 0),
                    None => self.note("read: (empty)"),
                }
            }
            Act::Taken(reader, choice) => self.draw_choice(reader, &choice),
            Act::Repair { reader, choice, .. } => {
                let token = self.shown(choice.value.token);
                self.label(self.columns.client(reader), &token);
                self.note_data("repair: ", choice.value.data, remarks.width());
            }
            Act::Heard {
                client,
                asked,
                answer,
                ..
            } => {
                self.label_answer(client, verdict(answer));
                if is_first {
                    self.note(&format!("answer to {}", asked.number()));
                } else {
                    self.note(DITTO);
                }
            }
            Act::StorageForgot { storage, had_one } => self.draw_forgotten(storage, had_one),
            Act::CounterForgotten(next) => {
                self.draw_forgetful_lock_service();
                match next {
                    Some(token) => {
                        self.note(&format!("next token: {}", self.glyphs.token(token)));
                    }
                    None => self.note("no token is left"),
                }
            }
            Act::HolderForgotten(holder) => {
                self.draw_forgetful_lock_service();
                match holder {
                    Some(holder) => {
                        let holder = self.diagram.scenario.names.client(holder);
                        self.note(&format!("that {holder} holds it"));
                    }
                    None => self.note("nobody held it"),
                }
            }
        }
    }

    fn draw_notice(&mut self, client: ClientId, notice: Notice) {
        let lock_service = self.columns.lock_service;
        if let Notice::Granted(grant) = notice {
            let token = granted(self.diagram.fencing(), self.glyphs, grant.token);
            let start = lock_service - 1 - width(&token);
            self.line.put(start, &token, Role::Plain);
        }
        let (word, role) = match notice {
            Notice::Granted(_) => ("lease", Role::Plain),
            Notice::HeldAlready => ("has it", Role::Plain),
            Notice::Renewed => ("renewed", Role::Plain),
            Notice::Refused => ("refused", Role::Rejected),
            Notice::Expired => ("expired", Role::Fate),
            Notice::Released => ("release", Role::Plain),
            Notice::ReleasedTooLate => ("too late", Role::Rejected),
        };
        let gap = if notice.is_from_client() {
            self.gap_from(lock_service + 2)
        } else {
            self.gap_before(self.columns.client(client) - 1)
        };
        if word.len() <= gap.len() {
            let before = (gap.len() - word.len()) / 2;
            self.line.put(gap.start + before, word, role);
        }
    }

    fn draw_word(&mut self, client: ClientId, word: Word) {
        let (text, role) = match word {
            Word::Paused => ("GC pause", Role::Fate),
            Word::Woke => ("wakes", Role::Fate),
            Word::Asleep => ("asleep", Role::Fate),
            Word::Resumed => ("resumes", Role::Fate),
            Word::CheckPassed => ("check ok", Role::Plain),
            Word::CheckFailed => ("check no", Role::Rejected),
            Word::HasNone => ("has none", Role::Plain),
            Word::Withheld(_) => ("withheld", Role::Rejected),
            Word::ClockSlow => ("slow", Role::Fate),
            Word::SwitchedOff => ("off", Role::Fate),
            Word::NoReply => ("no reply", Role::Plain),
            Word::ClockSlowInVain => ("(slow)", Role::Plain),
            Word::InVain(step) => (in_vain(step), Role::Plain),
        };
        let lane = self.columns.client(client);
        let mut start = lane + 2;
        // Such a word may reach into its own lane, which is blank, but not into the next one.
        if let Word::InVain(_) | Word::ClockSlowInVain = word {
            let is_lane = |&it: &usize| self.columns.is_client(it) || self.line.get(it) != ' ';
            let next = (lane + 1..=lane + self.columns.pitch).find(is_lane);
            start = next.map_or(start, |next| start.min(next - text.len()));
        }
        self.line.put(start, text, role);
        if word == Word::ClockSlow {
            self.note("its clock runs slow");
        }
    }

    fn draw_choice(&mut self, reader: ClientId, choice: &Choice) {
        let longest = 8;
        let token = choice.value.token;
        let (word, note) = match choice.why {
            Preference::HigherToken(over) => {
                let digits = |token: Option<Token>| token.map_or("none".len(), |it| digits(it.0));
                if digits(token) + ">".len() + digits(over) > longest {
                    ("higher".to_owned(), "takes ")
                } else {
                    (
                        format!("{}>{}", self.shown(token), self.shown(over)),
                        "takes ",
                    )
                }
            }
            Preference::Later => ("later".to_owned(), "takes "),
            Preference::Only => ("takes".to_owned(), ""),
        };
        let column = self.columns.client(reader) + 2;
        self.line.put(column, &word, Role::Plain);
        self.note_data(note, choice.value.data, 0);
    }

    fn draw_forgotten(&mut self, storage: StorageId, had_one: bool) {
        let column = self.columns.storage(storage);
        self.line.set(column, FORGETS, Role::Fate);
        self.note(if had_one {
            "forgets max_token"
        } else {
            "had no max_token"
        });
    }

    fn draw_forgetful_lock_service(&mut self) {
        let column = self.columns.lock_service;
        self.line.set(column, FORGETS, Role::Fate);
        self.line.put(column + 2, "forgets", Role::Fate);
    }

    /// Notes the text, cut to the room that there is.
    fn note(&mut self, text: &str) {
        let text = self
            .glyphs
            .fit(text, self.columns.width - self.columns.notes);
        self.data_end = self.line.put_cut(self.columns.notes, text, Role::Plain);
    }

    /// Notes the data, cut within their quotes, with so much room left behind them.
    fn note_data(&mut self, before: &str, data: Data, reserved: usize) {
        let taken = self.columns.notes + before.len() + "''".len() + reserved;
        let room = self.columns.width.saturating_sub(taken).max(1);
        let data = self.glyphs.fit(self.diagram.data(data), room);
        let start = self.line.put(self.columns.notes, before, Role::Plain);
        self.line.set(start, '\'', Role::Plain);
        let end = self.line.put_cut(start + 1, data, Role::Plain);
        self.line.set(end, '\'', Role::Plain);
        self.data_end = end + 1;
    }

    fn note_request(&mut self, request: &Request, is_first: bool) {
        match (is_first, request.data, self.diagram.fencing()) {
            (true, Some(data), _) => self.note_data("", data, self.reserved),
            (true, None, Fencing::On) => self.note("its token"),
            (true, None, Fencing::Off) => self.note("hears no token"),
            (false, ..) => {
                self.line.put(self.columns.notes, DITTO, Role::Plain);
            }
        }
    }

    fn draw_remarks(&mut self, remarks: &Remarks) {
        let reason = &remarks.reason;
        let end = self.line.put(self.data_end, reason, Role::Rejected);
        // What is too long makes the row longer, and hides nothing.
        let marks = self.columns.width.saturating_sub(remarks.width());
        let mut column = marks.max(end);
        for (mark, role) in &remarks.marks {
            column = self.line.put(column + 1, mark, *role);
        }
        self.legend.meet_remarks(remarks);
    }
}

/// The data, or the step, of the row above.
const DITTO: &str = " \"";

fn verdict(answer: &Answer) -> &'static str {
    match answer.outcome {
        Ok(()) => "accepted",
        Err(Rejection::LowerToken | Rejection::NoToken) => "rejected",
        Err(Rejection::Changed) => "changed",
    }
}
