//! A slip in a name makes a valid script with another client. Whoever wrote it is asked.

use crate::script::Scenario;
use crate::world::step::Step;

/// The shortest name in which a letter is taken for a slip.
const SHORTEST: usize = 4;

/// The most clients whose names are compared. Nobody types more by hand.
const MOST_CLIENTS: usize = 1000;

/// A client that never asks for the lease, and whose name is a slip away from one that does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NearName<'names> {
    /// What it is called.
    pub name: &'names str,
    /// What may have been meant: the first that does ask.
    pub meant: &'names str,
}

/// All such clients of the scenario, in the order in which they appear.
pub fn near_names(scenario: &Scenario) -> Vec<NearName<'_>> {
    let names = &scenario.names;
    if names.client_count() > MOST_CLIENTS {
        return Vec::new();
    }
    let mut asks = vec![false; names.client_count()];
    for step in &scenario.steps {
        if let Step::Acquires(client) = step.step {
            asks[client.index()] = true;
        }
    }
    let (asking, others): (Vec<_>, Vec<_>) =
        names.clients().partition(|client| asks[client.index()]);
    let near = others.into_iter().filter_map(|other| {
        let name = names.client(other);
        let mut meant = asking.iter().map(|&client| names.client(client));
        let meant = meant.find(|meant| is_slip(name, meant))?;
        Some(NearName { name, meant })
    });
    near.collect()
}

/// Whether `name` is what becomes of `meant` by a slip: another case, or one letter dropped,
/// doubled, swapped with its neighbour or changed to another. Digits tell clients apart, and take no
/// part in it.
pub fn is_slip(name: &str, meant: &str) -> bool {
    if name == meant {
        return false;
    }
    if name.eq_ignore_ascii_case(meant) {
        return true;
    }
    if meant.len() < SHORTEST {
        return false;
    }
    let (name, meant) = (name.as_bytes(), meant.as_bytes());
    let same = meant
        .iter()
        .zip(name)
        .take_while(|(one, other)| one == other);
    let at = same.count();
    let is_letter = |of: &[u8], at: usize| of.get(at).is_some_and(u8::is_ascii_alphabetic);
    let dropped = is_letter(meant, at) && meant.get(at + 1..) == name.get(at..);
    let doubled = is_letter(name, at)
        && name[..at].last() == Some(&name[at])
        && name.get(at + 1..) == meant.get(at..);
    let changed =
        is_letter(meant, at) && is_letter(name, at) && meant.get(at + 1..) == name.get(at + 1..);
    let swapped = is_letter(meant, at)
        && is_letter(meant, at + 1)
        && name.get(at..at + 2) == Some(&[meant[at + 1], meant[at]])
        && meant.get(at + 2..) == name.get(at + 2..);
    dropped || doubled || changed || swapped
}
