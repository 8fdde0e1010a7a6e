//! Every step, with each of its outcomes: what the transcript says of it.

use fencing_demo::world::storage_service::Fencing;

use crate::scripts::{fenced, tell};

/// Asserts the last lines of the transcript before the final contents, with fencing on.
#[track_caller]
pub fn on(script: &str, last: &[&str]) {
    assert_last(Fencing::On, script, last);
}

/// The same with fencing off.
#[track_caller]
pub fn off(script: &str, last: &[&str]) {
    assert_last(Fencing::Off, script, last);
}

#[track_caller]
fn assert_last(fencing: Fencing, script: &str, last: &[&str]) {
    let told = tell(&fenced(fencing, script));
    let mut lines = told.lines();
    assert_eq!(
        lines.pop().as_deref(),
        Some(""),
        "a blank line before the final contents"
    );
    assert_eq!(lines[lines.len().saturating_sub(last.len())..], *last);
}

#[test]
fn acquires() {
    on(
        "a acquires the lease",
        &["  a acquires the lease (token 33)"],
    );
    off(
        "a acquires the lease",
        &["  a acquires the lease (would-be token 33)"],
    );
    on(
        "a acquires the lease;b acquires the lease",
        &["  b acquires the lease: REFUSED, a holds it"],
    );
    on(
        "a acquires the lease;a acquires the lease",
        &["  a acquires the lease, which it holds already (token 33)"],
    );
    on(
        "a acquires the lease;a releases the lease;b acquires the lease",
        &[
            "  a releases the lease (token 33)",
            "  b acquires the lease (token 34)",
        ],
    );
}

#[test]
fn renews() {
    on(
        "a acquires the lease;a renews the lease",
        &["  a renews the lease, which it still holds (token 33)"],
    );
    on(
        "a renews the lease",
        &["  a renews the lease: REFUSED, it holds none"],
    );
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;a renews the lease",
        &["  a renews the lease: REFUSED, b holds it"],
    );
}

#[test]
fn releases() {
    off(
        "a acquires the lease;a releases the lease",
        &["  a releases the lease (would-be token 33)"],
    );
    on(
        "a releases the lease",
        &["  a releases the lease, but has none"],
    );
    on(
        "a acquires the lease;a's lease expires;a releases the lease",
        &["  a releases the lease, but had lost it already"],
    );
    // A lease given back too late leaves the other client's alone.
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;a releases the lease;\
         c acquires the lease",
        &["  c acquires the lease: REFUSED, b holds it"],
    );
}

#[test]
fn pauses_and_wakes() {
    on(
        "a pauses;a wakes",
        &[
            "  a enters a long GC pause ........ (frozen; cannot act)",
            "  ... a WAKES ...",
        ],
    );
    on(
        "a acquires the lease;a pauses;a wakes",
        &["  ... a WAKES ..."],
    );
    on(
        "a acquires the lease;a pauses;a's lease expires;a wakes",
        &[
            "  ... while a is paused, its lease EXPIRES ...",
            "  ... a WAKES, still believing it is the leader ...",
        ],
    );
    // It knows better: it was refused before.
    on(
        "a acquires the lease;a's lease expires;a renews the lease;a pauses;a wakes",
        &["  ... a WAKES ..."],
    );
}

#[test]
fn is_suspended_and_resumes() {
    on(
        "a acquires the lease;a is suspended;a's lease expires;a resumes",
        &[
            "  a's machine is suspended ........ (its clock sleeps too)",
            "  ... while a is suspended, its lease EXPIRES ...",
            "  ... a RESUMES, still believing it is the leader ...",
        ],
    );
    on("a is suspended;a resumes", &["  ... a RESUMES ..."]);
}

#[test]
fn lease_expires() {
    on(
        "a acquires the lease;a's lease expires",
        &["  ... a's lease EXPIRES ..."],
    );
    on(
        "a acquires the lease;a is powered off;a's lease expires",
        &["  ... a is off, and its lease EXPIRES ..."],
    );
}

#[test]
fn writes() {
    on(
        "a acquires the lease;a writes 'x';a writes 'yy'",
        &[
            "",
            "  writes reach fenced storage (it tracks the highest token seen):",
            "    a writes 'x'   token 33  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=33]",
            "    a writes 'yy'  token 33  -> ACCEPTED",
            "      storage now holds 'yy'  [max_token=33]",
        ],
    );
    off(
        "a writes 'x'",
        &[
            "",
            "  writes reach unfenced storage:",
            "    a writes 'x'  (no token)  -> ACCEPTED",
            "      storage now holds 'x'",
        ],
    );
    on(
        "a writes 'x'",
        &["    a writes 'x'  (no token)  -> REJECTED  no token"],
    );
}

#[test]
fn columns_are_as_wide_as_their_widest_entry_in_characters() {
    let (name, data) = ("n".repeat(32), "ü€𝄞".repeat(66) + "xx");
    let wide = format!("    {name} writes '{data}'  ");
    let narrow = format!("    a writes 'x'{}  ", " ".repeat(31 + 199));
    on(
        &format!("{name} writes '{data}';a acquires the lease;a writes 'x'"),
        &[
            &format!("{wide}(no token)  -> REJECTED"),
            "      no token",
            "  a acquires the lease (token 33)",
            &format!("{narrow}token 33    -> ACCEPTED"),
            "      storage now holds 'x'  [max_token=33]",
        ],
    );
    on(
        "tokens: 7, 18446744073709551615;a acquires the lease;a writes 'x';a releases the lease;\
         a acquires the lease;a announces its token",
        &[
            "    a writes 'x'           token 7                     -> ACCEPTED",
            "      storage now holds 'x'  [max_token=7]",
            "  a releases the lease (token 7)",
            "  a acquires the lease (token 18446744073709551615)",
            "    a announces its token  token 18446744073709551615  -> ACCEPTED",
            "      the contents stay  [max_token=18446744073709551615]",
        ],
    );
}

#[test]
fn sends_and_arrives() {
    let delay = "    the packet is delayed in the network, still in flight.";
    on("a sends 'x'", &["  a SENDS the write 'x' --", delay]);
    on(
        "a acquires the lease;a sends 'x';a's lease expires",
        &["  a SENDS a write, then its lease expires --", delay],
    );
    // Another client's expiry, or one that comes later, is a beat of its own.
    on(
        "b acquires the lease;a sends 'x';b's lease expires",
        &[
            "  a SENDS the write 'x' --",
            delay,
            "  ... b's lease EXPIRES ...",
        ],
    );
    on(
        "a acquires the lease;a sends 'x';a pauses;a's lease expires",
        &[
            "  a SENDS the write 'x' --",
            delay,
            "  a enters a long GC pause ........ (frozen; cannot act)",
            "  ... while a is paused, its lease EXPIRES ...",
        ],
    );
    on(
        "a acquires the lease;a sends 'x';a sends 'y';a's packet 'y' arrives;a's packet arrives",
        &[
            "  ... the delayed token-33 packet from a overtakes another and arrives ...",
            "    a writes 'y'  token 33  -> ACCEPTED",
            "      storage now holds 'y'  [max_token=33]",
            "  ... the delayed token-33 packet from a finally arrives ...",
            "    a writes 'x'  token 33  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=33]",
        ],
    );
    on(
        "a sends 'x';a's packet 'x' arrives",
        &[
            "  ... the delayed packet without a token from a finally arrives ...",
            "    a writes 'x'  (no token)  -> REJECTED  no token",
        ],
    );
    off(
        "a sends 'x';a's packet arrives",
        &[
            "  ... the delayed packet from a finally arrives ...",
            "    a writes 'x'  (no token)  -> ACCEPTED",
            "      storage now holds 'x'",
        ],
    );
}

#[test]
fn a_packet_can_overtake_any_number_of_others() {
    let overtakes = "  ... the delayed packet from a overtakes another and arrives ...";
    let finally = "  ... the delayed packet from a finally arrives ...";
    let sends = "a sends '1';a sends '2';a sends '3'";
    let arrival = |arrives: &str| {
        tell(&format!("{sends};{arrives}"))
            .lines()
            .into_iter()
            .nth(8)
    };
    assert_eq!(
        arrival("a's packet '3' arrives").as_deref(),
        Some(overtakes)
    );
    assert_eq!(
        arrival("a's packet '2' arrives").as_deref(),
        Some(overtakes)
    );
    assert_eq!(arrival("a's packet '1' arrives").as_deref(), Some(finally));
}

#[test]
fn a_packet_carries_what_its_sender_held_when_it_was_sent() {
    on(
        "a acquires the lease;a sends 'x';a releases the lease;a acquires the lease;a is powered off;\
         a's packet arrives",
        &[
            "  ... the delayed token-33 packet from a finally arrives ...",
            "    a writes 'x'  token 33  -> ACCEPTED",
            "      storage now holds 'x'  [max_token=33]",
        ],
    );
}

#[test]
fn the_lead_in_speaks_of_a_packet_only_if_another_client_s_arrives_after_a_direct_write() {
    let lead_in = |script: &str| {
        let lines = tell(script).lines();
        let blank = lines.iter().position(String::is_empty).unwrap();
        lines[blank + 1].clone()
    };
    let race = "  b's write lands first; a's delayed packet arrives after:";
    let plain = "  writes reach unfenced storage:";
    assert_eq!(lead_in("a sends 'x';b writes 'y';a's packet arrives"), race);
    assert_eq!(
        lead_in("c sends 'z';a sends 'x';b writes 'y';a's packet arrives"),
        race
    );
    assert_eq!(
        lead_in("a sends 'x';b writes 'y'"),
        plain,
        "it never arrives"
    );
    assert_eq!(
        lead_in("b writes 'y';a sends 'x';a's packet arrives"),
        plain,
        "sent later"
    );
    assert_eq!(
        lead_in("b sends 'x';b writes 'y';b's packet arrives"),
        plain,
        "its own"
    );
    assert_eq!(
        lead_in("a sends 'x';a's packet arrives;b writes 'y'"),
        plain,
        "no direct write"
    );
    let other = "a sends '1';b writes 'y';a sends '2';a's packet '2' arrives";
    assert_eq!(lead_in(other), plain, "not the one that was in flight");
    let deaf = "a acquires the lease;a announces its token;a writes 'x'";
    assert_eq!(
        lead_in(deaf),
        plain,
        "an announcement that nobody hears reaches nothing"
    );
    assert_eq!(tell(deaf).lines()[2], "");
}

#[test]
fn announces() {
    on(
        "a acquires the lease;a announces its token",
        &[
            "    a announces its token  token 33  -> ACCEPTED",
            "      the contents stay  [max_token=33]",
        ],
    );
    on(
        "a acquires the lease;a's lease expires;b acquires the lease;b announces its token;\
         a announces its token",
        &["    a announces its token  token 33  -> REJECTED  token 33 < 34"],
    );
    on(
        "a announces its token",
        &["    a announces its token  (no token)  -> REJECTED  no token"],
    );
    off(
        "a acquires the lease;a announces its token",
        &["  a announces its token; unfenced storage is deaf to it"],
    );
}

#[test]
fn checks() {
    let passed = "  a checks its lease: PASSED, by its own timer";
    on("a acquires the lease;a checks its lease", &[passed]);
    on(
        "a checks its lease",
        &["  a checks its lease: FAILED, it has none"],
    );
    on(
        "a acquires the lease;a's lease expires;a checks its lease;a checks its lease",
        &[
            "  a checks its lease: FAILED, its timer has lapsed",
            "  a checks its lease: FAILED, it knew that it has none",
        ],
    );
    // The timer lapses in a pause, but sleeps with a suspended machine.
    on(
        "a acquires the lease;a pauses;a's lease expires;a wakes;a checks its lease",
        &["  a checks its lease: FAILED, its timer has lapsed"],
    );
    on(
        "a acquires the lease;a is suspended;a's lease expires;a resumes;a checks its lease",
        &[passed],
    );
    on(
        "a acquires the lease;the lock service forgets its holder;a checks its lease",
        &[passed],
    );
}

#[test]
fn a_client_that_knows_holds_back_until_it_is_granted_a_lease_again() {
    let lost = "a acquires the lease;a's lease expires;b acquires the lease";
    let knows = "it knows that it has no lease";
    for learns in [
        "a renews the lease",
        "a acquires the lease",
        "a checks its lease",
    ] {
        on(
            &format!("{lost};{learns};a writes 'x';a sends 'y';a announces its token"),
            &[
                &format!("  a HOLDS BACK 'x': {knows}"),
                &format!("  a HOLDS BACK the packet 'y': {knows}"),
                &format!("  a HOLDS BACK its token: {knows}"),
            ],
        );
        on(
            &format!(
                "{lost};{learns};b releases the lease;a acquires the lease;a announces its token"
            ),
            &[
                "    a announces its token  token 35  -> ACCEPTED",
                "      the contents stay  [max_token=35]",
            ],
        );
        // Releasing nothing makes it forget nothing.
        on(
            &format!("{lost};{learns};a releases the lease;a writes 'x'"),
            &[&format!("  a HOLDS BACK 'x': {knows}")],
        );
    }
}

#[test]
fn a_client_that_never_had_a_lease_knows_as_well() {
    let holds_back = "  b HOLDS BACK 'x': it knows that it has no lease";
    for learns in [
        "b acquires the lease",
        "b renews the lease",
        "b checks its lease",
    ] {
        on(
            &format!("a acquires the lease;{learns};b writes 'x'"),
            &[holds_back],
        );
    }
}

#[test]
fn is_powered_off_and_cannot_be() {
    on(
        "a is powered off",
        &["  a is POWERED OFF: from here on it does nothing"],
    );
    on(
        "a cannot be powered off",
        &["  a cannot be powered off: no answer, no effect"],
    );
    let own_steps = [
        "a acquires the lease",
        "a renews the lease",
        "a releases the lease",
        "a pauses",
        "a wakes",
        "a is suspended",
        "a resumes",
        "a writes 'x'",
        "a sends 'x'",
        "a announces its token",
        "a checks its lease",
        "a is powered off",
    ];
    for before in ["a acquires the lease", "a pauses", "a is suspended"] {
        for step in own_steps {
            on(
                &format!("{before};a is powered off;{step}"),
                &[&format!("  {step}: nothing happens, for a is off")],
            );
        }
    }
    // Even where the list of tokens has run out.
    on(
        "tokens: 7;a acquires the lease;a is powered off;a's lease expires;a acquires the lease",
        &["  a acquires the lease: nothing happens, for a is off"],
    );
}

#[test]
fn what_is_forgotten() {
    let max_token = "storage forgets its max_token";
    on(
        &format!("a acquires the lease;a writes 'x';{max_token}"),
        &["  ... storage FORGETS its max_token, 33 ..."],
    );
    on(max_token, &["  ... storage had no max_token to forget ..."]);
    off(
        max_token,
        &["  ... storage had no max_token to forget: unfenced, it keeps none ..."],
    );
    let counter = "the lock service forgets its counter";
    on(
        counter,
        &["  ... the lock service FORGETS its counter: the next token is 33 ..."],
    );
    off(
        counter,
        &["  ... the lock service FORGETS its counter: the next would-be token is 33 ..."],
    );
    on(
        &format!("tokens: 87, 34;a acquires the lease;{counter};b acquires the lease"),
        &[
            "  ... the lock service FORGETS its counter: the next token is 87 ...",
            "  b acquires the lease: REFUSED, a holds it",
        ],
    );
    let holder = "the lock service forgets its holder";
    on(
        &format!("a acquires the lease;{holder};b acquires the lease;a renews the lease"),
        &[
            "  ... the lock service FORGETS that a holds the lease ...",
            "  b acquires the lease (token 34)",
            "  a renews the lease: REFUSED, b holds it",
        ],
    );
    on(
        holder,
        &["  ... the lock service had no holder to forget: nobody held the lease ..."],
    );
}
