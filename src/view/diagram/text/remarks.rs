//! What stands behind the data of a row: why they were turned away, or what to note of their coming.

use crate::view::diagram::act::{Act, Reception};
use crate::view::diagram::text::columns::digits;
use crate::view::diagram::text::glyphs::{Glyphs, width};
use crate::view::palette::Role;
use crate::world::event::{Answer, Moment};
use crate::world::grant::Token;
use crate::world::storage_service::Rejection;

/// The longest reason that is told in full, in characters, the blank before it included.
const LONGEST_REASON: usize = 14;

/// What stands behind the data of a row.
#[derive(Default)]
pub struct Remarks {
    /// Why they were turned away, right behind them.
    pub reason: String,
    /// What to note of their coming, right-aligned, with a blank before each.
    pub marks: Vec<(String, Role)>,
    /// A step that the reason names: it changed the contents.
    pub changed: Option<Moment>,
    /// A step that a mark names: its data were overwritten unread.
    pub lost: Option<Moment>,
    /// A step that a mark names: its data were undone.
    pub undid: Option<Moment>,
}

impl Remarks {
    /// What stands behind the data of this act.
    pub fn of(act: &Act<'_>, glyphs: &Glyphs) -> Remarks {
        match *act {
            Act::Request {
                token,
                answer,
                reception,
                undid,
                ..
            } => {
                if let Err(rejection) = answer.outcome {
                    return Remarks::of_rejection(rejection, token, answer, glyphs);
                }
                let mut remarks = Remarks::default();
                remarks.mark_reception(reception, glyphs);
                remarks.lost = remarks.mark_step("lost", answer.lost);
                remarks.undid = remarks.mark_step("undid", undid);
                remarks.mark_max_token(answer, glyphs);
                remarks
            }
            Act::Repair {
                repair, reception, ..
            } => {
                let mut remarks = Remarks::default();
                remarks.mark_reception(reception, glyphs);
                remarks.mark_max_token(repair, glyphs);
                remarks
            }
            Act::Notice(..)
            | Act::Word(..)
            | Act::Departure { .. }
            | Act::Reply(..)
            | Act::Taken(..)
            | Act::Heard { .. }
            | Act::StorageForgot { .. }
            | Act::CounterForgotten(_)
            | Act::HolderForgotten(_) => Remarks::default(),
        }
    }

    /// How much room they need.
    pub fn width(&self) -> usize {
        let marks = self.marks.iter();
        width(&self.reason) + marks.map(|(mark, _)| 1 + width(mark)).sum::<usize>()
    }

    fn of_rejection(
        rejection: Rejection,
        token: Option<Token>,
        answer: &Answer,
        glyphs: &Glyphs,
    ) -> Remarks {
        let lost = glyphs.lost;
        // " ╳ 33<34" and " ╳ changed@7" without their numbers.
        let (for_tokens, for_step) = (4, 11);
        let changed = answer.look.and_then(|look| look.changed);
        let changed = changed
            .filter(|at| for_step + digits(at.number().into()) <= LONGEST_REASON)
            .filter(|_| rejection == Rejection::Changed);
        let lower = token.zip(answer.max_token).filter(|(token, max_token)| {
            for_tokens + digits(token.0) + digits(max_token.0) <= LONGEST_REASON
        });
        let reason = match (rejection, lower, changed) {
            (Rejection::LowerToken, Some((token, max_token)), _) => {
                let (token, max_token) = (glyphs.token(token), glyphs.token(max_token));
                format!(" {lost} {token}<{max_token}")
            }
            (Rejection::LowerToken, None, _) => format!(" {lost} lower"),
            (Rejection::NoToken, ..) => format!(" {lost} no token"),
            (Rejection::Changed, _, Some(at)) => format!(" {lost} changed@{}", at.number()),
            (Rejection::Changed, _, None) => format!(" {lost} changed"),
        };
        Remarks {
            reason,
            changed,
            ..Remarks::default()
        }
    }

    fn mark_reception(&mut self, reception: Reception, glyphs: &Glyphs) {
        if let Some((mark, role)) = glyphs.reception(reception) {
            self.marks.push((mark.to_string(), role));
        }
    }

    fn mark_step(&mut self, word: &str, at: Option<Moment>) -> Option<Moment> {
        let mark = at.map(|at| format!("{word}@{}", at.number()));
        self.marks
            .extend(mark.map(|mark| (mark, Role::AcceptedStale)));
        at
    }

    fn mark_max_token(&mut self, answer: &Answer, glyphs: &Glyphs) {
        let mark = answer.max_token.map(|it| format!("[{}]", glyphs.token(it)));
        self.marks.extend(mark.map(|mark| (mark, Role::State)));
    }
}
