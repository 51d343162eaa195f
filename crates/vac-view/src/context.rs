//! The context of an entry: its position in the session, and what its annotations and those of its
//! parents state about it.

use serde::{Serialize, Serializer};
use vac_record::annotations::{
    EntryAnnotations, EntryAnnotationsInherited, Subagent, Superseded, SupersededHow,
};
use vac_record::{AbstractTimestamp, Entry};

/// The position of an entry in its record: its index, and the position of its parent.
#[derive(Clone, Copy, Debug)]
pub struct Position<'c> {
    /// The index in the entries of the session, or in the children of its parent.
    pub index: usize,
    /// The position of the parent; `None` for an entry at the top level.
    pub around: Option<&'c Position<'c>>,
}

impl Position<'_> {
    /// Returns the indexes that lead to the entry, from the outermost one.
    ///
    /// ```
    /// use vac_view::context::Position;
    ///
    /// let message = Position { index: 4, around: None };
    /// assert_eq!(Position { index: 1, around: Some(&message) }.indexes(), [4, 1]);
    /// ```
    pub fn indexes(&self) -> Vec<usize> {
        let mut indexes: Vec<_> = std::iter::successors(Some(self), |position| position.around)
            .map(|position| position.index)
            .collect();
        indexes.reverse();
        indexes
    }
}

/// The context of an entry. Values that an entry does not state are inherited from its parent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'c> {
    /// The position of the entry; `None` for events that are not read from an entry.
    pub position: Option<&'c Position<'c>>,
    /// The id of the entry.
    pub entry_id: Option<&'c str>,
    /// The time of the entry.
    pub timestamp: Option<&'c AbstractTimestamp<'c>>,
    /// The id of the entry that it repeats.
    pub duplicate_of: Option<&'c str>,
    /// The session whose history it is.
    pub inherited: Option<&'c EntryAnnotationsInherited<'c>>,
    /// The way in which the entry stopped being part of the conversation.
    pub superseded: Option<&'c Superseded<'c>>,
    /// The subagent that the entry belongs to.
    pub subagent: Option<&'c Subagent<'c>>,
    /// Whether the entry is a child of a message of the model.
    pub(crate) is_in_answer: bool,
}

/// The place of an entry among the entries of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryPlace {
    indices: Vec<usize>,
}

impl EntryPlace {
    /// Returns the index, among the entries of the session, of the entry or of its outermost
    /// parent.
    pub fn index(&self) -> usize {
        self.indices.first().copied().unwrap_or(0)
    }

    /// Returns the JSON pointer of the entry in its record.
    pub fn pointer(&self) -> String {
        let indices: Vec<_> = self.indices.iter().map(usize::to_string).collect();
        format!("/session/entries/{}", indices.join("/children/"))
    }

    /// Parses an index, or the JSON pointer of an entry.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix("/session/entries/").unwrap_or(text);
        let index = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| is_number)
        };
        let indices = text.split("/children/").map(index).collect::<Option<_>>()?;
        Some(Self { indices })
    }

    /// Returns whether this is the place of the other entry, or of one of its parents.
    pub fn contains(&self, other: &Self) -> bool {
        other.indices.starts_with(&self.indices)
    }
}

/// The reason why an entry is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// The entry repeats another one.
    Duplicate,
    /// The entry is part of the history of another session.
    Inherited,
    /// The entry is an earlier version of another one.
    Updated,
}

impl SkipReason {
    /// Returns the reason's name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Inherited => "inherited",
            Self::Updated => SupersededHow::Updated.as_str(),
        }
    }
}

impl Serialize for SkipReason {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.name())
    }
}

impl<'c> Context<'c> {
    /// Returns the context of an entry with these annotations inside this context.
    pub(crate) fn enter<'i>(
        &'i self,
        entry: &'i Entry<'_>,
        position: &'i Position<'i>,
        annotations: &'i EntryAnnotations<'_>,
    ) -> Context<'i>
    where
        'c: 'i,
    {
        Context {
            position: Some(position),
            entry_id: entry.id().map(|id| &**id).or(self.entry_id),
            timestamp: entry.timestamp().or(self.timestamp),
            duplicate_of: annotations.duplicate_of.as_deref().or(self.duplicate_of),
            inherited: annotations.inherited.as_ref().or(self.inherited),
            superseded: annotations.superseded.as_ref().or(self.superseded),
            subagent: annotations.subagent.as_ref().or(self.subagent),
            is_in_answer: self.is_in_answer,
        }
    }

    /// Returns the place of the entry in its session; empty for the session itself.
    pub fn place(&self) -> EntryPlace {
        EntryPlace { indices: self.position.map_or_else(Vec::new, Position::indexes) }
    }

    /// Returns the reason why the entry is skipped: its events would be reported twice, or are not
    /// part of this session.
    pub fn skip_reason(&self) -> Option<SkipReason> {
        if self.duplicate_of.is_some() {
            Some(SkipReason::Duplicate)
        } else if self.inherited.is_some() {
            Some(SkipReason::Inherited)
        } else if self.superseded.is_some_and(|it| it.how == SupersededHow::Updated) {
            Some(SkipReason::Updated)
        } else {
            None
        }
    }

    /// Returns whether the entry is part of the conversation. Only such entries decide how the
    /// session ended.
    pub(crate) fn is_in_conversation(&self) -> bool {
        self.skip_reason().is_none() && self.superseded.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_json_pointers() {
        let place = EntryPlace::parse("3").expect("an index");
        assert_eq!(place.pointer(), "/session/entries/3");
        let child = EntryPlace::parse("/session/entries/3/children/1").expect("a pointer");
        assert_eq!((child.index(), child.pointer()), (3, "/session/entries/3/children/1".into()));
        assert!(place.contains(&child) && !child.contains(&place));
        for text in ["", "x", "-1", "+1", "3/1", "/session", "3/children/", "99999999999999999999"]
        {
            assert_eq!(EntryPlace::parse(text), None, "{text}");
        }
    }
}
