//! Authors of messages, and sets of authors.

use serde::{Serialize, Serializer};
use vac_record::annotations::Author;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MessageAuthor {
    /// The user wrote it.
    User,
    /// The agent's program wrote it.
    Program,
    /// Another agent wrote it.
    OtherAgent,
    /// A hook wrote it.
    Hook,
    /// It is not certain that the user wrote it.
    Unknown,
    /// The record does not state the author: it has no annotations.
    Unstated,
}

impl MessageAuthor {
    /// All authors.
    pub const ALL: [Self; 6] =
        [Self::User, Self::Program, Self::OtherAgent, Self::Hook, Self::Unknown, Self::Unstated];

    /// Returns the author that an annotation states.
    pub fn from_annotation(author: Option<Author>) -> Self {
        match author {
            Some(Author::User) => Self::User,
            Some(Author::Program) => Self::Program,
            Some(Author::OtherAgent) => Self::OtherAgent,
            Some(Author::Hook) => Self::Hook,
            Some(Author::Unknown) => Self::Unknown,
            None => Self::Unstated,
        }
    }

    /// Returns the author's name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => Author::User.as_str(),
            Self::Program => Author::Program.as_str(),
            Self::OtherAgent => Author::OtherAgent.as_str(),
            Self::Hook => Author::Hook.as_str(),
            Self::Unknown => Author::Unknown.as_str(),
            Self::Unstated => "unstated",
        }
    }
}

impl Serialize for MessageAuthor {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.name())
    }
}

/// A set of authors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthorSet(u8);

impl AuthorSet {
    /// No author.
    pub const EMPTY: Self = Self(0);
    /// The user, and messages whose author is not stated.
    pub const USER: Self = Self::EMPTY.with(MessageAuthor::User).with(MessageAuthor::Unstated);
    /// Every author.
    pub const ALL: Self = Self(u8::MAX);

    /// Adds an author.
    #[must_use]
    pub const fn with(self, author: MessageAuthor) -> Self {
        Self(self.0 | 1 << author as u8)
    }

    /// Returns whether an author is in the set.
    pub const fn contains(self, author: MessageAuthor) -> bool {
        self.0 & 1 << author as u8 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_contains_what_was_added() {
        let set = AuthorSet::EMPTY.with(MessageAuthor::Hook);
        for author in MessageAuthor::ALL {
            assert_eq!(set.contains(author), author == MessageAuthor::Hook);
            assert!(AuthorSet::ALL.contains(author));
        }
        assert!(AuthorSet::USER.contains(MessageAuthor::Unstated));
        assert!(!AuthorSet::USER.contains(MessageAuthor::Program));
    }
}
