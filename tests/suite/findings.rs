//! Every explanation of a verdict, from the steps that lead to it. The built-in scenarios' own are
//! in the golden files; here is each, in full, for scripts of one's own.

use fencing_demo::verdict::{Outcome, explain};
use fencing_demo::world::client::Condition;
use fencing_demo::world::event::{Answer, Answers, Event, Moment, Request};
use fencing_demo::world::grant::{Grant, GrantSeq, Token};
use fencing_demo::world::names::{NameCollector, STORAGE};
use fencing_demo::world::step::WriteMode;
use fencing_demo::world::storage_service::Fencing;

use crate::scripts::{fenced, tell};

/// Asserts the verdict and its explanation with fencing off.
#[track_caller]
pub fn off(script: &str, closing: &str) {
    assert_closing(Fencing::Off, script, closing);
}

/// Asserts the verdict and its explanation with fencing on.
#[track_caller]
pub fn on(script: &str, closing: &str) {
    assert_closing(Fencing::On, script, closing);
}

#[track_caller]
fn assert_closing(fencing: Fencing, script: &str, closing: &str) {
    let script = fenced(fencing, script);
    assert_eq!(tell(&script).closing(), closing);
    // With names as long as the book's, no line is longer than 80 characters.
    let longer = |step: &str| match step.as_bytes() {
        [client @ b'a'..=b'c', b' ' | b'\'', ..] => {
            format!("client{}{}", client - b'a' + 1, &step[1..])
        }
        _ => step.to_owned(),
    };
    let steps: Vec<String> = script.split([';', '\n']).map(longer).collect();
    for line in tell(&steps.join("\n")).closing().lines() {
        // What stands before the verdict, and below it.
        assert!("  >> ".len() + line.chars().count() <= 80, "{line}");
    }
}

/// a's lease expires, b is granted it, and writes.
const SUPERSEDED: &str = "a's lease expires;b acquires the lease;b writes 'b'";

#[test]
fn corrupted_by_a_zombie() {
    off(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a'"),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         Two clients each 'held' the lock; storage could not tell them apart.",
    );
    off(
        &format!("a acquires the lease;{SUPERSEDED};b releases the lease;a writes 'a'"),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         a still 'held' a lease that had moved on; storage could not tell.",
    );
    off(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a';b writes 'again'"),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         b overwrote it later; whoever read in between saw stale data.",
    );
    off(
        "a acquires the lease;a's lease expires;b acquires the lease;a writes '1';b writes 'b';\
         a writes '2'",
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         Without a guard, a new leaseholder's first write closes no window.",
    );
    off(
        &format!("a acquires the lease;{SUPERSEDED};storage forgets its max_token;a writes 'a'"),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         There was no max_token to forget: unfenced storage keeps none.",
    );
    off(
        &format!(
            "a acquires the lease;the lock service forgets its counter;{SUPERSEDED};a writes 'a'"
        ),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         No token was sent, so the forgotten counter made no difference.",
    );
    off(
        &format!("a acquires the lease;a cannot be powered off;{SUPERSEDED};a writes 'a'"),
        "CORRUPTED: a power-off of a got no answer, and the zombie wrote.\n\
         From outside, a silent node may be dead, paused, or only unreachable.",
    );
    off(
        &format!("a acquires the lease;a checks its lease;{SUPERSEDED};a writes 'a'"),
        "CORRUPTED: a's check passed, its lease expired, then it wrote.\n\
         However late the check, a pause still fits between it and the write.",
    );
    off(
        &format!(
            "a acquires the lease;a is suspended;{SUPERSEDED};a resumes;a checks its lease;a writes 'a'"
        ),
        "CORRUPTED: a's check passed: its timer slept through the expiry.\n\
         It asked its own memory, and its memory had missed the expiry.",
    );
    off(
        &format!(
            "a acquires the lease;a's clock runs slow;{SUPERSEDED};a checks its lease;a writes 'a'"
        ),
        "CORRUPTED: a's check passed, for its clock ran slow.\n\
         The lock service went by another clock, and granted the lease again.",
    );
    off(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a';a is powered off"),
        "CORRUPTED: a was powered off only after its stale write.\n\
         STONITH stops what is still to come. It takes nothing back.",
    );
    off(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a';a hears storage's answer"),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         Storage answered ACCEPTED: a heard it, and learned nothing.",
    );
    off(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a';c reads"),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         c read it: no token said that it was old.",
    );
    off(
        &format!("storages: s1, s2;a acquires the lease;{SUPERSEDED};a writes 'a'"),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         It reached s1 and s2; neither had a token to tell it by.",
    );
    off(
        &format!("storages: s1, s2, s3;a acquires the lease;{SUPERSEDED};a writes 'a'"),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         It reached 3 storages; none of them had a token to tell it by.",
    );
}

#[test]
fn corrupted_by_a_conditional_write_whose_client_had_read() {
    let reads = format!("{SUPERSEDED};a reads;a writes 'a' if unchanged");
    off(
        &format!("a acquires the lease;a reads;{reads}"),
        "CORRUPTED: the zombie read again, and then its condition was met.\n\
         That loses no update. A condition is met by reading again; a token is not.",
    );
    off(
        &format!("a acquires the lease;{reads}"),
        "CORRUPTED: the zombie read first, and then its condition was met.\n\
         That loses no update. A condition is met by reading again; a token is not.",
    );
}

#[test]
fn corrupted_by_a_read_repair() {
    let older = "CORRUPTED: c's read repair put an older grant's value over a newer's.";
    let superseded = "a's lease expires;b acquires the lease";
    on(
        &format!(
            "storages: s1, s2;tokens: 87, 34;a acquires the lease;a writes 'a' to s1;{superseded};\
             b writes 'b' to s2;c reads"
        ),
        &format!("{older}\nIt went by the tokens, 87 > 34: here the higher is not the newer."),
    );
    on(
        &format!(
            "storages: s1, s2;a acquires the lease;a writes 'a' to s1;{superseded};\
             b writes 'b' to s2 past the guard;c reads"
        ),
        &format!("{older}\nThe newer one had come past the guard: no token spoke for it."),
    );
    let last = "No token told the two apart, so it took the one that was taken last.";
    let two_stale =
        format!("a acquires the lease;{superseded};b writes 'b' to s1;a writes 'a' to s2;c reads");
    off(
        &format!("storages: s1, s2;{two_stale}"),
        &format!("{older}\n{last}"),
    );
    on(
        &format!("storages: s1, s2;tokens: 7, 7;{two_stale}"),
        &format!("{older}\n{last}"),
    );
    off(
        "storages: s1, s2;b acquires the lease;b writes 'b' to s1;a writes 'a' to s2;c reads",
        &format!("CORRUPTED: c's read repair put a leaseless value over one of a lease.\n{last}"),
    );
    // What is said of tokens is said of the two values, not of a third.
    on(
        "storages: s1, s2, s3;tokens: 7, 5, 7;a acquires the lease;a writes 'a1' to s1;\
         a's lease expires;b acquires the lease;b writes 'b' to s2;a writes 'a2' to s3;c reads",
        &format!("{older}\nIt went by the tokens, 7 > 5: here the higher is not the newer."),
    );
}

#[test]
fn corrupted_by_whoever_does_not_play_by_the_rules() {
    let every_path = "Fencing holds only if every path to the data checks the token.";
    on(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a' past the guard"),
        &format!("CORRUPTED: a's stale write took a path past the guard.\n{every_path}"),
    );
    on(
        "b acquires the lease;b writes 'b';a writes 'a' past the guard",
        &format!("CORRUPTED: a's leaseless write took a path past the guard.\n{every_path}"),
    );
    let numbers = "The guard compares numbers: it stops those who err, not those who lie.";
    on(
        "b acquires the lease;b writes 'b';a writes 'a' with token 99",
        &format!("CORRUPTED: a showed token 99, which it had never been granted.\n{numbers}"),
    );
    on(
        "a acquires the lease;a writes 'a';a releases the lease;a writes 'more' with token 33",
        &format!("CORRUPTED: a showed token 33, of a lease it no longer believed in.\n{numbers}"),
    );
    // Without a guard both are plain writes.
    off(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a' past the guard"),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         Two clients each 'held' the lock; storage could not tell them apart.",
    );
    off(
        "b acquires the lease;b writes 'b';a writes 'a' with token 99",
        "CORRUPTED: a wrote without a lease, over a write made under one.\n\
         A lock binds only those who choose to be bound by it.",
    );
}

#[test]
fn corrupted_by_a_delayed_packet() {
    off(
        &format!("a acquires the lease;a sends 'a';{SUPERSEDED};a's packet arrives"),
        "CORRUPTED: the delayed packet's stale write overwrote the live one.\n\
         It was sent under a lease since lost; storage had no token to tell by.",
    );
    off(
        "a acquires the lease;a sends 'a';a releases the lease;b acquires the lease;b writes 'b';\
         a's packet arrives",
        "CORRUPTED: a's delayed packet overwrote b's newer write.\n\
         No expiry was needed: a had released the lease in good order.",
    );
    off(
        "a acquires the lease;a sends '1';a's lease expires;a acquires the lease;a writes '2';\
         a's packet arrives",
        "CORRUPTED: a's own delayed packet overwrote its newer write.\n\
         The packet is of its earlier grant; storage could not tell them apart.",
    );
    off(
        &format!(
            "a acquires the lease;a sends 'a';a is powered off;{SUPERSEDED};a's packet arrives"
        ),
        "CORRUPTED: a was powered off in time; its packet outlived it.\n\
         STONITH stops the sender, not what the sender has already sent.",
    );
    off(
        &format!(
            "a acquires the lease;a sends 'a';{SUPERSEDED};a is powered off;a's packet arrives"
        ),
        "CORRUPTED: a was powered off; its packet outlived it.\n\
         STONITH stops the sender, not what the sender has already sent.",
    );
}

#[test]
fn corrupted_without_a_lease() {
    off(
        "b acquires the lease;b writes 'b';a writes 'a'",
        "CORRUPTED: a wrote without a lease, over a write made under one.\n\
         A lock binds only those who choose to be bound by it.",
    );
    off(
        "a sends 'a';b acquires the lease;b writes 'b';a's packet arrives",
        "CORRUPTED: a's leaseless packet overwrote a write made under a lease.\n\
         A lock binds only those who ask; unfenced storage asks nobody.",
    );
    off(
        "a acquires the lease;a releases the lease;b acquires the lease;b writes 'b';a writes 'a'",
        "CORRUPTED: a had given its lease back, and wrote all the same.\n\
         A lock binds only those who ask; unfenced storage asks nobody.",
    );
    off(
        &format!("a acquires the lease;{SUPERSEDED};a releases the lease;a writes 'a'"),
        "CORRUPTED: a had lost its lease, gave it up, and still wrote.\n\
         A lock binds only those who ask; unfenced storage asks nobody.",
    );
    for learns in ["a acquires the lease", "a checks its lease"] {
        off(
            &format!("b acquires the lease;b writes 'b';{learns};a writes 'a' with token 1"),
            "CORRUPTED: a knew that it had no lease, and wrote all the same.\n\
             A lock binds only those who choose to be bound by it.",
        );
    }
    // It was granted a lease only later, and never gave it back.
    off(
        "a sends 'x';a acquires the lease;a writes 'y';a's packet arrives",
        "CORRUPTED: a's leaseless packet overwrote a write made under a lease.\n\
         A lock binds only those who ask; unfenced storage asks nobody.",
    );
}

#[test]
fn corrupted_past_the_guard() {
    let ordered = format!("a acquires the lease;{SUPERSEDED};a writes 'a'");
    on(
        &format!("tokens: 87, 34;{ordered}"),
        "CORRUPTED: 87 > 34, yet 87 is the older grant: the zombie got in.\n\
         Unique is not ordered: tokens must grow with every grant.",
    );
    on(
        &format!("tokens: 87, 34;{ordered};b writes 'again'"),
        "CORRUPTED: 87 > 34, yet 87 is the older grant: the zombie got in.\n\
         Unique is not ordered: now the rightful leaseholder is REJECTED.",
    );
    on(
        &format!("tokens: 87, 34;a acquires the lease;a sends 'a';{SUPERSEDED};a's packet arrives"),
        "CORRUPTED: 87 > 34, yet 87 is the older grant: the late packet got in.\n\
         Unique is not ordered: tokens must grow with every grant.",
    );
    on(
        "a acquires the lease;a releases the lease;a acquires the lease;a pauses;a's lease expires;\
         the lock service forgets its counter;b acquires the lease;b writes 'b';a wakes;a writes 'a'",
        "CORRUPTED: 34 > 33, yet 34 is the older grant: the zombie got in.\n\
         The lock service forgot its counter: 'higher' is no longer 'later'.",
    );
    on(
        &format!("the lock service forgets its counter;tokens: 7, 7;{ordered}").replacen(
            "the lock service forgets its counter;",
            "",
            1,
        ),
        "CORRUPTED: two grants, one token: 7 is not lower than 7.\n\
         A token tells grants apart only if no other grant ever gets it.",
    );
    on(
        &format!(
            "a acquires the lease;the lock service forgets its counter;{SUPERSEDED};a writes 'a'"
        ),
        "CORRUPTED: two grants, one token: 33 is not lower than 33.\n\
         The lock service forgot its counter: 'higher' is no longer 'later'.",
    );
    on(
        &format!("a acquires the lease;{SUPERSEDED};storage forgets its max_token;a writes 'a'"),
        "CORRUPTED: storage forgot that it had seen 34, so token 33 passed.\n\
         max_token must outlive every write that may still arrive.",
    );
    on(
        "tokens: 33, 33;a acquires the lease;a sends 'old';a's lease expires;a acquires the lease;\
         a writes 'new';a's packet arrives",
        "CORRUPTED: two grants, one token: 33 is not lower than 33.\n\
         A new grant needs a new token, even if its owner is the same.",
    );
    on(
        "tokens: 87, 34;a acquires the lease;the lock service forgets its holder;\
         b acquires the lease;b writes 'b';a writes 'a'",
        "CORRUPTED: 87 > 34, yet 87 is the older grant: a's write got in.\n\
         Unique is not ordered: tokens must grow with every grant.",
    );
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;b writes 'b' past the guard;\
         a writes 'a'",
        "CORRUPTED: b's newer write had not shown storage its token, 34.\n\
         A guard knows only the tokens that it was shown.",
    );
    on(
        &format!(
            "storages: s1, s2;a acquires the lease;{SUPERSEDED};s2 forgets its max_token;a writes 'a'"
        ),
        "CORRUPTED: s2 forgot that it had seen 34, so token 33 passed.\n\
         max_token must outlive every write that may still arrive.",
    );
}

#[test]
fn corrupted_by_a_guard_that_does_not_guard() {
    // No script comes to this, unless the guard is broken.
    let mut names = NameCollector::default();
    let [a, b] = ["a", "b"].map(|name| names.client(name));
    let data = names.data("x");
    let storage = names.storage(STORAGE).unwrap();
    let grant = |order, token| Grant {
        seq: GrantSeq::after(order),
        token: Token(token),
    };
    let wrote = |client, grant: Grant, newest_accepted, at| {
        Event::Wrote(Request {
            client,
            data: Some(data),
            mode: WriteMode::Plain,
            grant: Some(grant),
            token: Some(grant.token),
            left: Moment::at(at),
            newest: Some(GrantSeq::after(1)),
            holder: Some(b),
            answers: Answers::One(Answer {
                storage,
                outcome: Ok(()),
                max_token: Some(Token(34)),
                held: None,
                newest_accepted,
                look: None,
                lost: None,
            }),
        })
    };
    let granted = |client, grant| Event::Granted { client, grant };
    let was = Some(Token(1));
    let events = [
        Event::MaxTokenForgotten { storage, was },
        granted(a, grant(0, 33)),
        Event::LeaseExpired {
            client: a,
            condition: Condition::Running,
        },
        granted(b, grant(1, 34)),
        wrote(b, grant(1, 34), None, 4),
        wrote(a, grant(0, 33), Some(GrantSeq::after(1)), 5),
    ];
    let explanation = explain(Fencing::On, &names.into_names(), &events);
    assert_eq!(explanation.outcome, Outcome::Corrupted);
    assert_eq!(
        explanation.because,
        "token 33 < 34, and storage accepted it all the same."
    );
}

#[test]
fn corrupted_by_a_lock_service_that_forgot_the_lease() {
    off(
        "a acquires the lease;the lock service forgets its holder;b acquires the lease;b writes 'b';\
         a checks its lease;a writes 'a'",
        "CORRUPTED: the lock service forgot a and granted the lease again.\n\
         a's lease had not expired: no check of its own could have failed.",
    );
}

#[test]
fn safe_but_the_rightful_leaseholder_was_rejected() {
    on(
        "tokens: 87, 34;a acquires the lease;a writes 'a';a's lease expires;b acquires the lease;\
         b writes 'b'",
        "SAFE: but b, the rightful leaseholder, was shut out: 34 < 87.\n\
         34 was granted after 87: the guard took the newer for the older.",
    );
    on(
        "tokens: 87, 34;a acquires the lease;a writes 'a';a's lease expires;b acquires the lease;\
         b announces its token",
        "SAFE: but b, the rightful leaseholder, was shut out: 34 < 87.\n\
         34 was granted after 87: the guard took the newer for the older.",
    );
    on(
        "c writes 'c' with token 99;a acquires the lease;a writes 'a'",
        "SAFE: but a, the rightful leaseholder, was shut out: 33 < 99.\n\
         99 had not been granted: the guard believes whoever shows more.",
    );
    on(
        "storages: s1, s2;c writes 'c' to s2 with token 99;a acquires the lease;a writes 'a'",
        "SAFE: but s2 shut out a, the rightful leaseholder: 33 < 99.\n\
         99 had not been granted: the guard believes whoever shows more.",
    );
}

#[test]
fn safe_but_a_stale_write_got_in() {
    let window = "a acquires the lease;a's lease expires;b acquires the lease;a writes 'a'";
    on(
        window,
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage had not heard of 34 yet: announce or write at once.",
    );
    on(
        &format!("{window};b writes 'b';a writes 'late'"),
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage first heard of 34 by b's write: announce or write at once.",
    );
    on(
        &format!("{window};b announces its token;b writes 'b'"),
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage heard of 34 only later, when b announced it: do so at once.",
    );
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;b releases the lease;a writes 'a'",
        "SAFE: but token 33 got in after the lease went to b.\n\
         Storage had not heard of 34 yet: announce or write at once.",
    );
    off(
        &format!("{window};b writes 'b'"),
        "SAFE: but a stale write got in while b held the lease.\n\
         No write under a newer grant had got in yet: mere luck.",
    );
    off(
        "b acquires the lease;a writes 'a';b writes 'b'",
        "SAFE: but a leaseless write got in while b held the lease.\n\
         No write under a lease had got in yet: mere luck.",
    );
    let announced =
        "a acquires the lease;a's lease expires;b acquires the lease;b announces its token";
    on(
        &format!("tokens: 87, 34;{announced};a writes 'a'"),
        "SAFE: but token 87 got in while b already held the lease.\n\
         Unique is not ordered: tokens must grow with every grant.",
    );
    on(
        &format!("tokens: 7, 7;{announced};a writes 'a'"),
        "SAFE: but token 7 got in while b already held the lease.\n\
         A token tells grants apart only if no other grant ever gets it.",
    );
    on(
        &format!("{announced};storage forgets its max_token;a writes 'a'"),
        "SAFE: but token 33 got in while b already held the lease.\n\
         max_token must outlive every write that may still arrive.",
    );
}

#[test]
fn safe_but_a_stale_write_got_in_for_want_of_good_advice() {
    let reads = "a acquires the lease;a's lease expires;b acquires the lease;b reads;a writes 'a'";
    on(
        &format!("{reads};b reads;b writes 'b'"),
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage first heard of 34 by b's write: announce before reading.",
    );
    on(
        reads,
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage had not heard of 34 yet: announce before reading.",
    );
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;storage forgets its max_token;\
         a writes 'a'",
        "SAFE: but token 33 got in while b already held the lease.\n\
         Announced at once, 34 would have been forgotten: max_token must last.",
    );
    on(
        "b reads;a acquires the lease;a's lease expires;a writes 'a1';b acquires the lease;\
         b writes 'b' if unchanged;a writes 'a2'",
        "SAFE: but token 33 got in while b already held the lease.\n\
         b's rejected write left no token behind: announce it first.",
    );
    on(
        "tokens: 33, 33;a acquires the lease;a sends 'a';a's lease expires;a acquires the lease;\
         a's packet arrives",
        "SAFE: but token 33 got in while a already held a newer lease.\n\
         A new grant needs a new token, even if its owner is the same.",
    );
    on(
        "a acquires the lease;a's lease expires;the lock service forgets its counter;\
         b acquires the lease;a writes 'a'",
        "SAFE: but token 33 got in while b already held the lease.\n\
         The lock service forgot its counter: 'higher' is no longer 'later'.",
    );
    on(
        "tokens: 87, 34, 34;a acquires the lease;a's lease expires;b acquires the lease;a writes 'a';\
         b's lease expires;c acquires the lease",
        "SAFE: but token 87 got in while b already held the lease.\n\
         'Higher' is not 'later': tokens must grow with every grant.",
    );
    let every_path = "Fencing holds only if every path to the data checks the token.";
    on(
        "b acquires the lease;a writes 'a' past the guard",
        &format!("SAFE: but a write past the guard got in while b held the lease.\n{every_path}"),
    );
    on(
        "b acquires the lease;b releases the lease;a writes 'a' past the guard",
        &format!(
            "SAFE: but a write past the guard got in after the lease went to b.\n{every_path}"
        ),
    );
    let numbers = "The guard compares numbers: it stops those who err, not those who lie.";
    on(
        "b acquires the lease;a writes 'a' with token 1",
        &format!("SAFE: but forged token 1 got in while b already held the lease.\n{numbers}"),
    );
    on(
        "a acquires the lease;a releases the lease;a writes 'a' with token 33",
        &format!("SAFE: but token 33 got in after a had held the lease.\n{numbers}"),
    );
}

#[test]
fn safe_but_a_stale_write_got_in_at_one_of_several_storages() {
    let window = "storages: s1, s2;a acquires the lease;a's lease expires;b acquires the lease;\
                  b writes 'b' to s1";
    on(
        &format!("{window};a writes 'a'"),
        "SAFE: but token 33 got in at s2, which had not heard of 34.\n\
         A token is heard only where it is shown: announce it everywhere at once.",
    );
    on(
        &format!("{window};s2 forgets its max_token;a writes 'a'"),
        "SAFE: but token 33 got in at s2, which had not heard of 34.\n\
         Announced at once, 34 would have been forgotten: max_token must last.",
    );
    on(
        &format!("{window};b announces its token;s2 forgets its max_token;a writes 'a'"),
        "SAFE: but token 33 got in at s2 after b's grant.\n\
         max_token must outlive every write that may still arrive.",
    );
    on(
        &format!("{window};a writes 'a' to s2 past the guard"),
        "SAFE: but a write past the guard got in at s2 after b's grant.\n\
         Fencing holds only if every path to the data checks the token.",
    );
    off(
        &format!("{window};a writes 'a' to s2"),
        "SAFE: but a stale write got in at s2 after b's grant.\n\
         No write under a newer grant had got in there yet: mere luck.",
    );
    off(
        "storages: s1, s2;a acquires the lease;a sends 'a';a's lease expires;a acquires the lease;\
         a's packet arrives",
        "SAFE: but a late packet got in at s1 after a newer grant.\n\
         No write under a newer grant had got in there yet: mere luck.",
    );
    off(
        "storages: s1, s2;b acquires the lease;b writes 'b' to s1;a writes 'a' to s2",
        "SAFE: but a leaseless write got in at s2 after b's grant.\n\
         No write under a lease had got in there yet: mere luck.",
    );
    // A leaseless write is not older than the grant of its own client.
    off(
        "storages: s1, s2;a acquires the lease;a releases the lease;a writes 'a' to s2",
        "SAFE: but a leaseless write got in at s2 after a's grant.\n\
         No write under a lease had got in there yet: mere luck.",
    );
}

#[test]
fn safe_but_a_reader_repaired_what_was_stale() {
    on(
        "storages: s1, s2;a acquires the lease;a's lease expires;b acquires the lease;\
         b writes 'b' to s1;a writes 'a' to s2;c reads",
        "SAFE: but token 33 got in at s2, which had not heard of 34.\n\
         c asked s1 too, preferred 34 > 33, and repaired s2.",
    );
    on(
        "storages: s1, s2;a acquires the lease;a's lease expires;b acquires the lease;\
         b writes 'b' to s1;b announces its token to s2;s2 forgets its max_token;\
         a writes 'a' to s2;c reads",
        "SAFE: but token 33 got in at s2 after b's grant.\n\
         c asked s1 too, preferred 34 > 33, and repaired s2.",
    );
}

#[test]
fn safe_but_an_update_was_lost() {
    let would_reject = "Had b written only if unchanged, storage would have rejected that.";
    off(
        "b reads;a writes 'a';b writes 'b'",
        &format!("SAFE: but b overwrote 'a' without reading it.\n{would_reject}"),
    );
    off(
        "a writes 'a';b reads;a writes 'a';b writes 'b'",
        &format!("SAFE: but b overwrote 'a' without looking again.\n{would_reject}"),
    );
    off(
        "storages: s1, s2;b reads;a writes 'a';b writes 'b' to s2",
        "SAFE: but b overwrote 'a' unread at s2.\n\
         Had b written only if unchanged, s2 would have rejected that.",
    );
    let old_picture = "b reads;a writes 'a';b acquires the lease;b writes 'b'";
    off(
        old_picture,
        "SAFE: but b overwrote 'a' without reading it.\n\
         A new lease makes no old picture new: read again after acquiring.",
    );
    let window = "a acquires the lease;a's lease expires;b acquires the lease;b reads;a writes 'a';\
                  b writes 'b'";
    on(
        window,
        "SAFE: but b overwrote 'a' without reading it.\n\
         Announce or write first, then read: token 33 would have been too late.",
    );
    off(
        window,
        &format!("SAFE: but b overwrote 'a' without reading it.\n{would_reject}"),
    );
    on(
        "a acquires the lease;b reads;a writes 'a';a's lease expires;b acquires the lease;b writes 'b'",
        "SAFE: but b overwrote 'a' without reading it.\n\
         A new token makes no old picture new: read again after acquiring.",
    );
    // Whoever has never read has no picture that could be old, and a condition loses nothing.
    off(
        "b writes 'b1';a writes 'a';b writes 'b2'",
        "SAFE: no lease was ever granted, so none was broken.\n\
         The writes came without one; the verdict says nothing of that.",
    );
}

#[test]
fn safe_for_something_had_changed() {
    off(
        "b reads;a writes 'a';b writes 'b' if unchanged",
        "SAFE: b wrote only if unchanged, and storage had changed since.\n\
         One storage that can compare and set needs no token for this.",
    );
    off(
        "storages: s1, s2;b reads;a writes 'a' to s1;b writes 'b' if unchanged",
        "SAFE: b wrote only if unchanged, and s1 had changed since.\n\
         Each storage checks its own condition; one token would serve them all.",
    );
    on(
        "b reads;a acquires the lease;a writes 'a';a releases the lease;b acquires the lease;\
         b writes 'b' if unchanged",
        "SAFE: b wrote only if unchanged, and storage had changed since.\n\
         The guard let it pass: a token does not say what its owner has read.",
    );
}

#[test]
fn safe_but_a_late_packet_undid_a_newer_write_of_its_own_grant() {
    let script = "a acquires the lease;a sends 'v1';a writes 'v2';a's packet arrives";
    on(
        script,
        "SAFE: but a's delayed packet undid a newer write of its own.\n\
         Both carry token 33: a fencing token cannot order one grant's writes.",
    );
    off(
        script,
        "SAFE: but a's delayed packet undid a newer write of its own.\n\
         Both are of one grant: a fencing token would not order them.",
    );
    on(
        "a acquires the lease;a sends 'v1';a sends 'v2';a's packet 'v2' arrives;a's packet arrives",
        "SAFE: but a's delayed packet undid a newer write of its own.\n\
         Both carry token 33: a fencing token cannot order one grant's writes.",
    );
    // The same data twice undo nothing, and neither do packets in their order.
    let nothing = "SAFE: no write came after one under a newer grant.";
    on(
        "a acquires the lease;a sends 'v';a writes 'v';a's packet arrives",
        nothing,
    );
    on(
        "a acquires the lease;a sends 'v1';a sends 'v2';a's packet arrives;a's packet arrives",
        nothing,
    );
    // Data that came past the guard show no token.
    on(
        "a acquires the lease;a sends 'v1';a writes 'v2' past the guard;a's packet arrives",
        "SAFE: but a's delayed packet undid a newer write of its own.\n\
         Both are of one grant: a fencing token would not order them.",
    );
}

#[test]
fn safe_for_a_stale_write_was_rejected() {
    on(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a'"),
        "SAFE: token 33 < 34, so the zombie's write bounced off the guard.\n\
         No error on a's side was needed; the RESOURCE said no.",
    );
    for asks in ["a renews the lease", "a acquires the lease"] {
        on(
            &format!("a acquires the lease;{SUPERSEDED};a writes 'a';{asks}"),
            "SAFE: token 33 < 34 protected storage; a believed until it asked.\n\
             Fencing makes split brain harmless at the resource. It does not end it.",
        );
    }
    on(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a';c renews the lease"),
        "SAFE: token 33 < 34, so the zombie's write bounced off the guard.\n\
         No error on a's side was needed; the RESOURCE said no.",
    );
    on(
        &format!("a acquires the lease;a checks its lease;{SUPERSEDED};a writes 'a'"),
        "SAFE: a's own check let the write go; storage's did not: 33 < 34.\n\
         The guard belongs where the write lands, not where it sets out.",
    );
    on(
        &format!("a acquires the lease;a cannot be powered off;{SUPERSEDED};a writes 'a'"),
        "SAFE: a power-off of a got no answer; token 33 < 34 stopped it.\n\
         The guard need not reach the zombie: the zombie's write comes to it.",
    );
    on(
        &format!("a acquires the lease;a sends 'a';{SUPERSEDED};a's packet arrives"),
        "SAFE: the guard is on the TOKEN, not on who is 'current' --\n\
         an old-enough token loses no matter when its packet shows up.",
    );
    on(
        &format!(
            "a acquires the lease;a sends 'a';a is powered off;{SUPERSEDED};a's packet arrives"
        ),
        "SAFE: a's packet outlived it, but token 33 < 34: REJECTED.\n\
         STONITH stopped the sender; the guard stopped what it had sent.",
    );
    on(
        "a acquires the lease;a sends 'a';a releases the lease;b acquires the lease;b writes 'b';\
         a's packet arrives",
        "SAFE: token 33 < 34: a lease given back leaves an old token behind.\n\
         The guard does not ask why a packet is late, only which token it carries.",
    );
    on(
        "b acquires the lease;a writes 'a'",
        "SAFE: a's write came without a token, and was REJECTED.\n\
         It had no lease, and so no token to show.",
    );
}

#[test]
fn safe_for_a_stale_write_was_rejected_whatever_led_to_it() {
    on(
        "a acquires the lease;a releases the lease;b acquires the lease;a writes 'a'",
        "SAFE: a's write came without a token, and was REJECTED.\n\
         It had given its lease back, and its token with it.",
    );
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;a releases the lease;a writes 'a'",
        "SAFE: a's write came without a token, and was REJECTED.\n\
         It had given up its lease, and its token with it.",
    );
    on(
        &format!("a acquires the lease;{SUPERSEDED};c writes 'c' with token 20"),
        "SAFE: the token that c chose to show was too low: 20 < 34.\n\
         A higher one would have passed: the guard compares numbers, no more.",
    );
    on(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a';a is powered off"),
        "SAFE: token 33 < 34 stopped a before its power-off did.\n\
         STONITH came only afterwards; the guard stands where the write lands.",
    );
    on(
        "a acquires the lease;the lock service forgets its holder;b acquires the lease;b writes 'b';\
         a writes 'a'",
        "SAFE: token 33 < 34, so a's write bounced off the guard.\n\
         The lock service had broken its promise; the token saved the data.",
    );
    let heard = format!("a acquires the lease;{SUPERSEDED};a writes 'a';a hears storage's answer");
    on(
        &heard,
        "SAFE: token 33 < 34 turned a away, and it heard the answer.\n\
         An answer can be lost like any packet: the guard does not count on it.",
    );
    on(
        &format!("{heard};a writes 'more'"),
        "SAFE: token 33 < 34 turned a away; it heard, and held back the rest.\n\
         An answer can be lost like any packet: the guard does not count on it.",
    );
    let conditional = format!("{SUPERSEDED};a writes 'a' if unchanged");
    on(
        &format!("a acquires the lease;a reads;{conditional}"),
        "SAFE: token 33 < 34, so the zombie's write bounced off the guard.\n\
         The guard answered first; the condition would have turned it away too.",
    );
    on(
        &format!("a acquires the lease;a reads;{conditional};a reads;a writes 'a' if unchanged"),
        "SAFE: token 33 < 34 turned a away, also after it had read again.\n\
         A condition can be met by reading again. A token stays as old as it is.",
    );
    let announced =
        "a acquires the lease;a's lease expires;b acquires the lease;b announces its token";
    for late in ["a writes 'a'", "a sends 'a';a's packet arrives"] {
        on(
            &format!("{announced};{late};b writes 'b'"),
            "SAFE: b announced 34 before it wrote: token 33 came too late.\n\
             Announced at once, a token closes the window before the first write.",
        );
        on(
            &format!("{announced};{late}"),
            "SAFE: b announced 34: token 33 came too late.\n\
             Announced at once, a token closes the window before the first write.",
        );
    }
}

#[test]
fn safe_so_far() {
    on(
        "a acquires the lease;a sends 'a';a writes 'b'",
        "SAFE: so far. a's packet (token 33) is still in flight.",
    );
    on(
        "a sends 'a'",
        "SAFE: so far. a's packet (no token) is still in flight.",
    );
    off(
        "b sends 'b';a sends 'a'",
        "SAFE: so far. b's packet is still in flight.",
    );
}

#[test]
fn safe_for_nothing_was_sent() {
    let superseded = format!("a acquires the lease;{SUPERSEDED}");
    let held_back = "SAFE: a knew that it had no lease, and held its write back.";
    for asks in ["a renews the lease", "a acquires the lease"] {
        off(
            &format!("{superseded};{asks};a writes 'a'"),
            &format!(
                "{held_back}\n\
                 It had asked the lock service, which had refused it."
            ),
        );
    }
    off(
        &format!("{superseded};a checks its lease;a sends 'a'"),
        &format!(
            "{held_back}\n\
             Its own check had told it. Between a check and a write a pause still fits."
        ),
    );
    let in_time = format!("a acquires the lease;a is powered off;{SUPERSEDED};a writes 'a'");
    off(
        &in_time,
        "SAFE: a was powered off before the lease was granted to b.\n\
         Its stale write was never sent; storage itself checked nothing.",
    );
    on(
        &in_time,
        "SAFE: a was powered off before the lease was granted to b.\n\
         Its stale write was never sent, so the guard never saw it.",
    );
    off(
        &format!("{superseded};a is powered off;a writes 'a'"),
        "SAFE: a was powered off before its next write.\n\
         Its stale write was never sent; storage itself checked nothing.",
    );
    on(
        "a acquires the lease;a is powered off;a sends 'a'",
        "SAFE: every client is powered off, and nobody is left to write.\n\
         Nothing bad can happen any more, and nothing good: safety is not liveness.",
    );
    on(
        "b pauses;a acquires the lease;a is powered off;a sends 'a'",
        "SAFE: a was powered off before its next write.\n\
         Its write was never sent, so the guard never saw it.",
    );
    // It had a lease that had expired, and nobody was granted it since.
    on(
        "c writes 'c' with token 99;a acquires the lease;a's lease expires;a writes 'a';\
         a hears storage's answer;a writes 'more'",
        &format!(
            "{held_back}\n\
             Storage's answer had told it. An answer can be lost like any packet."
        ),
    );
    // It holds the lease, and gave it up for a token that it should not have shown.
    on(
        "c writes 'c' with token 99;a acquires the lease;a writes 'a' with token 34;\
         a hears storage's answer;a writes 'more'",
        "SAFE: a took its lease for lost, and held its write back.\n\
         Storage had rejected the token that it showed; the lease was still its own.",
    );
}

#[test]
fn safe_for_want_of_a_successor() {
    off(
        "a acquires the lease;a's lease expires;a writes 'a'",
        "SAFE: a wrote after its lease expired; no one else had it yet.",
    );
    on(
        "a acquires the lease;a sends 'a';a's lease expires;a's packet arrives",
        "SAFE: a's packet came while nobody else had the lease yet.",
    );
    let successor = "a acquires the lease;a sends 'a';a's lease expires;a's packet arrives;\
                     b acquires the lease;b writes 'b'";
    off(
        successor,
        "SAFE: a's packet came while nobody else had the lease yet.\n\
         Had it come after b's write, nothing would have stopped it.",
    );
    on(
        successor,
        "SAFE: a's packet came while nobody else had the lease yet.",
    );
}

#[test]
fn safe_without_any_lease() {
    off(
        "a writes 'a';b writes 'b'",
        "SAFE: no lease was ever granted, so none was broken.\n\
         The writes came without one; the verdict says nothing of that.",
    );
    on(
        "a pauses",
        "SAFE: no lease was ever granted, and nothing was written.",
    );
}

#[test]
fn safe_for_nothing_stale_was_tried() {
    let nothing = "SAFE: no write came after one under a newer grant.";
    on("a acquires the lease;a writes '1';a writes '2'", nothing);
    off(
        "a acquires the lease;a writes '1';a releases the lease;b acquires the lease;b writes '2'",
        nothing,
    );
}

#[test]
fn what_is_said_of_the_guard_is_so() {
    // Storage heard of a newer grant, the third, after it had forgotten the second one's token.
    on(
        "tokens: 33, 34, 10;a acquires the lease;a's lease expires;b acquires the lease;b writes 'b';\
         storage forgets its max_token;b's lease expires;c acquires the lease;c announces its token;\
         a writes 'a'",
        "CORRUPTED: storage forgot that it had seen 34, so token 33 passed.\n\
         max_token must outlive every write that may still arrive.",
    );
    // Writing at once would not help against a token that is not lower.
    let window = "a acquires the lease;a's lease expires;b acquires the lease;a writes 'a'";
    on(
        &format!("tokens: 87, 34;{window}"),
        "SAFE: but token 87 got in while b already held the lease.\n\
         Unique is not ordered: tokens must grow with every grant.",
    );
    on(
        &format!("tokens: 33, 33;{window};b writes 'b'"),
        "SAFE: but token 33 got in while b already held the lease.\n\
         A token tells grants apart only if no other grant ever gets it.",
    );
    // The first write under a token is not that of another grant with the same token.
    on(
        "tokens: 33, 34, 34;a acquires the lease;a's lease expires;b acquires the lease;a writes 'a';\
         b's lease expires;c acquires the lease;c writes 'c'",
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage had not heard of 34 yet: announce or write at once.",
    );
    // A counter that was forgotten after both grants explains nothing.
    on(
        "tokens: 7, 7;a acquires the lease;a's lease expires;b acquires the lease;\
         the lock service forgets its counter;b writes 'b';a writes 'a'",
        "CORRUPTED: two grants, one token: 7 is not lower than 7.\n\
         A token tells grants apart only if no other grant ever gets it.",
    );
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;b's lease expires;\
         the lock service forgets its counter;c acquires the lease;c writes 'c';b writes 'b';c writes 'd'",
        "CORRUPTED: 34 > 33, yet 34 is the older grant: the zombie got in.\n\
         'Higher' is not 'later': the rightful leaseholder is REJECTED.",
    );
}

#[test]
fn what_is_said_of_a_client_s_own_packets_is_so() {
    off(
        "a sends 'x';a acquires the lease;a's packet arrives",
        "SAFE: but a leaseless packet got in while a held the lease.\n\
         No write under a lease had got in yet: mere luck.",
    );
    on(
        "a sends 'x';a acquires the lease;a's packet arrives",
        "SAFE: a's packet came without a token, and was REJECTED.\n\
         It had been sent without a lease, so it had no token to show.",
    );
    off(
        "a acquires the lease;a releases the lease;a writes 'x'",
        "SAFE: but a leaseless write got in after a had held the lease.\n\
         No write under a lease had got in yet: mere luck.",
    );
    off(
        "a acquires the lease;a sends '1';a writes '2';a's lease expires;b acquires the lease;\
         a's packet arrives",
        "SAFE: but a late packet got in while b held the lease.\n\
         No write under a newer grant had got in yet: mere luck.",
    );
    on(
        "a acquires the lease;a sends '1';a releases the lease;a acquires the lease;\
         a releases the lease;a's packet arrives",
        "SAFE: but token 33 got in after a had held a newer lease.\n\
         Storage had not heard of 34 yet: announce or write at once.",
    );
    off(
        &format!("a acquires the lease;{SUPERSEDED};a sends 'a';a's packet arrives"),
        "CORRUPTED: the delayed packet's stale write overwrote the live one.\n\
         It was sent under a lease lost before; storage had no token to tell by.",
    );
}

#[test]
fn what_is_said_of_a_client_s_belief_is_so() {
    let rejected = format!("a acquires the lease;{SUPERSEDED};a writes 'a'");
    let bounced = "SAFE: token 33 < 34, so the zombie's write bounced off the guard.\n\
                   No error on a's side was needed; the RESOURCE said no.";
    // It knew by its own check, or no longer believed, or believed in a later lease, when it asked.
    on(
        &format!("{rejected};a is suspended;a resumes;a renews the lease")
            .replace("a renews", "a checks its lease;a renews"),
        bounced,
    );
    on(
        &format!("{rejected};a releases the lease;a renews the lease"),
        bounced,
    );
    on(
        &format!(
            "{rejected};b releases the lease;a acquires the lease;a's lease expires;\
             a renews the lease"
        ),
        bounced,
    );
    // After a release of nothing, it still knows what it had learned before.
    off(
        &format!(
            "a acquires the lease;{SUPERSEDED};a renews the lease;a releases the lease;\
             a checks its lease;a writes 'a'"
        ),
        "SAFE: a knew that it had no lease, and held its write back.\n\
         It had asked the lock service, which had refused it.",
    );
}

#[test]
fn what_belongs_to_another_lease_or_write_explains_nothing() {
    let two_holders = "CORRUPTED: the zombie's stale write overwrote the live one.\n\
                       Two clients each 'held' the lock; storage could not tell them apart.";
    // A check that passed under an earlier lease; a counter that was forgotten after both grants;
    // a write of the zombie's own after the one that corrupted.
    off(
        &format!(
            "a acquires the lease;a checks its lease;a releases the lease;a acquires the lease;\
             {SUPERSEDED};a writes 'a'"
        ),
        two_holders,
    );
    off(
        &format!(
            "a acquires the lease;{SUPERSEDED};the lock service forgets its counter;a writes 'a'"
        ),
        two_holders,
    );
    off(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a';a writes 'again'"),
        two_holders,
    );
    // What it had learned under an earlier lease.
    off(
        &format!(
            "b acquires the lease;a acquires the lease;b releases the lease;a acquires the lease;\
             {SUPERSEDED};a checks its lease;a writes 'a'"
        ),
        "SAFE: a knew that it had no lease, and held its write back.\n\
         Its own check had told it. Between a check and a write a pause still fits.",
    );
    // A check that failed only because it knew already.
    off(
        &format!(
            "a acquires the lease;{SUPERSEDED};a renews the lease;a checks its lease;a writes 'a'"
        ),
        "SAFE: a knew that it had no lease, and held its write back.\n\
         It had asked the lock service, which had refused it.",
    );
    // A write that storage rejected cannot be undone.
    on(
        "tokens: 87, 34;a acquires the lease;a writes 'a';a's lease expires;b acquires the lease;\
         b sends 'v1';b's lease expires;b writes 'v2';storage forgets its max_token;\
         b's packet arrives",
        "SAFE: b's packet came while nobody else had the lease yet.",
    );
    // Announcements are no writes.
    let nothing = "SAFE: no write came after one under a newer grant.";
    off(
        "a acquires the lease;a is powered off;a announces its token",
        nothing,
    );
    off(
        "a acquires the lease;b acquires the lease;b announces its token",
        nothing,
    );
}

#[test]
fn what_was_overwritten_is_called_live_only_if_it_was() {
    let stale_twice = "a acquires the lease;a sends 'x';a's lease expires;b acquires the lease;\
                       b's lease expires;c acquires the lease;b writes 'b'";
    off(
        &format!("{stale_twice};a writes 'a'").replace("a sends 'x';", ""),
        "CORRUPTED: the zombie's stale write overwrote one of a newer grant.\n\
         Two clients each 'held' the lock; storage could not tell them apart.",
    );
    off(
        &format!("{stale_twice};a's packet arrives"),
        "CORRUPTED: the delayed packet overwrote a write of a newer grant.\n\
         It was sent under a lease since lost; storage had no token to tell by.",
    );
    // Its client's lease had expired by then, or another write of the same grant was live.
    let live_first = "a acquires the lease;a's lease expires;b acquires the lease;b writes 'b1'";
    off(
        &format!("{live_first};b's lease expires;c acquires the lease;b writes 'b2';a writes 'a'"),
        "CORRUPTED: the zombie's stale write overwrote one of a newer grant.\n\
         Two clients each 'held' the lock; storage could not tell them apart.",
    );
    off(
        "a acquires the lease;a's lease expires;b acquires the lease;b's lease expires;b writes 'b';\
         a writes 'a'",
        "CORRUPTED: the zombie's stale write overwrote one of a newer grant.\n\
         a still 'held' a lease that had moved on; storage could not tell.",
    );
    // The power-off came after another had been granted the lease, though not the one overwritten.
    off(
        "a acquires the lease;a sends 'x';a's lease expires;b acquires the lease;a is powered off;\
         b's lease expires;c acquires the lease;c writes 'c';a's packet arrives",
        "CORRUPTED: a was powered off; its packet outlived it.\n\
         STONITH stops the sender, not what the sender has already sent.",
    );
}

#[test]
fn tokens_are_called_unique_only_if_they_are() {
    let first = "a acquires the lease;a releases the lease";
    on(
        &format!("tokens: 87, 87, 34;{first};a acquires the lease;{SUPERSEDED};a writes 'a'"),
        "CORRUPTED: 87 > 34, yet 87 is the older grant: the zombie got in.\n\
         'Higher' is not 'later': tokens must grow with every grant.",
    );
    on(
        &format!("tokens: 86, 87, 34;{first};a acquires the lease;{SUPERSEDED};a writes 'a'"),
        "CORRUPTED: 87 > 34, yet 87 is the older grant: the zombie got in.\n\
         Unique is not ordered: tokens must grow with every grant.",
    );
}

#[test]
fn what_holds_all_the_same_explains() {
    let stale = "CORRUPTED: the zombie's stale write overwrote the live one.";
    off(
        &format!(
            "a acquires the lease;{SUPERSEDED};b's lease expires;a writes 'a';c acquires the lease;\
             c writes 'c'"
        ),
        &format!("{stale}\nc overwrote it later; whoever read in between saw stale data."),
    );
    // No answer to the power-off, and a check that passed: the first of the two.
    off(
        &format!(
            "a acquires the lease;a checks its lease;a cannot be powered off;{SUPERSEDED};\
             a writes 'a'"
        ),
        "CORRUPTED: a power-off of a got no answer, and the zombie wrote.\n\
         From outside, a silent node may be dead, paused, or only unreachable.",
    );
    off(
        "a acquires the lease;the lock service forgets its holder;b acquires the lease;b writes 'b';\
         a releases the lease;a writes 'a'",
        "CORRUPTED: a had lost its lease, gave it up, and still wrote.\n\
         A lock binds only those who ask; unfenced storage asks nobody.",
    );
    // Storage restarted twice, the second time with nothing left to forget.
    on(
        &format!(
            "a acquires the lease;{SUPERSEDED};storage forgets its max_token;\
             storage forgets its max_token;a writes 'a'"
        ),
        "CORRUPTED: storage forgot that it had seen 34, so token 33 passed.\n\
         max_token must outlive every write that may still arrive.",
    );
    // Storage knew the zombie's token, but not the newer one.
    on(
        "a acquires the lease;a writes '1';a's lease expires;b acquires the lease;a writes '2'",
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage had not heard of 34 yet: announce or write at once.",
    );
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;b's lease expires;a writes 'a'",
        "SAFE: but token 33 got in after the lease went to b.\n\
         Storage had not heard of 34 yet: announce or write at once.",
    );
    off(
        "b acquires the lease;a is powered off;a writes 'a'",
        "SAFE: a was powered off before its next write.\n\
         Its write was never sent; storage itself checked nothing.",
    );
    // Not the first client's packet, but the one sent first.
    off(
        "a pauses;a wakes;b sends 'b';a sends 'a'",
        "SAFE: so far. b's packet is still in flight.",
    );
}

#[test]
fn the_first_kind_explains_not_the_first_event() {
    // Rejected first, but a packet that undid a write of its own grant stands higher.
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;b sends 'v1';b writes 'v2';\
         a writes 'a';b's packet arrives;c sends 'c'",
        "SAFE: but b's delayed packet undid a newer write of its own.\n\
         Both carry token 34: a fencing token cannot order one grant's writes.",
    );
    // The rightful leaseholder's rejection before the stale write that was let in.
    on(
        "tokens: 87, 34;a acquires the lease;a's lease expires;b acquires the lease;a writes 'a';\
         b writes 'b'",
        "SAFE: but b, the rightful leaseholder, was shut out: 34 < 87.\n\
         34 was granted after 87: the guard took the newer for the older.",
    );
    // But a leaseholder whose lease has expired is rightful no more.
    on(
        "tokens: 87, 34;a acquires the lease;a writes 'a';a's lease expires;b acquires the lease;\
         b's lease expires;b writes 'b'",
        "SAFE: no write came after one under a newer grant.",
    );
    // A packet in flight before a write held back; that before one with no successor yet.
    off(
        "a acquires the lease;a sends 'a';a's lease expires;a checks its lease;a writes 'b'",
        "SAFE: so far. a's packet is still in flight.",
    );
    off(
        "a acquires the lease;a's lease expires;a writes 'a';a checks its lease;a writes 'b'",
        "SAFE: a knew that it had no lease, and held its write back.\n\
         Its own check had told it. Between a check and a write a pause still fits.",
    );
    // Without any lease nothing is stale, even where storage rejects it.
    on(
        "a writes 'a'",
        "SAFE: no lease was ever granted, so none was broken.\n\
         The writes came without one; the verdict says nothing of that.",
    );
}

/// Of two that fit, the first in the order of precedence explains: for each two neighbours that can
/// both fit, a script, and what its explanation begins with.
#[test]
fn the_first_that_fits_explains() {
    let begins = |fencing, script: &str, beginning: &str| {
        let because = tell(&fenced(fencing, script)).explanation().because;
        assert!(because.starts_with(beginning), "{because}");
    };
    let unfenced = |script: &str, beginning| begins(Fencing::Off, script, beginning);
    let with_guard = |script: &str, beginning| begins(Fencing::On, script, beginning);
    let forgotten = "the lock service forgets its holder;b acquires the lease;b writes 'b'";
    let off_in_the_end = format!("{SUPERSEDED};a writes 'a';a is powered off");

    with_guard(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a' with token 99"),
        "a showed token 99",
    );
    let own =
        "a acquires the lease;a sends '1';a releases the lease;a acquires the lease;a writes '2'";
    unfenced(
        &format!("{own};a is powered off;a's packet arrives"),
        "a was powered off",
    );
    unfenced(
        &format!("{own};a's packet arrives"),
        "a's own delayed packet",
    );
    unfenced(
        &format!("a acquires the lease;a reads;{forgotten};a reads;a writes 'a' if unchanged"),
        "the lock service forgot a",
    );
    unfenced(
        &format!(
            "a acquires the lease;a cannot be powered off;{SUPERSEDED};a reads;\
             a writes 'a' if unchanged"
        ),
        "the zombie read first",
    );
    unfenced(
        &format!("a acquires the lease;a cannot be powered off;{off_in_the_end}"),
        "a power-off of a got no answer",
    );
    unfenced(
        &format!("a acquires the lease;a checks its lease;{off_in_the_end}"),
        "a was powered off only after",
    );
    with_guard(
        "c reads;d writes 'd' with token 99;c writes 'c' with token 99;a acquires the lease;a writes 'a'",
        "but a, the rightful leaseholder",
    );
    with_guard(
        "storages: s1, s2;c reads;a acquires the lease;a's lease expires;b acquires the lease;\
         a writes 'a' to s2;b writes 'b' to s1;b reads;b releases the lease;c acquires the lease;\
         c writes 'c'",
        "but c overwrote 'b' unread at s1",
    );
    with_guard(
        "b reads;a acquires the lease;a writes 'a';a releases the lease;b acquires the lease;\
         b writes 'b' if unchanged;c writes 'c'",
        "c's write came without a token",
    );
    unfenced(
        "b sends 'late';b reads;a writes 'a';b writes 'b' if unchanged",
        "b wrote only if unchanged",
    );
    with_guard(
        "a acquires the lease;a sends 'a';a releases the lease;a is powered off;\
         b acquires the lease;b writes 'b';a's packet arrives",
        "a's packet outlived it",
    );
    with_guard(
        &format!("a acquires the lease;a cannot be powered off;{forgotten};a writes 'a'"),
        "token 33 < 34, so a's write bounced",
    );
    with_guard(
        &format!("a acquires the lease;a cannot be powered off;{off_in_the_end}"),
        "a power-off of a got no answer",
    );
    with_guard(
        &format!("a acquires the lease;a checks its lease;{off_in_the_end}"),
        "token 33 < 34 stopped a before",
    );
    with_guard(
        &format!(
            "a acquires the lease;a reads;a checks its lease;{SUPERSEDED};a writes 'a' if unchanged;\
             a reads;a writes 'a' if unchanged"
        ),
        "a's own check let the write go",
    );
    with_guard(
        "a acquires the lease;a's lease expires;b acquires the lease;b announces its token;\
         a writes 'a';a renews the lease",
        "token 33 < 34 protected storage",
    );
}
