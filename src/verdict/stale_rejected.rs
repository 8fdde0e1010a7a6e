//! What explains SAFE where the guard rejected a stale write: the first variant that fits the first
//! such write.

use crate::verdict::explanation::{Explained, Lines, Said, two};
use crate::verdict::timeline::{
    Answered, End, Leaseless, forged, forgets, hears, is_turned_away, reader, sets_out, withholder,
};
use crate::world::event::{Event, Moment, Request};
use crate::world::step::WriteMode;

/// A stale write that the guard rejected for the token of its grant.
struct Rejected<'run> {
    it: Answered<'run>,
    /// What its client is called.
    client: &'run str,
    /// Its token, and the higher one that storage had seen: `33 < 34`.
    lower: String,
}

/// One way in which it came to that, if it was that way.
type Variant = fn(&Explained<'_>, &Rejected<'_>) -> Option<Lines>;

/// All variants, in order of precedence.
const VARIANTS: &[Variant] = &[
    packet_outlived_sender,
    packet_of_released_lease,
    lease_forgotten,
    power_off_unanswered,
    powered_off_afterwards,
    check_passed,
    read_again,
    answer_heard,
    asked,
    announced,
    delayed_packet,
    zombie,
];

/// Explains the first stale write that a storage rejected for its token.
pub fn stale_write_rejected(run: &Explained<'_>) -> Option<Said> {
    let mut writes = run.timeline.writes();
    let it = writes.find(|it| it.request.is_stale() && it.is_turned_away())?;
    let client = run.client(it.request.client);
    let (Some(token), Some(max_token)) = (it.request.token, it.answer.max_token) else {
        return Some(without_a_token(run, &it).of(it.at));
    };
    let lower = format!("{token} < {max_token}");
    let lines = if forged(it.request).is_some() {
        two(
            format!("the token that {client} chose to show was too low: {lower}."),
            "A higher one would have passed: the guard compares numbers, no more.",
        )
    } else {
        let rejected = Rejected { it, client, lower };
        VARIANTS.iter().find_map(|says| says(run, &rejected))?
    };
    Some(lines.of(it.at))
}

fn without_a_token(run: &Explained<'_>, it: &Answered<'_>) -> Lines {
    let client = run.client(it.request.client);
    if it.is_packet() {
        return two(
            format!("{client}'s packet came without a token, and was REJECTED."),
            "It had been sent without a lease, so it had no token to show.",
        );
    }
    two(
        format!("{client}'s write came without a token, and was REJECTED."),
        match run.timeline.leaseless(it.request.client, it.at) {
            Leaseless::Never | Leaseless::Knew(_) => "It had no lease, and so no token to show.",
            Leaseless::GaveBack => "It had given its lease back, and its token with it.",
            Leaseless::GaveUpLost => "It had given up its lease, and its token with it.",
        },
    )
}

impl<'run> Rejected<'run> {
    /// The write, if it came at once.
    fn direct(&self) -> Option<&'run Request> {
        (!self.it.is_packet()).then_some(self.it.request)
    }

    /// The write, if it was delayed in the network.
    fn packet(&self) -> Option<&'run Request> {
        self.it.is_packet().then_some(self.it.request)
    }
}

fn packet_outlived_sender(run: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    let off = run.timeline.powered_off(rejected.packet()?.client)?;
    let Rejected { it, client, lower } = rejected;
    (off < it.at).then(|| {
        two(
            format!("{client}'s packet outlived it, but token {lower}: REJECTED."),
            "STONITH stopped the sender; the guard stopped what it had sent.",
        )
    })
}

fn packet_of_released_lease(run: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    let end = run
        .timeline
        .lease_ended(rejected.packet()?, rejected.it.at)?;
    let lower = &rejected.lower;
    (end == End::Released).then(|| {
        two(
            format!("token {lower}: a lease given back leaves an old token behind."),
            "The guard does not ask why a packet is late, only which token it carries.",
        )
    })
}

fn lease_forgotten(run: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    let end = run
        .timeline
        .lease_ended(rejected.direct()?, rejected.it.at)?;
    let Rejected { client, lower, .. } = rejected;
    (end == End::Forgotten).then(|| {
        two(
            format!("token {lower}, so {client}'s write bounced off the guard."),
            "The lock service had broken its promise; the token saved the data.",
        )
    })
}

fn power_off_unanswered(run: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    let unanswered = run.timeline.power_off_unanswered(rejected.direct()?);
    let Rejected { client, lower, .. } = rejected;
    unanswered.then(|| {
        two(
            format!("a power-off of {client} got no answer; token {lower} stopped it."),
            "The guard need not reach the zombie: the zombie's write comes to it.",
        )
    })
}

fn powered_off_afterwards(run: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    run.timeline.powered_off(rejected.direct()?.client)?;
    let Rejected { client, lower, .. } = rejected;
    Some(two(
        format!("token {lower} stopped {client} before its power-off did."),
        "STONITH came only afterwards; the guard stands where the write lands.",
    ))
}

fn check_passed(run: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    run.timeline.check_for(rejected.direct()?)?;
    let Rejected { client, lower, .. } = rejected;
    Some(two(
        format!("{client}'s own check let the write go; storage's did not: {lower}."),
        "The guard belongs where the write lands, not where it sets out.",
    ))
}

/// The client read after that, and its next conditional write was rejected for its token again.
fn read_again(run: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    let is_conditional = |write: &Request| write.mode == WriteMode::IfUnchanged;
    let Rejected { it, client, lower } = rejected;
    let write = rejected.direct().filter(|write| is_conditional(write))?;
    let mut later = run.timeline.after(it.at).map(|(_, event)| event);
    later.find(|event| reader(event) == Some(write.client))?;
    let again = later.find_map(|event| {
        if let Event::Wrote(again) = event
            && again.client == write.client
            && is_conditional(again)
        {
            Some(again)
        } else {
            None
        }
    })?;
    let read = if run.timeline.has_read(write.client, it.at) {
        "read again"
    } else {
        "read"
    };
    let is_same = again.seq() == write.seq() && again.answers.iter().all(is_turned_away);
    is_same.then(|| {
        two(
            format!("token {lower} turned {client} away, also after it had {read}."),
            "A condition can be met by reading again. A token stays as old as it is.",
        )
    })
}

fn answer_heard(run: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    let Rejected { it, client, lower } = rejected;
    let writer = rejected.direct()?.client;
    let (heard, gave_up) = run.timeline.heard(writer, it.at)?;
    let held_back = if holds_back_the_rest(run, it.request, heard) {
        "; it heard, and held back the rest."
    } else {
        ", and it heard the answer."
    };
    gave_up.then(|| {
        two(
            format!("token {lower} turned {client} away{held_back}"),
            "An answer can be lost like any packet: the guard does not count on it.",
        )
    })
}

/// Whatever the client would have written later, it held back; and there was something.
fn holds_back_the_rest(run: &Explained<'_>, write: &Request, then: Moment) -> bool {
    let mut held_back = false;
    for (_, event) in run.timeline.after(then) {
        if sets_out(event).is_some_and(|(client, _)| client == write.client) {
            return false;
        }
        held_back |= withholder(event) == Some(write.client);
    }
    held_back
}

/// What ended the client's belief in its lease was that it asked the lock service.
fn asked(run: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    let Rejected { it, client, lower } = rejected;
    let writer = rejected.direct()?.client;
    let ended = run.timeline.after(it.at).find_map(|(_, event)| {
        let (of, _) = event.belief()?;
        (of == writer).then_some(event)
    })?;
    let is_refused = matches!(
        ended,
        Event::AcquisitionRefused { .. } | Event::RenewalRefused { .. }
    );
    is_refused.then(|| {
        two(
            format!("token {lower} protected storage; {client} believed until it asked."),
            "Fencing makes split brain harmless at the resource. It does not end it.",
        )
    })
}

/// Storage had heard of the higher token by an announcement, and by nothing else yet.
fn announced(run: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    let Answered { at, answer, .. } = rejected.it;
    let max_token = answer.max_token?;
    let mut first = None;
    for (then, event) in run.timeline.before(at).rev() {
        if forgets(event, answer.storage) {
            break;
        }
        if hears(event, answer.storage) == Some(max_token) {
            let Event::Announced(announcement) = event else {
                return None;
            };
            first = Some((then, announcement));
        }
    }
    let (announced, announcement) = first?;
    let before = if is_first_write_later(run, announcement, announced) {
        " before it wrote"
    } else {
        ""
    };
    let name = run.client(announcement.client);
    let token = rejected.it.request.token?;
    Some(two(
        format!("{name} announced {max_token}{before}: token {token} came too late."),
        "Announced at once, a token closes the window before the first write.",
    ))
}

/// Whether the first write under the grant of the announcement left its client later than this.
fn is_first_write_later(run: &Explained<'_>, announcement: &Request, than: Moment) -> bool {
    let of_grant = |event| sets_out(event).is_some_and(|(_, grant)| grant == announcement.grant);
    let first = run.timeline.all().find(|(_, event)| of_grant(event));
    first.is_some_and(|(at, _)| at > than)
}

fn delayed_packet(_: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    rejected.packet()?;
    Some(two(
        "the guard is on the TOKEN, not on who is 'current' --",
        "an old-enough token loses no matter when its packet shows up.",
    ))
}

fn zombie(_: &Explained<'_>, rejected: &Rejected<'_>) -> Option<Lines> {
    let Rejected { it, client, lower } = rejected;
    let write = rejected.direct()?;
    let has_changed = it.answer.look.is_some_and(|look| look.changed.is_some());
    Some(two(
        format!("token {lower}, so the zombie's write bounced off the guard."),
        if write.mode == WriteMode::IfUnchanged && has_changed {
            "The guard answered first; the condition would have turned it away too.".to_owned()
        } else {
            format!("No error on {client}'s side was needed; the RESOURCE said no.")
        },
    ))
}
