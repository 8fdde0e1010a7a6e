//! What explains CORRUPTED: the first write that corrupted, by the first rule that fits it.

use crate::verdict::explanation::{Explained, Gap, Said, forged};
use crate::verdict::timeline::{End, Learned, Leaseless, Tenure, Timeline};
use crate::verdict::verdict::corrupts;
use crate::world::client::Condition;
use crate::world::event::{Answer, Choice, Event, Moment, Preference, Read, Request};
use crate::world::step::WriteMode;
use crate::world::storage_service::Fencing;

/// A rule: its name, and what it says of the first write that corrupted, if it applies.
pub type Rule = (
    &'static str,
    fn(&Explained<'_>, &Corruption<'_>) -> Option<Said>,
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
    at: Moment,
    answer: &'run Answer,
    by: By<'run>,
    /// The grant of the newer write that the storage had accepted before.
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

    /// The write, if it came at once, and the grant that its client believed in.
    fn direct<'timeline>(
        &self,
        run: &'timeline Explained<'_>,
    ) -> Option<(&'run Request, &'timeline Tenure)> {
        let write = self.write().filter(|write| write.left == self.at)?;
        Some((write, run.timeline.tenure(write.seq()?)))
    }

    /// The write, if it was delayed in the network, and the grant under which it was sent.
    fn packet<'timeline>(
        &self,
        run: &'timeline Explained<'_>,
    ) -> Option<(&'run Request, &'timeline Tenure)> {
        let write = self.write().filter(|write| write.left < self.at)?;
        Some((write, run.timeline.tenure(write.seq()?)))
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

fn read_repair(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let By::Repair(read, choice) = corruption.by else {
        return None;
    };
    let reader = run.client(read.client);
    let storage = corruption.answer.storage;
    let mut replies = read.replies.iter();
    let overwritten = replies.find(|reply| reply.storage == storage)?.value?;
    let moreover = match (choice.why, choice.value.token, overwritten.token) {
        (Preference::Later | Preference::Only, ..) | (_, None, _) => {
            "No token told the two apart, so it took the one that was taken last.".to_owned()
        }
        (Preference::HigherToken(_), Some(higher), Some(lower)) => {
            format!(
                "It went by the tokens, {higher} > {lower}, and they do not tell the order here."
            )
        }
        (Preference::HigherToken(_), Some(_), None) => {
            "The newer one had come past the guard: no token spoke for it.".to_owned()
        }
    };
    Some(
        Said::of(
            corruption.at,
            format!("{reader}'s read repair put an older grant's value over a newer's."),
        )
        .and(moreover),
    )
}

fn past_the_guard(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let write = corruption.write()?;
    (write.mode == WriteMode::PastTheGuard).then(|| {
        let client = run.client(write.client);
        Said::of(
            corruption.at,
            format!("{client}'s stale write took a path past the guard."),
        )
        .and("Fencing holds only if every path to the data checks the token.")
    })
}

fn forged_token(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let write = corruption.write()?;
    let token = forged(write)?;
    let client = run.client(write.client);
    let showed = if run.was_granted(write.client, token, corruption.at) {
        format!("{client} showed token {token}, which is not that of its lease.")
    } else {
        format!("{client} showed token {token}, which it was never granted.")
    };
    Some(
        Said::of(corruption.at, showed)
            .and("The guard compares numbers: it stops those who err, not those who lie."),
    )
}

fn guard_could_not_tell(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    if run.fencing == Fencing::Off {
        return None;
    }
    let write = corruption.write()?;
    let (at, storage, newer) = (corruption.at, corruption.answer.storage, &corruption.newer);
    let older = run.timeline.tenure(write.seq()?);
    let (old, new) = (older.grant.token, newer.grant.token);
    let gap = run.gap(older, newer, storage, at);
    Some(match gap {
        Gap::OutOfOrder => {
            let forgotten = older.ended_before(at) == Some(End::Forgotten);
            let writer = match (write.left < at, forgotten) {
                (true, _) => "the late packet".to_owned(),
                (false, true) => format!("{}'s write", run.client(write.client)),
                (false, false) => "the zombie".to_owned(),
            };
            Said::of(
                at,
                format!("{old} > {new}, yet {old} is the older grant: {writer} got in."),
            )
            .and(if is_leaseholder_shut_out(run, older, at) {
                if run.timeline.tokens_are_unique() {
                    "Unique is not ordered: now the rightful leaseholder is REJECTED.".to_owned()
                } else {
                    "'Higher' is not 'later': the rightful leaseholder is REJECTED.".to_owned()
                }
            } else {
                run.unordered_tokens(gap, older, newer)
            })
        }
        Gap::OneToken => Said::of(
            at,
            format!("two grants, one token: {old} is not lower than {old}."),
        )
        .and(run.unordered_tokens(gap, older, newer)),
        Gap::Forgotten => {
            let storage = run.storage(storage);
            Said::of(
                at,
                format!("{storage} forgot that it had seen {new}, so token {old} passed."),
            )
            .and("max_token must outlive every write that may still arrive.")
        }
        Gap::NotSeen => {
            let storage = run.storage(storage);
            let client = run.client(newer.client);
            Said::of(
                at,
                format!("{storage} had {client}'s newer write, but had not seen token {new}."),
            )
            .and("That write had not shown it, so the guard had nothing to compare with.")
        }
        Gap::NoGuard => Said::of(
            at,
            format!("token {old} < {new}, and storage accepted it all the same."),
        )
        .and("The guard did not do what it is there for."),
    })
}

/// Whether the leaseholder was rejected later, for a token lower than this grant's.
fn is_leaseholder_shut_out(run: &Explained<'_>, older: &Tenure, then: Moment) -> bool {
    let mut answers = run.timeline.answers().filter(|&(at, ..)| at > then);
    answers.any(|(_, write, answer)| {
        write.is_rightful()
            && forged(write).is_none()
            && !answer.is_accepted()
            && write.token < answer.max_token
            && answer.max_token == Some(older.grant.token)
    })
}

fn without_a_lease(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let write = corruption.write().filter(|write| write.grant.is_none())?;
    let client = run.client(write.client);
    let said = |because: String| Some(Said::of(corruption.at, because));
    let nobody_asked = "A lock binds only those who ask; unfenced storage asks nobody.";
    if write.left < corruption.at {
        let because = format!("{client}'s packet without a lease overwrote one with a lease.");
        return said(because).map(|said| said.and(nobody_asked));
    }
    match run.timeline.leaseless(write.client, write.left) {
        Leaseless::Never => said(format!(
            "{client} wrote without a lease, over a write made under one."
        ))
        .map(|said| said.and("A lock binds only those who choose to be bound by it.")),
        Leaseless::GaveBack => said(format!(
            "{client} had given its lease back, and wrote all the same."
        ))
        .map(|said| said.and(nobody_asked)),
        Leaseless::GaveUpLost => said(format!(
            "{client} had lost its lease, gave it up, and still wrote."
        ))
        .map(|said| said.and(nobody_asked)),
        Leaseless::Knew(Learned::Refused | Learned::Checked | Learned::Heard) => said(format!(
            "{client} knew that it had no lease, and wrote all the same."
        ))
        .map(|said| said.and("A lock binds only those who choose to be bound by it.")),
    }
}

fn packet_outlived_sender(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let (packet, older) = corruption.packet(run)?;
    let off = run
        .powered_off(packet.client)
        .filter(|&off| off < corruption.at)?;
    // None was granted after the packet's own, up to then.
    let mut later = run.timeline.grants()[older.grant.seq.index() + 1..].iter();
    let in_time = later.next().is_some_and(|next| off < next.from);
    let in_time = if in_time { " in time" } else { "" };
    let sender = run.client(packet.client);
    Some(
        Said::of(
            corruption.at,
            format!("{sender} was powered off{in_time}; its packet outlived it."),
        )
        .and("STONITH stops the sender, not what the sender has already sent."),
    )
}

fn own_older_packet(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let (packet, _) = corruption.packet(run)?;
    (corruption.newer.client == packet.client).then(|| {
        let client = run.client(packet.client);
        Said::of(
            corruption.at,
            format!("{client}'s own delayed packet overwrote its newer write."),
        )
        .and("The packet is of its earlier grant; storage could not tell them apart.")
    })
}

fn packet_of_released_lease(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let (packet, older) = corruption.packet(run)?;
    (older.ended_before(corruption.at) == Some(End::Released)).then(|| {
        let sender = run.client(packet.client);
        let overwrote = run.client(corruption.newer.client);
        Said::of(
            corruption.at,
            format!("{sender}'s delayed packet overwrote {overwrote}'s newer write."),
        )
        .and(format!(
            "No expiry was needed: {sender} had released the lease in good order."
        ))
    })
}

fn delayed_packet(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let (packet, older) = corruption.packet(run)?;
    let overwrote = if corruption.overwrote_live(run) {
        "the delayed packet's stale write overwrote the live one."
    } else {
        "the delayed packet overwrote a write of a newer grant."
    };
    let lost = if older.ended_before(packet.left).is_some() {
        "lost before"
    } else {
        "since lost"
    };
    Some(Said::of(corruption.at, overwrote).and(format!(
        "It was sent under a lease {lost}; storage had no token to tell by."
    )))
}

fn lease_forgotten(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let (write, older) = corruption.direct(run)?;
    (older.ended_before(corruption.at) == Some(End::Forgotten)).then(|| {
        let client = run.client(write.client);
        Said::of(
            corruption.at,
            format!("the lock service forgot {client} and granted the lease again."),
        )
        .and(format!(
            "{client}'s lease had not expired: nothing it knew could have warned it."
        ))
    })
}

fn read_again(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let (write, _) = corruption.direct(run)?;
    if write.mode != WriteMode::IfUnchanged {
        return None;
    }
    let look = corruption.answer.look?;
    let reads = |event: &Event| matches!(event, Event::Read(read) if read.client == write.client);
    let mut before = run.timeline.before(look.since);
    let read = if before.any(|(_, event)| reads(event)) {
        "read again"
    } else {
        "read first"
    };
    let mut answers = run.timeline.answers();
    let lesson = "A condition is met by reading again; a token is not.";
    Some(
        Said::of(
            corruption.at,
            format!("the zombie {read}, and then its condition was met."),
        )
        .and(if answers.any(|(.., answer)| answer.lost.is_some()) {
            lesson.to_owned()
        } else {
            format!("No update is lost. {lesson}")
        }),
    )
}

fn power_off_unanswered(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let (write, _) = corruption.direct(run)?;
    run.power_off_unanswered(write).then(|| {
        let client = run.client(write.client);
        Said::of(
            corruption.at,
            format!("a power-off of {client} got no answer, and the zombie wrote."),
        )
        .and("From outside, a silent node may be dead, paused, or only unreachable.")
    })
}

fn powered_off_afterwards(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let (write, _) = corruption.direct(run)?;
    run.powered_off(write.client)?;
    let client = run.client(write.client);
    Some(
        Said::of(
            corruption.at,
            format!("{client} was powered off only after its stale write."),
        )
        .and("STONITH stops what is still to come. It takes nothing back."),
    )
}

fn check_passed(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let (write, older) = corruption.direct(run)?;
    let check = run.check_for(write)?;
    let client = run.client(write.client);
    if older.ended_before(check).is_none() {
        return Some(
            Said::of(
                corruption.at,
                format!("{client}'s check passed, its lease expired, then it wrote."),
            )
            .and("However late the check, a pause still fits between it and the write."),
        );
    }
    let expiry = run.timeline.event(older.end()?);
    Some(
        if let Event::LeaseExpired {
            condition: Condition::Suspended,
            ..
        } = expiry
        {
            Said::of(
                corruption.at,
                format!("{client}'s check passed: its timer slept through the expiry."),
            )
            .and("It asked its own memory, and its memory had missed the expiry.")
        } else {
            Said::of(
                corruption.at,
                format!("{client}'s check passed, for its clock ran slow."),
            )
            .and("The lock service went by another clock, and had granted the lease again.")
        },
    )
}

fn zombie(run: &Explained<'_>, corruption: &Corruption<'_>) -> Option<Said> {
    let (write, older) = corruption.direct(run)?;
    let overwrote = if corruption.overwrote_live(run) {
        "the zombie's stale write overwrote the live one."
    } else {
        "the zombie's stale write overwrote one of a newer grant."
    };
    let moreover = peculiar(run, corruption, write, older).unwrap_or_else(|| {
        if write.holder.is_some() {
            "Two clients each 'held' the lock; storage could not tell them apart.".to_owned()
        } else {
            let zombie = run.client(write.client);
            format!("{zombie} still 'held' a lease that had moved on; storage could not tell.")
        }
    });
    Some(Said::of(corruption.at, overwrote).and(moreover))
}

/// What was peculiar about a zombie's write, if anything was.
fn peculiar(
    run: &Explained<'_>,
    corruption: &Corruption<'_>,
    write: &Request,
    older: &Tenure,
) -> Option<String> {
    let Corruption {
        at, answer, newer, ..
    } = corruption;
    let mut earlier = run.timeline.answers().take_while(|(then, ..)| then < at);
    if earlier
        .any(|(_, write, it)| it.storage == answer.storage && it.is_accepted() && write.is_stale())
    {
        return Some(
            "Without a guard, a new leaseholder's first write closes no window.".to_owned(),
        );
    }
    let forgot = |(_, event): (Moment, &Event)| matches!(event, Event::MaxTokenForgotten { .. });
    if run.timeline.before(*at).any(forgot) {
        return Some("There was no max_token to forget: unfenced storage keeps none.".to_owned());
    }
    if run.forgot_counter(older, newer) {
        return Some("No token was sent, so the forgotten counter made no difference.".to_owned());
    }
    if run.heard_answer(write.client, *at).is_some() {
        let zombie = run.client(write.client);
        return Some(format!(
            "Storage answered ACCEPTED: {zombie} heard it, and learned nothing."
        ));
    }
    if let Some(reader) = who_read(run, *at) {
        return Some(format!(
            "It came last, and no token said that it was old: {reader} read it, too."
        ));
    }
    if let Some(by) = repaired_by(run, answer, *at) {
        return Some(format!(
            "{by} overwrote it later; whoever read in between saw stale data."
        ));
    }
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

/// Who was given the value of this write by several storages that it read.
fn who_read<'run>(run: &'run Explained<'_>, written: Moment) -> Option<&'run str> {
    let takes_it = |read: &Read| {
        let mut held = read.replies.iter().filter_map(|reply| reply.held);
        let taken = match read.choice {
            Some(choice) => {
                held.find(|it| it.data == choice.value.data && it.grant == choice.grant)
            }
            None => held.next(),
        };
        read.replies.len() > 1 && taken.is_some_and(|it| it.taken == written)
    };
    run.timeline.after(written).find_map(|(_, event)| {
        if let Event::Read(read) = event
            && takes_it(read)
        {
            Some(run.client(read.client))
        } else {
            None
        }
    })
}

/// The leaseholder who overwrote the stale write next, if nothing stale came after that.
fn repaired_by<'run>(run: &'run Explained<'_>, answer: &Answer, at: Moment) -> Option<&'run str> {
    let storage = answer.storage;
    let (next, write) = run.next_taken(storage, at)?;
    let write = write.filter(|write| write.is_rightful())?;
    let mut later = run.timeline.after(next);
    let stale_again = later.any(|(_, event)| {
        corruption_by(event).is_some_and(|(answer, _)| answer.storage == storage)
    });
    (!stale_again).then(|| run.client(write.client))
}
