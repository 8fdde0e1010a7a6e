//! The newer steps, with each of their outcomes: what the transcript says of reads, conditional
//! writes, writes past the guard or with a token of one's own, answers, slow clocks, and of several
//! storages.

use crate::scripts::tell;
use crate::steps::{off, on};

const LOST: &str = "a acquires the lease;a's lease expires;b acquires the lease";
const KNOWS: &str = "it knows that it has no lease";

/// The line above the first request.
fn lead_in(script: &str) -> String {
    let lines = tell(script).lines();
    let blank = lines.iter().position(String::is_empty).unwrap();
    lines[blank + 1].clone()
}

#[test]
fn reads() {
    on(
        "a reads;a acquires the lease;a writes 'x';b reads",
        &[
            "",
            "  reads and writes reach fenced storage (it tracks the highest token seen):",
            "    a reads                 -> (empty)",
            "  a acquires the lease (token 33)",
            "    a writes 'x'  token 33  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=33]",
            "    b reads                 -> 'x'",
        ],
    );
    off(
        "a writes 'x';b reads",
        &[
            "    a writes 'x'  (no token)  -> ACCEPTED",
            "      storage now holds 'x'",
            "    b reads                   -> 'x'",
        ],
    );
    // Whoever knows that it has no lease may read all the same.
    on(
        "a acquires the lease;b acquires the lease;b reads",
        &["    b reads    -> (empty)"],
    );
}

#[test]
fn reads_of_several_storages() {
    let storages = "storages: s1, s22, s3";
    on(
        &format!("{storages};a reads from s1 and s3"),
        &[
            "    a reads",
            "      -> s1   (empty)",
            "      -> s3   (empty)",
        ],
    );
    // All hold the same: there is nothing to take or to repair.
    on(
        &format!(
            "{storages};a acquires the lease;a writes 'x' to s1 and s22;b reads from s1 and s22"
        ),
        &[
            "    b reads",
            "      -> s1   'x'  token 33",
            "      -> s22  'x'  token 33",
        ],
    );
    on(
        &format!("{storages};{LOST};b writes 'new one' to s1;a writes 'old' to s22;c reads"),
        &[
            "    c reads",
            "      -> s1   'new one'  token 34",
            "      -> s22  'old'      token 33",
            "      -> s3   (empty)",
            "      c takes 'new one': 34 > 33",
            "      -> s22  REPAIRED  now holds 'new one'  [max_token=34]",
            "      -> s3   REPAIRED  now holds 'new one'  [max_token=34]",
        ],
    );
    off(
        &format!("{storages};a writes 'x' to s1;b writes 'y' to s22;c reads from s1 and s22"),
        &[
            "    c reads",
            "      -> s1   'x'",
            "      -> s22  'y'",
            "      c takes 'y', the later",
            "      -> s1   REPAIRED  now holds 'y'",
        ],
    );
    // The same text twice is two values.
    off(
        &format!("{storages};a writes 'x' to s1;b writes 'x' to s22;c reads from s1 and s22"),
        &[
            "      c takes 'x', the later",
            "      -> s1   REPAIRED  now holds 'x'",
        ],
    );
    on(
        &format!(
            "{storages};a acquires the lease;a writes 'x' to s1;a writes 'y' to s22;\
             b reads from s1 and s22"
        ),
        &[
            "      b takes 'y', the later with token 33",
            "      -> s1   REPAIRED  now holds 'y'  [max_token=33]",
        ],
    );
    on(
        &format!(
            "{storages};a acquires the lease;a writes 'x' to s1;a writes 'y' to s22 past the guard;\
             b reads from s1 and s22"
        ),
        &[
            "      -> s1   'x'  token 33",
            "      -> s22  'y'  (no token)",
            "      b takes 'x', which alone has a token",
            "      -> s22  REPAIRED  now holds 'x'  [max_token=33]",
        ],
    );
    on(
        &format!(
            "{storages};a writes 'x' to s1 past the guard;b writes 'y' to s22 past the guard;\
             c reads from s1 and s22"
        ),
        &[
            "      c takes 'y', the later",
            "      -> s1   REPAIRED  now holds 'y'",
        ],
    );
    // Nothing else was held, so nothing needs a reason.
    off(
        &format!("{storages};a writes 'x' to s1;b reads from s1 and s3"),
        &["      b takes 'x'", "      -> s3   REPAIRED  now holds 'x'"],
    );
}

#[test]
fn writes_if_unchanged() {
    on(
        "a acquires the lease;a reads;a writes 'x' if unchanged",
        &[
            "    a reads                               -> (empty)",
            "    a writes 'x'  token 33, if unchanged  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=33]",
        ],
    );
    // Its own write is a look as well.
    off(
        "a writes 'x';a writes 'y' if unchanged",
        &[
            "    a writes 'y'  if unchanged  -> ACCEPTED",
            "      storage now holds 'y'",
        ],
    );
    off(
        "a reads;b writes 'y';a writes 'x' if unchanged",
        &[
            "    a writes 'x'  if unchanged  -> REJECTED  changed",
            "      a saw (empty); storage holds 'y'",
        ],
    );
    off(
        "b writes 'y';a reads;b writes 'y';a writes 'x' if unchanged",
        &[
            "    a writes 'x'  if unchanged  -> REJECTED  changed",
            "      a saw 'y'; storage took it again since",
        ],
    );
    // The guard's answer comes first.
    on(
        &format!("{LOST};a reads;b writes 'b';a writes 'a' if unchanged"),
        &["    a writes 'a'  token 33, if unchanged  -> REJECTED  token 33 < 34"],
    );
    on(
        "a reads;a writes 'a' if unchanged",
        &["    a writes 'a'  (no token), if unchanged  -> REJECTED  no token"],
    );
    off(
        "storages: s1, s2;a reads;b writes 'b' to s2;a writes 'a' if unchanged",
        &[
            "    a writes 'a'  if unchanged",
            "      -> s1  ACCEPTED  now holds 'a'",
            "      -> s2  REJECTED  changed",
            "         a saw (empty); s2 holds 'b'",
        ],
    );
}

#[test]
fn what_a_client_overwrote_unread() {
    off(
        "a reads;b writes 'y';a writes 'x'",
        &[
            "    a writes 'x'  (no token)  -> ACCEPTED",
            "      a saw (empty); storage held 'y'",
            "      storage now holds 'x'",
        ],
    );
    off(
        "b writes 'y';a reads;b writes 'y';a writes 'x'",
        &[
            "      a saw 'y'; storage took it again since",
            "      storage now holds 'x'",
        ],
    );
    // Nothing is said of a client that never reads, of one that read it, or of its own.
    for lost_nothing in [
        "b writes 'y';a writes 'x'",
        "b writes 'y';a reads;a writes 'x'",
        "a reads;a writes 'y';a writes 'x'",
    ] {
        off(
            lost_nothing,
            &[
                "    a writes 'x'  (no token)  -> ACCEPTED",
                "      storage now holds 'x'",
            ],
        );
    }
}

#[test]
fn writes_past_the_guard() {
    on(
        &format!("{LOST};b writes 'b';a writes 'a' past the guard"),
        &[
            "    b writes 'b'  token 34        -> ACCEPTED",
            "      storage now holds 'b'  [max_token=34]",
            "    a writes 'a'  past the guard  -> ACCEPTED",
            "      storage now holds 'a'  [max_token=34]",
        ],
    );
    on(
        "a writes 'a' past the guard",
        &[
            "    a writes 'a'  past the guard  -> ACCEPTED",
            "      storage now holds 'a'",
        ],
    );
    off(
        "a writes 'a' past the guard",
        &[
            "    a writes 'a'  (no token)  -> ACCEPTED",
            "      storage now holds 'a'",
        ],
    );
}

#[test]
fn writes_with_a_token_of_ones_own() {
    on(
        "a writes 'x' with token 99",
        &[
            "  a makes up a token of its own: 99",
            "    a writes 'x'  token 99  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=99]",
        ],
    );
    on(
        "a acquires the lease;a writes 'x';b writes 'y' with token 7",
        &[
            "  b makes up a token of its own: 7",
            "    b writes 'y'  token 7   -> REJECTED  token 7 < 33",
        ],
    );
    on(
        "a acquires the lease;b writes 'y' with token 33",
        &[
            "  b shows a token that was granted to another: 33",
            "    b writes 'y'  token 33  -> ACCEPTED",
            "      storage now holds 'y'  [max_token=33]",
        ],
    );
    on(
        "a acquires the lease;a releases the lease;a writes 'x' with token 33",
        &[
            "  a shows the token of a lease that it no longer believes in: 33",
            "    a writes 'x'  token 33  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=33]",
        ],
    );
    // What is granted only later was made up.
    on(
        "a writes 'x' with token 33;a acquires the lease;b writes 'y' with token 34;\
         a releases the lease;a acquires the lease",
        &[
            "  a makes up a token of its own: 33",
            "    a writes 'x'  token 33  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=33]",
            "  a acquires the lease (token 33)",
            "  b makes up a token of its own: 34",
            "    b writes 'y'  token 34  -> ACCEPTED",
            "      storage now holds 'y'  [max_token=34]",
            "  a releases the lease (token 33)",
            "  a acquires the lease (token 34)",
        ],
    );
    // Its lease's own token is no other than a plain write's.
    on(
        "a acquires the lease;a writes 'x' with token 33",
        &[
            "  a acquires the lease (token 33)",
            "",
            "  writes reach fenced storage (it tracks the highest token seen):",
            "    a writes 'x'  token 33  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=33]",
        ],
    );
    off(
        "a writes 'x' with token 99",
        &[
            "",
            "  writes reach unfenced storage:",
            "    a writes 'x'  (no token)  -> ACCEPTED",
            "      storage now holds 'x'",
        ],
    );
    // It is not held back, whatever its client knows.
    off(
        "a acquires the lease;b acquires the lease;b writes 'y' with token 99",
        &[
            "    b writes 'y'  (no token)  -> ACCEPTED",
            "      storage now holds 'y'",
        ],
    );
}

#[test]
fn hears_storages_answer() {
    on(
        "a acquires the lease;a writes 'x';a hears storage's answer",
        &["  a hears storage's answer: ACCEPTED"],
    );
    on(
        &format!("{LOST};b writes 'b';a writes 'a';a hears storage's answer"),
        &["  a hears storage's answer: REJECTED; it concludes that it has no lease"],
    );
    // It was made under another lease than that in which it believes.
    on(
        &format!(
            "{LOST};b writes 'b';a writes 'a';b releases the lease;a acquires the lease;\
             a hears storage's answer"
        ),
        &["  a hears storage's answer: REJECTED"],
    );
    on(
        "a acquires the lease;a reads;b writes 'y' past the guard;a writes 'x' if unchanged;\
         a hears storage's answer",
        &["  a hears storage's answer: REJECTED (changed)"],
    );
    on(
        "a acquires the lease;a sends 'x';a's packet arrives;a hears storage's answer",
        &["  a hears storage's answer: ACCEPTED"],
    );
    on(
        &format!("{LOST};b announces its token;a announces its token;a hears storage's answer"),
        &["  a hears storage's answer: REJECTED; it concludes that it has no lease"],
    );
    off(
        "a acquires the lease;a announces its token;a hears storage's answer",
        &["  a hears storage's answer: ACCEPTED"],
    );
    // Whoever had no lease has none to give up.
    on(
        "a writes 'x';a hears storage's answer",
        &["  a hears storage's answer: REJECTED"],
    );
    let answers =
        format!("storages: s1, s2;{LOST};b writes 'b' to s1;a writes 'a';a hears storage's answer");
    on(
        &answers,
        &[
            "  a hears storage's answer:",
            "      -> s1  REJECTED",
            "      -> s2  ACCEPTED",
            "      it concludes that it has no lease",
        ],
    );
    off(
        &answers,
        &[
            "  a hears storage's answer:",
            "      -> s1  ACCEPTED",
            "      -> s2  ACCEPTED",
        ],
    );
    off(
        "storages: s1, s2;a reads;b writes 'b' to s2;a writes 'a' if unchanged;\
         a hears storage's answer",
        &["      -> s1  ACCEPTED", "      -> s2  REJECTED (changed)"],
    );
}

#[test]
fn a_leaseholder_that_takes_its_lease_for_lost_does_not_know_so() {
    let concludes = "c writes 'c' with token 99;a acquires the lease;a writes 'x';\
                     a hears storage's answer";
    on(
        &format!("{concludes};a writes 'y';a checks its lease;a releases the lease"),
        &[
            "  a HOLDS BACK 'y': it takes its lease for lost",
            "  a checks its lease: FAILED, it took it for lost",
            "  a releases the lease (token 33)",
        ],
    );
    // Once it is lost, it knows.
    on(
        &format!("{concludes};a's lease expires;a writes 'y'"),
        &[&format!("  a HOLDS BACK 'y': {KNOWS}")],
    );
}

#[test]
fn clocks_that_run_slow() {
    let slow = "  ... a's clock runs SLOW: its timer will notice no expiry ...";
    on("a's clock runs slow", &[slow]);
    on(
        "a acquires the lease;a's clock runs slow;a's lease expires;a checks its lease",
        &[
            slow,
            "  ... a's lease EXPIRES ...",
            "  a checks its lease: PASSED, by its own timer",
        ],
    );
    // A timer that has lapsed stays lapsed.
    on(
        "a acquires the lease;a's lease expires;a's clock runs slow;a checks its lease",
        &[slow, "  a checks its lease: FAILED, its timer has lapsed"],
    );
    on("a pauses;a's clock runs slow", &[slow]);
    on(
        "a is powered off;a's clock runs slow",
        &["  a's clock runs slow: nothing happens, for a is off"],
    );
}

#[test]
fn several_storages_each_answer() {
    let storages = "storages: photos, index";
    on(
        &format!(
            "{storages};{LOST};b writes 'b' to photos;a writes 'a';b announces its token to index"
        ),
        &[
            "",
            "  writes reach fenced storages (each tracks the highest token seen):",
            "    b writes 'b'           token 34",
            "      -> photos  ACCEPTED  now holds 'b'  [max_token=34]",
            "    a writes 'a'           token 33",
            "      -> photos  REJECTED  token 33 < 34",
            "      -> index   ACCEPTED  now holds 'a'  [max_token=33]",
            "    b announces its token  token 34",
            "      -> index   ACCEPTED  the contents stay  [max_token=34]",
        ],
    );
    on(
        &format!("{storages};a writes 'x'"),
        &[
            "    a writes 'x'  (no token)",
            "      -> photos  REJECTED  no token",
            "      -> index   REJECTED  no token",
        ],
    );
    off(
        &format!(
            "{storages};a sends 'x' to index;a sends 'y';a's packet 'y' arrives;a's packet arrives"
        ),
        &[
            "  ... the delayed packet from a overtakes another and arrives ...",
            "    a writes 'y'  (no token)",
            "      -> photos  ACCEPTED  now holds 'y'",
            "      -> index   ACCEPTED  now holds 'y'",
            "  ... the delayed packet from a finally arrives ...",
            "    a writes 'x'  (no token)",
            "      -> index   ACCEPTED  now holds 'x'",
        ],
    );
    off(
        &format!("{storages};a acquires the lease;a announces its token to index"),
        &["  a announces its token; unfenced storage is deaf to it"],
    );
    on(
        &format!(
            "{storages};a acquires the lease;a writes 'x' to index;index forgets its max_token;\
             photos forgets its max_token"
        ),
        &[
            "  ... index FORGETS its max_token, 33 ...",
            "  ... photos had no max_token to forget ...",
        ],
    );
    off(
        &format!("{storages};index forgets its max_token"),
        &["  ... index had no max_token to forget: unfenced, it keeps none ..."],
    );
}

#[test]
fn what_was_forgotten_once_cannot_be_forgotten_again() {
    on(
        "a acquires the lease;a writes 'x';storage forgets its max_token;storage forgets its max_token",
        &[
            "  ... storage FORGETS its max_token, 33 ...",
            "  ... storage had no max_token to forget ...",
        ],
    );
}

#[test]
fn newer_steps_are_held_back_and_come_to_nothing_like_the_others() {
    on(
        "a reads;a acquires the lease;b acquires the lease;b reads;b writes 'x' past the guard;\
         b writes 'y' if unchanged",
        &[
            &format!("  b HOLDS BACK 'x': {KNOWS}"),
            &format!("  b HOLDS BACK 'y': {KNOWS}"),
        ],
    );
    for step in [
        "a reads",
        "a writes 'x' if unchanged",
        "a writes 'x' past the guard",
        "a writes 'x' with token 99",
        "a hears storage's answer",
    ] {
        on(
            &format!("a is powered off;{step}"),
            &[&format!("  {step}: nothing happens, for a is off")],
        );
    }
    on(
        "storages: s1, s2;a is powered off;a reads from s2;a writes 'x' to s1 if unchanged;\
         a announces its token to s1",
        &[
            "  a reads from s2: nothing happens, for a is off",
            "  a writes 'x' to s1 if unchanged: nothing happens, for a is off",
            "  a announces its token to s1: nothing happens, for a is off",
        ],
    );
}

#[test]
fn the_lead_in_names_what_comes() {
    assert_eq!(lead_in("a reads"), "  reads reach unfenced storage:");
    assert_eq!(
        lead_in("a reads;a writes 'x'"),
        "  reads and writes reach unfenced storage:"
    );
    assert_eq!(
        lead_in("fencing: on;a acquires the lease;a announces its token"),
        "  announcements reach fenced storage (it tracks the highest token seen):"
    );
    assert_eq!(
        lead_in("fencing: on;a announces its token;a reads"),
        "  reads reach fenced storage (it tracks the highest token seen):"
    );
    assert_eq!(
        lead_in("storages: s1, s2;a writes 'x'"),
        "  writes reach unfenced storages:"
    );
    assert_eq!(
        lead_in("fencing: on;storages: s1, s2;a reads"),
        "  reads reach fenced storages (each tracks the highest token seen):"
    );
    // A write that is rejected does not land, and a conditional one does.
    assert_eq!(
        lead_in("fencing: on;a acquires the lease;a sends 'x';b writes 'y';a's packet arrives"),
        "  writes reach fenced storage (it tracks the highest token seen):"
    );
    assert_eq!(
        lead_in("a sends 'x';b reads;b writes 'y' if unchanged;a's packet arrives"),
        "  reads and writes reach unfenced storage:"
    );
    assert_eq!(
        lead_in("storages: s1, s2;a sends 'x';b writes 'y' to s2;a's packet arrives"),
        "  b's write lands first; a's delayed packet arrives after:"
    );
}

#[test]
fn a_reason_that_would_widen_a_row_goes_to_the_next_line() {
    let data = "d".repeat(29);
    let changed = |data: &str| format!("b reads;a writes '{data}';b writes '{data}' if unchanged");
    // 80 characters with its reason, and one more.
    off(
        &changed(&data),
        &[
            &format!("    b writes '{data}'  if unchanged  -> REJECTED  changed"),
            &format!("      b saw (empty); storage holds '{data}'"),
        ],
    );
    let data = data + "d";
    off(
        &changed(&data),
        &[
            &format!("    b writes '{data}'  if unchanged  -> REJECTED"),
            "      changed",
            &format!("      b saw (empty); storage holds '{data}'"),
        ],
    );
}

#[test]
fn a_departure_names_its_data_where_more_than_one_packet_is_in_flight() {
    let delay = "    the packet is delayed in the network, still in flight.";
    off(
        "a acquires the lease;a sends 'one';a sends 'two';a's lease expires",
        &[
            "  a SENDS the write 'one' --",
            delay,
            "  a SENDS the write 'two', then its lease expires --",
            delay,
        ],
    );
    // Another client's packet is one as well; one that has arrived is none.
    off(
        "a acquires the lease;b sends 'one';a sends 'two';a's lease expires",
        &[
            "  a SENDS the write 'two', then its lease expires --",
            delay,
        ],
    );
    off(
        "a acquires the lease;b sends 'one';b's packet arrives;a sends 'two';a's lease expires",
        &["  a SENDS a write, then its lease expires --", delay],
    );
}

#[test]
fn of_two_equal_packets_under_two_grants_the_oldest_arrives() {
    on(
        "a acquires the lease;a sends 'x';a's lease expires;a acquires the lease;a sends 'y';\
         a sends 'x';a's packet 'x' arrives;a's packet 'x' arrives;a's packet 'y' arrives",
        &[
            "  ... the delayed token-33 packet from a finally arrives ...",
            "    a writes 'x'  token 33  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=33]",
            "  ... the delayed token-34 packet from a overtakes another and arrives ...",
            "    a writes 'x'  token 34  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=34]",
            "  ... the delayed token-34 packet from a finally arrives ...",
            "    a writes 'y'  token 34  -> ACCEPTED",
            "      storage now holds 'y'  [max_token=34]",
        ],
    );
}
