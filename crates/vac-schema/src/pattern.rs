//! Regular expressions of a schema (`.regexp`).

use std::fmt;
use std::sync::{Arc, OnceLock};

use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::meta::{self, Regex};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, Input};

use crate::tables::TableText;

/// Maximum memory that the search of one expression uses for states, in bytes.
const CACHE_BYTES: usize = 256 << 10;

/// Maximum size of the tables of all expressions of a schema together, in bytes. An expression
/// whose table would exceed its limit is matched without one.
const ALL_TABLES_BYTES: usize = 16 << 20;
/// Maximum size of the table of one expression if a schema has few expressions.
const MAX_TABLE_BYTES: usize = 1 << 20;
/// The limit for the table of one expression if a schema has many expressions.
const MIN_TABLE_BYTES: usize = 4 << 10;

/// A regular expression. Tables made at run time compile it when they are built, constants at
/// its first use.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The expression in the specification (XML Schema syntax).
    pub source: TableText,
    /// The same in the syntax of crate `regex`, anchored at both ends.
    pub regex: TableText,
    /// The name of the rule that defines it; may be empty.
    pub name: TableText,
    compiled: OnceLock<Arc<Compiled>>,
}

/// The reason why an expression cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// The text is not a regular expression.
    Syntax(String),
    /// The compiled expression takes too much memory.
    TooLarge,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(reason) => f.write_str(reason),
            Self::TooLarge => f.write_str("the expression is too large"),
        }
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// Maximum size of a compiled expression, in bytes.
    pub const MAX_COMPILED_BYTES: usize = 10 << 20;

    /// Creates an expression that was compiled before, for constants: the code generator prints
    /// only expressions that [`Pattern::compile`] has accepted.
    pub const fn new(source: TableText, regex: TableText, name: TableText) -> Self {
        Self { source, regex, name, compiled: OnceLock::new() }
    }

    /// Compiles an expression. The result takes at most `max_bytes`, or less if the limit for
    /// one expression is lower.
    pub fn compile(
        source: TableText,
        regex: TableText,
        name: TableText,
        max_bytes: usize,
    ) -> Result<Self, PatternError> {
        let compiled = Compiled::new(&regex, max_bytes)?;
        Ok(Self { source, regex, name, compiled: OnceLock::from(Arc::new(compiled)) })
    }

    /// Returns the number of bytes that the compiled expression takes, without its table.
    pub fn memory_usage(&self) -> usize {
        self.compiled().regex.memory_usage()
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let compiled = Compiled::new(&self.regex, Self::MAX_COMPILED_BYTES);
            Arc::new(compiled.expect("an expression in a constant was compiled before"))
        })
    }

    /// Returns whether the whole text matches. `count` is the number of expressions of the schema,
    /// which share the memory for tables.
    pub(crate) fn is_match(&self, text: &str, count: usize) -> bool {
        let Compiled { regex, table } = self.compiled();
        match table.get_or_init(|| Table::new(&self.regex, table_bytes(count))) {
            Some(table) => table.is_match(text),
            None => regex.is_match(Input::new(text).anchored(Anchored::Yes)),
        }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        (&self.source, &self.regex, &self.name) == (&other.source, &other.regex, &other.name)
    }
}

fn table_bytes(count: usize) -> usize {
    (ALL_TABLES_BYTES / count.max(1)).clamp(MIN_TABLE_BYTES, MAX_TABLE_BYTES)
}

#[derive(Debug)]
struct Compiled {
    regex: Regex,
    /// The table, which is built at the first use.
    table: OnceLock<Option<Table>>,
}

impl Compiled {
    fn new(regex: &str, max_bytes: usize) -> Result<Self, PatternError> {
        let config = meta::Config::new()
            .nfa_size_limit(Some(max_bytes.min(Pattern::MAX_COMPILED_BYTES)))
            .onepass_size_limit(Some(CACHE_BYTES))
            .hybrid_cache_capacity(CACHE_BYTES);
        match Regex::builder().configure(config).build(regex) {
            Ok(regex) => Ok(Self { regex, table: OnceLock::new() }),
            Err(error) if error.size_limit().is_some() => Err(PatternError::TooLarge),
            Err(error) => {
                let reason = error.syntax_error().map(ToString::to_string);
                Err(PatternError::Syntax(reason.unwrap_or_else(|| error.to_string())))
            }
        }
    }
}

/// The next state for every state and byte. It matches short texts, which most texts are, in a few
/// nanoseconds.
#[derive(Debug)]
struct Table {
    states: dense::DFA<Vec<u32>>,
    start: StateID,
}

impl Table {
    /// Creates the table of an expression that is anchored at both ends. `None` if it would be too
    /// large.
    fn new(regex: &str, max_bytes: usize) -> Option<Self> {
        if !regex.starts_with("\\A") || !regex.ends_with("\\z") {
            return None;
        }
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            .dfa_size_limit(Some(max_bytes))
            .determinize_size_limit(Some(max_bytes));
        let states = dense::Builder::new().configure(config).build(regex).ok()?;
        let start = states.start_state(&start::Config::new().anchored(Anchored::Yes)).ok()?;
        Some(Self { states, start })
    }

    fn is_match(&self, text: &str) -> bool {
        let next = |state, byte: &u8| self.states.next_state(state, *byte);
        let last = text.as_bytes().iter().fold(self.start, next);
        self.states.is_match_state(self.states.next_eoi_state(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile(regex: &str) -> Result<Pattern, PatternError> {
        Pattern::compile("".into(), regex.to_owned().into(), "".into(), usize::MAX)
    }

    fn table(pattern: &Pattern) -> Option<&Table> {
        pattern.compiled().table.get().expect("it was used").as_ref()
    }

    #[test]
    fn table_and_expression_agree() {
        let expressions = [
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
        for expression in expressions {
            let pattern = compile(expression).expect("an expression");
            for text in texts {
                let without = pattern.compiled().regex.is_match(text);
                assert_eq!(pattern.is_match(text, 1), without, "{expression} {text:?}");
            }
            // Tables do not support Unicode word boundaries.
            assert_eq!(table(&pattern).is_some(), !expression.contains("\\b"), "{expression}");
        }
    }

    #[test]
    fn expression_with_a_huge_table_is_matched_without() {
        let pattern = compile(r"\A(?:(?:a|b)*a(?:a|b){18})\z").expect("an expression");
        assert!(pattern.is_match("abbbbbbbbbbbbbbbbbb", 1));
        assert!(!pattern.is_match("bbbbbbbbbbbbbbbbbbb", 1));
        assert!(table(&pattern).is_none());
    }

    #[test]
    fn many_expressions_share_the_memory_for_tables() {
        let pattern = compile(r"\A(?:[a-z]{200})\z").expect("an expression");
        let text = "a".repeat(200);
        assert!(pattern.is_match(&text, 10_000) && !pattern.is_match("a", 10_000));
        assert!(table(&pattern).is_none());
        assert_eq!(table_bytes(0), MAX_TABLE_BYTES);
        assert_eq!(table_bytes(64), ALL_TABLES_BYTES / 64);
    }

    #[test]
    fn expressions_that_do_not_compile_are_errors() {
        assert!(matches!(compile(r"\A(?:(\z"), Err(PatternError::Syntax(_))));
        let huge = r"\A(?:(?:(?:\pL{50}){50}){50})\z";
        assert!(matches!(compile(huge), Err(PatternError::TooLarge)));
    }
}
