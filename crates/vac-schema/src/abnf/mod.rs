//! ABNF grammars of a schema (`.abnf` and `.abnfb`, RFC 9165 section 3).
//!
//! A grammar text is one element, which is what a string has to match, followed by rules in
//! the notation of RFC 5234 and RFC 7405. Any context-free grammar is matched exactly, left
//! recursion and ambiguity included: the recognizer is Earley's, which tries all derivations
//! at once. Its work is counted by the matcher's [`Budget`].

mod compile;
mod core_rules;
mod recognize;
mod syntax;

use std::fmt;
use std::sync::{Arc, OnceLock};

use self::compile::Compiled;
use crate::matcher::Budget;
use crate::tables::TableText;

/// An ABNF grammar. Tables built at run time compile it when they are built, constants at its first
/// use.
#[derive(Clone, Debug)]
pub struct Grammar {
    source: TableText,
    is_for_bytes: bool,
    compiled: OnceLock<Arc<Compiled>>,
}

/// The reason why a text is not a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarError {
    /// The line of the grammar text, from 1.
    pub line: usize,
    /// A description of the error.
    pub message: String,
}

impl fmt::Display for GrammarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the ABNF grammar: {}", self.line, self.message)
    }
}

impl std::error::Error for GrammarError {}

impl GrammarError {
    fn new(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = text.as_bytes().iter().take(offset);
        let line = before.filter(|byte| **byte == b'\n').count() + 1;
        Self { line, message: message.into() }
    }
}

impl Grammar {
    /// Reads a grammar. One for bytes (`.abnfb`) matches the bytes of a string, any other
    /// (`.abnf`) its Unicode characters.
    pub fn parse(source: TableText, is_for_bytes: bool) -> Result<Self, GrammarError> {
        let compiled = Compiled::new(&source)?;
        Ok(Self { source, is_for_bytes, compiled: OnceLock::from(Arc::new(compiled)) })
    }

    /// Creates a grammar that was read before, for constants: the code generator prints only
    /// grammars that [`Grammar::parse`] has accepted.
    pub const fn constant(source: TableText, is_for_bytes: bool) -> Self {
        Self { source, is_for_bytes, compiled: OnceLock::new() }
    }

    /// Returns the text of the grammar.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns whether it matches bytes instead of characters.
    pub fn is_for_bytes(&self) -> bool {
        self.is_for_bytes
    }

    /// Returns the element that strings have to match.
    pub(crate) fn element(&self) -> &str {
        self.source.trim_start().lines().next().map_or("", str::trim_end)
    }

    /// Returns the core rules of RFC 5234 that the grammar uses and does not define. RFC 9165
    /// requires a grammar to define all of its rules.
    pub fn missing_core_rules(&self) -> &[String] {
        &self.compiled().missing_core_rules
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let compiled = Compiled::new(&self.source);
            Arc::new(compiled.expect("a grammar in a constant was read before"))
        })
    }

    /// Returns whether the grammar generates a string, given as its bytes.
    pub(crate) fn is_match(&self, bytes: &[u8], budget: &Budget) -> bool {
        if self.is_for_bytes {
            let bytes = bytes.iter().map(|byte| u32::from(*byte));
            return self.compiled().recognize(bytes, budget);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.compiled().recognize(text.chars().map(u32::from), budget),
            Err(_) => false,
        }
    }
}

impl PartialEq for Grammar {
    fn eq(&self, other: &Self) -> bool {
        (&self.source, self.is_for_bytes) == (&other.source, other.is_for_bytes)
    }
}

#[cfg(test)]
mod tests;
