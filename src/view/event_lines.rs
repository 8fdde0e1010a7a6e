//! The lines that tell each event: one arm for each, in the voice of the book's stories.
//!
//! A line is spans of a role and a text. What a role looks like is decided last, by the palette.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};

use crate::script::Scenario;
use crate::view::palette::Role;
use crate::world::client::{CheckFailure, Condition};
use crate::world::event::{Answer, Event, Moment, Preference, Read, Request};
use crate::world::grant::{Grant, Token};
use crate::world::names::{ClientId, Data, StorageId};
use crate::world::step::{Step, WriteMode};
use crate::world::storage_service::{Fencing, Rejection};

/// Tells the events of one run.
pub struct EventLines<'run> {
    scenario: &'run Scenario,
    events: &'run [Event],
    /// When each token was first granted; empty unless a write shows one of its own choosing.
    granted: BTreeMap<Token, Moment>,
    /// When each client was first granted each token; empty likewise.
    granted_to: BTreeMap<(ClientId, Token), Moment>,
    /// When a client went by its having no lease, and was wrong.
    mistaken: BTreeSet<Moment>,
}

/// A piece of a line.
pub struct Span {
    /// What it is.
    pub role: Role,
    /// What it says.
    pub text: String,
}

/// One line.
pub enum Line {
    /// What happens.
    Event(Vec<Span>),
    /// What is asked of storage, in columns.
    Row(Row),
    /// What stands below a row: how things are then.
    Below(Span),
    /// What one of several storages answers.
    Answer(StorageId, Vec<Span>),
    /// What stands below that.
    BelowAnswer(Span),
}

/// A request to storage, as the columns of a transcript show it.
pub struct Row {
    /// Who asks what.
    pub request: String,
    /// What comes with it: its token, or its condition.
    pub credentials: String,
    /// What storage answers; nothing if several answer, each on a line of its own.
    pub answer: Option<Span>,
    /// Why it rejected the request.
    pub reason: Option<String>,
}

impl<'run> EventLines<'run> {
    /// For the events of a run of the scenario.
    pub fn new(scenario: &'run Scenario, events: &'run [Event]) -> Self {
        let is_forged = |event: &Event| {
            let request = event.request();
            request.is_some_and(|it| matches!(it.mode, WriteMode::WithToken(_)))
        };
        let has_forged = events.iter().any(is_forged);
        let (mut granted, mut granted_to) = (BTreeMap::new(), BTreeMap::new());
        let mut mistaken = BTreeSet::new();
        let mut holder = None;
        for (index, event) in events.iter().enumerate() {
            let at = Moment::at(index);
            if let Some(lease) = event.lease() {
                holder = lease.map(|(client, _)| client);
            }
            if let Event::Granted { client, grant } = *event
                && has_forged
            {
                granted.entry(grant.token).or_insert(at);
                granted_to.entry((client, grant.token)).or_insert(at);
            } else if let Event::HeldBack { client, .. }
            | Event::Checked {
                client,
                outcome: Err(CheckFailure::KnewBefore),
            } = *event
                && holder == Some(client)
            {
                mistaken.insert(at);
            }
        }
        EventLines {
            scenario,
            events,
            granted,
            granted_to,
            mistaken,
        }
    }

    /// Tells the event of that moment.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of event")]
    pub fn tell(&self, at: Moment) -> Vec<Line> {
        let event = &self.events[at.index()];
        let is_mistaken = self.mistaken.contains(&at);
        let refused = || rejected("REFUSED");
        vec![match *event {
            Event::Granted { client, grant } => {
                let (client, token) = (self.client(client), self.token(grant.token));
                act(format!("{client} acquires the lease ({token})"))
            }
            Event::AcquisitionRefused { client, holder } => {
                let (client, holder) = (self.client(client), self.client(holder));
                Line::Event(vec![
                    plain(format!("{client} acquires the lease: ")),
                    refused(),
                    plain(format!(", {holder} holds it")),
                ])
            }
            Event::HeldAlready { client, grant } => {
                let (client, token) = (self.client(client), self.token(grant.token));
                act(format!(
                    "{client} acquires the lease, which it holds already ({token})"
                ))
            }
            Event::Renewed { client, grant } => {
                let (client, token) = (self.client(client), self.token(grant.token));
                act(format!(
                    "{client} renews the lease, which it still holds ({token})"
                ))
            }
            Event::RenewalRefused { client, holder } => {
                let client = self.client(client);
                let why = match holder {
                    Some(holder) => format!(", {} holds it", self.client(holder)),
                    None => ", it holds none".to_owned(),
                };
                Line::Event(vec![
                    plain(format!("{client} renews the lease: ")),
                    refused(),
                    plain(why),
                ])
            }
            Event::Released { client, grant } => {
                let (client, token) = (self.client(client), self.token(grant.token));
                act(format!("{client} releases the lease ({token})"))
            }
            Event::ReleasedTooLate { client } => {
                let client = self.client(client);
                act(format!(
                    "{client} releases the lease, but had lost it already"
                ))
            }
            Event::ReleasedNothing { client } => {
                let client = self.client(client);
                act(format!("{client} releases the lease, but has none"))
            }
            Event::Paused { client } => {
                let client = self.client(client);
                act(format!(
                    "{client} enters a long GC pause ........ (frozen; cannot act)"
                ))
            }
            Event::Woke {
                client,
                stale_belief,
            } => self.back(client, "WAKES", stale_belief),
            Event::Suspended { client } => {
                let client = self.client(client);
                act(format!(
                    "{client}'s machine is suspended ........ (its clock sleeps too)"
                ))
            }
            Event::Resumed {
                client,
                stale_belief,
            } => self.back(client, "RESUMES", stale_belief),
            Event::LeaseExpired { client, condition } => {
                let client = self.client(client);
                fate(match condition {
                    Condition::Running => format!("{client}'s lease EXPIRES"),
                    Condition::Paused => format!("while {client} is paused, its lease EXPIRES"),
                    Condition::Suspended => {
                        format!("while {client} is suspended, its lease EXPIRES")
                    }
                    Condition::PoweredOff => format!("{client} is off, and its lease EXPIRES"),
                })
            }
            Event::Read(ref read) => return self.read(event, read),
            Event::Wrote(ref request) => {
                let mut lines = self.request(event, request);
                if let Some(forged) = self.forged(at, request) {
                    lines.insert(0, forged);
                }
                return lines;
            }
            Event::Sent { client, data, .. } => {
                let (sender, data) = (self.client(client), self.data(data));
                return departure(format!("{sender} SENDS the write {data}"));
            }
            Event::Arrived {
                ref request,
                overtook,
            } => {
                let arrives = if overtook {
                    "overtakes another and"
                } else {
                    "finally"
                };
                let (sender, packet) = (self.client(request.client), self.packet(request.grant));
                let arrival = fate(format!(
                    "the delayed {packet} from {sender} {arrives} arrives"
                ));
                let answers = self.request(event, request);
                return std::iter::once(arrival).chain(answers).collect();
            }
            Event::Announced(ref request) => match self.fencing() {
                Fencing::On => return self.request(event, request),
                Fencing::Off => {
                    let client = self.client(request.client);
                    act(format!(
                        "{client} announces its token; unfenced storage is deaf to it"
                    ))
                }
            },
            Event::AnswerHeard {
                client,
                request,
                gave_up,
            } => return self.answer_heard(client, request, gave_up),
            Event::HeldBack { client, step } => {
                let (client, step) = (self.client(client), self.withheld(step));
                let why = if is_mistaken {
                    "it takes its lease for lost"
                } else {
                    "it knows that it has no lease"
                };
                Line::Event(vec![
                    plain(format!("{client} ")),
                    rejected("HOLDS BACK"),
                    plain(format!(" {step}: {why}")),
                ])
            }
            Event::Checked { client, outcome } => {
                let client = self.client(client);
                let (outcome, why) = match outcome {
                    Ok(()) => (span(Role::Accepted, "PASSED"), ", by its own timer"),
                    Err(CheckFailure::NoLease) => (rejected("FAILED"), ", it has none"),
                    Err(CheckFailure::KnewBefore) if is_mistaken => {
                        (rejected("FAILED"), ", it took it for lost")
                    }
                    Err(CheckFailure::KnewBefore) => {
                        (rejected("FAILED"), ", it knew that it has none")
                    }
                    Err(CheckFailure::TimerLapsed) => {
                        (rejected("FAILED"), ", its timer has lapsed")
                    }
                };
                let checks = plain(format!("{client} checks its lease: "));
                Line::Event(vec![checks, outcome, plain(why)])
            }
            Event::ClockSlowed { client, is_off } => {
                let client = self.client(client);
                if is_off {
                    act(format!(
                        "{client}'s clock runs slow: nothing happens, for {client} is off"
                    ))
                } else {
                    fate(format!(
                        "{client}'s clock runs SLOW: its timer will notice no expiry"
                    ))
                }
            }
            Event::PoweredOff { client } => {
                let client = self.client(client);
                act(format!(
                    "{client} is POWERED OFF: from here on it does nothing"
                ))
            }
            Event::PowerOffUnanswered { client } => {
                let client = self.client(client);
                act(format!(
                    "{client} cannot be powered off: no answer, no effect"
                ))
            }
            Event::CameToNothing { client, step } => {
                let (client, step) = (self.client(client), step.display(&self.scenario.names));
                act(format!("{step}: nothing happens, for {client} is off"))
            }
            Event::MaxTokenForgotten { storage, was } => {
                let storage = self.storage(storage);
                fate(match (was, self.fencing()) {
                    (Some(token), _) => format!("{storage} FORGETS its max_token, {token}"),
                    (None, Fencing::On) => format!("{storage} had no max_token to forget"),
                    (None, Fencing::Off) => {
                        format!("{storage} had no max_token to forget: unfenced, it keeps none")
                    }
                })
            }
            Event::CounterForgotten { next } => {
                let would_be = match self.fencing() {
                    Fencing::On => "",
                    Fencing::Off => "would-be ",
                };
                fate(match next {
                    Some(token) => format!(
                        "the lock service FORGETS its counter: the next {would_be}token is {token}"
                    ),
                    None => "the lock service FORGETS its counter: no token is left".to_owned(),
                })
            }
            Event::HolderForgotten { holder } => fate(match holder {
                Some(holder) => format!(
                    "the lock service FORGETS that {} holds the lease",
                    self.client(holder)
                ),
                None => {
                    "the lock service had no holder to forget: nobody held the lease".to_owned()
                }
            }),
        }]
    }

    /// Tells a departure and the expiry of its client's lease, which comes next, in one.
    pub fn tell_sent_then_expired(
        &self,
        client: ClientId,
        data: Data,
        in_flight: u32,
    ) -> Vec<Line> {
        let client = self.client(client);
        // One packet needs no name.
        let write = match in_flight {
            0 | 1 => "a write".to_owned(),
            _ => format!("the write {}", self.data(data)),
        };
        departure(format!("{client} SENDS {write}, then its lease expires"))
    }

    /// How wide the columns of the event's row are, in characters: request, and what comes with it.
    /// None if it asks nothing of storage that storage listens to.
    pub fn widths(&self, event: &Event) -> Option<(usize, usize)> {
        let row = self.row(event)?;
        Some((width(&row), width(&row.credentials())))
    }

    fn row<'event>(&'event self, event: &'event Event) -> Option<RowText<'event>> {
        if let Event::Read(read) = event {
            return Some(RowText::Read { lines: self, read });
        }
        let request = event.request()?;
        let is_heard = request.data.is_some() || self.fencing() == Fencing::On;
        is_heard.then_some(RowText::Request {
            lines: self,
            request,
        })
    }

    fn request(&self, event: &Event, request: &Request) -> Vec<Line> {
        let Some(row) = self.row(event) else {
            return Vec::new();
        };
        let mut row = Row {
            request: row.to_string(),
            credentials: row.credentials().to_string(),
            answer: None,
            reason: None,
        };
        if !self.scenario.names.has_several_storages() {
            let answer = request.answers.iter().next();
            row.answer = answer.map(|answer| outcome(request, answer));
            row.reason = answer.and_then(|answer| reason(request, answer));
            let mut lines = vec![Line::Row(row)];
            if let Some(answer) = answer {
                lines.extend(self.below(request, answer).map(Line::Below));
            }
            return lines;
        }
        let mut lines = vec![Line::Row(row)];
        for answer in &request.answers {
            let mut spans = vec![outcome(request, answer)];
            spans.extend(reason(request, answer).map(|reason| plain(format!("  {reason}"))));
            if answer.is_accepted() {
                let now = self.state("  ", request.data, answer.max_token);
                spans.push(span(Role::State, now));
            }
            lines.push(Line::Answer(answer.storage, spans));
            let seen = self.seen(request, answer).map(Line::BelowAnswer);
            lines.extend(seen);
        }
        lines
    }

    /// How things stand after the only storage's answer.
    fn below(&self, request: &Request, answer: &Answer) -> impl Iterator<Item = Span> {
        let state = answer.is_accepted().then(|| {
            let subject = match request.data {
                Some(_) => "storage ",
                None => "",
            };
            let state = self.state(subject, request.data, answer.max_token);
            span(Role::State, state)
        });
        self.seen(request, answer).into_iter().chain(state)
    }

    /// What a storage holds after it accepted these data, or none; and its highest token. Behind
    /// `subject`.
    fn state(&self, subject: &str, data: Option<Data>, max_token: Option<Token>) -> String {
        let mut state = subject.to_owned();
        match data {
            Some(data) => state.extend(["now holds '", self.scenario.names.data(data), "'"]),
            None => state.push_str("the contents stay"),
        }
        if let Some(token) = max_token {
            state.extend(["  [max_token=", &token.to_string(), "]"]);
        }
        state
    }

    /// What the client had seen where its condition failed, or where it overwrote what it had not
    /// seen.
    fn seen(&self, request: &Request, answer: &Answer) -> Option<Span> {
        let look = answer.look?;
        let holds = match (answer.outcome, answer.lost) {
            (Err(Rejection::Changed), _) => "holds",
            (Ok(()), Some(_)) => "held",
            (Ok(()) | Err(Rejection::LowerToken | Rejection::NoToken), _) => return None,
        };
        let (client, storage) = (self.client(request.client), self.storage(answer.storage));
        let held = answer.held.map(|held| held.data);
        let (saw, contents) = (self.contents(look.saw), self.contents(held));
        Some(plain(if held == look.saw {
            format!("{client} saw {saw}; {storage} took it again since")
        } else {
            format!("{client} saw {saw}; {storage} {holds} {contents}")
        }))
    }

    fn read(&self, event: &Event, read: &Read) -> Vec<Line> {
        let Some(row) = self.row(event) else {
            return Vec::new();
        };
        let several = self.scenario.names.has_several_storages();
        let contents = |held: Option<Data>| span(Role::State, self.contents(held));
        let mut replies = read.replies.iter();
        let only = replies.next().filter(|_| !several);
        let mut lines = vec![Line::Row(Row {
            request: row.to_string(),
            credentials: row.credentials().to_string(),
            answer: only.map(|reply| contents(reply.value.map(|value| value.data))),
            reason: None,
        })];
        if !several {
            return lines;
        }
        let widest = read.replies.iter().map(|reply| {
            let data = reply.value.map(|value| value.data);
            self.contents(data).chars().count()
        });
        let widest = widest.max().unwrap_or_default();
        for reply in &read.replies {
            let data = self.contents(reply.value.map(|value| value.data));
            let line = match (self.fencing(), reply.value) {
                (Fencing::Off, _) | (Fencing::On, None) => data,
                (Fencing::On, Some(value)) => {
                    format!("{data:<widest$}  {}", shown_token(value.token))
                }
            };
            lines.push(Line::Answer(reply.storage, vec![plain(line)]));
        }
        if let Some(choice) = read.choice {
            let reader = self.client(read.client);
            let data = self.data(choice.value.data);
            let why = match (choice.why, choice.value.token) {
                (Preference::HigherToken(Some(other)), Some(token)) => {
                    format!(": {token} > {other}")
                }
                (Preference::HigherToken(_), _) => ", which alone has a token".to_owned(),
                (Preference::Later, Some(token)) => format!(", the later with token {token}"),
                (Preference::Later, None) => ", the later".to_owned(),
                (Preference::Only, _) => String::new(),
            };
            lines.push(Line::Below(plain(format!("{reader} takes {data}{why}"))));
            for repair in &read.repairs {
                let now = self.state("  ", Some(choice.value.data), repair.max_token);
                let state = span(Role::State, now);
                let spans = vec![span(Role::Accepted, "REPAIRED"), state];
                lines.push(Line::Answer(repair.storage, spans));
            }
        }
        lines
    }

    /// A write that came then shows a token that is not its lease's.
    fn forged(&self, at: Moment, request: &Request) -> Option<Line> {
        let WriteMode::WithToken(token) = request.mode else {
            return None;
        };
        if request.grant.map(|grant| grant.token) == Some(token) {
            return None;
        }
        let client = self.client(request.client);
        let so_far = |granted: Option<&Moment>| granted.is_some_and(|&granted| granted < at);
        let shows = if so_far(self.granted_to.get(&(request.client, token))) {
            "shows the token of a lease that it no longer believes in"
        } else if so_far(self.granted.get(&token)) {
            "shows a token that was granted to another"
        } else {
            "makes up a token of its own"
        };
        Some(act(format!("{client} {shows}: {token}")))
    }

    fn answer_heard(&self, client: ClientId, request: Moment, gave_up: bool) -> Vec<Line> {
        let request = self.events.get(request.index()).and_then(Event::request);
        let mut hears = vec![plain(format!(
            "{} hears storage's answer:",
            self.client(client)
        ))];
        let mut below = Vec::new();
        for answer in request.into_iter().flat_map(|request| &request.answers) {
            let mut spans = vec![match answer.outcome {
                Ok(()) => span(Role::Accepted, "ACCEPTED"),
                Err(_) => rejected("REJECTED"),
            }];
            if answer.outcome == Err(Rejection::Changed) {
                spans.push(plain(" (changed)"));
            }
            if self.scenario.names.has_several_storages() {
                below.push(Line::Answer(answer.storage, spans));
            } else {
                hears.push(plain(" "));
                hears.append(&mut spans);
            }
        }
        let concludes = "it concludes that it has no lease";
        if gave_up && below.is_empty() {
            hears.push(plain(format!("; {concludes}")));
        } else if gave_up {
            below.push(Line::Below(plain(concludes)));
        }
        std::iter::once(Line::Event(hears)).chain(below).collect()
    }

    /// What a client that knows holds back.
    fn withheld(&self, step: Step) -> String {
        if let Step::Writes(_, data, ..) = step {
            self.data(data)
        } else if let Step::Sends(_, data, _) = step {
            format!("the packet {}", self.data(data))
        } else {
            "its token".to_owned()
        }
    }

    fn fencing(&self) -> Fencing {
        self.scenario.headers.fencing
    }

    fn client(&self, client: ClientId) -> &str {
        self.scenario.names.client(client)
    }

    fn storage(&self, storage: StorageId) -> &str {
        self.scenario.names.storage(storage)
    }

    fn data(&self, data: Data) -> String {
        format!("'{}'", self.scenario.names.data(data))
    }

    /// What a storage holds, or held.
    fn contents(&self, data: Option<Data>) -> String {
        data.map_or_else(|| "(empty)".to_owned(), |data| self.data(data))
    }

    fn token(&self, token: Token) -> String {
        match self.fencing() {
            Fencing::Off => format!("would-be token {token}"),
            Fencing::On => format!("token {token}"),
        }
    }

    fn packet(&self, grant: Option<Grant>) -> String {
        match (self.fencing(), grant) {
            (Fencing::On, Some(grant)) => format!("token-{} packet", grant.token),
            (Fencing::On, None) => "packet without a token".to_owned(),
            (Fencing::Off, _) => "packet".to_owned(),
        }
    }

    fn back(&self, client: ClientId, comes_back: &str, stale_belief: bool) -> Line {
        let believing = if stale_belief {
            ", still believing it is the leader"
        } else {
            ""
        };
        fate(format!("{} {comes_back}{believing}", self.client(client)))
    }
}

/// The first column of a row, as text that can be measured before it is written.
enum RowText<'event> {
    Request {
        lines: &'event EventLines<'event>,
        request: &'event Request,
    },
    Read {
        lines: &'event EventLines<'event>,
        read: &'event Read,
    },
}

impl RowText<'_> {
    /// The second column: what comes with the request.
    fn credentials(&self) -> Credentials<'_> {
        match self {
            RowText::Request { lines, request } => Credentials {
                request: Some(request),
                fencing: lines.fencing(),
            },
            RowText::Read { lines, .. } => Credentials {
                request: None,
                fencing: lines.fencing(),
            },
        }
    }
}

impl Display for RowText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowText::Read { lines, read } => write!(f, "{} reads", lines.client(read.client)),
            RowText::Request { lines, request } => {
                let client = lines.client(request.client);
                match request.data {
                    Some(data) => {
                        write!(f, "{client} writes '{}'", lines.scenario.names.data(data))
                    }
                    None => write!(f, "{client} announces its token"),
                }
            }
        }
    }
}

struct Credentials<'event> {
    request: Option<&'event Request>,
    fencing: Fencing,
}

impl Display for Credentials<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(request) = self.request else {
            return Ok(());
        };
        match (self.fencing, request.mode) {
            (_, WriteMode::PastTheGuard) => f.write_str("past the guard"),
            (Fencing::Off, WriteMode::IfUnchanged) => f.write_str("if unchanged"),
            (Fencing::On, WriteMode::IfUnchanged) => {
                write!(f, "{}, if unchanged", shown_token(request.token))
            }
            (_, WriteMode::Plain | WriteMode::WithToken(_)) => {
                f.write_str(&shown_token(request.token))
            }
        }
    }
}

fn shown_token(token: Option<Token>) -> String {
    token.map_or_else(|| "(no token)".to_owned(), |token| format!("token {token}"))
}

/// How many characters a text has, without writing it anywhere.
fn width(text: &impl Display) -> usize {
    struct Counter(usize);

    impl fmt::Write for Counter {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.chars().count();
            Ok(())
        }
    }

    let mut counter = Counter(0);
    // Counting cannot fail.
    let _ = fmt::write(&mut counter, format_args!("{text}"));
    counter.0
}

fn outcome(request: &Request, answer: &Answer) -> Span {
    match answer.outcome {
        Ok(()) if request.data.is_some() && request.is_stale() => {
            span(Role::AcceptedStale, "ACCEPTED")
        }
        Ok(()) => span(Role::Accepted, "ACCEPTED"),
        Err(_) => rejected("REJECTED"),
    }
}

/// Why the request was rejected.
fn reason(request: &Request, answer: &Answer) -> Option<String> {
    match answer.outcome {
        Ok(()) => None,
        Err(Rejection::LowerToken) => {
            let (token, max_token) = (request.token?, answer.max_token?);
            Some(format!("token {token} < {max_token}"))
        }
        Err(Rejection::NoToken) => Some("no token".to_owned()),
        Err(Rejection::Changed) => Some("changed".to_owned()),
    }
}

fn span(role: Role, text: impl Into<String>) -> Span {
    Span {
        role,
        text: text.into(),
    }
}

fn plain(text: impl Into<String>) -> Span {
    span(Role::Plain, text)
}

fn rejected(text: &str) -> Span {
    span(Role::Rejected, text)
}

/// Something that a client does, or that is done to it.
fn act(text: String) -> Line {
    Line::Event(vec![plain(text)])
}

/// Something that befalls a client or a service.
fn fate(mut text: String) -> Line {
    text.insert_str(0, "... ");
    text.push_str(" ...");
    Line::Event(vec![span(Role::Fate, text)])
}

/// A packet leaves, and stays in flight.
fn departure(text: impl Display) -> Vec<Line> {
    let delay = "  the packet is delayed in the network, still in flight.";
    vec![act(format!("{text} --")), act(delay.to_owned())]
}
