//! Patterns of a schema (`.regexp`).

use regex::Regex;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::{Anchored, Input};

/// No table may become larger; such a pattern is matched by [`Regex`].
const MOST_BYTES: usize = 1 << 20;

/// A compiled pattern. What schemas want of a text is short and anchored: a table that
/// knows the next state for every byte answers in a few nanoseconds.
#[derive(Debug)]
pub struct Pattern {
    regex: Regex,
    table: Option<dense::DFA<Vec<u32>>>,
}

impl Pattern {
    /// Compiles a pattern; one that begins with `\A` gets a table.
    pub fn new(source: &str) -> Result<Self, regex::Error> {
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(MOST_BYTES))
            .determinize_size_limit(Some(MOST_BYTES));
        let mut table = None;
        if source.starts_with("\\A") {
            table = dense::Builder::new().configure(config).build(source).ok();
        }
        Ok(Self { regex: Regex::new(source)?, table })
    }

    /// Whether the text matches.
    pub fn is_match(&self, text: &str) -> bool {
        let Some(table) = &self.table else { return self.regex.is_match(text) };
        let input = Input::new(text).anchored(Anchored::Yes);
        match table.try_search_fwd(&input) {
            Ok(end) => end.is_some(),
            Err(_) => self.regex.is_match(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_the_pattern_says() {
        let sources = [
            r"\A(?:[0-9]{4}-(0[1-9]|1[0-2]))\z",
            r"\A(?:a|ab)\z",
            r"\A(?:[^:/?#]+:)?(?:.*)\z",
            r"\A(?:\d+)\z",
            r"\A(?:)\z",
        ];
        let texts =
            ["2026-01", "2026-13", "a", "ab", "abc", "", "x:y", "٣", "line\nend", "\u{10ffff}"];
        for source in sources {
            let pattern = Pattern::new(source).unwrap();
            assert!(pattern.table.is_some(), "{source}");
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
    fn a_pattern_whose_table_would_be_huge_still_works() {
        let pattern = Pattern::new(r"\A(?:(?:a|b)*a(?:a|b){18})\z").unwrap();
        assert!(pattern.table.is_none());
        assert!(pattern.is_match("abbbbbbbbbbbbbbbbbb"));
        assert!(!pattern.is_match("bbbbbbbbbbbbbbbbbbb"));
        assert!(Pattern::new("^(").is_err());
    }
}
