//! The transcript: a run told line by line, for reading beside the book.
//!
//! A view: it reads a scenario and its run, and writes. It asks no service and decides nothing.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::Range;

use crate::run::Run;
use crate::script::Scenario;
use crate::verdict::closing::closing;
use crate::verdict::finding::Finding;
use crate::view::event_lines::{EventLines, Row, Told};
use crate::view::palette::Palette;
use crate::world::event::Event;
use crate::world::names::ClientId;
use crate::world::network::PacketId;
use crate::world::storage_service::{Fencing, Rejection};

const RULE: &str = "====================================================================";

/// Writes a heading: what it is, the title if there is one, and a rule.
///
/// # Errors
/// Whatever the writer fails with.
pub fn write_heading(
    out: &mut dyn Write,
    palette: Palette,
    label: &str,
    title: Option<&str>,
) -> io::Result<()> {
    let heading = match title {
        Some(title) => format!("{label} -- {title}"),
        None => label.to_owned(),
    };
    writeln!(out, "{}", palette.heading.style(heading))?;
    writeln!(out, "{RULE}")
}

/// One run, ready to be told: whole, or beat by beat.
pub struct Transcript<'run> {
    label: &'run str,
    scenario: &'run Scenario,
    run: &'run Run,
    telling: EventLines<'run>,
    columns: Columns,
    lead_in: Option<LeadIn>,
    /// The events in which a write reaches storage after a newer grant.
    stale: BTreeSet<usize>,
}

/// Events that are revealed together: one step's, but for a `sends` whose client's lease expires
/// next. Those two steps are one beat.
pub type Beat = Range<usize>;

/// How wide the widest request and the widest token are, in characters.
#[derive(Default)]
struct Columns {
    request: usize,
    token: usize,
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
        let (names, fencing) = (&scenario.names, scenario.headers.fencing);
        let telling = EventLines {
            names,
            fencing,
            palette,
        };
        let mut columns = Columns::default();
        let mut first_request = None;
        let (mut newest, mut stale) = (None, BTreeSet::new());
        for (at, event) in run.events.iter().enumerate() {
            if let Event::Granted { grant, .. } = event {
                newest = Some(grant.seq);
            }
            if let Event::Wrote(write) | Event::Arrived { write, .. } = event
                && write.grant.map(|grant| grant.seq) < newest
            {
                stale.insert(at);
            }
            let Some(row) = telling.row(event) else {
                continue;
            };
            columns.request = columns.request.max(row.request.chars().count());
            columns.token = columns.token.max(row.token.chars().count());
            first_request = first_request.or(Some(at));
        }
        let lead_in = first_request.map(|at| lead_in(&run.events, at, &telling));
        Transcript {
            label,
            scenario,
            run,
            telling,
            columns,
            lead_in,
            stale,
        }
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// Whatever the writer fails with.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_heading(out)?;
        self.beats()
            .try_for_each(|beat| self.write_beat(out, beat))?;
        self.write_closing(out)
    }

    /// Writes the heading.
    ///
    /// # Errors
    /// Whatever the writer fails with.
    pub fn write_heading(&self, out: &mut dyn Write) -> io::Result<()> {
        write_heading(
            out,
            self.telling.palette,
            self.label,
            self.scenario.headers.title.as_deref(),
        )
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
    ///
    /// # Errors
    /// Whatever the writer fails with.
    pub fn write_beat(&self, out: &mut dyn Write, beat: Beat) -> io::Result<()> {
        if let Some(lead_in) = &self.lead_in
            && lead_in.before == beat.start
        {
            writeln!(out, "\n  {}:", lead_in.text)?;
        }
        let (start, events) = (beat.start, &self.run.events[beat]);
        if let Some(client) = sent_then_expired(events) {
            let client = self.scenario.names.client(client);
            let told = format!("{client} SENDS a write, then its lease expires");
            return self.write_told(out, start, Told::Departure(told));
        }
        (start..)
            .zip(events)
            .try_for_each(|(at, event)| self.write_told(out, at, self.telling.tell(event)))
    }

    /// Writes the final contents, the verdict, and why.
    ///
    /// # Errors
    /// Whatever the writer fails with.
    pub fn write_closing(&self, out: &mut dyn Write) -> io::Result<()> {
        let Scenario { headers, names, .. } = self.scenario;
        match self.run.contents {
            Some(data) => writeln!(out, "\n  FINAL storage contents: '{}'", names.data(data))?,
            None => writeln!(out, "\n  FINAL storage contents: (empty)")?,
        }
        let style = match self.run.finding {
            Finding::Corrupted(_) => self.telling.palette.corrupted,
            Finding::Safe(_) => self.telling.palette.safe,
        };
        let closing = closing(self.run.finding, headers.fencing, names);
        writeln!(
            out,
            "  >> {}: {}",
            style.style(closing.verdict),
            closing.because
        )?;
        closing
            .moreover
            .map_or(Ok(()), |moreover| writeln!(out, "     {moreover}"))
    }

    fn write_told(&self, out: &mut dyn Write, at: usize, told: Told) -> io::Result<()> {
        match told {
            Told::Act(act) => writeln!(out, "  {act}"),
            Told::Fate(fate) => self.write_fate(out, &fate),
            Told::Departure(departure) => {
                writeln!(out, "  {departure} --")?;
                writeln!(
                    out,
                    "    the packet is delayed in the network, still in flight."
                )
            }
            Told::Request(row) => self.write_row(out, at, &row),
            Told::Arrival(arrival, row) => {
                self.write_fate(out, &arrival)?;
                self.write_row(out, at, &row)
            }
        }
    }

    fn write_fate(&self, out: &mut dyn Write, fate: &str) -> io::Result<()> {
        writeln!(
            out,
            "  {}",
            self.telling
                .palette
                .fate
                .style(format_args!("... {fate} ..."))
        )
    }

    fn write_row(&self, out: &mut dyn Write, at: usize, row: &Row) -> io::Result<()> {
        let Row {
            request,
            token,
            answer,
            data,
        } = row;
        let Columns {
            request: requests,
            token: tokens,
        } = self.columns;
        write!(out, "    {request:<requests$}  {token:<tokens$}  -> ")?;
        let rejected = self.telling.palette.rejected.style("REJECTED");
        match answer {
            Ok(accepted) => {
                let style = if self.stale.contains(&at) {
                    self.telling.palette.accepted_stale
                } else {
                    self.telling.palette.accepted
                };
                writeln!(out, "{}", style.style("ACCEPTED"))?;
                let state = match data {
                    Some(data) => format!("storage now holds '{}'", self.telling.names.data(*data)),
                    None => "the contents stay".to_owned(),
                };
                let max_token = accepted
                    .max_token
                    .map(|token| format!("  [max_token={token}]"));
                let state = state + &max_token.unwrap_or_default();
                writeln!(out, "      {}", self.telling.palette.state.style(state))
            }
            Err(Rejection::LowerToken { token, max_token }) => {
                writeln!(out, "{rejected}  token {token} < {max_token}")
            }
            Err(Rejection::NoToken) => writeln!(out, "{rejected}  no token"),
        }
    }
}

/// The client whose write is sent by the first event, and whose lease expires in the second.
fn sent_then_expired(events: &[Event]) -> Option<ClientId> {
    if let [
        Event::Sent { packet, .. },
        Event::LeaseExpired { client, .. },
        ..,
    ] = *events
        && packet.sender == client
    {
        return Some(client);
    }
    None
}

fn lead_in(events: &[Event], before: usize, telling: &EventLines<'_>) -> LeadIn {
    let text = match (overtaken(events, before), telling.fencing) {
        (Some((writer, sender)), _) => format!(
            "{}'s write lands first; {}'s delayed packet arrives after",
            telling.names.client(writer),
            telling.names.client(sender)
        ),
        (None, Fencing::Off) => "writes reach unfenced storage".to_owned(),
        (None, Fencing::On) => {
            "writes reach fenced storage (it tracks the highest token seen)".to_owned()
        }
    };
    LeadIn { before, text }
}

/// If the event at `first` is a direct write: its client, and the other client whose packet was in
/// flight then and arrived later.
fn overtaken(events: &[Event], first: usize) -> Option<(ClientId, ClientId)> {
    let (earlier, later) = events.split_at(first);
    let Some(Event::Wrote(write)) = later.first() else {
        return None;
    };
    let in_flight: BTreeSet<PacketId> = earlier.iter().filter_map(Event::departed).collect();
    let mut arrived = later.iter().filter_map(Event::arrived);
    let late =
        arrived.find(|packet| packet.sender != write.client && in_flight.contains(packet))?;
    Some((write.client, late.sender))
}
