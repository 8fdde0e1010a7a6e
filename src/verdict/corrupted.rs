//! What explains CORRUPTED: the first write that corrupted, by the first rule that fits it.

use crate::verdict::explanation::{Explained, Lines, two};
use crate::verdict::guard::{Gap, forgot_counter, unordered_tokens};
use crate::verdict::timeline::{End, Learned, Leaseless, Tenure, Timeline, forged, source};
use crate::verdict::verdict::corrupts;
use crate::world::client::Condition;
use crate::world::event::{Answer, Choice, Event, Moment, Read, Request};
use crate::world::step::WriteMode;
use crate::world::storage_service::{Fencing, Rejection};

/// A rule: its name, and what it says of the first write that corrupted, if it applies.
pub type Rule = (
    &'static str,
    fn(&Explained<'_>, &Corruption<'_>) -> Option<Lines>,
);

/// All rules, in order of precedence.
pub const RULES: &[Rule] = &[
    ("read repair", read_repair),
    ("past the guard", past_the_guard),
    ("forged token", forged_token),
    ("the guard could not tell", guard_could_not_tell),
    ("without a lease", without_a_lease),
    ("packet of a client that is off", packet_outlived_sender),
    ("packet of the client's own older grant", own_older_packet),
    ("packet of a lease given back", packet_of_released_lease),
    ("delayed packet", delayed_packet),
    ("lease forgotten", lease_forgotten),
    ("read again", read_again),
    ("power-off unanswered", power_off_unanswered),
    ("powered off afterwards", powered_off_afterwards),
    ("check passed", check_passed),
    ("zombie", zombie),
];

/// The first write that corrupted, and where.
pub struct Corruption<'run> {
    /// When it reached storage.
    pub at: Moment,
    answer: &'run Answer,
    by: By<'run>,
    /// The grant of the newer write that the storage had accepted before, and held.
    newer: Tenure,
}

/// What corrupted.
enum By<'run> {
    Write(&'run Request),
    Repair(&'run Read, Choice),
}

impl<'run> Corruption<'run> {
    /// The first of the run, if there is one.
    pub fn first(timeline: &Timeline<'run>) -> Option<Corruption<'run>> {
        timeline.all().find_map(|(at, event)| {
            let (answer, by) = corruption_by(event)?;
            let newer = *timeline.tenure(answer.newest_accepted?);
            Some(Corruption {
                at,
                answer,
                by,
                newer,
            })
        })
    }

    /// The write, if it was no repair.
    fn write(&self) -> Option<&'run Request> {
        match self.by {
            By::Write(write) => Some(write),
            By::Repair(..) => None,
        }
    }

    /// The write, if it came at once, and the grant that its client believed in: the client was a
    /// zombie, unless the lock service had forgotten it.
    fn direct<'of>(&self, run: &'of Explained<'_>) -> Option<(&'run Request, &'of Tenure)> {
        let write = self.write().filter(|write| write.left == self.at)?;
        Some((write, run.timeline.tenure_of(write)?))
    }

    /// The write, if it was delayed in the network, and the grant under which it was sent.
    fn packet<'of>(&self, run: &'of Explained<'_>) -> Option<(&'run Request, &'of Tenure)> {
        let write = self.write().filter(|write| write.left < self.at)?;
        Some((write, run.timeline.tenure_of(write)?))
    }

    /// Whether what was overwritten had come from the leaseholder of that moment.
    fn overwrote_live(&self, run: &Explained<'_>) -> bool {
        let held = self.answer.held;
        let brought = held.and_then(|held| run.timeline.event(held.taken).write());
        brought.is_some_and(Request::is_rightful)
    }
}

fn corruption_by(event: &Event) -> Option<(&Answer, By<'_>)> {
    if let Some(write) = event.write() {
        let mut answers = write.answers.iter();
        let answer = answers.find(|answer| corrupts(write.seq(), answer))?;
        Some((answer, By::Write(write)))
    } else if let Event::Read(read) = event {
        let choice = read.choice?;
        let seq = choice.grant.map(|grant| grant.seq);
        let mut repairs = read.repairs.iter();
        let repair = repairs.find(|repair| corrupts(seq, repair))?;
        Some((repair, By::Repair(read, choice)))
    } else {
        None
    }
}

fn read_repair(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let By::Repair(read, choice) = corruption.by else {
        return None;
    };
    let reader = run.client(read.client);
    let storage = corruption.answer.storage;
    let overwritten = read
        .replies
        .iter()
        .find(|it| it.storage == storage)?
        .value?;
    let over = match choice.grant {
        Some(_) => "an older grant's value over a newer's",
        None => "a leaseless value over one of a lease",
    };
    Some(two(
        format!("{reader}'s read repair put {over}."),
        match (choice.value.token, overwritten.token) {
            (Some(chosen), Some(token)) if chosen > token => {
                format!(
                    "It went by the tokens, {chosen} > {token}: here the higher is not the newer."
                )
            }
            (Some(_), None) => {
                "The newer one had come past the guard: no token spoke for it.".to_owned()
            }
            (Some(_) | None, _) => {
                "No token told the two apart, so it took the one that was taken last.".to_owned()
            }
        },
    ))
}

fn past_the_guard(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let write = corruption.write()?;
    if write.mode != WriteMode::PastTheGuard {
        return None;
    }
    let client = run.client(write.client);
    let stale = match write.grant {
        Some(_) => "stale",
        None => "leaseless",
    };
    Some(two(
        format!("{client}'s {stale} write took a path past the guard."),
        "Fencing holds only if every path to the data checks the token.",
    ))
}

fn forged_token(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let write = corruption.write()?;
    let token = forged(write)?;
    let client = run.client(write.client);
    let was_granted = run.timeline.was_granted(write.client, token, corruption.at);
    Some(two(
        if was_granted {
            format!("{client} showed token {token}, of a lease it no longer believed in.")
        } else {
            format!("{client} showed token {token}, which it had never been granted.")
        },
        "The guard compares numbers: it stops those who err, not those who lie.",
    ))
}

fn guard_could_not_tell(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    if run.fencing == Fencing::Off {
        return None;
    }
    let write = corruption.write()?;
    let older = run.timeline.tenure_of(write)?;
    let (at, newer) = (corruption.at, &corruption.newer);
    let (old, new) = (older.grant.token, newer.grant.token);
    let storage = corruption.answer.storage;
    let gap = run.timeline.gap(older, newer, storage, at);
    let storage = run.storage(storage);
    Some(match gap {
        Gap::OutOfOrder => {
            let is_forgotten = older.ended_before(at) == Some(End::Forgotten);
            let writer = match (write.left < at, is_forgotten) {
                (true, _) => "the late packet".to_owned(),
                (false, true) => format!("{}'s write", run.client(write.client)),
                (false, false) => "the zombie".to_owned(),
            };
            two(
                format!("{old} > {new}, yet {old} is the older grant: {writer} got in."),
                match (
                    is_leaseholder_shut_out(run, older, at),
                    run.timeline.tokens_are_unique(),
                ) {
                    (true, true) => {
                        "Unique is not ordered: now the rightful leaseholder is REJECTED."
                    }
                    (true, false) => {
                        "'Higher' is not 'later': the rightful leaseholder is REJECTED."
                    }
                    (false, _) => unordered_tokens(run, older, newer),
                },
            )
        }
        Gap::OneToken => two(
            format!("two grants, one token: {old} is not lower than {old}."),
            unordered_tokens(run, older, newer),
        ),
        Gap::Forgotten(token) => two(
            format!("{storage} forgot that it had seen {token}, so token {old} passed."),
            "max_token must outlive every write that may still arrive.",
        ),
        Gap::Rejected | Gap::NotHeard => {
            let client = run.client(newer.client);
            two(
                format!("{client}'s newer write had not shown {storage} its token, {new}."),
                "A guard knows only the tokens that it was shown.",
            )
        }
        Gap::NoGuard => two(
            format!("token {old} < {new}, and {storage} accepted it all the same."),
            "The guard did not do what it is there for.",
        ),
    })
}

/// Whether the leaseholder was rejected later, for a token lower than this grant's.
fn is_leaseholder_shut_out(run: &Explained<'_>, older: &Tenure, then: Moment) -> bool {
    let mut later = run.timeline.requests().filter(|it| it.at > then);
    later.any(|it| {
        it.request.is_rightful()
            && forged(it.request).is_none()
            && it.answer.outcome == Err(Rejection::LowerToken)
            && it.answer.max_token == Some(older.grant.token)
    })
}

fn without_a_lease(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let write = corruption.write().filter(|write| write.grant.is_none())?;
    let client = run.client(write.client);
    let nobody_asked = "A lock binds only those who ask; unfenced storage asks nobody.";
    let not_bound = "A lock binds only those who choose to be bound by it.";
    if write.left < corruption.at {
        return Some(two(
            format!("{client}'s leaseless packet overwrote a write made under a lease."),
            nobody_asked,
        ));
    }
    Some(match run.timeline.leaseless(write.client, write.left) {
        Leaseless::Never => two(
            format!("{client} wrote without a lease, over a write made under one."),
            not_bound,
        ),
        Leaseless::GaveBack => two(
            format!("{client} had given its lease back, and wrote all the same."),
            nobody_asked,
        ),
        Leaseless::GaveUpLost => two(
            format!("{client} had lost its lease, gave it up, and still wrote."),
            nobody_asked,
        ),
        Leaseless::Knew(Learned::Refused | Learned::Checked | Learned::Heard) => two(
            format!("{client} knew that it had no lease, and wrote all the same."),
            not_bound,
        ),
    })
}

fn packet_outlived_sender(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let (packet, older) = corruption.packet(run)?;
    let off = run.timeline.powered_off(packet.client)?;
    if off > corruption.at {
        return None;
    }
    let next = run.timeline.grants().get(older.grant.seq.index() + 1)?;
    let in_time = if off < next.from { " in time" } else { "" };
    let sender = run.client(packet.client);
    Some(two(
        format!("{sender} was powered off{in_time}; its packet outlived it."),
        "STONITH stops the sender, not what the sender has already sent.",
    ))
}

fn own_older_packet(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let (packet, _) = corruption.packet(run)?;
    if packet.client != corruption.newer.client {
        return None;
    }
    let client = run.client(packet.client);
    Some(two(
        format!("{client}'s own delayed packet overwrote its newer write."),
        "The packet is of its earlier grant; storage could not tell them apart.",
    ))
}

fn packet_of_released_lease(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let (packet, older) = corruption.packet(run)?;
    if older.ended_before(corruption.at) != Some(End::Released) {
        return None;
    }
    let sender = run.client(packet.client);
    let overwrote = run.client(corruption.newer.client);
    Some(two(
        format!("{sender}'s delayed packet overwrote {overwrote}'s newer write."),
        format!("No expiry was needed: {sender} had released the lease in good order."),
    ))
}

fn delayed_packet(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let (packet, older) = corruption.packet(run)?;
    let lost = match older.ended_before(packet.left) {
        Some(_) => "lost before",
        None => "since lost",
    };
    Some(two(
        if corruption.overwrote_live(run) {
            "the delayed packet's stale write overwrote the live one."
        } else {
            "the delayed packet overwrote a write of a newer grant."
        },
        format!("It was sent under a lease {lost}; storage had no token to tell by."),
    ))
}

fn lease_forgotten(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let (write, older) = corruption.direct(run)?;
    if older.ended_before(corruption.at) != Some(End::Forgotten) {
        return None;
    }
    let client = run.client(write.client);
    Some(two(
        format!("the lock service forgot {client} and granted the lease again."),
        format!("{client}'s lease had not expired: no check of its own could have failed."),
    ))
}

fn read_again(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let (write, _) = corruption.direct(run)?;
    if write.mode != WriteMode::IfUnchanged {
        return None;
    }
    let look = corruption.answer.look?;
    let read = if run.timeline.has_read(write.client, look.since) {
        "read again"
    } else {
        "read first"
    };
    Some(two(
        format!("the zombie {read}, and then its condition was met."),
        "That loses no update. A condition is met by reading again; a token is not.",
    ))
}

fn power_off_unanswered(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let (write, _) = corruption.direct(run)?;
    if !run.timeline.power_off_unanswered(write) {
        return None;
    }
    let client = run.client(write.client);
    Some(two(
        format!("a power-off of {client} got no answer, and the zombie wrote."),
        "From outside, a silent node may be dead, paused, or only unreachable.",
    ))
}

fn powered_off_afterwards(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let (write, _) = corruption.direct(run)?;
    run.timeline.powered_off(write.client)?;
    let client = run.client(write.client);
    Some(two(
        format!("{client} was powered off only after its stale write."),
        "STONITH stops what is still to come. It takes nothing back.",
    ))
}

fn check_passed(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let (write, older) = corruption.direct(run)?;
    let check = run.timeline.check_for(write)?;
    let client = run.client(write.client);
    if older.ended_before(check).is_none() {
        return Some(two(
            format!("{client}'s check passed, its lease expired, then it wrote."),
            "However late the check, a pause still fits between it and the write.",
        ));
    }
    let expiry = run.timeline.event(older.end()?);
    let slept = Condition::Suspended;
    Some(
        if matches!(expiry, Event::LeaseExpired { condition, .. } if *condition == slept) {
            two(
                format!("{client}'s check passed: its timer slept through the expiry."),
                "It asked its own memory, and its memory had missed the expiry.",
            )
        } else {
            two(
                format!("{client}'s check passed, for its clock ran slow."),
                "The lock service went by another clock, and granted the lease again.",
            )
        },
    )
}

fn zombie(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Lines> {
    let (write, older) = corruption.direct(run)?;
    let is_live = corruption.overwrote_live(run);
    let because = if is_live {
        "the zombie's stale write overwrote the live one."
    } else {
        "the zombie's stale write overwrote one of a newer grant."
    };
    let moreover = None
        .or_else(|| window_not_closed(run, corruption).filter(|_| is_live))
        .or_else(|| nothing_to_forget(run, corruption))
        .or_else(|| counter_forgotten(older, &corruption.newer))
        .or_else(|| answer_heard(run, corruption, write))
        .or_else(|| stale_data_read(run, corruption, write))
        .or_else(|| overwritten_later(run, corruption))
        .or_else(|| reached_several(run, write));
    Some(two(
        because,
        moreover.unwrap_or_else(|| {
            if write.holder.is_some() {
                "Two clients each 'held' the lock; storage could not tell them apart.".to_owned()
            } else {
                let zombie = run.client(write.client);
                format!("{zombie} still 'held' a lease that had moved on; storage could not tell.")
            }
        }),
    ))
}

/// A stale write had got in before the newer grant's first one did.
fn window_not_closed(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<String> {
    let newer = &corruption.newer;
    let storage = corruption.answer.storage;
    let mut writes = run.timeline.writes().take_while(|it| it.at < corruption.at);
    let got_in = writes.any(|it| {
        it.at > newer.from
            && it.request.seq() < Some(newer.grant.seq)
            && it.answer.storage == storage
            && it.answer.is_accepted()
    });
    got_in.then(|| "Without a guard, a new leaseholder's first write closes no window.".to_owned())
}

/// What storage forgot would have been the token of the write that was overwritten.
fn nothing_to_forget(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<String> {
    let Answer { storage, held, .. } = *corruption.answer;
    let forgot = run
        .timeline
        .forgot_max_token(storage, held?.taken, corruption.at);
    forgot.then(|| "There was no max_token to forget: unfenced storage keeps none.".to_owned())
}

fn counter_forgotten(older: &Tenure, newer: &Tenure) -> Option<String> {
    forgot_counter(older, newer)
        .then(|| "No token was sent, so the forgotten counter made no difference.".to_owned())
}

fn answer_heard(
    run: &Explained<'_>,
    corruption: &Corruption<'_>,
    write: &Request,
) -> Option<String> {
    run.timeline.heard(write.client, corruption.at)?;
    let zombie = run.client(write.client);
    Some(format!(
        "Storage answered ACCEPTED: {zombie} heard it, and learned nothing."
    ))
}

/// Somebody read the stale value, and took it.
fn stale_data_read(
    run: &Explained<'_>,
    corruption: &Corruption<'_>,
    write: &Request,
) -> Option<String> {
    let mut later = run.timeline.after(corruption.at);
    let reader = later.find_map(|(_, event)| {
        let Event::Read(read) = event else {
            return None;
        };
        let took_it = source(read)?.held?.taken == corruption.at;
        (took_it && read.client != write.client).then_some(read.client)
    })?;
    let reader = run.client(reader);
    Some(format!("{reader} read it: no token said that it was old."))
}

/// The leaseholder overwrote the stale write next, and nothing stale came after that.
fn overwritten_later(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<String> {
    if run.has_several_storages() {
        return None;
    }
    let mut later = run.timeline.writes().filter(|it| it.at > corruption.at);
    let next = later.find(|it| it.answer.is_accepted())?;
    let is_repaired =
        next.request.is_rightful() && !later.any(|it| corrupts(it.request.seq(), it.answer));
    is_repaired.then(|| {
        let by = run.client(next.request.client);
        format!("{by} overwrote it later; whoever read in between saw stale data.")
    })
}

fn reached_several(run: &Explained<'_>, write: &Request) -> Option<String> {
    let reached: Vec<&str> = write
        .answers
        .iter()
        .map(|answer| run.storage(answer.storage))
        .collect();
    match reached[..] {
        [one, other] => Some(format!(
            "It reached {one} and {other}; neither had a token to tell it by."
        )),
        [_, _, _, ..] => Some(format!(
            "It reached {} storages; none of them had a token to tell it by.",
            reached.len()
        )),
        [_] | [] => None,
    }
}
