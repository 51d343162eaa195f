//! The tokens of a session, in buckets that can be added up.

use serde::Serialize;
use vac_record::annotations::Usage;

/// Sums of the annotation `usage`. A bucket that no entry states is absent. Buckets do not
/// overlap, except that `reasoning` is a part of `output`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UsageTotals {
    /// Input that was neither read from a cache nor written to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Input that was read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Input that was written to a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Output, with reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// The part of the output that is reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// The sum of input, cache reads, cache writes and output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

impl UsageTotals {
    /// Returns whether no entry states any tokens.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds other totals.
    pub fn merge(&mut self, other: &Self) {
        let Self { input, cache_read, cache_write, output, reasoning, total } = other;
        add(&mut self.input, *input);
        add(&mut self.cache_read, *cache_read);
        add(&mut self.cache_write, *cache_write);
        add(&mut self.output, *output);
        add(&mut self.reasoning, *reasoning);
        add(&mut self.total, *total);
    }

    /// Adds the usage of an entry.
    pub fn add(&mut self, usage: &Usage<'_>) {
        let Usage { input, cache_read, cache_write, output, reasoning, model: _ } = usage;
        add(&mut self.input, *input);
        add(&mut self.cache_read, *cache_read);
        add(&mut self.cache_write, *cache_write);
        add(&mut self.output, *output);
        add(&mut self.reasoning, *reasoning);
        for bucket in [input, cache_read, cache_write, output] {
            add(&mut self.total, *bucket);
        }
    }
}

fn add(sum: &mut Option<u64>, number: Option<u64>) {
    if let Some(number) = number {
        *sum = Some(sum.unwrap_or_default().saturating_add(number));
    }
}
