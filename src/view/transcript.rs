//! The transcript: a run told line by line, for reading beside the book.
//!
//! A view: it reads a scenario and its run, and writes. It asks no service and decides nothing.

use std::io::{self, Write};
use std::ops::Range;

use crate::run::Run;
use crate::script::Scenario;
use crate::verdict::Outcome;
use crate::view::event_lines::{EventLines, Line, Row, Span};
use crate::view::palette::{Palette, Role};
use crate::world::event::{Answer, Event, Moment};
use crate::world::names::{ClientId, Data};
use crate::world::storage_service::Fencing;

/// The longest line of which a reason can be the end, in characters.
const LONGEST_ROW: usize = 80;

const RULE: &str = "====================================================================";

/// Writes a heading: what it is, the title if there is one, and a rule.
pub fn write_heading(
    out: &mut dyn Write,
    palette: Palette,
    label: &str,
    title: Option<&str>,
) -> io::Result<()> {
    let heading = heading(label, title);
    writeln!(out, "{}", palette.style(Role::Heading).style(heading))?;
    writeln!(out, "{RULE}")
}

/// The text of a heading: what it is, and the title if there is one.
pub fn heading(label: &str, title: Option<&str>) -> String {
    match title {
        Some(title) => format!("{label} -- {title}"),
        None => label.to_owned(),
    }
}

/// One run, ready to be told: whole, or beat by beat.
pub struct Transcript<'run> {
    label: &'run str,
    scenario: &'run Scenario,
    run: &'run Run,
    palette: Palette,
    lines: EventLines<'run>,
    columns: Columns,
    lead_in: Option<LeadIn>,
}

/// Events that are revealed together: one step's, but for a `sends` whose client's lease expires
/// next. Those two steps are one beat.
pub type Beat = Range<usize>;

/// How wide the widest request, the widest credentials and the widest storage are, in characters.
#[derive(Default)]
struct Columns {
    request: usize,
    credentials: usize,
    storage: usize,
}

/// What introduces the first event that reaches storage.
struct LeadIn {
    before: usize,
    text: String,
}

impl<'run> Transcript<'run> {
    /// The transcript of the scenario's run, under a label such as `SCENARIO 1`.
    pub fn new(
        label: &'run str,
        scenario: &'run Scenario,
        run: &'run Run,
        palette: Palette,
    ) -> Self {
        let names = &scenario.names;
        let lines = EventLines::new(scenario, &run.events);
        let storages = names.storages().iter().map(|it| names.storage(it));
        let mut columns = Columns {
            storage: storages.map(str::len).max().unwrap_or_default(),
            ..Columns::default()
        };
        let mut first_request = None;
        for (at, event) in run.events.iter().enumerate() {
            let Some((request, credentials)) = lines.widths(event) else {
                continue;
            };
            columns.request = columns.request.max(request);
            columns.credentials = columns.credentials.max(credentials);
            first_request = first_request.or(Some(at));
        }
        let lead_in = first_request.map(|at| lead_in(scenario, &run.events, at));
        Transcript {
            label,
            scenario,
            run,
            palette,
            lines,
            columns,
            lead_in,
        }
    }

    /// Writes all of it.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_heading(out)?;
        self.beats()
            .try_for_each(|beat| self.write_beat(out, beat))?;
        self.write_closing(out)
    }

    /// Writes the heading.
    pub fn write_heading(&self, out: &mut dyn Write) -> io::Result<()> {
        let title = self.scenario.headers.title.as_deref();
        write_heading(out, self.palette, self.label, title)
    }

    /// The beats, in order.
    pub fn beats(&self) -> impl Iterator<Item = Beat> {
        let events = &self.run.events;
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = next;
            next += if sent_then_expired(&events[start..]).is_some() {
                2
            } else {
                1
            };
            (start < events.len()).then_some(start..next)
        })
    }

    /// Writes one beat, with what stands before it.
    pub fn write_beat(&self, out: &mut dyn Write, beat: Beat) -> io::Result<()> {
        if let Some(lead_in) = &self.lead_in
            && lead_in.before == beat.start
        {
            writeln!(out, "\n  {}:", lead_in.text)?;
        }
        let events = &self.run.events[beat.clone()];
        if let Some((client, data, in_flight)) = sent_then_expired(events) {
            let lines = self.lines.tell_sent_then_expired(client, data, in_flight);
            return lines
                .into_iter()
                .try_for_each(|line| self.write_line(out, &line));
        }
        beat.flat_map(|index| self.lines.tell(Moment::at(index)))
            .try_for_each(|line| self.write_line(out, &line))
    }

    /// Writes the final contents, the verdict, and why.
    pub fn write_closing(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out)?;
        write_closing(out, self.palette, self.scenario, self.run)
    }

    fn write_line(&self, out: &mut dyn Write, line: &Line) -> io::Result<()> {
        match line {
            Line::Event(spans) => {
                write!(out, "  ")?;
                self.write_spans(out, spans)
            }
            Line::Row(row) => self.write_row(out, row),
            Line::Below(span) => {
                write!(out, "      ")?;
                self.write_spans(out, std::slice::from_ref(span))
            }
            Line::Answer(storage, spans) => {
                let name = self.scenario.names.storage(*storage);
                write!(
                    out,
                    "      -> {name:<width$}  ",
                    width = self.columns.storage
                )?;
                self.write_spans(out, spans)
            }
            Line::BelowAnswer(span) => {
                write!(out, "         ")?;
                self.write_spans(out, std::slice::from_ref(span))
            }
        }
    }

    fn write_row(&self, out: &mut dyn Write, row: &Row) -> io::Result<()> {
        let Row {
            request,
            credentials,
            answer,
            reason,
        } = row;
        let Columns {
            request: requests,
            credentials: widest,
            ..
        } = self.columns;
        let Some(answer) = answer else {
            let row = format!("    {request:<requests$}  {credentials}");
            return writeln!(out, "{}", row.trim_end());
        };
        write!(out, "    {request:<requests$}  {credentials:<widest$}  -> ")?;
        self.write_span(out, answer)?;
        let Some(reason) = reason else {
            return writeln!(out);
        };
        let row = "    ".len() + requests + "  ".len() + widest + "  -> ".len();
        let whole = row + answer.text.chars().count() + "  ".len() + reason.chars().count();
        if whole > LONGEST_ROW {
            writeln!(out, "\n      {reason}")
        } else {
            writeln!(out, "  {reason}")
        }
    }

    fn write_spans(&self, out: &mut dyn Write, spans: &[Span]) -> io::Result<()> {
        spans
            .iter()
            .try_for_each(|span| self.write_span(out, span))?;
        writeln!(out)
    }

    fn write_span(&self, out: &mut dyn Write, span: &Span) -> io::Result<()> {
        self.palette.write(out, span.role, &span.text)
    }
}

/// Writes what each storage holds at the end, the verdict, and why.
pub fn write_closing(
    out: &mut dyn Write,
    palette: Palette,
    scenario: &Scenario,
    run: &Run,
) -> io::Result<()> {
    let names = &scenario.names;
    let contents = |data: Option<Data>| match data {
        Some(data) => format!("'{}'", names.data(data)),
        None => "(empty)".to_owned(),
    };
    for (storage, &data) in names.storages().iter().zip(&run.contents) {
        if names.has_several_storages() {
            let name = names.storage(storage);
            writeln!(out, "  FINAL contents of {name}: {}", contents(data))?;
        } else {
            writeln!(out, "  FINAL storage contents: {}", contents(data))?;
        }
    }
    let explanation = run.explain(scenario);
    let role = match explanation.outcome {
        Outcome::Corrupted => Role::Corrupted,
        Outcome::Safe => Role::Safe,
    };
    writeln!(
        out,
        "  >> {}: {}",
        palette.style(role).style(explanation.outcome.word()),
        explanation.because
    )?;
    let moreover = explanation.moreover;
    moreover.map_or(Ok(()), |moreover| writeln!(out, "     {moreover}"))
}

/// The client whose write is sent by the first event, and whose lease expires in the second; what it
/// sends, and how many packets are in flight then.
fn sent_then_expired(events: &[Event]) -> Option<(ClientId, Data, u32)> {
    if let [
        Event::Sent {
            client: sender,
            data,
            in_flight,
            ..
        },
        Event::LeaseExpired { client, .. },
        ..,
    ] = events
        && sender == client
    {
        return Some((*client, *data, *in_flight));
    }
    None
}

fn lead_in(scenario: &Scenario, events: &[Event], before: usize) -> LeadIn {
    let Scenario { headers, names, .. } = scenario;
    if let Some((writer, sender)) = overtaken(events, before) {
        let (writer, sender) = (names.client(writer), names.client(sender));
        let text = format!("{writer}'s write lands first; {sender}'s delayed packet arrives after");
        return LeadIn { before, text };
    }
    let has = |kind: fn(&Event) -> bool| events.iter().any(kind);
    let reads = has(|event| matches!(event, Event::Read(_)));
    let writes = has(|event| event.write().is_some());
    let requests = match (reads, writes) {
        (true, true) => "reads and writes",
        (true, false) => "reads",
        (false, true) => "writes",
        (false, false) => "announcements",
    };
    let storage = match (headers.fencing, names.has_several_storages()) {
        (Fencing::Off, false) => "unfenced storage",
        (Fencing::Off, true) => "unfenced storages",
        (Fencing::On, false) => "fenced storage (it tracks the highest token seen)",
        (Fencing::On, true) => "fenced storages (each tracks the highest token seen)",
    };
    let text = format!("{requests} reach {storage}");
    LeadIn { before, text }
}

/// If the event at `first` is a direct write that is accepted: its client, and the other client whose
/// packet was in flight then and arrived later.
fn overtaken(events: &[Event], first: usize) -> Option<(ClientId, ClientId)> {
    let Event::Wrote(write) = &events[first] else {
        return None;
    };
    if !write.answers.iter().any(Answer::is_accepted) {
        return None;
    }
    let late = events[first..].iter().find_map(|event| {
        if let Event::Arrived { request, .. } = event
            && request.client != write.client
            && request.left < Moment::at(first)
        {
            Some(request.client)
        } else {
            None
        }
    })?;
    Some((write.client, late))
}
