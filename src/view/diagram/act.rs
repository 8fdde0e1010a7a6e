//! What one row of a picture shows: a step is one act, or one for each storage that answers.

use crate::verdict::corrupts;
use crate::world::event::{Answer, Choice, Event, Moment, Read, Reply, Request};
use crate::world::grant::{Grant, GrantSeq, Token};
use crate::world::names::{ClientId, Data, StorageId};
use crate::world::step::{Step, WriteMode};

/// What one row shows.
#[derive(Clone, Copy, Debug)]
pub enum Act<'run> {
    /// The lock service and a client tell each other something.
    Notice(ClientId, Notice),
    /// Something that concerns one client alone.
    Word(ClientId, Word),
    /// A packet leaves.
    Departure {
        /// Its sender.
        client: ClientId,
        /// What it carries.
        data: Data,
        /// The grant that its sender believes in.
        grant: Option<Grant>,
    },
    /// A request reaches a storage: from its client, or as a packet that left before.
    Request {
        /// The request.
        request: &'run Request,
        /// The token that it shows.
        token: Option<Token>,
        /// What this storage answers.
        answer: &'run Answer,
        /// What it made of the data.
        reception: Reception,
        /// It overwrote a value of its own grant that had gone out later, and had come then.
        undid: Option<Moment>,
        /// Whether no other storage's answer comes after this one.
        is_last: bool,
    },
    /// A storage tells a reader what it holds.
    Reply(ClientId, &'run Reply),
    /// The replies differed, and the reader takes this value.
    Taken(ClientId, Choice),
    /// The reader brings that value to a storage that held another, or none.
    Repair {
        /// The reader.
        reader: ClientId,
        /// The value.
        choice: Choice,
        /// What the storage answers.
        repair: &'run Answer,
        /// What it made of the value.
        reception: Reception,
    },
    /// A storage's answer gets back to the client.
    Heard {
        /// The client.
        client: ClientId,
        /// When the request reached storage.
        asked: Moment,
        /// The request.
        request: &'run Request,
        /// The answer.
        answer: &'run Answer,
    },
    /// A storage forgets its `max_token`, if it had one.
    StorageForgot {
        /// Which storage.
        storage: StorageId,
        /// It had one.
        had_one: bool,
    },
    /// The lock service forgets its counter; this token comes next, if any.
    CounterForgotten(Option<Token>),
    /// The lock service forgets who holds the lease.
    HolderForgotten(Option<ClientId>),
}

/// What the lock service tells a client, or a client the lock service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notice {
    /// The lease is the client's, under this grant.
    Granted(Grant),
    /// It was already.
    HeldAlready,
    /// It still is.
    Renewed,
    /// Another client holds it, or the client has lost it.
    Refused,
    /// It is the client's no more. The client does not get the message.
    Expired,
    /// The client gives it back.
    Released,
    /// The client gives back what it had lost already.
    ReleasedTooLate,
}

/// What concerns one client alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// Its process stops.
    Paused,
    /// Its process goes on.
    Woke,
    /// Its machine sleeps.
    Asleep,
    /// Its machine is awake.
    Resumed,
    /// Its check of its own lease passed.
    CheckPassed,
    /// Its check of its own lease failed.
    CheckFailed,
    /// It had no lease to give back.
    HasNone,
    /// It knows that it has no lease, and does not do this.
    Withheld(Step),
    /// Its clock runs slow.
    ClockSlow,
    /// It is switched off.
    SwitchedOff,
    /// It was to be switched off; there was no answer.
    NoReply,
    /// It is off, so its clock runs slow for nothing.
    ClockSlowInVain,
    /// It is off, so nothing comes of this.
    InVain(Step),
}

/// What a storage made of data that reached it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reception {
    /// It rejected them.
    Rejected,
    /// It took them although it had taken data of a newer grant before.
    Overwrote,
    /// It took them although there was a newer grant.
    LetIn,
    /// It took them.
    Taken,
}

/// Where an act is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// From one lane to another.
    Arrow(Arrow),
    /// At one lane.
    Lane(Lane),
}

/// A line that runs along the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lane {
    /// The lock service.
    LockService,
    /// A client.
    Client(ClientId),
    /// The channel of the packet that left then.
    Channel(Moment),
    /// A storage.
    Storage(StorageId),
}

/// An arrow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// Where it begins.
    pub from: Lane,
    /// Where it ends.
    pub to: Lane,
    /// What it stands for is not taken in there.
    pub is_lost: bool,
}

/// What the storage made of the data of a request; of an announcement, whether it heard it.
pub fn reception(request: &Request, answer: &Answer) -> Reception {
    if !answer.is_accepted() {
        Reception::Rejected
    } else if request.data.is_none() {
        Reception::Taken
    } else if corrupts(request.seq(), answer) {
        Reception::Overwrote
    } else if request.is_stale() {
        Reception::LetIn
    } else {
        Reception::Taken
    }
}

impl Notice {
    /// Whether the client tells the lock service.
    pub fn is_from_client(self) -> bool {
        match self {
            Notice::Released | Notice::ReleasedTooLate => true,
            Notice::Granted(_)
            | Notice::HeldAlready
            | Notice::Renewed
            | Notice::Refused
            | Notice::Expired => false,
        }
    }
}

impl Reception {
    /// What the storage made of a repair, which is nobody's stale write.
    pub fn of_repair(choice: &Choice, repair: &Answer) -> Reception {
        let seq: Option<GrantSeq> = choice.grant.map(|grant| grant.seq);
        if corrupts(seq, repair) {
            Reception::Overwrote
        } else {
            Reception::Taken
        }
    }
}

/// What the step of that moment shows, a row each: one at least.
pub fn acts(events: &[Event], at: Moment) -> Vec<Act<'_>> {
    let mut acts = Vec::with_capacity(1);
    show(events, at, &mut acts);
    acts
}

/// The same, in memory that is there already.
pub fn show<'run>(events: &'run [Event], at: Moment, acts: &mut Vec<Act<'run>>) {
    acts.clear();
    acts.push(match events[at.index()] {
        Event::Granted { client, grant } => Act::Notice(client, Notice::Granted(grant)),
        Event::AcquisitionRefused { client, .. } | Event::RenewalRefused { client, .. } => {
            Act::Notice(client, Notice::Refused)
        }
        Event::HeldAlready { client, .. } => Act::Notice(client, Notice::HeldAlready),
        Event::Renewed { client, .. } => Act::Notice(client, Notice::Renewed),
        Event::Released { client, .. } => Act::Notice(client, Notice::Released),
        Event::ReleasedTooLate { client } => Act::Notice(client, Notice::ReleasedTooLate),
        Event::LeaseExpired { client, .. } => Act::Notice(client, Notice::Expired),
        Event::ReleasedNothing { client } => Act::Word(client, Word::HasNone),
        Event::Paused { client } => Act::Word(client, Word::Paused),
        Event::Woke { client, .. } => Act::Word(client, Word::Woke),
        Event::Suspended { client } => Act::Word(client, Word::Asleep),
        Event::Resumed { client, .. } => Act::Word(client, Word::Resumed),
        Event::Read(ref read) => return show_read(read, acts),
        Event::Wrote(ref request)
        | Event::Arrived { ref request, .. }
        | Event::Announced(ref request) => return show_request(at, request, acts),
        Event::Sent {
            client,
            data,
            grant,
            ..
        } => Act::Departure {
            client,
            data,
            grant,
        },
        Event::AnswerHeard {
            client, request, ..
        } => {
            if let Some(heard) = events.get(request.index()).and_then(Event::request) {
                acts.extend(heard.answers.iter().map(|answer| Act::Heard {
                    client,
                    asked: request,
                    request: heard,
                    answer,
                }));
            }
            return;
        }
        Event::HeldBack { client, step } => Act::Word(client, Word::Withheld(step)),
        Event::Checked {
            client,
            outcome: Ok(()),
        } => Act::Word(client, Word::CheckPassed),
        Event::Checked {
            client,
            outcome: Err(_),
        } => Act::Word(client, Word::CheckFailed),
        Event::ClockSlowed {
            client,
            is_off: false,
        } => Act::Word(client, Word::ClockSlow),
        Event::ClockSlowed {
            client,
            is_off: true,
        } => Act::Word(client, Word::ClockSlowInVain),
        Event::PoweredOff { client } => Act::Word(client, Word::SwitchedOff),
        Event::PowerOffUnanswered { client } => Act::Word(client, Word::NoReply),
        Event::CameToNothing { client, step } => Act::Word(client, Word::InVain(step)),
        Event::MaxTokenForgotten { storage, was } => Act::StorageForgot {
            storage,
            had_one: was.is_some(),
        },
        Event::CounterForgotten { next } => Act::CounterForgotten(next),
        Event::HolderForgotten { holder } => Act::HolderForgotten(holder),
    });
}

fn show_request<'run>(at: Moment, request: &'run Request, acts: &mut Vec<Act<'run>>) {
    let last = request.answers.iter().next_back();
    let last = last.map(|answer| answer.storage);
    acts.extend(request.answers.iter().map(|answer| Act::Request {
        request,
        token: request.token,
        answer,
        reception: reception(request, answer),
        undid: request.undid(at, answer),
        is_last: Some(answer.storage) == last,
    }));
}

fn show_read<'run>(read: &'run Read, acts: &mut Vec<Act<'run>>) {
    let reader = read.client;
    acts.extend(read.replies.iter().map(|reply| Act::Reply(reader, reply)));
    if let Some(choice) = read.choice {
        acts.push(Act::Taken(reader, choice));
        let repairs = read.repairs.iter();
        acts.extend(repairs.map(|repair| Act::Repair {
            reader,
            choice,
            repair,
            reception: Reception::of_repair(&choice, repair),
        }));
    }
}

impl Act<'_> {
    /// Where it is shown.
    pub fn place(&self, at: Moment) -> Place {
        let arrow = |from, to, is_lost| Place::Arrow(Arrow { from, to, is_lost });
        match *self {
            Act::Notice(client, notice) => {
                let is_lost = matches!(notice, Notice::Expired | Notice::ReleasedTooLate);
                let (client, lock_service) = (Lane::Client(client), Lane::LockService);
                if notice.is_from_client() {
                    arrow(client, lock_service, is_lost)
                } else {
                    arrow(lock_service, client, is_lost)
                }
            }
            Act::Departure { client, .. } => arrow(Lane::Client(client), Lane::Channel(at), false),
            Act::Request {
                request, answer, ..
            } => {
                let from = if request.left < at {
                    Lane::Channel(request.left)
                } else {
                    Lane::Client(request.client)
                };
                arrow(from, Lane::Storage(answer.storage), !answer.is_accepted())
            }
            Act::Reply(reader, reply) => {
                arrow(Lane::Storage(reply.storage), Lane::Client(reader), false)
            }
            Act::Repair { reader, repair, .. } => {
                arrow(Lane::Client(reader), Lane::Storage(repair.storage), false)
            }
            Act::Heard { client, answer, .. } => {
                arrow(Lane::Storage(answer.storage), Lane::Client(client), false)
            }
            Act::Word(client, _) | Act::Taken(client, _) => Place::Lane(Lane::Client(client)),
            Act::StorageForgot { storage, .. } => Place::Lane(Lane::Storage(storage)),
            Act::CounterForgotten(_) | Act::HolderForgotten(_) => Place::Lane(Lane::LockService),
        }
    }

    /// The client whose lane has something beside it: a word, a read, an answer or a condition.
    pub fn beside(&self) -> Option<ClientId> {
        match *self {
            Act::Word(client, _)
            | Act::Reply(client, _)
            | Act::Taken(client, _)
            | Act::Repair { reader: client, .. }
            | Act::Heard { client, .. } => Some(client),
            Act::Request { request, .. } if request.mode == WriteMode::IfUnchanged => {
                Some(request.client)
            }
            Act::Notice(..)
            | Act::Departure { .. }
            | Act::Request { .. }
            | Act::StorageForgot { .. }
            | Act::CounterForgotten(_)
            | Act::HolderForgotten(_) => None,
        }
    }
}

/// A step of which nothing comes, in a word.
pub fn in_vain(step: Step) -> &'static str {
    match step {
        Step::Acquires(_) => "(acquires)",
        Step::Renews(_) => "(renews)",
        Step::Releases(_) => "(releases)",
        Step::Pauses(_) => "(pauses)",
        Step::Wakes(_) => "(wakes)",
        Step::IsSuspended(_) => "(sleeps)",
        Step::Resumes(_) => "(resumes)",
        Step::Reads(..) => "(reads)",
        Step::Writes(..) => "(writes)",
        Step::Sends(..) => "(sends)",
        Step::AnnouncesToken(..) => "(tells)",
        Step::HearsAnswer(_) => "(hears)",
        Step::ChecksLease(_) => "(checks)",
        Step::IsPoweredOff(_) => "(off)",
        Step::LeaseExpires(_)
        | Step::PacketArrives(_)
        | Step::PacketWithArrives(..)
        | Step::ClockRunsSlow(_)
        | Step::CannotBePoweredOff(_)
        | Step::StorageForgetsMaxToken(_)
        | Step::LockServiceForgetsCounter
        | Step::LockServiceForgetsHolder => "(nothing)",
    }
}
