//! Compiles the patterns and grammars of a schema, within limits for all of them together.

use std::collections::HashMap;

use vac_schema::{Grammar, Pattern, PatternError};

/// Maximum size of all compiled patterns of a schema, in bytes.
const COMPILED_BYTES: usize = 32 << 20;

/// Maximum size of the texts of all patterns of a schema, in bytes. A few characters can denote a
/// large class, which takes time even if it is not compiled.
const PATTERN_BYTES: usize = 64 << 10;

/// Maximum size of the texts of all ABNF grammars of a schema, in bytes.
const GRAMMAR_BYTES: usize = 2 << 20;

/// Compiles patterns and grammars until its budget is used up.
#[derive(Debug)]
pub(crate) struct Compiler {
    compiled_bytes: usize,
    pattern_bytes: usize,
    grammar_bytes: usize,
    grammars: HashMap<(String, bool), Grammar>,
    exhausted: bool,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            compiled_bytes: COMPILED_BYTES,
            pattern_bytes: PATTERN_BYTES,
            grammar_bytes: GRAMMAR_BYTES,
            grammars: HashMap::new(),
            exhausted: false,
        }
    }
}

impl Compiler {
    /// Returns whether a pattern or grammar was refused because the budget is used up.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Counts the text of a pattern before it is translated.
    pub fn admit(&mut self, pattern: &str) -> Result<(), String> {
        match self.pattern_bytes.checked_sub(pattern.len()) {
            Some(left) => {
                self.pattern_bytes = left;
                Ok(())
            }
            None => {
                self.exhausted = true;
                let limit = PATTERN_BYTES >> 10;
                Err(format!("the patterns of this schema have more than {limit} KiB of text"))
            }
        }
    }

    /// Compiles a translated pattern.
    pub fn compile(&mut self, regex: &str) -> Result<(), String> {
        let regex = regex.to_owned().into();
        let pattern = match Pattern::compile("".into(), regex, "".into(), self.compiled_bytes) {
            Ok(pattern) => pattern,
            Err(PatternError::TooLarge) if self.compiled_bytes < Pattern::MAX_COMPILED_BYTES => {
                return Err(self.too_large());
            }
            Err(PatternError::TooLarge) => {
                let limit = Pattern::MAX_COMPILED_BYTES >> 20;
                return Err(format!("it takes more than {limit} MiB"));
            }
            Err(PatternError::Syntax(reason)) => return Err(reason),
        };
        match self.compiled_bytes.checked_sub(pattern.memory_usage()) {
            Some(left) => {
                self.compiled_bytes = left;
                Ok(())
            }
            None => Err(self.too_large()),
        }
    }

    fn too_large(&mut self) -> String {
        self.exhausted = true;
        let limit = COMPILED_BYTES >> 20;
        format!("the patterns of this schema take more than {limit} MiB when they are compiled")
    }

    /// Reads a grammar, once.
    pub fn grammar(&mut self, text: String, is_for_bytes: bool) -> Result<Grammar, String> {
        let key = (text, is_for_bytes);
        if let Some(known) = self.grammars.get(&key) {
            return Ok(known.clone());
        }
        let Some(left) = self.grammar_bytes.checked_sub(key.0.len()) else {
            self.exhausted = true;
            let limit = GRAMMAR_BYTES >> 20;
            return Err(format!("the grammars of this schema have more than {limit} MiB of text"));
        };
        self.grammar_bytes = left;
        let grammar = Grammar::parse(key.0.clone().into(), is_for_bytes);
        let grammar = grammar.map_err(|error| error.to_string())?;
        self.grammars.insert(key, grammar.clone());
        Ok(grammar)
    }
}
