//! Which session a unit belongs to, and in which order a session has its units.

use std::collections::{BTreeSet, HashMap};

use crate::classify::Class;
use crate::units::Unit;

/// Gives a session to every unit that names none. Projects need none.
pub(crate) fn attribute(units: &mut [Unit], fallback: &str) {
    let known: BTreeSet<_> = units
        .iter()
        .filter(|unit| unit.class != Class::Share)
        .filter_map(|unit| unit.session.clone())
        .collect();
    let mut before: Option<String> = None;
    for at in 0..units.len() {
        if units[at].session.as_ref().is_some_and(|session| known.contains(session)) {
            before.clone_from(&units[at].session);
            continue;
        }
        let behind = units.get(at + 1).filter(|next| {
            let is_array = matches!(units[at].class, Class::Diffs | Class::Todos);
            (is_array && next.class == Class::Session) || before.is_none()
        });
        let behind = behind.and_then(|next| next.session.clone());
        let session = behind.filter(|session| known.contains(session)).or_else(|| before.clone());
        units[at].session = session;
    }
    let first = units.iter().find_map(|unit| unit.session.clone());
    let first = first.unwrap_or_else(|| fallback.to_owned());
    for unit in units.iter_mut().filter(|unit| unit.session.is_none()) {
        unit.session = Some(first.clone());
    }
}

/// Where a unit stands in its session: behind the creation of its message, by the
/// message's id, the message first, then its parts by id, then as in the input.
type Position = (u64, String, bool, String, usize);

/// Orders the units of one session, and tells parts what their message is.
pub(crate) fn order(units: Vec<Unit>) -> Vec<Unit> {
    let mut messages: HashMap<String, (Option<u64>, bool)> = HashMap::new();
    let mut last: HashMap<String, usize> = HashMap::new();
    for (at, unit) in units.iter().enumerate().filter(|(_, unit)| unit.class == Class::Message) {
        if let Some(id) = &unit.message {
            messages.insert(id.clone(), (unit.created, unit.is_user));
            last.insert(id.clone(), at);
        }
    }
    let mut created_of: HashMap<String, u64> = HashMap::new();
    let mut before = (0, String::new(), false, String::new());
    let mut placed: Vec<(Position, Unit)> = Vec::with_capacity(units.len());
    for (at, mut unit) in units.into_iter().enumerate() {
        if let Some(id) = &unit.message {
            let (created, is_user) = messages.get(id).copied().unwrap_or((None, false));
            let position = created.unwrap_or(before.0);
            let position = *created_of.entry(id.clone()).or_insert(position);
            let is_part = unit.class != Class::Message;
            let part = unit.id.clone().filter(|_| is_part).unwrap_or_default();
            before = (position, id.clone(), is_part, part);
            unit.counts_usage &= last.get(id) == Some(&at);
            if is_part {
                unit.is_user = is_user;
                unit.created = created;
            }
        }
        let (created, message, is_part, part) = before.clone();
        placed.push(((created, message, is_part, part, at), unit));
    }
    placed.sort_by(|(one, _), (other, _)| one.cmp(other));
    placed.into_iter().map(|(_, unit)| unit).collect()
}
