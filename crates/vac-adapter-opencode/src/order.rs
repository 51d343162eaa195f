//! Assigns objects to sessions, and orders the objects of a session.

use std::collections::HashMap;

use crate::classify::Class;
use crate::container::Objects;
use crate::names::Number;
use crate::object::{Notes, StoredObject, Words};

/// Assigns a session to every object that names none, except projects.
pub(crate) fn attribute(objects: &mut Objects<'_>) {
    let mut known = vec![false; objects.sessions.len()];
    let mut of_message: HashMap<Number, Number> = HashMap::new();
    for stored in objects.all.iter().filter(|stored| stored.class != Class::Share) {
        let Some(session) = stored.session else { continue };
        known[session as usize] = true;
        if let Some(message) = stored.message {
            of_message.entry(message).or_insert(session);
        }
    }
    let is_known = |session: Number| known.get(session as usize).copied().unwrap_or_default();
    let mut before: Option<Number> = None;
    for at in 0..objects.all.len() {
        let stored = &objects.all[at];
        let named = stored.session.filter(|session| is_known(*session));
        let named = named.or_else(|| of_message.get(&stored.message?).copied());
        if named.is_some() {
            before = named;
            objects.all[at].session = named;
            continue;
        }
        let is_array = matches!(stored.class, Class::Diffs | Class::Todos);
        let next = objects
            .all
            .get(at + 1)
            .filter(|next| (is_array && next.class == Class::Session) || before.is_none());
        let next = next.and_then(|next| next.session).filter(|session| is_known(*session));
        objects.all[at].session = next.or(before);
    }
    let first = objects.all.iter().find_map(|stored| stored.session).unwrap_or_default();
    for stored in objects.all.iter_mut().filter(|stored| stored.session.is_none()) {
        stored.session = Some(first);
    }
}

/// Turns the rows of `session_message` into events if the older tables contain messages as well,
/// under the same ids or others. Waiting prompts are in no other table and stay messages.
pub(crate) fn settle(objects: &mut [StoredObject<'_>]) {
    use Class::{Message, Message2025, Part, SessionMessage};
    if objects.iter().any(|stored| matches!(stored.class, Message | Message2025 | Part)) {
        let is_row =
            |stored: &&mut StoredObject<'_>| stored.class == SessionMessage && !stored.is_queued();
        for stored in objects.iter_mut().filter(is_row) {
            stored.class = Class::Other;
            stored.entries = 1;
            (stored.words, stored.notes) = (Words::None, Notes::default());
            (stored.message, stored.model) = (None, None);
            (stored.is_user, stored.counts_usage) = (false, false);
        }
    }
}

/// Sorts the rows that have a place in their session by that place. Their ids do not matter.
pub(crate) fn sort_rows(objects: &mut [StoredObject<'_>]) {
    let places = objects.iter().enumerate().filter(|(_, stored)| stored.sequence().is_some());
    let places: Vec<_> = places.map(|(at, _)| at).collect();
    let mut order = places.clone();
    order.sort_by_key(|at| objects[*at].sequence());
    if order == places {
        return;
    }
    let rows: Vec<_> = order.into_iter().map(|at| objects[at].clone()).collect();
    for (at, row) in places.into_iter().zip(rows) {
        objects[at] = row;
    }
}

/// The facts about a message on which the order of its objects depends.
struct Message {
    number: Number,
    created: Option<u64>,
    is_user: bool,
    /// Whether its place in the container decides the order.
    is_nested: bool,
    /// The last object that is the message itself.
    last: Option<usize>,
    /// The time by which it is ordered.
    position: Option<u64>,
}

/// The sort key of an object: by its message, the message first, then its parts, nested ones in
/// their order and others by their ids. Object and id are given by their numbers.
#[derive(Clone, Copy, Default)]
struct Place {
    message: Option<usize>,
    is_part: bool,
    id: Option<usize>,
}

/// Orders the objects of one session, and sets the role and the time of parts to those of their
/// message. `name` returns the ids of messages.
pub(crate) fn order<'a, 'n>(
    mut objects: Vec<StoredObject<'a>>,
    name: impl Fn(Number) -> &'n str,
) -> Vec<StoredObject<'a>> {
    let (mut messages, numbers) = messages(&objects);
    let mut before = Place::default();
    let mut time = 0;
    let mut places = Vec::with_capacity(objects.len());
    for (at, stored) in objects.iter_mut().enumerate() {
        if let Some(number) = numbers[at] {
            let message = &mut messages[number];
            // A message without a time keeps its place, and so does a nested one with an earlier
            // time than those before it.
            let created = message.created.unwrap_or(time);
            let position = if message.is_nested { created.max(time) } else { created };
            time = *message.position.get_or_insert(position);
            let is_part = !stored.is_message();
            let has_id = is_part && !stored.is_nested;
            before = Place { message: Some(number), is_part, id: has_id.then_some(at) };
            // The end of a step can state what its message does not.
            stored.counts_usage =
                if is_part { message.last.is_none() } else { message.last == Some(at) };
            if is_part && message.last.is_some() {
                stored.is_user = message.is_user;
                stored.created = message.created;
            }
        }
        places.push(before);
    }
    let ranks = rank_messages(&messages, name);
    let key = |at: &usize| {
        let place = places[*at];
        let id = place.id.and_then(|at| objects[at].id.as_deref());
        (place.message.map(|number| ranks[number]), place.is_part, id, *at)
    };
    let mut order: Vec<_> = (0..objects.len()).collect();
    order.sort_by(|one, other| key(one).cmp(&key(other)));
    let mut objects: Vec<_> = objects.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| objects[at].take()).collect()
}

/// Returns the order of messages: by time, then by id; nested ones in their order.
fn rank_messages<'n>(messages: &[Message], name: impl Fn(Number) -> &'n str) -> Vec<usize> {
    let mut order: Vec<_> = (0..messages.len()).collect();
    let name = |message: &Message| if message.is_nested { "" } else { name(message.number) };
    let key = |at: &usize| (messages[*at].position, name(&messages[*at]));
    order.sort_by(|one, other| key(one).cmp(&key(other)));
    let mut ranks = vec![0; messages.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank;
    }
    ranks
}

/// Returns the messages that objects name, and for each object the number of its message.
fn messages(objects: &[StoredObject<'_>]) -> (Vec<Message>, Vec<Option<usize>>) {
    let mut messages: Vec<Message> = Vec::new();
    let mut known: HashMap<Number, usize> = HashMap::new();
    let mut numbers = Vec::with_capacity(objects.len());
    for (at, stored) in objects.iter().enumerate() {
        let Some(number) = stored.message else {
            numbers.push(None);
            continue;
        };
        let place = *known.entry(number).or_insert_with(|| {
            messages.push(Message {
                number,
                created: None,
                is_user: false,
                is_nested: stored.is_nested,
                last: None,
                position: None,
            });
            messages.len() - 1
        });
        if stored.is_message() {
            let message = &mut messages[place];
            message.created = stored.created;
            message.is_user = stored.is_user;
            message.last = Some(at);
        }
        numbers.push(Some(place));
    }
    (messages, numbers)
}
