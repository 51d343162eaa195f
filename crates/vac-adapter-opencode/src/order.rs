//! Which session a unit belongs to, and in which order a session has its units.

use std::collections::HashMap;

use crate::classify::Class;
use crate::container::Units;
use crate::names::Number;
use crate::unit::Unit;

/// Gives a session to every unit that names none. Projects need none.
pub(crate) fn attribute(units: &mut Units<'_>) {
    let mut known = vec![false; units.sessions.len()];
    let mut of_message: HashMap<Number, Number> = HashMap::new();
    for unit in units.all.iter().filter(|unit| unit.class != Class::Share) {
        let Some(session) = unit.session else { continue };
        known[session as usize] = true;
        if let Some(message) = unit.message {
            of_message.entry(message).or_insert(session);
        }
    }
    let is_known = |session: Number| known.get(session as usize).copied().unwrap_or_default();
    let mut before: Option<Number> = None;
    for at in 0..units.all.len() {
        let unit = &units.all[at];
        let named = unit.session.filter(|session| is_known(*session));
        let named = named.or_else(|| of_message.get(&unit.message?).copied());
        if named.is_some() {
            before = named;
            units.all[at].session = named;
            continue;
        }
        let is_array = matches!(unit.class, Class::Diffs | Class::Todos);
        let behind = units
            .all
            .get(at + 1)
            .filter(|next| (is_array && next.class == Class::Session) || before.is_none());
        let behind = behind.and_then(|next| next.session).filter(|session| is_known(*session));
        units.all[at].session = behind.or(before);
    }
    let first = units.all.iter().find_map(|unit| unit.session).unwrap_or_default();
    for unit in units.all.iter_mut().filter(|unit| unit.session.is_none()) {
        unit.session = Some(first);
    }
}

/// A session whose messages are told elsewhere may have them in a table of its own as well,
/// under the same ids or others: there they are events.
pub(crate) fn settle(units: &mut [Unit<'_>]) {
    use Class::{Early, Message, Part, Whole};
    if units.iter().any(|unit| matches!(unit.class, Message | Early | Part)) {
        for unit in units.iter_mut().filter(|unit| unit.class == Whole) {
            unit.class = Class::Other;
            unit.entries = 1;
            (unit.message, unit.model) = (None, None);
            (unit.is_user, unit.counts_usage) = (false, false);
        }
    }
}

/// A message, as far as its units have to know it.
struct Message {
    number: Number,
    created: Option<u64>,
    is_user: bool,
    /// Whether its place in the container decides the order.
    is_nested: bool,
    /// Its last unit that is the message itself.
    last: Option<usize>,
    /// The time that it is ordered by.
    position: Option<u64>,
}

/// The place of a unit: with its message, the message first, then its parts, nested ones as
/// they are and others by their ids. Unit and id are given by their numbers.
#[derive(Clone, Copy, Default)]
struct Place {
    message: Option<usize>,
    is_part: bool,
    id: Option<usize>,
}

/// Orders the units of one session, and tells parts what their message is. `name` gives
/// the ids of messages.
pub(crate) fn order<'a, 'n>(
    mut units: Vec<Unit<'a>>,
    name: impl Fn(Number) -> &'n str,
) -> Vec<Unit<'a>> {
    let (mut messages, numbers) = messages(&units);
    let mut before = Place::default();
    let mut time = 0;
    let mut places = Vec::with_capacity(units.len());
    for (at, unit) in units.iter_mut().enumerate() {
        if let Some(number) = numbers[at] {
            let message = &mut messages[number];
            // One without a time keeps its place, and so does a nested one that is dated back.
            let created = message.created.unwrap_or(time);
            let position = if message.is_nested { created.max(time) } else { created };
            time = *message.position.get_or_insert(position);
            let is_part = !unit.is_message();
            let has_id = is_part && !unit.is_nested;
            before = Place { message: Some(number), is_part, id: has_id.then_some(at) };
            // What a message lacks, the end of its steps can say.
            unit.counts_usage =
                if is_part { message.last.is_none() } else { message.last == Some(at) };
            if is_part && message.last.is_some() {
                unit.is_user = message.is_user;
                unit.created = message.created;
            }
        }
        places.push(before);
    }
    let ranks = ranks(&messages, name);
    let key = |at: &usize| {
        let place = places[*at];
        let id = place.id.and_then(|at| units[at].id.as_deref());
        (place.message.map(|number| ranks[number]), place.is_part, id, *at)
    };
    let mut order: Vec<_> = (0..units.len()).collect();
    order.sort_by(|one, other| key(one).cmp(&key(other)));
    let mut units: Vec<_> = units.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| units[at].take()).collect()
}

/// The places of messages among each other: by time, then by id; nested ones as they are.
fn ranks<'n>(messages: &[Message], name: impl Fn(Number) -> &'n str) -> Vec<usize> {
    let mut order: Vec<_> = (0..messages.len()).collect();
    let name = |message: &Message| match message.is_nested {
        true => "",
        false => name(message.number),
    };
    let key = |at: &usize| (messages[*at].position, name(&messages[*at]));
    order.sort_by(|one, other| key(one).cmp(&key(other)));
    let mut ranks = vec![0; messages.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank;
    }
    ranks
}

/// The messages that units name, and for each unit the number of its own.
fn messages(units: &[Unit<'_>]) -> (Vec<Message>, Vec<Option<usize>>) {
    let mut messages: Vec<Message> = Vec::new();
    let mut known: HashMap<Number, usize> = HashMap::new();
    let mut numbers = Vec::with_capacity(units.len());
    for (at, unit) in units.iter().enumerate() {
        let Some(number) = unit.message else {
            numbers.push(None);
            continue;
        };
        let place = *known.entry(number).or_insert_with(|| {
            messages.push(Message {
                number,
                created: None,
                is_user: false,
                is_nested: unit.is_nested,
                last: None,
                position: None,
            });
            messages.len() - 1
        });
        if unit.is_message() {
            let message = &mut messages[place];
            message.created = unit.created;
            message.is_user = unit.is_user;
            message.last = Some(at);
        }
        numbers.push(Some(place));
    }
    (messages, numbers)
}
