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

/// A message, as far as its units have to know it.
struct Message {
    id: String,
    created: Option<u64>,
    is_user: bool,
    /// Its last unit that is the message itself.
    last: Option<usize>,
    /// The time that it is ordered by.
    position: Option<u64>,
}

/// Where a unit stands: with its message, the message first, then its parts by their
/// ids. Unit and id are given by their numbers.
#[derive(Clone, Copy, Default)]
struct Place {
    message: Option<usize>,
    is_part: bool,
    id: Option<usize>,
}

/// Orders the units of one session, and tells parts what their message is.
pub(crate) fn order(mut units: Vec<Unit>) -> Vec<Unit> {
    let (mut messages, numbers) = messages(&units);
    let mut before = Place::default();
    let mut time = 0;
    let mut places = Vec::with_capacity(units.len());
    for (at, unit) in units.iter_mut().enumerate() {
        if let Some(number) = numbers[at] {
            let message = &mut messages[number];
            // One without a time stands where it stood.
            time = *message.position.get_or_insert(message.created.unwrap_or(time));
            let is_part = unit.class != Class::Message;
            before = Place { message: Some(number), is_part, id: is_part.then_some(at) };
            unit.counts_usage &= message.last == Some(at);
            if is_part {
                unit.is_user = message.is_user;
                unit.created = message.created;
            }
        }
        places.push(before);
    }
    let key = |at: &usize| {
        let place = places[*at];
        let message = place.message.map(|number| &messages[number]);
        let message = message.map(|message| (message.position, message.id.as_str()));
        let id = place.id.and_then(|at| units[at].id.as_deref());
        (message, place.is_part, id, *at)
    };
    let mut order: Vec<_> = (0..units.len()).collect();
    order.sort_by(|one, other| key(one).cmp(&key(other)));
    let mut units: Vec<_> = units.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| units[at].take()).collect()
}

/// The messages that units name, and for each unit the number of its own.
fn messages(units: &[Unit]) -> (Vec<Message>, Vec<Option<usize>>) {
    let mut messages: Vec<Message> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut numbers = Vec::with_capacity(units.len());
    for (at, unit) in units.iter().enumerate() {
        let Some(id) = &unit.message else {
            numbers.push(None);
            continue;
        };
        let number = *known.entry(id).or_insert_with(|| {
            let id = id.clone();
            messages.push(Message {
                id,
                created: None,
                is_user: false,
                last: None,
                position: None,
            });
            messages.len() - 1
        });
        if unit.class == Class::Message {
            let message = &mut messages[number];
            message.created = unit.created;
            message.is_user = unit.is_user;
            message.last = Some(at);
        }
        numbers.push(Some(number));
    }
    (messages, numbers)
}
