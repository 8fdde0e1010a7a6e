//! What explains SAFE: the first rule that applies, to the first event that it applies to. SAFE is no
//! bare SAFE where something else went wrong: then a sentence begins with "but".

use std::collections::BTreeSet;

use crate::verdict::explanation::{Explained, Lines, Said, one, two};
use crate::verdict::stale_accepted::{got_in, stale_write_accepted};
use crate::verdict::stale_rejected::stale_write_rejected;
use crate::verdict::timeline::{Answered, End, Learned, Leaseless, Tenure, forged, source};
use crate::world::event::{Event, Moment, Read};
use crate::world::names::ClientId;
use crate::world::step::Step;
use crate::world::storage_service::{Fencing, Rejection};

/// A rule: its name, and what it says of the run, if it applies.
pub type Rule = (&'static str, fn(&Explained<'_>) -> Option<Said>);

/// All rules, in order of precedence.
pub const RULES: &[Rule] = &[
    ("leaseholder rejected", leaseholder_rejected),
    ("update lost", update_lost),
    ("newer value preferred", newer_value_preferred),
    ("stale write accepted", stale_write_accepted),
    ("packet undid its own grant", packet_undid_its_own_grant),
    ("stale write rejected", stale_write_rejected),
    ("changed", changed),
    ("packet in flight", packet_in_flight),
    ("write never sent", write_never_sent),
    ("no successor yet", no_successor_yet),
    ("no lease", no_lease),
    ("nothing stale", nothing_stale),
];

fn leaseholder_rejected(run: &Explained<'_>) -> Option<Said> {
    let it = run.timeline.requests().find(|it| {
        it.request.is_rightful()
            && forged(it.request).is_none()
            && it.answer.outcome == Err(Rejection::LowerToken)
    })?;
    let (token, max_token) = (it.request.token?, it.answer.max_token?);
    let client = run.client(it.request.client);
    let because = if run.has_several_storages() {
        let storage = run.storage(it.answer.storage);
        format!("but {storage} shut out {client}, the rightful leaseholder: {token} < {max_token}.")
    } else {
        format!("but {client}, the rightful leaseholder, was shut out: {token} < {max_token}.")
    };
    let mut granted = run.timeline.granted_before(it.at).iter();
    let moreover = if granted.any(|it| it.grant.token == max_token) {
        format!("{token} was granted after {max_token}: the guard took the newer for the older.")
    } else {
        format!("{max_token} had not been granted: the guard believes whoever shows more.")
    };
    Some(two(because, moreover).of(it.at))
}

fn update_lost(run: &Explained<'_>) -> Option<Said> {
    let it = run.timeline.writes().find(|it| it.answer.lost.is_some())?;
    let (held, look) = (it.answer.held?, it.answer.look?);
    let client = run.client(it.request.client);
    let (data, storage) = (run.data(held.data), run.storage(it.answer.storage));
    let unread = if look.saw == Some(held.data) {
        "without looking again".to_owned()
    } else if run.has_several_storages() {
        format!("unread at {storage}")
    } else {
        "without reading it".to_owned()
    };
    let advice = old_picture(run, &it)
        .or_else(|| read_too_early(run, &it))
        .unwrap_or_else(|| {
            format!("Had {client} written only if unchanged, {storage} would have rejected that.")
        });
    Some(two(format!("but {client} overwrote {data} {unread}."), advice).of(it.at))
}

/// What the client had not read was written before it was granted its lease.
fn old_picture(run: &Explained<'_>, it: &Answered<'_>) -> Option<String> {
    let granted = run.timeline.tenure_of(it.request)?.from;
    let what = match run.fencing {
        Fencing::On => "token",
        Fencing::Off => "lease",
    };
    (it.answer.lost? < granted)
        .then(|| format!("A new {what} makes no old picture new: read again after acquiring."))
}

/// It was written since, and under a lower token: storage would have rejected it if it had heard of
/// the client's own.
fn read_too_early(run: &Explained<'_>, it: &Answered<'_>) -> Option<String> {
    let Tenure { grant, from, .. } = *run.timeline.tenure_of(it.request)?;
    let lost = it.answer.lost?;
    let token = run.timeline.event(lost).write()?.token?;
    let would_forget = run.timeline.forgot_max_token(it.answer.storage, from, lost);
    (token < grant.token && !would_forget).then(|| {
        format!("Announce or write first, then read: token {token} would have been too late.")
    })
}

fn newer_value_preferred(run: &Explained<'_>) -> Option<Said> {
    run.timeline.all().find_map(|(_, event)| {
        if let Event::Read(read) = event {
            stale_value_repaired(run, read)
        } else {
            None
        }
    })
}

/// A stale value had got in, and the reader took a newer one instead, for its token.
fn stale_value_repaired(run: &Explained<'_>, read: &Read) -> Option<Said> {
    let choice = read.choice?;
    let (newer, source) = (choice.value.token?, source(read)?);
    let (it, older) = read.repairs.iter().find_map(|repair| {
        let held = repair.held?;
        let request = run.timeline.event(held.taken).write()?;
        let token = request.token.filter(|&token| token < newer)?;
        let mut answers = request.answers.iter();
        let it = Answered {
            at: held.taken,
            request,
            answer: answers.find(|it| it.storage == repair.storage)?,
        };
        let is_older = request.seq() < choice.grant.map(|grant| grant.seq);
        let is_stale = request.is_stale() && forged(request).is_none();
        (is_older && is_stale).then_some((it, token))
    })?;
    let (reader, source) = (run.client(read.client), run.storage(source.storage));
    let storage = run.storage(it.answer.storage);
    let lines = two(
        got_in(run, &it),
        format!(
            "{reader} asked {source} too, preferred {newer} > {older}, and repaired {storage}."
        ),
    );
    Some(lines.of(it.at))
}

fn packet_undid_its_own_grant(run: &Explained<'_>) -> Option<Said> {
    let it = run
        .timeline
        .writes()
        .find(|it| it.request.undid(it.at, it.answer).is_some())?;
    let (grant, held) = (it.request.grant?, it.answer.held?);
    let client = run.client(it.request.client);
    let newer = run.timeline.event(held.taken).write();
    let both_show = [Some(it.request), newer].iter().all(|write| {
        let token = write.and_then(|write| write.token);
        token == Some(grant.token)
    });
    let lines = two(
        format!("but {client}'s delayed packet undid a newer write of its own."),
        if both_show {
            let token = grant.token;
            format!("Both carry token {token}: a fencing token cannot order one grant's writes.")
        } else {
            "Both are of one grant: a fencing token would not order them.".to_owned()
        },
    );
    Some(lines.of(it.at))
}

fn changed(run: &Explained<'_>) -> Option<Said> {
    let it = run
        .timeline
        .writes()
        .find(|it| it.answer.outcome == Err(Rejection::Changed))?;
    let client = run.client(it.request.client);
    let storage = run.storage(it.answer.storage);
    let lines = two(
        format!("{client} wrote only if unchanged, and {storage} had changed since."),
        match run.fencing {
            Fencing::On => "The guard let it pass: a token does not say what its owner has read.",
            Fencing::Off if run.has_several_storages() => {
                "Each storage checks its own condition; one token would serve them all."
            }
            Fencing::Off => "One storage that can compare and set needs no token for this.",
        },
    );
    Some(lines.of(it.at))
}

fn packet_in_flight(run: &Explained<'_>) -> Option<Said> {
    let arrived: BTreeSet<Moment> = run.timeline.writes().map(|it| it.request.left).collect();
    run.timeline.all().find_map(|(at, event)| {
        let Event::Sent { client, grant, .. } = *event else {
            return None;
        };
        if arrived.contains(&at) {
            return None;
        }
        let token = match (run.fencing, grant) {
            (Fencing::On, Some(grant)) => format!(" (token {})", grant.token),
            (Fencing::On, None) => " (no token)".to_owned(),
            (Fencing::Off, _) => String::new(),
        };
        let sender = run.client(client);
        let in_flight = format!("so far. {sender}'s packet{token} is still in flight.");
        Some(one(in_flight).of(at))
    })
}

fn write_never_sent(run: &Explained<'_>) -> Option<Said> {
    run.timeline.all().find_map(|(at, event)| {
        let lines = if let Event::HeldBack {
            client,
            step: Step::Writes(..) | Step::Sends(..),
        } = *event
        {
            held_back(run, client, at)
        } else if let Event::CameToNothing {
            client,
            step: Step::Writes(..) | Step::Sends(..),
        } = *event
        {
            client_was_off(run, client, at)
        } else {
            return None;
        };
        Some(nobody_left(run).unwrap_or(lines).of(at))
    })
}

/// Every client is off at the end.
fn nobody_left(run: &Explained<'_>) -> Option<Lines> {
    let mut on: BTreeSet<ClientId> = run.clients().collect();
    for (_, event) in run.timeline.all() {
        if let Event::PoweredOff { client } = event {
            on.remove(client);
        }
    }
    on.is_empty().then(|| {
        two(
            "every client is powered off, and nobody is left to write.",
            "Nothing bad can happen any more, and nothing good: safety is not liveness.",
        )
    })
}

fn held_back(run: &Explained<'_>, client: ClientId, at: Moment) -> Lines {
    let name = run.client(client);
    let newest = run.timeline.granted_before(at).last();
    if newest.is_some_and(|it| it.client == client && it.ended_before(at).is_none()) {
        return two(
            format!("{name} took its lease for lost, and held its write back."),
            "Storage had rejected the token that it showed; the lease was still its own.",
        );
    }
    let held_back = format!("{name} knew that it had no lease, and held its write back.");
    match run.timeline.leaseless(client, at) {
        Leaseless::Knew(Learned::Refused) => two(
            held_back,
            "It had asked the lock service, which had refused it.",
        ),
        Leaseless::Knew(Learned::Checked) => two(
            held_back,
            "Its own check had told it. Between a check and a write a pause still fits.",
        ),
        Leaseless::Knew(Learned::Heard) => two(
            held_back,
            "Storage's answer had told it. An answer can be lost like any packet.",
        ),
        Leaseless::Never | Leaseless::GaveBack | Leaseless::GaveUpLost => one(held_back),
    }
}

fn client_was_off(run: &Explained<'_>, client: ClientId, at: Moment) -> Lines {
    let name = run.client(client);
    let off = run.timeline.powered_off(client).unwrap_or(at);
    let granted = run.timeline.granted_before(at);
    let own = granted.iter().rposition(|grant| grant.client == client);
    let next = own.and_then(|own| granted.get(own + 1));
    let because = match next.filter(|next| off < next.from) {
        Some(next) => {
            let next = run.client(next.client);
            format!("{name} was powered off before the lease was granted to {next}.")
        }
        None => format!("{name} was powered off before its next write."),
    };
    let believed = run.timeline.believed(client, off);
    let is_stale = believed.is_some_and(|grant| grant.seq.index() + 1 < granted.len());
    let write = if is_stale {
        "Its stale write"
    } else {
        "Its write"
    };
    let moreover = match run.fencing {
        Fencing::Off => format!("{write} was never sent; storage itself checked nothing."),
        Fencing::On => format!("{write} was never sent, so the guard never saw it."),
    };
    two(because, moreover)
}

/// No stale write got in, or a rule before this one would explain it.
fn no_successor_yet(run: &Explained<'_>) -> Option<Said> {
    let mut writes = run.timeline.writes();
    let it = writes.find(|it| {
        it.answer.is_accepted() && run.timeline.lease_ended(it.request, it.at) == Some(End::Expired)
    })?;
    let client = run.client(it.request.client);
    let lines = if it.is_packet() {
        let came = format!("{client}'s packet came while nobody else had the lease yet.");
        let seq = it.request.seq();
        let mut newer = writes.filter(|it| it.answer.is_accepted() && it.request.seq() > seq);
        match newer.next().filter(|_| run.fencing == Fencing::Off) {
            Some(next) => {
                let next = run.client(next.request.client);
                two(
                    came,
                    format!("Had it come after {next}'s write, nothing would have stopped it."),
                )
            }
            None => one(came),
        }
    } else {
        one(format!(
            "{client} wrote after its lease expired; no one else had it yet."
        ))
    };
    Some(lines.of(it.at))
}

fn no_lease(run: &Explained<'_>) -> Option<Said> {
    if !run.timeline.grants().is_empty() {
        return None;
    }
    let lines = if run.timeline.writes().next().is_some() {
        two(
            "no lease was ever granted, so none was broken.",
            "The writes came without one; the verdict says nothing of that.",
        )
    } else {
        one("no lease was ever granted, and nothing was written.")
    };
    Some(lines.of_the_run())
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is the rule that always applies, last in the list"
)]
fn nothing_stale(_: &Explained<'_>) -> Option<Said> {
    Some(one("no write came after one under a newer grant.").of_the_run())
}
