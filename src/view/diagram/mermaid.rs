//! The picture as text: a Mermaid `sequenceDiagram`, which GitHub and GitLab draw.
//!
//! Participants have short ids of our own, so a client may be called `end`. In all other texts,
//! whatever might be syntax stands as its character code.

use std::fmt::{self, Display};
use std::io::{self, Write};

use crate::view::diagram::act::{Act, Arrow, Lane, Notice, Place, Reception, Word, show};
use crate::view::diagram::layout::Diagram;
use crate::view::diagram::standing::Standing;
use crate::view::transcript::heading;
use crate::world::event::{Answer, Choice, Moment, Preference, Request};
use crate::world::grant::Token;
use crate::world::names::{Data, StorageId};
use crate::world::step::{Step, WriteMode};
use crate::world::storage_service::{Fencing, Rejection};

/// The ground for the steps at which somebody believes and is wrong.
const WRONG_GROUND: &str = "rect rgba(208, 24, 43, 0.12)";

/// Writes the picture.
pub fn write(out: &mut dyn Write, diagram: &Diagram<'_>) -> io::Result<()> {
    let lanes = std::iter::once(Lane::LockService);
    let clients = diagram.scenario.names.clients().map(Lane::Client);
    let mut sequence = Sequence {
        out,
        diagram,
        active: lanes.chain(clients).map(|lane| (lane, false)).collect(),
        is_on_wrong_ground: false,
    };
    sequence.write_participants()?;
    sequence.write_steps()?;
    sequence.write_verdict()
}

struct Sequence<'d, 'out> {
    out: &'out mut dyn Write,
    diagram: &'d Diagram<'d>,
    /// Whether the lease is out, and whether each client believes that it holds it.
    active: Vec<(Lane, bool)>,
    is_on_wrong_ground: bool,
}

impl Sequence<'_, '_> {
    fn write_participants(&mut self) -> io::Result<()> {
        let diagram = self.diagram;
        let names = &diagram.scenario.names;
        let title = heading(diagram.label, diagram.scenario.headers.title.as_deref());
        writeln!(self.out, "sequenceDiagram")?;
        self.line(format_args!("title {}", Escaped(&title)))?;
        self.participant(Lane::LockService, "lock service")?;
        for client in names.clients() {
            self.participant(Lane::Client(client), names.client(client))?;
        }
        if diagram.channels > 0 {
            self.participant(Lane::Channel(Moment::FIRST), "network")?;
        }
        for (storage, name) in diagram.named_storages() {
            self.participant(Lane::Storage(storage), name)?;
        }
        Ok(())
    }

    fn participant(&mut self, lane: Lane, name: &str) -> io::Result<()> {
        let id = self.id(lane);
        self.line(format_args!("participant {id} as {}", Escaped(name)))
    }

    fn write_steps(&mut self) -> io::Result<()> {
        let mut standing = Standing::new(self.diagram);
        let mut acts = Vec::new();
        for at in self.diagram.moments() {
            if standing.is_anybody_wrong() && !self.is_on_wrong_ground {
                self.line(WRONG_GROUND)?;
                self.is_on_wrong_ground = true;
            }
            show(&self.diagram.run.events, at, &mut acts);
            for act in &acts {
                self.write_act(at, act)?;
            }
            for act in &acts {
                self.write_contents(act)?;
            }
            standing.take(at);
            self.activate(|lane| match lane {
                Lane::LockService => standing.is_out,
                Lane::Client(client) => standing.client(client).belief.is_some(),
                Lane::Channel(_) | Lane::Storage(_) => false,
            })?;
            if !standing.is_anybody_wrong() {
                self.leave_wrong_ground()?;
            }
        }
        self.leave_wrong_ground()?;
        self.activate(|_| false)
    }

    fn activate(&mut self, is_active: impl Fn(Lane) -> bool) -> io::Result<()> {
        for place in 0..self.active.len() {
            let (lane, was_active) = self.active[place];
            let id = self.id(lane);
            match (was_active, is_active(lane)) {
                (false, true) => self.line(format_args!("activate {id}"))?,
                (true, false) => self.line(format_args!("deactivate {id}"))?,
                (false, false) | (true, true) => continue,
            }
            self.active[place].1 = !was_active;
        }
        Ok(())
    }

    fn leave_wrong_ground(&mut self) -> io::Result<()> {
        if self.is_on_wrong_ground {
            self.is_on_wrong_ground = false;
            self.line("end")?;
        }
        Ok(())
    }

    fn write_verdict(&mut self) -> io::Result<()> {
        let diagram = self.diagram;
        let explanation = diagram.run.explain(diagram.scenario);
        let last = diagram.scenario.names.storages().iter().last();
        let last = last.unwrap_or(StorageId::FIRST);
        let (lock_service, storage) = (self.id(Lane::LockService), self.id(Lane::Storage(last)));
        let (verdict, because) = (explanation.outcome.word(), Escaped(&explanation.because));
        self.line(format_args!(
            "Note over {lock_service},{storage}: {verdict}: {because}"
        ))
    }

    fn write_act(&mut self, at: Moment, act: &Act<'_>) -> io::Result<()> {
        let says = self.says(at, act);
        match act.place(at) {
            Place::Arrow(Arrow { from, to, is_lost }) => {
                let arrow = match (from, to) {
                    _ if is_lost => "-x",
                    // A packet leaves, and nobody waits for an answer.
                    (_, Lane::Channel(_)) => "-)",
                    (Lane::Storage(_), _) => "-->>",
                    (Lane::LockService | Lane::Client(_) | Lane::Channel(_), _) => "->>",
                };
                let (from, to) = (self.id(from), self.id(to));
                self.line(format_args!("{from}{arrow}{to}: {}. {says}", at.number()))
            }
            Place::Lane(lane) => {
                let id = self.id(lane);
                self.line(format_args!("Note over {id}: {}. {says}", at.number()))
            }
        }
    }

    /// Notes what a storage holds, and its highest token, after it accepted.
    fn write_contents(&mut self, act: &Act<'_>) -> io::Result<()> {
        let (data, answer) = match *act {
            Act::Request {
                request, answer, ..
            } => (request.data, answer),
            Act::Repair { choice, repair, .. } => (Some(choice.value.data), repair),
            Act::Notice(..)
            | Act::Word(..)
            | Act::Departure { .. }
            | Act::Reply(..)
            | Act::Taken(..)
            | Act::Heard { .. }
            | Act::StorageForgot { .. }
            | Act::CounterForgotten(_)
            | Act::HolderForgotten(_) => return Ok(()),
        };
        let max_token = answer.max_token.map(|token| format!("max_token {token}"));
        let data = data.map(|data| self.data(data));
        let holds: Vec<String> = data.into_iter().chain(max_token).collect();
        if !answer.is_accepted() || holds.is_empty() {
            return Ok(());
        }
        let id = self.id(Lane::Storage(answer.storage));
        let place = if self.diagram.storages.len() > 1 {
            "over"
        } else {
            "right of"
        };
        self.line(format_args!("Note {place} {id}: {}", holds.join(" ")))
    }

    fn says(&self, at: Moment, act: &Act<'_>) -> String {
        match *act {
            Act::Notice(_, notice) => match notice {
                Notice::Granted(grant) => match self.diagram.fencing() {
                    Fencing::On => format!("lease, token {}", grant.token),
                    Fencing::Off => format!("lease, would-be token {}", grant.token),
                },
                Notice::HeldAlready => "has the lease already".to_owned(),
                Notice::Renewed => "lease renewed".to_owned(),
                Notice::Refused => "REFUSED".to_owned(),
                Notice::Expired => "lease EXPIRED (unheard)".to_owned(),
                Notice::Released => "releases the lease".to_owned(),
                Notice::ReleasedTooLate => "releases the lease too late".to_owned(),
            },
            Act::Word(_, word) => self.word(word),
            Act::Departure { data, grant, .. } => {
                let token = self.token(grant.map(|grant| grant.token));
                format!("{}{token} leaves", self.data(data))
            }
            Act::Request {
                request,
                answer,
                reception,
                undid,
                ..
            } => {
                let what = match request.data {
                    Some(data) => self.data(data),
                    None => "announces its token".to_owned(),
                };
                let terms = self.terms(request, answer);
                let outcome = outcome(request, answer, reception, undid);
                if request.left < at {
                    let sender = Escaped(self.diagram.scenario.names.client(request.client));
                    format!("{sender}'s {what}{terms} arrives{outcome}")
                } else {
                    format!("{what}{terms}{outcome}")
                }
            }
            Act::Reply(_, reply) => match reply.value {
                Some(value) => {
                    let token = self.token(value.token);
                    format!("reads {}{token}", self.data(value.data))
                }
                None => "reads (empty)".to_owned(),
            },
            Act::Taken(_, choice) => self.choice(&choice),
            Act::Repair {
                choice, reception, ..
            } => {
                let token = self.token(choice.value.token);
                let data = self.data(choice.value.data);
                format!("read repair: {data}{token}{}", overwrites(reception))
            }
            Act::Heard {
                asked,
                request,
                answer,
                ..
            } => {
                let verdict = match answer.outcome {
                    Ok(()) => "ACCEPTED".to_owned(),
                    Err(rejection) => rejected(rejection, request, answer),
                };
                format!("answer to {}: {verdict}", asked.number())
            }
            Act::StorageForgot { had_one, .. } => {
                let what = if had_one { "forgets" } else { "had no" };
                format!("{what} max_token")
            }
            Act::CounterForgotten(next) => match next {
                Some(token) => format!("forgets its counter, next token {token}"),
                None => "forgets its counter, no token is left".to_owned(),
            },
            Act::HolderForgotten(holder) => match holder {
                Some(holder) => {
                    let holder = Escaped(self.diagram.scenario.names.client(holder));
                    format!("forgets that {holder} holds the lease")
                }
                None => "had no holder to forget".to_owned(),
            },
        }
    }

    fn word(&self, word: Word) -> String {
        match word {
            Word::Paused => "GC pause ...".to_owned(),
            Word::Woke => "wakes".to_owned(),
            Word::Asleep => "asleep ...".to_owned(),
            Word::Resumed => "resumes".to_owned(),
            Word::CheckPassed => "its own check passes".to_owned(),
            Word::CheckFailed => "its own check fails".to_owned(),
            Word::HasNone => "has no lease to release".to_owned(),
            Word::Withheld(step) => {
                if let Step::Writes(_, data, ..) | Step::Sends(_, data, _) = step {
                    format!("holds back {}", self.data(data))
                } else {
                    "holds back its token".to_owned()
                }
            }
            Word::ClockSlow => "its clock runs slow".to_owned(),
            Word::SwitchedOff => "POWERED OFF".to_owned(),
            Word::NoReply => "power-off: no answer".to_owned(),
            Word::ClockSlowInVain | Word::InVain(_) => "is off, nothing happens".to_owned(),
        }
    }

    fn choice(&self, choice: &Choice) -> String {
        let data = self.data(choice.value.data);
        let shown = |token: Option<Token>| {
            token.map_or_else(|| "no token".to_owned(), |token| token.to_string())
        };
        match choice.why {
            Preference::HigherToken(over) => {
                let (token, over) = (shown(choice.value.token), shown(over));
                format!("takes {data}: {token} {GREATER} {over}")
            }
            Preference::Later => format!("takes {data}, the later"),
            Preference::Only => format!("takes {data}"),
        }
    }

    /// On what terms the request comes.
    fn terms(&self, request: &Request, answer: &Answer) -> String {
        let token = self.token(request.token);
        match (request.mode, answer.look) {
            (WriteMode::IfUnchanged, Some(look)) => {
                format!("{token} if unchanged since {}", look.since.number())
            }
            (WriteMode::Plain | WriteMode::IfUnchanged, _) => token,
            (WriteMode::PastTheGuard, _) => " past the guard".to_owned(),
            (WriteMode::WithToken(token), _) => format!(" (token {token}, its own choice)"),
        }
    }

    /// The token; nothing with fencing off.
    fn token(&self, token: Option<Token>) -> String {
        match (self.diagram.fencing(), token) {
            (Fencing::Off, _) => String::new(),
            (Fencing::On, Some(token)) => format!(" (token {token})"),
            (Fencing::On, None) => " (no token)".to_owned(),
        }
    }

    fn data(&self, data: Data) -> String {
        format!("'{}'", Escaped(self.diagram.data(data)))
    }

    fn id(&self, lane: Lane) -> String {
        match lane {
            Lane::LockService => "L".to_owned(),
            Lane::Client(client) => format!("c{}", client.index() + 1),
            Lane::Channel(_) => "N".to_owned(),
            Lane::Storage(_) if self.diagram.storages.len() == 1 => "S".to_owned(),
            Lane::Storage(storage) => format!("S{}", storage.index() + 1),
        }
    }

    fn line(&mut self, line: impl Display) -> io::Result<()> {
        let indent = if self.is_on_wrong_ground { 8 } else { 4 };
        writeln!(self.out, "{:indent$}{line}", "")
    }
}

/// `<` and `>`, which Mermaid would take for HTML.
const LESS: &str = "#60;";
const GREATER: &str = "#62;";

/// What became of the request, if more than that it was accepted.
fn outcome(
    request: &Request,
    answer: &Answer,
    reception: Reception,
    undid: Option<Moment>,
) -> String {
    if let Err(rejection) = answer.outcome {
        return format!(" {}", rejected(rejection, request, answer));
    }
    let number = |at: Option<Moment>| at.map(Moment::number);
    let lost = number(answer.lost).map(|at| format!(" LOSES what came at {at}"));
    let undid = number(undid).map(|at| format!(" UNDOES step {at}"));
    [lost, undid]
        .into_iter()
        .flatten()
        .fold(overwrites(reception).to_owned(), |all, one| all + &one)
}

fn overwrites(reception: Reception) -> &'static str {
    match reception {
        Reception::Overwrote => " OVERWRITES A NEWER ONE",
        Reception::Rejected | Reception::LetIn | Reception::Taken => "",
    }
}

fn rejected(rejection: Rejection, request: &Request, answer: &Answer) -> String {
    let changed = answer.look.and_then(|look| look.changed);
    match (rejection, request.token, answer.max_token, changed) {
        (Rejection::LowerToken, Some(token), Some(max_token), _) => {
            format!("REJECTED {token} {LESS} {max_token}")
        }
        (Rejection::LowerToken, ..) => "REJECTED".to_owned(),
        (Rejection::NoToken, ..) => "REJECTED no token".to_owned(),
        (Rejection::Changed, _, _, Some(at)) => format!("REJECTED changed at {}", at.number()),
        (Rejection::Changed, ..) => "REJECTED changed".to_owned(),
    }
}

/// A text in which nothing is syntax to Mermaid: letters, digits, blanks and a few signs stand as
/// they are, and all others as character codes.
struct Escaped<'text>(&'text str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut plain = 0;
        for (start, character) in self.0.char_indices() {
            let end = start + character.len_utf8();
            if is_harmless(character, &self.0[end..]) {
                continue;
            }
            write!(f, "{}#{};", &self.0[plain..start], u32::from(character))?;
            plain = end;
        }
        f.write_str(&self.0[plain..])
    }
}

fn is_harmless(character: char, rest: &str) -> bool {
    match character {
        // Without a blank behind it, a colon can belong to something that Mermaid looks for.
        ':' => rest.starts_with(' '),
        ' ' | '.' | ',' | '\'' | '(' | ')' | '-' | '_' | '/' | '=' | '?' | '!' | '@' | '+' => true,
        other => other.is_alphanumeric(),
    }
}
