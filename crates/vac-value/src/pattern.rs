//! Patterns of a schema (`.regexp`).

use regex::Regex;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, util::start};

/// The maximum size of a table. A larger pattern is matched by [`Regex`].
const MAX_BYTES: usize = 1 << 20;

/// A compiled pattern. Patterns of schemas are short and anchored, so that most of them become a
/// table of states that decides in a few nanoseconds.
#[derive(Debug)]
pub struct Pattern {
    regex: Regex,
    table: Option<Table>,
}

#[derive(Debug)]
struct Table {
    states: dense::DFA<Vec<u32>>,
    start: StateID,
}

impl Table {
    /// Compiles a pattern that is anchored at both ends.
    fn new(source: &str) -> Option<Self> {
        if !source.starts_with("\\A") || !source.ends_with("\\z") {
            return None;
        }
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(MAX_BYTES))
            .determinize_size_limit(Some(MAX_BYTES));
        let states = dense::Builder::new().configure(config).build(source).ok()?;
        let start = states.start_state(&start::Config::new().anchored(Anchored::Yes)).ok()?;
        Some(Self { states, start })
    }

    fn is_match(&self, text: &str) -> bool {
        let next = |state, byte: &u8| self.states.next_state(state, *byte);
        let last = text.as_bytes().iter().fold(self.start, next);
        self.states.is_match_state(self.states.next_eoi_state(last))
    }
}

impl Pattern {
    /// Compiles a pattern; one between `\A` and `\z` gets a table.
    pub fn new(source: &str) -> Result<Self, regex::Error> {
        Ok(Self { regex: Regex::new(source)?, table: Table::new(source) })
    }

    /// Returns whether the text matches.
    pub fn is_match(&self, text: &str) -> bool {
        match &self.table {
            Some(table) => table.is_match(text),
            None => self.regex.is_match(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_agree_with_regular_expressions() {
        let sources = [
            r"\A(?:[0-9]{4}-(0[1-9]|1[0-2]))\z",
            r"\A(?:a|ab)\z",
            r"\A(?:[^:/?#]+:)?(?:.*)\z",
            r"\A(?:\d+)\z",
            r"\A(?:)\z",
            r"\A(?:.*\b)\z",
            r"\A(?:(?m:^)x)\z",
        ];
        let texts =
            ["2026-01", "2026-13", "a", "ab", "abc", "", "x:y", "٣", "line\nend", "\u{10ffff}"];
        for source in sources {
            let pattern = Pattern::new(source).unwrap();
            // A table cannot represent Unicode word boundaries.
            assert_eq!(pattern.table.is_some(), !source.contains("\\b"), "{source}");
            for text in texts {
                assert_eq!(
                    pattern.is_match(text),
                    pattern.regex.is_match(text),
                    "{source} {text:?}"
                );
            }
        }
    }

    #[test]
    fn patterns_with_huge_tables_are_matched_without() {
        let pattern = Pattern::new(r"\A(?:(?:a|b)*a(?:a|b){18})\z").unwrap();
        assert!(pattern.table.is_none());
        assert!(pattern.is_match("abbbbbbbbbbbbbbbbbb"));
        assert!(!pattern.is_match("bbbbbbbbbbbbbbbbbbb"));
        assert!(Pattern::new("^(").is_err());
    }
}
