//! What people say for a step, in words that are not the language's.

use crate::script::diagnose::readings::Proposal;
use crate::script::form::Form;
use crate::script::line::Line;

/// Steps, and what they may be called, with commas between, as [`plain`] has it: without articles,
/// and with `lease` for `lock`. Behind three dots may stand anything.
const OTHER_WORDS: &[(&[Form], &str)] = &[
    (
        &[Form::ACQUIRES],
        "gets lease, takes lease, grabs lease, obtains lease, claims lease, requests lease, \
         receives lease, gains lease, wins lease, asks for lease, is granted lease, \
         is given lease, has lease, holds lease, acquires lease, acquires, locks",
    ),
    (
        &[Form::RENEWS],
        "extends lease, refreshes lease, prolongs lease, keeps lease, renews",
    ),
    (
        &[Form::RELEASES],
        "unlocks, gives lease back, gives back lease, gives up lease, returns lease, \
         frees lease, drops lease, lets go of lease, releases",
    ),
    (
        &[Form::LEASE_EXPIRES],
        "loses lease, times out, expires, lets lease expire, 's lease times out, \
         's lease runs out, 's lease ends, 's lease lapses, 's lease is lost, \
         's lease has expired, 's lease is over",
    ),
    (
        &[Form::PAUSES, Form::IS_SUSPENDED],
        "freezes, stops, hangs, sleeps, stalls, blocks, is paused, is frozen, is stopped, \
         is stuck, is asleep, falls asleep, goes to sleep",
    ),
    (
        &[Form::PAUSES],
        "enters gc pause, enters long gc pause, is in gc pause, garbage collects",
    ),
    (
        &[Form::IS_SUSPENDED],
        "suspends, hibernates, is put to sleep",
    ),
    (
        &[Form::WAKES, Form::RESUMES],
        "continues, goes on, unfreezes, comes back, is back, is awake, is resumed",
    ),
    (
        &[Form::WAKES],
        "wakes up, awakes, awakens, unpauses, is woken",
    ),
    (
        &[Form::READS],
        "reads storage, reads data, looks, looks at storage",
    ),
    (
        &[Form::WRITES],
        "saves 'data', stores 'data', puts 'data', sets 'data', overwrites 'data'",
    ),
    (
        &[Form::WRITES_IF_UNCHANGED],
        "writes 'data' if ..., writes 'data' unless ...",
    ),
    (
        &[Form::SENDS],
        "sends off 'data', sends packet 'data', sends write 'data', transmits 'data'",
    ),
    (
        &[Form::PACKET_ARRIVES],
        "'s write arrives, 's message arrives, 's request arrives, 's packet lands, \
         's packet gets through, 's packet is delivered, 's packet reaches storage",
    ),
    (
        &[Form::ANNOUNCES],
        "announces token, announces, shows token",
    ),
    (
        &[Form::HEARS],
        "hears, hears back, hears answer, hears storage, gets answer, receives answer",
    ),
    (&[Form::CHECKS], "checks lease, verifies lease, checks"),
    (
        &[Form::IS_POWERED_OFF],
        "crashes, dies, fails, goes down, shuts down, is shut down, is shut off, is killed, \
         is shot, is dead, is down, is off, is turned off, is switched off",
    ),
    (
        &[Form::STORAGE_FORGETS],
        "restarts, reboots, crashes, fails over, is restarted, forgets, forgets max_token, \
         forgets token, loses max_token",
    ),
    (
        &[Form::COUNTER_FORGOTTEN, Form::HOLDER_FORGOTTEN],
        "lease service restarts, lease service reboots, lease service crashes, \
         lease service fails over, lease service is restarted, lease service forgets",
    ),
];

/// The steps that the line may be in other words, each with its meaning.
pub fn in_other_words(line: &Line<'_>) -> Vec<Proposal> {
    let all_after_name = line.all_after_name();
    let whole = [plain(&format!("{}{all_after_name}", line.name))];
    // What looks like storages may be storages, or other words as well: goes to sleep.
    let after_name = [plain(&line.after_name), plain(&all_after_name)];
    let mut steps = Vec::new();
    for (forms, phrases) in OTHER_WORDS {
        for form in *forms {
            let found = if form.name().is_empty() {
                &whole[..]
            } else {
                &after_name
            };
            let is_said = |phrase: &str| match phrase.strip_suffix("...") {
                Some(beginning) => found.iter().any(|words| words.starts_with(beginning)),
                None => found.iter().any(|words| words == phrase),
            };
            if phrases.split(", ").any(is_said) {
                steps.push(Proposal {
                    line: line.in_form(form, line.name),
                    meaning: Some(form.meaning),
                });
            }
        }
    }
    steps
}

/// The words in lower case, without articles, and with `lease` for `lock`.
fn plain(words: &str) -> String {
    let lower = words.to_ascii_lowercase();
    let words = lower.split_ascii_whitespace();
    let is_article = |word: &str| ["the", "a", "an", "its", "his", "her", "their"].contains(&word);
    let words = words.filter(|word| !is_article(word));
    let words = words.map(|word| if word == "lock" { "lease" } else { word });
    words.collect::<Vec<_>>().join(" ")
}
