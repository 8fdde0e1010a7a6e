//! What explains SAFE: the first rule that applies, to the first event that it applies to. SAFE is no
//! bare SAFE where something else went wrong: then a sentence begins with "but".

use std::collections::BTreeSet;

use crate::verdict::explanation::{Explained, Gap, Said, forged};
use crate::verdict::timeline::{End, Learned, Leaseless, Tenure};
use crate::world::event::{Answer, Event, Moment, Preference, Read, Request};
use crate::world::names::ClientId;
use crate::world::step::{Step, WriteMode};
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
    let (at, request, answer) = run.timeline.requests().find(|(_, request, answer)| {
        request.is_rightful()
            && forged(request).is_none()
            && answer.outcome == Err(Rejection::LowerToken)
    })?;
    let (token, max_token) = (request.token?, answer.max_token?);
    let mut granted = run.timeline.granted_before(at).iter();
    Some(
        Said::of(
            at,
            format!(
                "but {}, the rightful leaseholder, was shut out: {token} < {max_token}.",
                run.client(request.client)
            ),
        )
        .and(if granted.any(|it| it.grant.token == max_token) {
            format!(
                "{token} was granted after {max_token}: the guard took the newer for the older."
            )
        } else {
            format!("{max_token} was never granted: the guard believes whoever shows more.")
        }),
    )
}

fn update_lost(run: &Explained<'_>) -> Option<Said> {
    let (at, write, answer) = run
        .timeline
        .answers()
        .find(|(.., answer)| answer.lost.is_some())?;
    let (lost, held, look) = (answer.lost?, answer.held?, answer.look?);
    let grant = write.seq().map(|seq| run.timeline.tenure(seq));
    let client = run.client(write.client);
    let said = Said::of(
        at,
        format!(
            "but {client} overwrote {} without reading it.",
            run.data(held.data)
        ),
    );
    // What an announcement, or reading again, right after the lease was granted would have changed.
    if let Some(tenure) = grant
        && lost < tenure.from
        && look.since < tenure.from
    {
        let what = match run.fencing {
            Fencing::On => "token",
            Fencing::Off => "lease",
        };
        return Some(said.and(format!(
            "A new {what} makes no old picture new: read again after acquiring."
        )));
    }
    if let (Some(tenure), Some(overwritten)) = (grant, run.timeline.event(lost).write())
        && tenure.from < look.since
        && overwritten.mode != WriteMode::PastTheGuard
        && let Some(token) = overwritten.token
        && token < tenure.grant.token
    {
        return Some(said.and(format!(
            "Announce or write first, then read: token {token} would have been too late."
        )));
    }
    Some(said.and("A write that is conditional on what was read would have been rejected."))
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

/// A stale value had got in, and the reader preferred a newer one for its token.
fn stale_value_repaired(run: &Explained<'_>, read: &Read) -> Option<Said> {
    let choice = read.choice?;
    let Preference::HigherToken(_) = choice.why else {
        return None;
    };
    let newer = choice.value.token?;
    let source = read
        .replies
        .iter()
        .find(|reply| reply.value == Some(choice.value))?;
    let (repair, stale, taken) = read.repairs.iter().find_map(|repair| {
        let held = repair.held?;
        let write = run.timeline.event(held.taken).write()?;
        let is_older = held.grant.map(|grant| grant.seq) < choice.grant.map(|grant| grant.seq);
        (is_older && write.is_stale() && write.token.is_some() && forged(write).is_none())
            .then_some((repair, write, held.taken))
    })?;
    let older = stale.token?;
    let storage = run.storage(repair.storage);
    let had = match run.timeline.last_saw(repair.storage, newer, taken) {
        None => "had not heard of",
        Some(_) => "no longer knew of",
    };
    let (reader, source) = (run.client(read.client), run.storage(source.storage));
    Some(
        Said::of(
            taken,
            format!("but token {older} got in at {storage}, which {had} {newer}."),
        )
        .and(format!(
            "{reader} asked {source} too, preferred {newer} > {older}, and repaired {storage}."
        )),
    )
}

fn stale_write_accepted(run: &Explained<'_>) -> Option<Said> {
    let (at, write, answer) = run
        .timeline
        .answers()
        .find(|(_, write, answer)| answer.is_accepted() && write.is_stale())?;
    let newest = run.timeline.tenure(write.newest?);
    let gap = write
        .seq()
        .map(|seq| run.gap(run.timeline.tenure(seq), newest, answer.storage, at));
    let what = stale_write(run, at, write);
    let is_unheard = write.mode == WriteMode::Plain && gap == Some(Gap::NotSeen);
    if run.fencing == Fencing::On && run.has_several_storages() && is_unheard {
        let (storage, token) = (run.storage(answer.storage), newest.grant.token);
        return Some(
            Said::of(
                at,
                format!("but {what} got in at {storage}, which had not heard of {token}."),
            )
            .and("A token is heard only where it is shown: announce it everywhere at once."),
        );
    }
    let storage = run.at(answer.storage);
    let when = when_stale(run, write, newest);
    Some(
        Said::of(at, format!("but {what} got in{storage} {when}.")).and(why_accepted(
            run,
            (at, write, answer),
            newest,
            gap,
        )),
    )
}

/// What to call a stale write.
fn stale_write(run: &Explained<'_>, at: Moment, write: &Request) -> String {
    let is_packet = write.left < at;
    match (run.fencing, write.mode, write.grant) {
        (Fencing::On, WriteMode::PastTheGuard, _) => "a write past the guard".to_owned(),
        (Fencing::On, WriteMode::WithToken(token), _) => format!("made-up token {token}"),
        (Fencing::On, WriteMode::Plain | WriteMode::IfUnchanged, Some(grant)) => {
            format!("token {}", grant.token)
        }
        (Fencing::Off, _, Some(_)) if is_packet => "a late packet".to_owned(),
        (Fencing::Off, _, Some(_)) => "a stale write".to_owned(),
        (_, _, None) if is_packet => "a leaseless packet".to_owned(),
        (_, _, None) => "a leaseless write".to_owned(),
    }
}

/// How things stood with the lease when a stale write came.
fn when_stale(run: &Explained<'_>, write: &Request, newest: &Tenure) -> String {
    let newer = run.client(newest.client);
    let already = match run.fencing {
        Fencing::On => "already ",
        Fencing::Off => "",
    };
    let is_own = write.client == newest.client;
    let lease = match (is_own, write.grant) {
        (true, Some(_)) => "a newer lease",
        (true, None) | (false, _) => "the lease",
    };
    match (is_own, write.holder.is_some()) {
        (_, true) => format!("while {newer} {already}held {lease}"),
        (true, false) => format!("after {newer} had held {lease}"),
        (false, false) => format!("after the lease had gone to {newer}"),
    }
}

/// Why storage accepted a stale write, and what there is to learn from it.
fn why_accepted(
    run: &Explained<'_>,
    (at, write, answer): (Moment, &Request, &Answer),
    newest: &Tenure,
    gap: Option<Gap>,
) -> String {
    let there = if run.has_several_storages() {
        "there "
    } else {
        ""
    };
    if run.fencing == Fencing::On {
        match write.mode {
            WriteMode::PastTheGuard => {
                return "Fencing holds only if every path to the data checks the token.".to_owned();
            }
            WriteMode::WithToken(_) if forged(write).is_some() => {
                return "The guard compares numbers: it stops those who err, not those who lie."
                    .to_owned();
            }
            WriteMode::Plain | WriteMode::IfUnchanged | WriteMode::WithToken(_) => {}
        }
    }
    let (Some(seq), Some(gap)) = (write.seq(), gap) else {
        return format!("No write under a lease had come {there}yet: mere luck.");
    };
    let older = run.timeline.tenure(seq);
    let token = newest.grant.token;
    match (run.fencing, gap) {
        (Fencing::Off, _) => {
            format!("No write under a newer grant had come {there}yet: mere luck.")
        }
        (Fencing::On, Gap::OutOfOrder | Gap::OneToken) => run.unordered_tokens(gap, older, newest),
        (Fencing::On, Gap::Forgotten) => {
            "max_token must outlive every write that may still arrive.".to_owned()
        }
        (Fencing::On, Gap::NoGuard) => "The guard did not do what it is there for.".to_owned(),
        (Fencing::On, Gap::NotSeen) => {
            // Another newer grant's token may have been seen before, and forgotten.
            let storage = answer.storage;
            let knew_better = |event: &Event| {
                matches!(event, Event::MaxTokenForgotten { storage: it, was: Some(was) }
                    if *it == storage && *was > older.grant.token)
            };
            if run.timeline.before(at).any(|(_, event)| knew_better(event)) {
                return "max_token must outlive every write that may still arrive.".to_owned();
            }
            let newer = run.client(newest.client);
            match run.timeline.first_saw(answer.storage, token, at) {
                Some(Event::Wrote(by)) if by.seq() == Some(newest.grant.seq) => format!(
                    "Storage first heard of {token} by {newer}'s write: {}.",
                    cure(run, newest, by.left)
                ),
                Some(Event::Announced(by)) if by.seq() == Some(newest.grant.seq) => {
                    format!(
                        "Storage heard of {token} only later, when {newer} announced it: do so at once."
                    )
                }
                Some(_) | None => {
                    format!("Storage had not heard of {token} yet: announce or write at once.")
                }
            }
        }
    }
}

/// What closes the window before a leaseholder's first write, which left it then.
fn cure(run: &Explained<'_>, newest: &Tenure, wrote: Moment) -> &'static str {
    let mut between = run.timeline.between(newest.from, wrote);
    if between.any(|(_, event)| matches!(event, Event::Read(read) if read.client == newest.client))
    {
        "announce or write before reading"
    } else {
        "announce or write at once"
    }
}

fn packet_undid_its_own_grant(run: &Explained<'_>) -> Option<Said> {
    let (at, packet, answer) = run
        .timeline
        .answers()
        .find(|(at, packet, answer)| undid(*at, packet, answer).is_some())?;
    let (grant, held, late) = (packet.grant?, answer.held?, packet.data?);
    let client = run.client(packet.client);
    let is_shown = |it: &&Request| it.token == Some(grant.token);
    let newer = run.timeline.event(held.taken).write();
    let both_show = newer.as_ref().is_some_and(is_shown) && packet.token == Some(grant.token);
    Some(
        Said::of(
            at,
            format!(
                "but {client}'s delayed {} undid its newer {}.",
                run.data(late),
                run.data(held.data)
            ),
        )
        .and(if both_show {
            format!(
                "Both carry token {}: a fencing token cannot order one grant's writes.",
                grant.token
            )
        } else {
            "Both are of one grant: a fencing token would not order them.".to_owned()
        }),
    )
}

/// The other value, of the same grant but gone out later, that a late packet overwrote came then.
pub fn undid(at: Moment, packet: &Request, answer: &Answer) -> Option<Moment> {
    let held = answer.held?;
    let is_late = packet.left < at && packet.grant.is_some() && answer.is_accepted();
    let is_newer = held.grant == packet.grant && packet.left < held.left;
    (is_late && is_newer && Some(held.data) != packet.data).then_some(held.taken)
}

fn stale_write_rejected(run: &Explained<'_>) -> Option<Said> {
    let (at, write, answer) = run
        .timeline
        .answers()
        .find(|(_, write, answer)| write.is_stale() && is_turned_away(answer))?;
    let (Some(token), Some(max_token)) = (write.token, answer.max_token) else {
        return Some(without_a_token(run, at, write));
    };
    let lower = format!("{token} < {max_token}");
    let client = run.client(write.client);
    if forged(write).is_some() {
        return Some(
            Said::of(
                at,
                format!("{client}'s made-up token was too low: {lower}."),
            )
            .and("A higher one would have passed: the guard compares numbers, no more."),
        );
    }
    Some(if write.left < at {
        stale_packet(run, (at, write, answer), &lower)
    } else {
        stale_direct(run, (at, write, answer), &lower)
    })
}

/// Storage rejected a request for its token.
fn is_turned_away(answer: &Answer) -> bool {
    match answer.outcome {
        Err(Rejection::LowerToken | Rejection::NoToken) => true,
        Err(Rejection::Changed) | Ok(()) => false,
    }
}

fn without_a_token(run: &Explained<'_>, at: Moment, write: &Request) -> Said {
    let client = run.client(write.client);
    if write.left < at {
        return Said::of(
            at,
            format!("{client}'s packet came without a token, and was REJECTED."),
        )
        .and("It had been sent without a lease, so it had no token to show.");
    }
    Said::of(
        at,
        format!("{client}'s write came without a token, and was REJECTED."),
    )
    .and(match run.timeline.leaseless(write.client, write.left) {
        Leaseless::Never => "Whoever was never granted a lease has no token to show.",
        Leaseless::GaveBack => "It had given its lease back, and its token with it.",
        Leaseless::GaveUpLost => "It had given up its lease, and its token with it.",
        Leaseless::Knew(_) => "It knew that it had no lease, and so no token.",
    })
}

fn stale_packet(
    run: &Explained<'_>,
    (at, packet, answer): (Moment, &Request, &Answer),
    lower: &str,
) -> Said {
    let client = run.client(packet.client);
    let released = packet
        .seq()
        .is_some_and(|seq| run.timeline.tenure(seq).ended_before(at) == Some(End::Released));
    if run.powered_off(packet.client).is_some_and(|off| off < at) {
        Said::of(
            at,
            format!("{client}'s packet outlived it, but token {lower}: REJECTED."),
        )
        .and("STONITH stopped the sender; the guard stopped what it had sent.")
    } else if released {
        Said::of(
            at,
            format!("token {lower}: a lease given back leaves an old token behind."),
        )
        .and("The guard does not ask why a packet is late, only which token it carries.")
    } else if let Some(said) = announced(run, (at, packet, answer)) {
        said
    } else {
        Said::of(at, "the guard is on the TOKEN, not on who is 'current' --")
            .and("an old-enough token loses no matter when its packet shows up.")
    }
}

/// What turned a stale write away was an announcement, and no write under that token had come yet.
fn announced(
    run: &Explained<'_>,
    (at, write, answer): (Moment, &Request, &Answer),
) -> Option<Said> {
    let max_token = answer.max_token?;
    let mut by_write = false;
    let mut announcer = None;
    for (_, event) in run.timeline.before(at) {
        let Some(request) = event.request() else {
            continue;
        };
        let mut answers = request.answers.iter();
        let is_seen = request.token == Some(max_token)
            && answers.any(|it| it.storage == answer.storage && it.is_accepted());
        if is_seen && request.data.is_some() {
            by_write = true;
        } else if is_seen {
            announcer = announcer.or(Some(request.client));
        }
    }
    let announcer = announcer.filter(|_| !by_write)?;
    let writes_later = run.timeline.writes().any(|(then, write)| {
        then > at && write.client == announcer && write.token == Some(max_token)
    });
    let before = if writes_later { " before it wrote" } else { "" };
    let (name, token) = (run.client(announcer), write.token?);
    Some(
        Said::of(
            at,
            format!("{name} announced {max_token}{before}: token {token} came too late."),
        )
        .and("Announced at once, a token closes the window before the first write."),
    )
}

fn stale_direct(
    run: &Explained<'_>,
    (at, write, answer): (Moment, &Request, &Answer),
    lower: &str,
) -> Said {
    let client = run.client(write.client);
    let forgotten = write
        .seq()
        .is_some_and(|seq| run.timeline.tenure(seq).ended_before(at) == Some(End::Forgotten));
    if forgotten {
        return Said::of(
            at,
            format!("token {lower}, so {client}'s write bounced off the guard."),
        )
        .and("The lock service had broken its promise; the token saved the data.");
    }
    if run.power_off_unanswered(write) {
        return Said::of(
            at,
            format!("a power-off of {client} got no answer; token {lower} stopped it."),
        )
        .and("The guard need not reach the zombie: the zombie's write comes to it.");
    }
    if run.powered_off(write.client).is_some() {
        return Said::of(
            at,
            format!("token {lower} stopped {client} before its power-off did."),
        )
        .and("STONITH came only afterwards; the guard stands where the write lands.");
    }
    if run.check_for(write).is_some() {
        return Said::of(
            at,
            format!("{client}'s own check let the write go; storage's did not: {lower}."),
        )
        .and("The guard belongs where the write lands, not where it sets out.");
    }
    if reads_and_is_rejected_again(run, at, write) {
        return Said::of(
            at,
            format!("token {lower} turned {client} away, also after it had read again."),
        )
        .and("A condition can be met by reading again. A token stays as old as it is.");
    }
    if run.heard_answer(write.client, at) == Some(true) {
        let holds_back = |event: &Event| matches!(event, Event::HeldBack { client, .. } if *client == write.client);
        let mut later = run.timeline.after(at);
        let heard = if later.any(|(_, event)| holds_back(event)) {
            "; it heard, and held back the rest."
        } else {
            ", and it heard the answer."
        };
        return Said::of(at, format!("token {lower} turned {client} away{heard}"))
            .and("An answer can be lost like any packet: the guard does not count on it.");
    }
    if asked_later(run, write.client, at) {
        return Said::of(
            at,
            format!("token {lower} protected storage; {client} believed until it asked."),
        )
        .and("Fencing makes split brain harmless at the resource. It does not end it.");
    }
    if let Some(said) = announced(run, (at, write, answer)) {
        return said;
    }
    let bounced = Said::of(
        at,
        format!("token {lower}, so the zombie's write bounced off the guard."),
    );
    let has_changed = answer.look.is_some_and(|look| look.changed.is_some());
    if write.mode == WriteMode::IfUnchanged && has_changed {
        bounced.and("The guard answered first; the condition would have turned it away too.")
    } else {
        bounced.and(format!(
            "No error on {client}'s side was needed; the RESOURCE said no."
        ))
    }
}

/// After its conditional write was rejected for its token, the client read, and its next conditional
/// write was rejected for its token again.
fn reads_and_is_rejected_again(run: &Explained<'_>, then: Moment, write: &Request) -> bool {
    if write.mode != WriteMode::IfUnchanged {
        return false;
    }
    let mut has_read = false;
    for (_, event) in run.timeline.after(then) {
        if let Event::Read(read) = event {
            has_read |= read.client == write.client;
        } else if let Event::Wrote(again) = event
            && again.client == write.client
            && again.mode == WriteMode::IfUnchanged
            && has_read
        {
            return again.seq() == write.seq() && again.answers.iter().all(is_turned_away);
        }
    }
    false
}

/// What ended the client's belief in its lease, after this, was that it asked the lock service.
fn asked_later(run: &Explained<'_>, of: ClientId, then: Moment) -> bool {
    let of_client = |event: &&Event| event.belief().is_some_and(|(client, _)| client == of);
    let mut later = run.timeline.after(then).map(|(_, event)| event);
    let changed = later.find(of_client);
    changed.is_some_and(|event| {
        matches!(
            event,
            Event::AcquisitionRefused { .. } | Event::RenewalRefused { .. }
        )
    })
}

fn changed(run: &Explained<'_>) -> Option<Said> {
    let (at, write, answer) = run
        .timeline
        .answers()
        .find(|(.., answer)| answer.outcome == Err(Rejection::Changed))?;
    let client = run.client(write.client);
    let storage = run.storage(answer.storage);
    Some(
        Said::of(
            at,
            format!("{client} wrote only if unchanged, and {storage} had changed since."),
        )
        .and(match run.fencing {
            Fencing::On => "The guard let it pass: its token was good, but not its picture.",
            Fencing::Off if run.has_several_storages() => {
                "A condition is checked at each storage alone: together they need a token."
            }
            Fencing::Off => "One storage that can compare and set needs no token for this.",
        }),
    )
}

fn packet_in_flight(run: &Explained<'_>) -> Option<Said> {
    let mut arrived = BTreeSet::new();
    for (_, event) in run.timeline.all() {
        if let Event::Arrived { request, .. } = event {
            arrived.insert(request.left);
        }
    }
    run.timeline.all().find_map(|(at, event)| {
        let Event::Sent { client, grant, .. } = event else {
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
        let sender = run.client(*client);
        Some(Said::of(
            at,
            format!("so far. {sender}'s packet{token} is still in flight."),
        ))
    })
}

fn write_never_sent(run: &Explained<'_>) -> Option<Said> {
    run.timeline.all().find_map(|(at, event)| {
        if let Event::HeldBack {
            client,
            step: Step::Writes(..) | Step::Sends(..),
        } = *event
        {
            Some(nobody_left(run, at).unwrap_or_else(|| held_back(run, client, at)))
        } else if let Event::CameToNothing {
            client,
            step: Step::Writes(..) | Step::Sends(..),
        } = *event
        {
            Some(nobody_left(run, at).unwrap_or_else(|| client_was_off(run, client, at)))
        } else {
            None
        }
    })
}

/// Every client is off at the end.
fn nobody_left(run: &Explained<'_>, at: Moment) -> Option<Said> {
    let mut off = BTreeSet::new();
    for (_, event) in run.timeline.all() {
        if let Event::PoweredOff { client } = *event {
            off.insert(client);
        }
    }
    run.clients().all(|client| off.contains(&client)).then(|| {
        Said::of(
            at,
            "every client is powered off, and nobody is left to write.",
        )
        .and("Nothing bad can happen any more, and nothing good: safety is not liveness.")
    })
}

fn held_back(run: &Explained<'_>, client: ClientId, at: Moment) -> Said {
    let learned = match run.timeline.leaseless(client, at) {
        Leaseless::Knew(learned) => Some(learned),
        Leaseless::Never | Leaseless::GaveBack | Leaseless::GaveUpLost => None,
    };
    let name = run.client(client);
    let said = Said::of(
        at,
        format!("{name} knew that it had no lease, and held its write back."),
    );
    match learned {
        Some(Learned::Refused) => said.and("It had asked the lock service, which had refused it."),
        Some(Learned::Checked) => {
            said.and("Its own check had told it. Between a check and a write a pause still fits.")
        }
        Some(Learned::Heard) => {
            said.and("Storage's answer had told it. An answer can be lost like any packet.")
        }
        None => said,
    }
}

fn client_was_off(run: &Explained<'_>, client: ClientId, at: Moment) -> Said {
    let off = run.powered_off(client);
    let so_far = run.timeline.granted_before(at);
    let successor = off.and_then(|off| so_far.iter().find(|grant| grant.from > off));
    let own = run.timeline.last_grant(client, at);
    let is_stale = own.is_some() && own != so_far.last();
    let name = run.client(client);
    let write = if is_stale {
        "Its stale write"
    } else {
        "Its write"
    };
    Said::of(
        at,
        match successor {
            Some(successor) => format!(
                "{name} was powered off before the lease was granted to {}.",
                run.client(successor.client)
            ),
            None => format!("{name} was powered off before its next write."),
        },
    )
    .and(match run.fencing {
        Fencing::Off => format!("{write} was never sent; storage itself checked nothing."),
        Fencing::On => format!("{write} was never sent, so the guard never saw it."),
    })
}

fn no_successor_yet(run: &Explained<'_>) -> Option<Said> {
    let (at, write) = run.timeline.writes().find(|(at, write)| {
        let expired = write
            .seq()
            .is_some_and(|seq| run.timeline.tenure(seq).ended_before(*at) == Some(End::Expired));
        expired && !write.is_stale() && write.answers.iter().any(Answer::is_accepted)
    })?;
    let client = run.client(write.client);
    if write.left == at {
        return Some(Said::of(
            at,
            format!("{client} wrote after its lease expired; no one else had it yet."),
        ));
    }
    let said = Said::of(
        at,
        format!("{client}'s packet came while nobody else had the lease yet."),
    );
    let mut successors = run.timeline.writes().filter(|(later, next)| {
        *later > at && next.seq() > write.seq() && next.answers.iter().all(Answer::is_accepted)
    });
    let Some((_, next)) = successors.next().filter(|_| run.fencing == Fencing::Off) else {
        return Some(said);
    };
    let next = run.client(next.client);
    Some(said.and(format!(
        "Had it come after {next}'s write, nothing would have stopped it."
    )))
}

fn no_lease(run: &Explained<'_>) -> Option<Said> {
    if !run.timeline.grants().is_empty() {
        return None;
    }
    Some(if run.timeline.writes().next().is_some() {
        Said::of_the_run("no lease was ever granted, so none was broken.")
            .and("The writes came without one; the verdict says nothing of that.")
    } else {
        Said::of_the_run("no lease was ever granted, and nothing was written.")
    })
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is the rule that always applies, last in the list"
)]
fn nothing_stale(_: &Explained<'_>) -> Option<Said> {
    Some(Said::of_the_run(
        "no write came after one under a newer grant.",
    ))
}
