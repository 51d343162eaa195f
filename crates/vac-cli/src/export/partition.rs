//! Names folders by the values of columns, such as `agent=claude`, in the form that engines read.

use std::fmt::Write as _;

use clap::ValueEnum;
use vac::adapter::Session;
use vac::adapter::time::instant;
use vac::record::time::utc;

/// The value of a folder for sessions without a value.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";
/// Maximum length of a value in bytes. Longer values are truncated, because file systems allow 255
/// bytes.
const MAX_VALUE: usize = 180;

/// A column whose values are names of folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PartitionColumn {
    /// The agent that wrote the log
    Agent,
    /// The day on which the session began, in UTC
    Day,
}

impl PartitionColumn {
    /// Returns the name of the column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Day => "day",
        }
    }

    fn value(self, session: &dyn Session) -> Option<String> {
        match self {
            Self::Agent => Some(session.agent().into_owned()),
            Self::Day => {
                let start = session.record().session.session_start.as_ref().and_then(instant)?;
                // Tables have the years 1 to 9999.
                let day = utc(start)?.get(..10)?.to_owned();
                Some(day).filter(|day| !day.starts_with("0000"))
            }
        }
    }
}

/// Returns the names of columns. Tables are written without those that they have: engines read them from
/// the names of folders, and some refuse a column that files have, too.
pub fn names(columns: &[PartitionColumn]) -> Vec<&'static str> {
    columns.iter().map(|column| column.name()).collect()
}

/// Returns the folder of a session, with a slash at its end; empty without columns.
pub fn folder(columns: &[PartitionColumn], session: &dyn Session) -> String {
    let mut folder = String::new();
    for column in columns {
        let value = column.value(session).filter(|value| !value.is_empty());
        let value = value.map_or_else(|| NO_VALUE.to_owned(), |value| escape(&value));
        write!(folder, "{}={value}/", column.name()).expect("memory can be written to");
    }
    folder
}

/// Whether a text is a [`folder`], which is inside of the folder of a table.
pub fn is_folder(text: &str) -> bool {
    let mut names = text.split_inclusive('/');
    names.all(|name| name.ends_with('/') && name.contains('=') && !name.contains('\\'))
}

/// Escapes everything except letters, digits, `-`, `_` and `.`, as in a URL.
fn escape(value: &str) -> String {
    let mut escaped = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            escaped.push(char::from(byte));
        } else {
            write!(escaped, "%{byte:02X}").expect("memory can be written to");
        }
        if escaped.len() >= MAX_VALUE {
            break;
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cannot_leave_their_folder() {
        assert_eq!(escape("claude"), "claude");
        assert_eq!(escape("../x/é\n"), "..%2Fx%2F%C3%A9%0A");
        assert!(escape(&"/".repeat(1000)).len() < 200);
        assert!(is_folder("") && is_folder("agent=claude/day=2026-01-05/"));
        for text in ["../", "agent=a/../", "/", "agent=a", "agent=a/../../x=y/"] {
            assert!(!is_folder(text), "{text}");
        }
    }
}
