//! The keys of sessions in a container, and the list of those in a database.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use super::{Database, StoredSession, bad_data};
use crate::adapter::Preview;

/// The text of [`StoreKey::Without`].
const WITHOUT: &str = "without-session";

/// The character that is appended to an id that would be the text of another key.
const MARK: char = '+';

/// The identity of a session in a container. Its text is the [key](StoredSession::key) of a stored
/// session, and different keys have different texts.
///
/// ```
/// use vac_adapter::container::StoreKey;
///
/// let texts = [
///     (StoreKey::Session("ses_1".to_owned()), "ses_1"),
///     (StoreKey::Without, "without-session"),
///     (StoreKey::Session("without-session".to_owned()), "without-session+"),
///     (StoreKey::Session("without-session+".to_owned()), "without-session++"),
/// ];
/// for (key, text) in texts {
///     assert_eq!(key.to_string(), text);
///     assert_eq!(StoreKey::parse(text), key);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreKey {
    /// The session with this id.
    Session(String),
    /// Rows or files that name no session. Together they are one session.
    Without,
}

impl StoreKey {
    /// Parses the text of a key.
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix(WITHOUT) {
            Some("") => Self::Without,
            Some(marks) if is_marks(marks) => {
                Self::Session(text[..text.len() - MARK.len_utf8()].to_owned())
            }
            _ => Self::Session(text.to_owned()),
        }
    }

    /// Returns the id of the session; `None` if there is none.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Session(id) => Some(id),
            Self::Without => None,
        }
    }

    /// Returns the preview of a session for which only the key is known.
    pub fn preview(&self, variant: &'static str) -> Preview {
        let session_id = Some(self.id().unwrap_or(WITHOUT).to_owned());
        Preview { variant, session_id, ..Preview::default() }
    }
}

impl From<Option<String>> for StoreKey {
    fn from(id: Option<String>) -> Self {
        id.map_or(Self::Without, Self::Session)
    }
}

impl fmt::Display for StoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Without => f.write_str(WITHOUT),
            Self::Session(id) if id.strip_prefix(WITHOUT).is_some_and(is_marks) => {
                write!(f, "{id}{MARK}")
            }
            Self::Session(id) => f.write_str(id),
        }
    }
}

/// Returns whether a text is empty or consists of marks.
fn is_marks(text: &str) -> bool {
    text.chars().all(|c| c == MARK)
}

/// The sessions of a database, by their keys.
#[derive(Debug)]
pub struct DatabaseSessions {
    /// The variant of all of them.
    variant: &'static str,
    found: BTreeMap<StoreKey, Preview>,
}

impl DatabaseSessions {
    /// Returns an empty list of sessions of a variant.
    pub fn new(variant: &'static str) -> Self {
        Self { variant, found: BTreeMap::new() }
    }

    /// Adds a session, with the facts that `add_facts` adds to its preview. Replaces a session with
    /// the same id.
    pub fn insert(&mut self, id: String, add_facts: impl FnOnce(&mut Preview)) {
        let key = StoreKey::Session(id);
        let mut preview = key.preview(self.variant);
        add_facts(&mut preview);
        self.found.insert(key, preview);
    }

    /// Adds sessions for which only the keys are known, except those already in the list.
    pub fn add_keys(&mut self, keys: impl IntoIterator<Item = StoreKey>) {
        for key in keys {
            let preview = key.preview(self.variant);
            self.found.entry(key).or_insert(preview);
        }
    }

    /// Returns the sessions. If `read` failed, returns its error only if the list is empty;
    /// otherwise the error becomes a trouble of the sessions.
    pub fn finish(
        self,
        read: io::Result<()>,
        database: &dyn Database,
    ) -> io::Result<Vec<StoredSession>> {
        match read.err().or_else(|| database.trouble().map(bad_data)) {
            Some(error) if self.found.is_empty() => Err(error),
            _ => {
                let stored = |(key, preview): (StoreKey, _)| StoredSession {
                    key: key.to_string(),
                    size: None,
                    preview,
                    is_replaced: false,
                };
                Ok(self.found.into_iter().map(stored).collect())
            }
        }
    }
}
