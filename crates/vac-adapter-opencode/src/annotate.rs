//! Annotates the objects of a session, once their order is known.
//!
//! | annotation | decided by |
//! |---|---|
//! | `author` of a text | its flags `synthetic` and `ignored`, else [`prompt_rules`](crate::prompt_rules) |
//! | `author` of a message | its parts: the user's if one of them is, the program's if it asks for a compaction |
//! | `author` other-agent | the session names a parent: its prompts are the parent's |
//! | `action` user_command | the answer to a message that only has the note about a command of the user |
//! | `ends` | the error of an answer, stated by the last entry of the answer |
//! | `superseded` updated | a later object has the same id |
//! | `superseded` rewound | the session's `revert` names it or a message before it |
//! | `duplicate-of` | the program repeats the last prompt after a compaction that made room for it |
//! | `inherited` | the session is a fork, and the message is older than the session |

use vac_record::annotations::{Author, SupersededHow};

use crate::classify::Class;
use crate::object::{StoredObject, Words};

/// The facts about a session on which the annotations of its objects depend.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SessionOrigin<'s> {
    /// Whether another session started it, so that its prompts are not the user's.
    pub is_subagent: bool,
    /// Whether it was forked from another session.
    pub is_fork: bool,
    /// The time at which it was created.
    pub created: Option<u64>,
    /// The message, and the part of it, to which the user went back.
    pub reverted_to: Option<(&'s str, Option<&'s str>)>,
}

/// Annotates the objects of a session. They have to be in the order of its entries.
pub(crate) fn annotate(objects: &mut [StoredObject<'_>], origin: SessionOrigin<'_>) {
    // Objects that belong to no message may be between the objects of a message.
    let of_messages: Vec<_> =
        (0..objects.len()).filter(|at| objects[*at].message.is_some()).collect();
    let is_same = |one: &usize, other: &usize| objects[*one].message == objects[*other].message;
    let groups: Vec<_> = of_messages.chunk_by(is_same).collect();
    let mut before = Before::default();
    for group in groups {
        before.annotate_message(objects, group);
    }
    for stored in objects.iter_mut() {
        let author = &mut stored.notes.author;
        if origin.is_subagent && matches!(author, Some(Author::User | Author::Unknown)) {
            *author = Some(Author::OtherAgent);
        }
        let is_older = stored.created.zip(origin.created).is_some_and(|(own, its)| own < its);
        stored.notes.is_inherited =
            origin.is_fork && is_older && (stored.message.is_some() || stored.sequence().is_some());
    }
    if let Some((message, part)) = origin.reverted_to {
        rewind(objects, message, part);
    }
}

/// The state of the conversation before a message. A message is given by the numbers of its
/// objects.
#[derive(Default)]
struct Before<'g> {
    /// The last prompt that is not a request to compact the session.
    prompt: Option<&'g [usize]>,
    /// The prompt that the program repeats next.
    replayed: Option<&'g [usize]>,
    /// Whether the last message was the program's note about a command of the user.
    is_user_command: bool,
}

impl<'g> Before<'g> {
    fn annotate_message(&mut self, objects: &mut [StoredObject<'_>], group: &'g [usize]) {
        mark_updated(objects, group);
        let is_user_command = std::mem::take(&mut self.is_user_command);
        if !group.iter().any(|at| objects[*at].is_user) {
            for at in group {
                objects[*at].notes.is_user_command = is_user_command;
            }
            return move_end(objects, group);
        }
        let words = || group.iter().map(|at| objects[*at].words);
        let author = message_author(words());
        self.is_user_command = words().any(|it| it == Words::UserCommand);
        let is_compaction = words().any(|it| matches!(it, Words::Compaction { .. }));
        let is_replayed = words().any(|it| it == Words::Compaction { is_replayed: true });
        for at in group {
            let stored = &mut objects[*at];
            stored.notes.author = match stored.words {
                Words::Text(author) => Some(author),
                Words::UserCommand => Some(Author::Program),
                _ if stored.is_message() => Some(author),
                _ => None,
            };
        }
        if is_compaction {
            self.replayed = self.prompt.filter(|_| is_replayed);
        } else if author == Author::User {
            if let Some(original) = self.replayed.take() {
                mark_replay(objects, original, group);
            }
            self.prompt = Some(group);
        }
    }
}

/// Returns the author of a message according to its parts. A message without texts is the user's.
fn message_author(words: impl Iterator<Item = Words>) -> Author {
    let mut others = None;
    for words in words {
        let author = match words {
            Words::Text(author) => author,
            Words::UserCommand | Words::Compaction { .. } => Author::Program,
            // Files do not decide, because the program attaches them, too.
            Words::Attached | Words::None => continue,
        };
        if author == Author::User {
            return Author::User;
        }
        others = others.or(Some(author));
    }
    others.unwrap_or(Author::User)
}

/// Marks earlier states of a message or part as superseded by the last one. A prompt that waited is
/// superseded by its message.
fn mark_updated(objects: &mut [StoredObject<'_>], group: &[usize]) {
    for pair in group.windows(2) {
        let [one, other] = [&objects[pair[0]], &objects[pair[1]]];
        let is_part = |stored: &StoredObject<'_>| {
            stored.class == Class::Part && !stored.is_nested && stored.id.is_some()
        };
        let is_same = (one.is_message() && other.is_message())
            || (is_part(one) && is_part(other) && one.id == other.id);
        if is_same {
            let old = if other.is_queued() && !one.is_queued() { pair[1] } else { pair[0] };
            objects[old].notes.superseded = Some(SupersededHow::Updated);
        }
    }
}

/// Moves the end of a turn from the message, which comes first, to the last of its parts.
fn move_end(objects: &mut [StoredObject<'_>], group: &[usize]) {
    let ends = group.iter().rev().find_map(|at| objects[*at].notes.ends.take());
    let mut from_last = group.iter().rev().copied();
    let part = from_last.clone().find(|at| objects[*at].class == Class::Part);
    let last = part.or_else(|| from_last.find(|at| objects[*at].is_message()));
    if let Some(last) = last.or(group.last().copied()) {
        objects[last].notes.ends = ends;
    }
}

/// Marks the objects of a message that repeat those of another message, part by part.
fn mark_replay(objects: &mut [StoredObject<'_>], original: &[usize], repeated: &[usize]) {
    for (from, to) in original.iter().zip(repeated) {
        let [old, new] = [&objects[*from], &objects[*to]];
        // Copies differ only in their ids, which all have the same length.
        let is_copy = old.class == new.class
            && old.words == new.words
            && (old.is_message() || old.size == new.size);
        let id = old.id.as_deref().filter(|_| is_copy && old.id != new.id).map(Into::into);
        objects[*to].notes.duplicate_of = id;
    }
}

/// Marks the objects after the message, or the part of it, to which the user went back. Does
/// nothing if ids are not unique.
fn rewind(objects: &mut [StoredObject<'_>], message: &str, part: Option<&str>) {
    let named = |stored: &StoredObject<'_>, id: &str| stored.id.as_deref() == Some(id);
    let is_it = |stored: &StoredObject<'_>| match part {
        Some(part) => !stored.is_message() && named(stored, part),
        None => stored.is_message() && named(stored, message),
    };
    let mut found = objects.iter().enumerate().filter(|(_, stored)| is_it(stored));
    let (Some((first, _)), None) = (found.next(), found.next()) else { return };
    for stored in &mut objects[first..] {
        stored.notes.superseded = Some(SupersededHow::Rewound);
    }
}
