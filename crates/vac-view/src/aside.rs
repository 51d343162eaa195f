//! Entries that tell again what another entry tells, or are not of the session itself, and
//! entries that are not part of the conversation any more.
//!
//! | an entry says | so it |
//! |---|---|
//! | `duplicate-of` | repeats another one: stands aside |
//! | `inherited` | is the history of another session, from which this one began: stands aside |
//! | `superseded: "updated"`, or `superseded-by` alone | is an earlier version of one that comes later: stands aside |
//! | `superseded` with another word, `rolled-back` | happened, and was taken back or put out of the model's sight: is told, and marked |
//!
//! What stands aside would be told twice. What was taken back was done all the same:
//! commands ran and tokens were spent.

use crate::entry::{Native, is_set, text};

/// Why an entry stands aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aside {
    /// It repeats another entry.
    Duplicate,
    /// It is the history of another session.
    Inherited,
    /// It is an earlier version of another entry.
    Outdated,
    /// The program said it, in the user's name or in the model's.
    Synthetic,
}

impl Aside {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Inherited => "inherited",
            Self::Outdated => "outdated",
            Self::Synthetic => "synthetic",
        }
    }

    /// What an entry says about itself.
    pub(crate) fn of(native: &Native<'_>) -> Option<Self> {
        if native.is_empty() {
            None
        } else if native.get("duplicate-of").is_some() {
            Some(Self::Duplicate)
        } else if is_set(native, "inherited") {
            Some(Self::Inherited)
        } else if is_outdated(native) {
            Some(Self::Outdated)
        } else {
            None
        }
    }
}

fn is_outdated(native: &Native<'_>) -> bool {
    match text(native, &["superseded"]) {
        Some(word) => word == "updated",
        None => native.get("superseded").is_none() && native.get("superseded-by").is_some(),
    }
}

/// What happened and is not part of the conversation any more: in which way, if the log
/// says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Superseded(pub Option<String>);

impl Superseded {
    /// What an entry says about itself.
    pub(crate) fn of(native: &Native<'_>) -> Option<Self> {
        if native.is_empty() {
            None
        } else if is_set(native, "superseded") {
            Some(Self(text(native, &["superseded"])))
        } else if is_set(native, "rolled-back") {
            Some(Self(Some("rolled-back".to_owned())))
        } else {
            None
        }
    }
}
