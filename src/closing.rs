//! The closing lines of a transcript: the finding in words.
//!
//! Every sentence follows from the finding. With fencing off none speaks of tokens as if they had
//! been checked.

use crate::finding::{
    Circumstance, Corruption, Finding, Gap, Learned, LeaseEnd, LetIn, LetInWhy, Safety, StaleKind,
};
use crate::grant::Token;
use crate::names::{ClientId, Names};
use crate::storage_service::{Fencing, Rejection};

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
                circumstance,
            } => self.zombie(self.names.client(client), circumstance),
            Corruption::DelayedPacket {
                sender,
                overwrote,
                lease,
            } => {
                let (sender, overwrote) = (self.names.client(sender), self.names.client(overwrote));
                match lease {
                    LeaseEnd::Released => two(
                        format!("{sender}'s delayed packet overwrote {overwrote}'s newer write."),
                        format!(
                            "No expiry was needed: {sender} had released the lease in good order."
                        ),
                    ),
                    LeaseEnd::Expired | LeaseEnd::Forgotten | LeaseEnd::NotYet => two(
                        "the delayed packet's stale write overwrote the live one.",
                        "It was sent under a lease since lost; storage had no token to tell by.",
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
                gave_back: true,
            } => two(
                format!(
                    "{} had given its lease back, and wrote all the same.",
                    self.names.client(client)
                ),
                "A lock binds only those who ask; unfenced storage asks nobody.",
            ),
            Corruption::WithoutLease {
                client,
                gave_back: false,
            } => two(
                format!(
                    "{} wrote without a lease, over a leaseholder's write.",
                    self.names.client(client)
                ),
                "Nothing made it ask: a lock binds only those who take it.",
            ),
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

    fn zombie(&self, zombie: &str, circumstance: Circumstance) -> Lines {
        let overwrote = "the zombie's stale write overwrote the live one.";
        match circumstance {
            Circumstance::PowerOffUnanswered => two(
                format!("the power-off never reached {zombie}, and the zombie wrote."),
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
            Circumstance::WindowBefore { newer } => two(
                overwrote,
                format!(
                    "Without a guard, {}'s first write closed no window.",
                    self.names.client(newer)
                ),
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
                    "{} wrote again later; whoever read in between saw stale data.",
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
                    "but {}, the rightful leaseholder, is shut out: {token} < {max_token}.",
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
                    Learned::Checked => {
                        "Its own check had told it. A check too early would have told it nothing."
                    }
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
                    format!(
                        "{client}'s packet came after its lease expired; no one else had it yet."
                    )
                } else {
                    format!("{client} wrote after its lease expired; no one else had it yet.")
                })
            }
            Safety::NoLease { wrote: true } => two(
                "no lease was ever granted, so none was broken.",
                "The clients wrote without asking; the verdict says nothing of that.",
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
        let (client, newer) = (
            self.names.client(let_in.client),
            self.names.client(let_in.newer),
        );
        let while_or_after = if let_in.newer_holds {
            format!("while {newer} already held the lease")
        } else {
            format!("after the lease had been granted to {newer}")
        };
        let newer_token = let_in.newer_token;
        match (let_in.why, let_in.token) {
            (LetInWhy::Unfenced, Some(_)) => two(
                format!("but {client}'s stale write got in {while_or_after}."),
                "It came before any newer write, so it overwrote none: mere luck.",
            ),
            (LetInWhy::Unfenced, None) => two(
                format!("but {client} wrote without a lease {while_or_after}."),
                "It came before any leaseholder's write, so it overwrote none: mere luck.",
            ),
            (LetInWhy::NotHeardYet { then_wrote }, token) => two(
                format!("but {} got in {while_or_after}.", token_words(token)),
                if then_wrote {
                    format!(
                        "Storage heard of {newer_token} only by {newer}'s first write: so write at once."
                    )
                } else {
                    format!(
                        "Storage had not heard of {newer_token}: a new leaseholder should write at once."
                    )
                },
            ),
            (LetInWhy::PastTheGuard(gap), token) => {
                let (_, moreover) = past_the_guard(gap, false, false);
                (
                    format!("but {} got in {while_or_after}.", token_words(token)),
                    moreover,
                )
            }
        }
    }

    fn client_off(&self, client: &str, before_grant_to: Option<ClientId>, stale: bool) -> Lines {
        let because = match before_grant_to {
            Some(successor) => format!(
                "{client} was powered off before the lease was granted to {}.",
                self.names.client(successor)
            ),
            None => format!("{client} was powered off before it could write."),
        };
        let write = if stale {
            "Its stale write"
        } else {
            "Its write"
        };
        let moreover = match self.fencing {
            Fencing::Off => format!("{write} was never sent; storage itself checked nothing."),
            Fencing::On => format!("{write} was never sent; the guard had nothing to reject."),
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
            counter_forgotten,
        } => two(
            format!("{older} > {newer}, yet {older} is the older grant: {writer} got in."),
            if then_shut_out {
                "Unique is not ordered: now the rightful leaseholder is REJECTED."
            } else if counter_forgotten {
                counter
            } else {
                "Unique is not ordered: tokens must grow with every grant."
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

fn token_words(token: Option<Token>) -> String {
    token.map_or("a write without a token".to_owned(), |token| {
        format!("token {token}")
    })
}

fn stale_rejected(client: &str, rejection: Rejection, kind: StaleKind) -> Lines {
    let Rejection::LowerToken { token, max_token } = rejection else {
        return two(
            format!("{client}'s write came without a token, and was REJECTED."),
            "Whoever has no lease has no token to show.",
        );
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
            format!("the power-off never reached {client}; token {lower} stopped it."),
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
