//! What explains SAFE where a stale write got in, and yet nothing was corrupted, for none under a
//! newer grant had got in before.

use crate::verdict::explanation::{Explained, Said, two};
use crate::verdict::guard::{Gap, unordered_tokens};
use crate::verdict::timeline::{Answered, Tenure, forged, hears, reader};
use crate::world::event::{Event, Request};
use crate::world::step::WriteMode;
use crate::world::storage_service::Fencing;

/// Explains the first stale write that a storage accepted.
pub fn stale_write_accepted(run: &Explained<'_>) -> Option<Said> {
    let mut writes = run.timeline.writes();
    let it = writes.find(|it| it.answer.is_accepted() && it.request.is_stale())?;
    Some(two(got_in(run, &it), why(run, &it)).of(it.at))
}

/// Which stale write got in, and when.
pub fn got_in(run: &Explained<'_>, it: &Answered<'_>) -> String {
    let what = what(run, it);
    let Some(newest) = newest(run, it) else {
        return format!("but {what} got in.");
    };
    if !run.has_several_storages() {
        return format!("but {what} got in {}.", when(run, it, newest));
    }
    let storage = run.storage(it.answer.storage);
    if gap(run, it) == Some(Gap::NotHeard) {
        let token = newest.grant.token;
        format!("but {what} got in at {storage}, which had not heard of {token}.")
    } else if it.request.client == newest.client && it.request.grant.is_some() {
        format!("but {what} got in at {storage} after a newer grant.")
    } else {
        let newer = run.client(newest.client);
        format!("but {what} got in at {storage} after {newer}'s grant.")
    }
}

/// The newest grant when the request came.
fn newest<'of>(run: &'of Explained<'_>, it: &Answered<'_>) -> Option<&'of Tenure> {
    it.request.newest.map(|seq| run.timeline.tenure(seq))
}

/// Why the guard let the token of the write pass; none if the write had no lease, or showed the guard
/// no token of it.
fn gap(run: &Explained<'_>, it: &Answered<'_>) -> Option<Gap> {
    let shows_it = it.request.token.is_some() && forged(it.request).is_none();
    let older = run.timeline.tenure_of(it.request).filter(|_| shows_it)?;
    let newest = newest(run, it)?;
    Some(run.timeline.gap(older, newest, it.answer.storage, it.at))
}

/// What to call a stale write.
fn what(run: &Explained<'_>, it: &Answered<'_>) -> String {
    let Answered { at, request, .. } = *it;
    if request.mode == WriteMode::PastTheGuard {
        return "a write past the guard".to_owned();
    }
    match (request.token, forged(request)) {
        (_, Some(token)) if !run.timeline.was_granted(request.client, token, at) => {
            format!("forged token {token}")
        }
        (Some(token), _) => format!("token {token}"),
        (None, _) => match (request.grant, it.is_packet()) {
            (Some(_), false) => "a stale write".to_owned(),
            (Some(_), true) => "a late packet".to_owned(),
            (None, false) => "a leaseless write".to_owned(),
            (None, true) => "a leaseless packet".to_owned(),
        },
    }
}

/// How things stood with the lease when a stale write came.
fn when(run: &Explained<'_>, it: &Answered<'_>, newest: &Tenure) -> String {
    let newer = run.client(newest.client);
    let is_own = it.request.client == newest.client;
    let lease = if is_own && it.request.grant.is_some() {
        "a newer lease"
    } else {
        "the lease"
    };
    let already = match it.request.token {
        Some(_) => "already ",
        None => "",
    };
    match (it.request.holder, is_own) {
        (Some(_), _) => format!("while {newer} {already}held {lease}"),
        (None, true) => format!("after {newer} had held {lease}"),
        (None, false) => format!("after the lease went to {newer}"),
    }
}

/// Why storage accepted a stale write, and what there is to learn from it.
fn why(run: &Explained<'_>, it: &Answered<'_>) -> String {
    let older = run.timeline.tenure_of(it.request);
    if run.fencing == Fencing::Off {
        let what = match older {
            Some(_) => "newer grant",
            None => "lease",
        };
        let there = if run.has_several_storages() {
            " there"
        } else {
            ""
        };
        return format!("No write under a {what} had got in{there} yet: mere luck.");
    }
    if it.request.mode == WriteMode::PastTheGuard {
        return "Fencing holds only if every path to the data checks the token.".to_owned();
    }
    let (Some(gap), Some(older), Some(newest)) = (gap(run, it), older, newest(run, it)) else {
        return "The guard compares numbers: it stops those who err, not those who lie.".to_owned();
    };
    match gap {
        Gap::OutOfOrder | Gap::OneToken => unordered_tokens(run, older, newest).to_owned(),
        Gap::Forgotten(_) => "max_token must outlive every write that may still arrive.".to_owned(),
        Gap::Rejected => {
            let newer = run.client(newest.client);
            format!("{newer}'s rejected write left no token behind: announce it first.")
        }
        Gap::NotHeard => window(run, it, newest),
        Gap::NoGuard => "The guard did not do what it is there for.".to_owned(),
    }
}

/// The window between a grant and the first request that shows its token to a storage: what would
/// have closed it.
fn window(run: &Explained<'_>, it: &Answered<'_>, newest: &Tenure) -> String {
    let storage = it.answer.storage;
    let token = newest.grant.token;
    if run.timeline.forgot_max_token(storage, newest.from, it.at) {
        return format!(
            "Announced at once, {token} would have been forgotten: max_token must last."
        );
    }
    if run.has_several_storages() {
        return "A token is heard only where it is shown: announce it everywhere at once."
            .to_owned();
    }
    let newer = run.client(newest.client);
    let mut so_far = run.timeline.between(newest.from, it.at);
    let cure = if so_far.any(|(_, event)| reader(event) == Some(newest.client)) {
        "announce before reading"
    } else {
        "announce or write at once"
    };
    let mut later = run.timeline.after(it.at).map(|(_, event)| event);
    let first = later.find(|event| hears(event, storage) == Some(token));
    let is_own = |request: &Request| request.seq() == Some(newest.grant.seq);
    if let Some(Event::Wrote(write)) = first
        && is_own(write)
    {
        format!("Storage first heard of {token} by {newer}'s write: {cure}.")
    } else if let Some(Event::Announced(announcement)) = first
        && is_own(announcement)
    {
        format!("Storage heard of {token} only later, when {newer} announced it: do so at once.")
    } else {
        format!("Storage had not heard of {token} yet: {cure}.")
    }
}
