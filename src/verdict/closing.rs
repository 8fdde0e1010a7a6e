//! The closing lines of a transcript: the finding in words.
//!
//! Every sentence follows from the finding. With fencing off none speaks of tokens as if they had
//! been checked.

use crate::verdict::finding::{
    Circumstance, Corruption, Finding, Gap, Learned, Leaseless, LetIn, LetInWhy, PacketLease,
    Safety, StaleKind,
};
use crate::world::names::{ClientId, Names};
use crate::world::storage_service::{Fencing, Rejection};

/// A verdict and its explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closing {
    /// SAFE or CORRUPTED.
    pub verdict: &'static str,
    /// What comes behind the verdict, on its line.
    pub because: String,
    /// The line below, if there is more to say.
    pub moreover: Option<String>,
}

/// Puts the finding on a run of these clients, under this setting of the toggle, into words.
pub fn closing(finding: Finding, fencing: Fencing, names: &Names) -> Closing {
    let words = Words { fencing, names };
    let (verdict, (because, moreover)) = match finding {
        Finding::Corrupted(corruption) => ("CORRUPTED", words.corruption(corruption)),
        Finding::Safe(safety) => ("SAFE", words.safety(safety)),
    };
    Closing {
        verdict,
        because,
        moreover,
    }
}

/// One or two lines.
type Lines = (String, Option<String>);

fn one(because: String) -> Lines {
    (because, None)
}

fn two(because: impl Into<String>, moreover: impl Into<String>) -> Lines {
    (because.into(), Some(moreover.into()))
}

struct Words<'names> {
    fencing: Fencing,
    names: &'names Names,
}

impl Words<'_> {
    fn corruption(&self, corruption: Corruption) -> Lines {
        match corruption {
            Corruption::Zombie {
                client,
                live,
                circumstance,
            } => self.zombie(self.names.client(client), live, circumstance),
            Corruption::DelayedPacket {
                sender,
                overwrote,
                live,
                lease,
            } => {
                let stale = if live {
                    "the delayed packet's stale write overwrote the live one."
                } else {
                    "the delayed packet overwrote a write of a newer grant."
                };
                let (sender, overwrote) = (self.names.client(sender), self.names.client(overwrote));
                match lease {
                    PacketLease::LostSince => two(
                        stale,
                        "It was sent under a lease since lost; storage had no token to tell by.",
                    ),
                    PacketLease::LostBefore => two(
                        stale,
                        "It was sent under a lease lost before; storage had no token to tell by.",
                    ),
                    PacketLease::Released => two(
                        format!("{sender}'s delayed packet overwrote {overwrote}'s newer write."),
                        format!(
                            "No expiry was needed: {sender} had released the lease in good order."
                        ),
                    ),
                }
            }
            Corruption::OwnDelayedPacket { client } => two(
                format!(
                    "{}'s own delayed packet overwrote its newer write.",
                    self.names.client(client)
                ),
                "The packet is of its earlier grant; storage could not tell them apart.",
            ),
            Corruption::PacketOutlivedSender { sender, in_time } => {
                let in_time = if in_time { " in time" } else { "" };
                two(
                    format!(
                        "{} was powered off{in_time}; its packet outlived it.",
                        self.names.client(sender)
                    ),
                    "STONITH stops the sender, not what the sender has already sent.",
                )
            }
            Corruption::WithoutLease {
                client,
                leaseless,
                delayed,
            } => without_lease(self.names.client(client), leaseless, delayed),
            Corruption::PastTheGuard {
                gap,
                delayed,
                then_shut_out,
            } => past_the_guard(gap, delayed, then_shut_out),
            Corruption::LeaseForgotten { client } => {
                let client = self.names.client(client);
                two(
                    format!("the lock service forgot {client} and granted the lease again."),
                    format!(
                        "{client}'s lease had not expired: nothing it knew could have warned it."
                    ),
                )
            }
        }
    }

    fn zombie(&self, zombie: &str, live: bool, circumstance: Circumstance) -> Lines {
        let overwrote = if live {
            "the zombie's stale write overwrote the live one."
        } else {
            "the zombie's stale write overwrote one of a newer grant."
        };
        match circumstance {
            Circumstance::PowerOffUnanswered => two(
                format!("a power-off of {zombie} got no answer, and the zombie wrote."),
                "From outside, a silent node may be dead, paused, or only unreachable.",
            ),
            Circumstance::CheckedBefore => two(
                format!("{zombie}'s check passed, its lease expired, then it wrote."),
                "However late the check, a pause still fits between it and the write.",
            ),
            Circumstance::TimerSlept => two(
                format!("{zombie}'s check passed, for its timer had slept with it."),
                "It asked its own memory, and its memory had missed the expiry.",
            ),
            Circumstance::WindowBefore => two(
                overwrote,
                "Without a guard, a new leaseholder's first write closes no window.",
            ),
            Circumstance::NoMaxTokenToForget => two(
                overwrote,
                "There was no max_token to forget: unfenced storage keeps none.",
            ),
            Circumstance::CounterForgotten => two(
                overwrote,
                "No token was sent, so the forgotten counter made no difference.",
            ),
            Circumstance::OverwrittenLater { by } => two(
                overwrote,
                format!(
                    "{} overwrote it later; whoever read in between saw stale data.",
                    self.names.client(by)
                ),
            ),
            Circumstance::TwoHolders => two(
                overwrote,
                "Two clients each 'held' the lock; storage could not tell them apart.",
            ),
            Circumstance::LeaseMovedOn => two(
                overwrote,
                format!("{zombie} still 'held' a lease that had moved on; storage could not tell."),
            ),
        }
    }

    fn safety(&self, safety: Safety) -> Lines {
        match safety {
            Safety::RightfulRejected {
                client,
                token,
                max_token,
            } => two(
                format!(
                    "but {}, the rightful leaseholder, was shut out: {token} < {max_token}.",
                    self.names.client(client)
                ),
                format!(
                    "{token} was granted after {max_token}: the guard took the newer for the older."
                ),
            ),
            Safety::StaleLetIn(let_in) => self.let_in(let_in),
            Safety::PacketUndidOwnWrite {
                client,
                late,
                newer,
                token,
            } => two(
                format!(
                    "between leaseholders; but {}'s delayed '{}' undid its '{}'.",
                    self.names.client(client),
                    self.names.data(late),
                    self.names.data(newer)
                ),
                match self.fencing {
                    Fencing::On => format!(
                        "Both carry token {token}: a fencing token cannot order one grant's writes."
                    ),
                    Fencing::Off => {
                        "Both are of one grant: a fencing token would not order them.".to_owned()
                    }
                },
            ),
            Safety::StaleRejected {
                client,
                rejection,
                kind,
            } => stale_rejected(self.names.client(client), rejection, kind),
            Safety::StillInFlight { sender, token } => {
                let token = match (self.fencing, token) {
                    (Fencing::On, Some(token)) => format!(" (token {token})"),
                    (Fencing::On, None) => " (no token)".to_owned(),
                    (Fencing::Off, _) => String::new(),
                };
                one(format!(
                    "so far. {}'s packet{token} is still in flight.",
                    self.names.client(sender)
                ))
            }
            Safety::HeldBack { client, learned } => two(
                format!(
                    "{} knew that it had no lease, and held its write back.",
                    self.names.client(client)
                ),
                match learned {
                    Learned::Asked => {
                        "It had asked the lock service. A zombie does not know that it should."
                    }
                    Learned::Checked => "Its own check had told it.",
                },
            ),
            Safety::ClientOff {
                client,
                before_grant_to,
                stale,
            } => self.client_off(self.names.client(client), before_grant_to, stale),
            Safety::NoSuccessorYet { client, delayed } => {
                let client = self.names.client(client);
                one(if delayed {
                    format!("{client}'s packet came under an expired lease; no one else had it.")
                } else {
                    format!("{client} wrote after its lease expired; no one else had it yet.")
                })
            }
            Safety::NoLease { wrote: true } => two(
                "no lease was ever granted, so none was broken.",
                "The writes came without one; the verdict says nothing of that.",
            ),
            Safety::NoLease { wrote: false } => {
                one("no lease was ever granted, and nothing was written.".to_owned())
            }
            Safety::NothingStale => {
                one("no write reached storage under an older grant than the newest.".to_owned())
            }
        }
    }

    fn let_in(&self, let_in: LetIn) -> Lines {
        let LetIn {
            token,
            delayed,
            newer_token,
            why,
            ..
        } = let_in;
        let newer = self.names.client(let_in.newer);
        let own = let_in.client == let_in.newer;
        let already = if self.fencing == Fencing::On {
            "already "
        } else {
            ""
        };
        let newer_lease = if token.is_some() {
            "a newer lease"
        } else {
            "the lease"
        };
        let when = match (own, let_in.newer_holds) {
            (true, true) => format!("while {newer} {already}held {newer_lease}"),
            (true, false) => format!("after {newer} had held {newer_lease}"),
            (false, true) => format!("while {newer} {already}held the lease"),
            (false, false) => format!("after the lease had gone to {newer}"),
        };
        let what = match (self.fencing, token, delayed) {
            (Fencing::On, Some(token), _) => format!("token {token}"),
            (Fencing::Off, Some(_), false) => "a stale write".to_owned(),
            (Fencing::Off, Some(_), true) => "a late packet".to_owned(),
            (_, None, false) => "a leaseless write".to_owned(),
            (_, None, true) => "a leaseless packet".to_owned(),
        };
        let got_in = format!("but {what} got in {when}.");
        match why {
            LetInWhy::Unfenced => two(
                got_in,
                match token {
                    Some(_) => "No write under a newer grant had come yet: mere luck.",
                    None => "No write under a lease had come yet: mere luck.",
                },
            ),
            LetInWhy::NotHeardYet { then_wrote: true } => two(
                got_in,
                format!(
                    "Storage learned of {newer_token} by {newer}'s first write: so write at once."
                ),
            ),
            LetInWhy::NotHeardYet { then_wrote: false } => two(
                got_in,
                format!(
                    "Storage knew nothing of {newer_token}: a new leaseholder should write at once."
                ),
            ),
            LetInWhy::PastTheGuard(gap) => (got_in, past_the_guard(gap, false, false).1),
        }
    }

    fn client_off(&self, client: &str, before_grant_to: Option<ClientId>, stale: bool) -> Lines {
        let because = match before_grant_to {
            Some(successor) => format!(
                "{client} was powered off before the lease was granted to {}.",
                self.names.client(successor)
            ),
            None => format!("{client} was powered off before its next write."),
        };
        let write = if stale {
            "Its stale write"
        } else {
            "Its write"
        };
        let moreover = match self.fencing {
            Fencing::Off => format!("{write} was never sent; storage itself checked nothing."),
            Fencing::On => format!("{write} was never sent, so the guard never saw it."),
        };
        two(because, moreover)
    }
}

fn past_the_guard(gap: Gap, delayed: bool, then_shut_out: bool) -> Lines {
    let writer = if delayed {
        "the late packet"
    } else {
        "the zombie"
    };
    let counter = "The lock service forgot its counter: 'higher' is no longer 'later'.";
    match gap {
        Gap::OutOfOrder {
            older,
            newer,
            unique,
            counter_forgotten,
        } => two(
            format!("{older} > {newer}, yet {older} is the older grant: {writer} got in."),
            match (then_shut_out, unique) {
                (true, true) => "Unique is not ordered: now the rightful leaseholder is REJECTED.",
                (true, false) => "'Higher' is not 'later': the rightful leaseholder is REJECTED.",
                (false, true) => "Unique is not ordered: tokens must grow with every grant.",
                (false, false) if counter_forgotten => counter,
                (false, false) => "'Higher' is not 'later': tokens must grow with every grant.",
            },
        ),
        Gap::OneToken {
            token,
            counter_forgotten,
        } => two(
            format!("two grants, one token: {token} is not lower than {token}."),
            if counter_forgotten {
                counter
            } else {
                "A token tells grants apart only if no other grant ever gets it."
            },
        ),
        Gap::MaxTokenForgotten { older, newer } => two(
            format!("storage forgot that it had seen {newer}, so token {older} passed."),
            "max_token must survive every restart that the data survives.",
        ),
        Gap::NoGuard { older, newer } => two(
            format!("token {older} < {newer}, and storage accepted it all the same."),
            "The guard did not do what it is there for.",
        ),
    }
}

fn stale_rejected(client: &str, rejection: Rejection, kind: StaleKind) -> Lines {
    let Rejection::LowerToken { token, max_token } = rejection else {
        return match kind {
            StaleKind::PacketOutlivedSender | StaleKind::PacketAfterRelease | StaleKind::Packet => {
                two(
                    format!("{client}'s packet came without a token, and was REJECTED."),
                    "It had been sent without a lease, so it had no token to show.",
                )
            }
            StaleKind::PowerOffUnanswered
            | StaleKind::CheckPassed
            | StaleKind::AskedLater
            | StaleKind::Zombie => two(
                format!("{client}'s write came without a token, and was REJECTED."),
                "Whoever has no lease has no token to show.",
            ),
        };
    };
    let lower = format!("{token} < {max_token}");
    match kind {
        StaleKind::PacketOutlivedSender => two(
            format!("{client}'s packet outlived it, but token {lower}: REJECTED."),
            "STONITH stopped the sender; the guard stopped what it had sent.",
        ),
        StaleKind::PacketAfterRelease => two(
            format!("token {lower}: a lease given back leaves an old token behind."),
            "Why the packet was late is nothing that the guard asks.",
        ),
        StaleKind::Packet => two(
            "the guard is on the TOKEN, not on who is 'current' --",
            "an old-enough token loses no matter when its packet shows up.",
        ),
        StaleKind::PowerOffUnanswered => two(
            format!("a power-off of {client} got no answer; token {lower} stopped it."),
            "The guard need not reach the zombie: the zombie's write comes to it.",
        ),
        StaleKind::CheckPassed => two(
            format!("{client}'s own check let the write go; storage's did not: {lower}."),
            "The guard belongs where the write lands, not where it sets out.",
        ),
        StaleKind::AskedLater => two(
            format!("token {lower} protected storage; {client} believed until it asked."),
            "Fencing makes split brain harmless at the resource. It does not end it.",
        ),
        StaleKind::Zombie => two(
            format!("token {lower}, so the zombie's write bounced off the guard."),
            format!("No error on {client}'s side was needed; the RESOURCE said no."),
        ),
    }
}

fn without_lease(client: &str, leaseless: Leaseless, delayed: bool) -> Lines {
    let nobody_asked = "A lock binds only those who ask; unfenced storage asks nobody.";
    match leaseless {
        _ if delayed => two(
            format!("{client}'s packet without a lease overwrote one with a lease."),
            nobody_asked,
        ),
        Leaseless::Never => two(
            format!("{client} wrote without a lease, over a write made under one."),
            "A lock binds only those who choose to be bound by it.",
        ),
        Leaseless::GaveBack => two(
            format!("{client} had given its lease back, and wrote all the same."),
            nobody_asked,
        ),
        Leaseless::GaveUpLost => two(
            format!("{client} had lost its lease, gave it up, and still wrote."),
            nobody_asked,
        ),
    }
}
