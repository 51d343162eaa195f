//! Compiling the regular expressions of a schema within limits for all of them together.

use regex_automata::meta::{self, Regex};

/// Bytes that all compiled patterns of a schema may take.
const COMPILED_BYTES: usize = 32 << 20;

/// Bytes that the texts of all patterns of a schema may have: a few characters can stand for
/// a large class, which takes time also if nothing of it is compiled.
const PATTERN_BYTES: usize = 64 << 10;

/// Bytes that the matcher of one pattern may use for states that it meets.
const CACHE_BYTES: usize = 256 << 10;

/// Compiles patterns until its budget is used up.
#[derive(Debug)]
pub(crate) struct Compiler {
    compiled_bytes: usize,
    pattern_bytes: usize,
    exhausted: bool,
}

impl Default for Compiler {
    fn default() -> Self {
        Self { compiled_bytes: COMPILED_BYTES, pattern_bytes: PATTERN_BYTES, exhausted: false }
    }
}

impl Compiler {
    /// Whether a pattern was refused because the budget is used up.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Counts the text of a pattern, before anything is made of it.
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
    pub fn compile(&mut self, regex: &str) -> Result<Regex, String> {
        let config = meta::Config::new()
            .nfa_size_limit(Some(self.compiled_bytes))
            .onepass_size_limit(Some(CACHE_BYTES))
            .hybrid_cache_capacity(CACHE_BYTES);
        let compiled = match Regex::builder().configure(config).build(regex) {
            Ok(compiled) => compiled,
            Err(error) if error.size_limit().is_some() => return Err(self.too_large()),
            Err(error) => {
                let syntax = error.syntax_error().map(ToString::to_string);
                return Err(syntax.unwrap_or_else(|| error.to_string()));
            }
        };
        match self.compiled_bytes.checked_sub(compiled.memory_usage()) {
            Some(left) => {
                self.compiled_bytes = left;
                Ok(compiled)
            }
            None => Err(self.too_large()),
        }
    }

    fn too_large(&mut self) -> String {
        self.exhausted = true;
        let limit = COMPILED_BYTES >> 20;
        format!("the patterns of this schema take more than {limit} MiB when they are compiled")
    }
}
