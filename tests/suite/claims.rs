//! What a sentence claims besides names and numbers: a cause, "later", "first", "again", advice. Each
//! script here once made such a claim false, or would if a rule asked for less.

use crate::findings::{off, on};

/// a's lease expires, b is granted it, and writes.
const SUPERSEDED: &str = "a's lease expires;b acquires the lease;b writes 'b'";

const TWO_HOLDERS: &str = "CORRUPTED: the zombie's stale write overwrote the live one.\n\
                           Two clients each 'held' the lock; storage could not tell them apart.";

const BOUNCED: &str = "SAFE: token 33 < 34, so the zombie's write bounced off the guard.\n\
                       No error on a's side was needed; the RESOURCE said no.";

#[test]
fn whoever_overwrote_it_later_did_so_next_and_for_good() {
    // A client without a lease had done so already.
    off(
        "a acquires the lease;a's lease expires;b acquires the lease;b writes 'live';\
         a writes 'stale';c writes 'leaseless';b writes 'live again'",
        TWO_HOLDERS,
    );
    // Another zombie overwrote it again.
    off(
        "a acquires the lease;a pauses;a's lease expires;b acquires the lease;b pauses;\
         b's lease expires;c acquires the lease;c writes 'c';b wakes;b writes 'b';c writes 'c2';\
         a wakes;a writes 'a'",
        TWO_HOLDERS,
    );
    // With several storages, whoever reads may get another value.
    off(
        &format!(
            "storages: s1, s2;a acquires the lease;{SUPERSEDED};a writes 'a' to s1;b writes 'b'"
        ),
        TWO_HOLDERS,
    );
    // It had lost its lease by then.
    off(
        &format!(
            "a acquires the lease;{SUPERSEDED};a writes 'a';b's lease expires;b writes 'again'"
        ),
        TWO_HOLDERS,
    );
}

#[test]
fn whoever_read_it_read_the_stale_value() {
    let later = "CORRUPTED: the zombie's stale write overwrote the live one.\n\
                 b overwrote it later; whoever read in between saw stale data.";
    off(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a';b writes 'again';c reads"),
        later,
    );
    // The zombie itself reads what it wrote.
    off(
        &format!("a acquires the lease;{SUPERSEDED};a writes 'a';a reads"),
        TWO_HOLDERS,
    );
    // Of several values the reader took it, or another.
    let storages =
        format!("storages: s1, s2;a acquires the lease;{SUPERSEDED} to s1;a writes 'a' to s1");
    off(
        &format!("{storages};c reads"),
        "CORRUPTED: the zombie's stale write overwrote the live one.\n\
         c read it: no token said that it was old.",
    );
    off(
        &format!("{storages};b writes 'again' to s2;c reads"),
        TWO_HOLDERS,
    );
}

#[test]
fn a_window_is_closed_by_whoever_was_granted_the_lease_before_it_opened() {
    // What got in without a lease before b was granted its own was in no window of b's.
    off(
        &format!("a acquires the lease;c writes 'c';{SUPERSEDED};a writes 'a'"),
        TWO_HOLDERS,
    );
    // At another storage, or by whoever no longer held the lease when it wrote.
    off(
        &format!(
            "storages: s1, s2;a acquires the lease;{SUPERSEDED} to s1;a writes 'a' to s2;\
             a writes 'a' to s1"
        ),
        TWO_HOLDERS,
    );
    off(
        "a acquires the lease;a's lease expires;b acquires the lease;a writes 'a1';b's lease expires;\
         b writes 'b';a writes 'a2'",
        "CORRUPTED: the zombie's stale write overwrote one of a newer grant.\n\
         a still 'held' a lease that had moved on; storage could not tell.",
    );
    // What was rejected did not get in.
    off(
        "a acquires the lease;a reads;c writes 'c';a's lease expires;b acquires the lease;\
         a writes 'a1' if unchanged;b writes 'b';a writes 'a2'",
        TWO_HOLDERS,
    );
}

#[test]
fn what_was_forgotten_would_have_made_a_difference_with_a_guard() {
    // Before b wrote, or at another storage, or before a token came again.
    off(
        &format!("a acquires the lease;storage forgets its max_token;{SUPERSEDED};a writes 'a'"),
        TWO_HOLDERS,
    );
    off(
        &format!(
            "storages: s1, s2;a acquires the lease;{SUPERSEDED};s2 forgets its max_token;\
             a writes 'a' to s1"
        ),
        TWO_HOLDERS,
    );
    let regranted = "a acquires the lease;a's lease expires;the lock service forgets its counter;\
                     c acquires the lease;c releases the lease;b acquires the lease;b writes 'b';\
                     a writes 'a'";
    off(regranted, TWO_HOLDERS);
    // It is for the list that 87 comes before 34, and not for the counter.
    on(
        &format!("tokens: 87, 34;{regranted}"),
        "CORRUPTED: 87 > 34, yet 87 is the older grant: the zombie got in.\n\
         'Higher' is not 'later': tokens must grow with every grant.",
    );
}

#[test]
fn checks_and_power_offs_belong_to_the_write() {
    // To an earlier write under the same lease, or to an earlier lease.
    for other in [
        "a acquires the lease;a checks its lease;a writes '1'",
        "a acquires the lease;a cannot be powered off;a writes '1'",
        "a acquires the lease;a cannot be powered off;a sends '1';a's packet arrives",
        "a acquires the lease;a cannot be powered off;a releases the lease;a acquires the lease",
        // To another client.
        "a acquires the lease;b cannot be powered off;c checks its lease",
    ] {
        off(&format!("{other};{SUPERSEDED};a writes 'a'"), TWO_HOLDERS);
    }
    for other in [
        "a acquires the lease;a checks its lease;a writes '1'",
        "a acquires the lease;a cannot be powered off;a writes '1'",
    ] {
        on(&format!("{other};{SUPERSEDED};a writes 'a'"), BOUNCED);
    }
    // A check that failed, after one that passed.
    off(
        &format!("a acquires the lease;{SUPERSEDED};a checks its lease;a writes 'a'"),
        "SAFE: a knew that it had no lease, and held its write back.\n\
         Its own check had told it. Between a check and a write a pause still fits.",
    );
}

#[test]
fn a_client_whose_lease_was_forgotten_is_no_zombie() {
    let robbed = "a acquires the lease;the lock service forgets its holder;b acquires the lease;\
                  b writes 'b'";
    on(
        &format!("{robbed};a writes 'still mine'"),
        "SAFE: token 33 < 34, so a's write bounced off the guard.\n\
         The lock service had broken its promise; the token saved the data.",
    );
    // What it read could have warned it; no check of its own could.
    off(
        &format!("{robbed};a reads;a checks its lease;a writes 'still mine'"),
        "CORRUPTED: the lock service forgot a and granted the lease again.\n\
         a's lease had not expired: no check of its own could have failed.",
    );
}

#[test]
fn a_client_that_releases_nothing_still_knows() {
    let releases = "a acquires the lease;a writes 'a';b acquires the lease;b writes 'b1';\
                    b releases the lease;b writes 'b2'";
    let knew = "SAFE: b knew that it had no lease, and held its write back.\n\
                It had asked the lock service, which had refused it.";
    off(releases, knew);
    on(releases, knew);
}

#[test]
fn whoever_gave_its_lease_back_gave_its_token_back() {
    on(
        "a acquires the lease;a releases the lease;b acquires the lease;b writes 'b';a writes 'a'",
        "SAFE: a's write came without a token, and was REJECTED.\n\
         It had given its lease back, and its token with it.",
    );
}

#[test]
fn a_write_that_was_never_sent_is_stale_only_if_its_client_believed() {
    off(
        "a acquires the lease;a's lease expires;a renews the lease;a is powered off;\
         b acquires the lease;a writes 'a'",
        "SAFE: a was powered off before the lease was granted to b.\n\
         Its write was never sent; storage itself checked nothing.",
    );
    // It is the next grant that counts: b had been granted the lease before the power-off.
    off(
        "a acquires the lease;a's lease expires;b acquires the lease;a is powered off;\
         b releases the lease;c acquires the lease;a writes 'a'",
        "SAFE: a was powered off before its next write.\n\
         Its stale write was never sent; storage itself checked nothing.",
    );
}

#[test]
fn never_is_not_said_of_what_comes_later() {
    let numbers = "The guard compares numbers: it stops those who err, not those who lie.";
    on(
        "tokens: 33, 99;a acquires the lease;a writes 'a';c writes 'c' with token 99;\
         a releases the lease;c acquires the lease",
        &format!("CORRUPTED: c showed token 99, which it had never been granted.\n{numbers}"),
    );
    on(
        "tokens: 33, 99;c writes 'c' with token 99;a acquires the lease;a writes 'a';\
         a releases the lease;b acquires the lease",
        "SAFE: but a, the rightful leaseholder, was shut out: 33 < 99.\n\
         99 had not been granted: the guard believes whoever shows more.",
    );
    // A token of its own, of which it gave up the lease itself, is not that of another lease.
    on(
        "c writes 'c' with token 99;a acquires the lease;a writes 'a1' past the guard;\
         a writes 'a2' with token 34;a hears storage's answer;storage forgets its max_token;\
         a writes 'a3' with token 33",
        &format!("CORRUPTED: a showed token 33, of a lease it no longer believed in.\n{numbers}"),
    );
}

#[test]
fn storage_had_not_heard_of_a_token_that_there_was() {
    // The reader prefers 35; when the stale write came there was only 34.
    on(
        "storages: s1, s2;a acquires the lease;a's lease expires;b acquires the lease;\
         a writes 'a' to s2;b releases the lease;c acquires the lease;c writes 'c' to s1;b reads",
        "SAFE: but token 33 got in at s2, which had not heard of 34.\n\
         b asked s1 too, preferred 35 > 33, and repaired s2.",
    );
    // It had heard of a higher token, and forgot it: not the newest one's.
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;b announces its token;\
         storage forgets its max_token;b releases the lease;c acquires the lease;a writes 'a'",
        "SAFE: but token 33 got in while c already held the lease.\n\
         max_token must outlive every write that may still arrive.",
    );
    // It heard of it only later, by an announcement.
    on(
        "a acquires the lease;a pauses;a's lease expires;b acquires the lease;a wakes;a writes 'a1';\
         b announces its token;a writes 'a2'",
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage heard of 34 only later, when b announced it: do so at once.",
    );
    // Another showed that number.
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;a writes 'a';\
         a writes 'liar' with token 34;b writes 'b'",
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage had not heard of 34 yet: announce or write at once.",
    );
    // What was rejected had not shown that token, but a made-up one.
    on(
        "a acquires the lease;a writes 'a1';a's lease expires;b acquires the lease;\
         b writes 'b' with token 20;a writes 'a2'",
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage had not heard of 34 yet: announce or write at once.",
    );
    on(
        "storages: s1, s2;a acquires the lease;a's lease expires;b acquires the lease;\
         a writes 'a' to s2 with token 20",
        "SAFE: but forged token 20 got in at s2 after b's grant.\n\
         The guard compares numbers: it stops those who err, not those who lie.",
    );
}

#[test]
fn a_reader_s_newer_value_is_newer_and_what_it_repairs_was_stale() {
    let storages = "storages: s1, s2;a acquires the lease;a's lease expires;b acquires the lease";
    // Two values of one token, the later of which it took.
    on(
        &format!("tokens: 7, 7;{storages};a writes 'a' to s1;b writes 'b' to s2;c reads"),
        "SAFE: but token 7 got in at s1 after b's grant.\n\
         A token tells grants apart only if no other grant ever gets it.",
    );
    // A higher token of the same stale client.
    on(
        &format!("{storages};a writes 'a1' to s1;a writes 'a2' to s2 with token 99;c reads"),
        "SAFE: but token 33 got in at s1, which had not heard of 34.\n\
         A token is heard only where it is shown: announce it everywhere at once.",
    );
    on(
        &format!("{storages};c writes 'c' to s1 with token 20;b writes 'b' to s2;c reads"),
        "SAFE: but forged token 20 got in at s1 after b's grant.\n\
         The guard compares numbers: it stops those who err, not those who lie.",
    );
    // What was written in time is older, but not stale.
    on(
        "storages: s1, s2;a acquires the lease;a writes 'a';a releases the lease;\
         b acquires the lease;b writes 'b' to s1;c reads",
        "SAFE: no write came after one under a newer grant.",
    );
}

#[test]
fn advice_would_have_helped() {
    // Reading only after the stale write had got in did no harm.
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;a writes 'a';b reads;b writes 'b'",
        "SAFE: but token 33 got in while b already held the lease.\n\
         Storage first heard of 34 by b's write: announce or write at once.",
    );
    let window = "a acquires the lease;a's lease expires;b acquires the lease";
    let would_reject = "SAFE: but b overwrote 'a' without reading it.\n\
                        Had b written only if unchanged, storage would have rejected that.";
    // It had announced its token, which storage forgot.
    on(
        &format!(
            "{window};b announces its token;storage forgets its max_token;b reads;a writes 'a';\
             b writes 'b'"
        ),
        would_reject,
    );
    // Storage would have forgotten it.
    on(
        &format!("{window};b reads;storage forgets its max_token;a writes 'a';b writes 'b'"),
        would_reject,
    );
    // No token of b's is higher than that.
    on(
        &format!(
            "tokens: 87, 34;{window};b reads;a writes 'a';storage forgets its max_token;b writes 'b'"
        ),
        would_reject,
    );
    // Reading after b was granted the lease would not have shown what came later still.
    off(
        "b reads;b acquires the lease;a writes 'a';b writes 'b'",
        would_reject,
    );
    off(
        "a writes '1';b acquires the lease;b reads;a writes 'a';b writes 'b'",
        would_reject,
    );
    // It would have helped although b had read before it was granted the lease.
    on(
        "a acquires the lease;b reads;a's lease expires;b acquires the lease;a writes 'a';b writes 'b'",
        "SAFE: but b overwrote 'a' without reading it.\n\
         Announce or write first, then read: token 33 would have been too late.",
    );
}

#[test]
fn nothing_had_got_in_though_something_had_come() {
    off(
        "b reads;a writes 'a';b acquires the lease;b writes 'b' if unchanged;c writes 'c'",
        "SAFE: but a leaseless write got in while b held the lease.\n\
         No write under a lease had got in yet: mere luck.",
    );
}

#[test]
fn what_was_not_read_had_not_been_read_there() {
    off(
        "storages: s1, s2;b reads;a writes 'a';b reads from s1;b writes 'b'",
        "SAFE: but b overwrote 'a' unread at s2.\n\
         Had b written only if unchanged, s2 would have rejected that.",
    );
}

#[test]
fn a_condition_that_was_met_lost_no_update_whatever_was_lost_elsewhere() {
    off(
        &format!(
            "b reads;a acquires the lease;{SUPERSEDED};a reads;a writes 'a' if unchanged;\
             b writes 'unread'"
        ),
        "CORRUPTED: the zombie read first, and then its condition was met.\n\
         That loses no update. A condition is met by reading again; a token is not.",
    );
}

#[test]
fn a_client_reads_again_only_if_it_had_read() {
    on(
        &format!(
            "a acquires the lease;a writes '1';{SUPERSEDED};a writes 'a' if unchanged;a reads;\
             a writes 'a' if unchanged"
        ),
        "SAFE: token 33 < 34 turned a away, also after it had read.\n\
         A condition can be met by reading again. A token stays as old as it is.",
    );
    // It read again and did not try again under that lease.
    on(
        &format!(
            "a acquires the lease;a reads;{SUPERSEDED};a writes 'a' if unchanged;a reads;\
             b releases the lease;a acquires the lease;a writes 'a' if unchanged"
        ),
        "SAFE: token 33 < 34, so the zombie's write bounced off the guard.\n\
         The guard answered first; the condition would have turned it away too.",
    );
    let answered_first = "SAFE: token 33 < 34, so the zombie's write bounced off the guard.\n\
                          The guard answered first; the condition would have turned it away too.";
    // Its next try was under another lease, or failed for another reason, or it did not read.
    for next in [
        "a reads;b releases the lease;a acquires the lease;a's lease expires;c acquires the lease;\
         c writes 'c';a writes 'a' if unchanged",
        "a reads;b writes 'b2';storage forgets its max_token;a writes 'a' if unchanged",
        "a writes 'a' if unchanged",
    ] {
        on(
            &format!("a acquires the lease;a reads;{SUPERSEDED};a writes 'a' if unchanged;{next}"),
            answered_first,
        );
    }
    // The condition was met.
    on(
        &format!("a acquires the lease;{SUPERSEDED};a reads;a writes 'a' if unchanged"),
        BOUNCED,
    );
}

#[test]
fn all_the_rest_was_held_back_or_it_is_not_said() {
    on(
        &format!(
            "a acquires the lease;{SUPERSEDED};a writes 'a';a hears storage's answer;\
             b releases the lease;a acquires the lease;a writes 'good';a's lease expires;\
             a checks its lease;a writes 'more'"
        ),
        "SAFE: token 33 < 34 turned a away, and it heard the answer.\n\
         An answer can be lost like any packet: the guard does not count on it.",
    );
    on(
        &format!(
            "a acquires the lease;{SUPERSEDED};a writes 'a';a hears storage's answer;\
             a writes 'held back';b releases the lease;a acquires the lease;a writes 'good'"
        ),
        "SAFE: token 33 < 34 turned a away, and it heard the answer.\n\
         An answer can be lost like any packet: the guard does not count on it.",
    );
    // It heard the answer when it had given its lease up already.
    on(
        &format!(
            "a acquires the lease;{SUPERSEDED};a writes 'a';a releases the lease;\
             a hears storage's answer"
        ),
        BOUNCED,
    );
}

#[test]
fn the_answer_that_was_heard_is_that_to_the_write() {
    let heard = format!(
        "a acquires the lease;{SUPERSEDED};a writes 'a';a writes 'again';a hears storage's answer"
    );
    off(&heard, TWO_HOLDERS);
    on(&heard, BOUNCED);
}

#[test]
fn an_announcement_is_named_where_it_alone_told_storage() {
    let too_late = "SAFE: b announced 34: token 33 came too late.\n\
                    Announced at once, a token closes the window before the first write.";
    let window = "a acquires the lease;a's lease expires;b acquires the lease";
    // It had written elsewhere, or sent a packet, before it announced.
    on(
        &format!(
            "storages: s1, s2;{window};b writes 'b' to s1;b announces its token to s2;\
             a writes 'a' to s2"
        ),
        too_late,
    );
    on(
        &format!("{window};b sends 'b';b announces its token;a writes 'a';b's packet arrives"),
        too_late,
    );
    // Its write had told storage.
    for told in [
        "b writes 'b';b announces its token",
        "b announces its token;b writes 'b'",
        "b announces its token;storage forgets its max_token;b writes 'b'",
    ] {
        on(&format!("{window};{told};a writes 'a'"), BOUNCED);
    }
    // What its write had told storage was forgotten; or that write was rejected.
    on(
        &format!(
            "{window};b writes 'b';storage forgets its max_token;b announces its token;a writes 'a'"
        ),
        too_late,
    );
    on(
        "b reads;a acquires the lease;a writes 'a1';a's lease expires;b acquires the lease;\
         b writes 'b' if unchanged;b announces its token;a writes 'a2'",
        too_late,
    );
}

#[test]
fn a_leaseholder_is_shut_out_at_its_announcement_as_well() {
    on(
        &format!(
            "tokens: 87, 34;a acquires the lease;{SUPERSEDED};a writes 'a';b announces its token"
        ),
        "CORRUPTED: 87 > 34, yet 87 is the older grant: the zombie got in.\n\
         Unique is not ordered: now the rightful leaseholder is REJECTED.",
    );
    // For another's token it would be shut out in any order.
    on(
        &format!(
            "tokens: 87, 34;a acquires the lease;{SUPERSEDED};a writes 'a';\
             c writes 'c' with token 99;b writes 'again'"
        ),
        "CORRUPTED: 87 > 34, yet 87 is the older grant: the zombie got in.\n\
         Unique is not ordered: tokens must grow with every grant.",
    );
    // One owner, and yet not one token.
    on(
        "tokens: 87, 34;a acquires the lease;a sends 'old';a's lease expires;a acquires the lease;\
         a writes 'new';a's packet arrives",
        "CORRUPTED: 87 > 34, yet 87 is the older grant: the late packet got in.\n\
         Unique is not ordered: tokens must grow with every grant.",
    );
}

#[test]
fn a_packet_outlives_a_power_off_in_time_only_if_it_came_before_the_next_grant() {
    off(
        "a acquires the lease;a sends 'x';a's lease expires;a acquires the lease;a is powered off;\
         a's lease expires;b acquires the lease;b writes 'b';a's packet arrives",
        "CORRUPTED: a was powered off; its packet outlived it.\n\
         STONITH stops the sender, not what the sender has already sent.",
    );
    // It outlives no power-off that came later.
    on(
        &format!(
            "a acquires the lease;a sends 'x';{SUPERSEDED};a's packet arrives;a is powered off"
        ),
        "SAFE: the guard is on the TOKEN, not on who is 'current' --\n\
         an old-enough token loses no matter when its packet shows up.",
    );
    // Nothing came under a newer grant.
    off(
        "a acquires the lease;a sends '1';a's lease expires;a's packet arrives;a writes '2'",
        "SAFE: a's packet came while nobody else had the lease yet.",
    );
}
