//! Tokens of a session, each counted once.
//!
//! Usage is summed over the entries that have a canonical `token-usage` (Codex has it
//! beside its `token_count` events). Adapters give it to one entry of those that repeat
//! it; entries that stand [aside](crate::aside) do not count.
//!
//! Agents do not mean the same by the same word. Sums are of what they say:
//!
//! | agent | `input` | `reasoning` | `total` |
//! |---|---|---|---|
//! | Claude | without `cached` and `cache-written` | part of `output` | not stated: the sum of input, output, cached and cache-written |
//! | Codex | with `cached` | part of `output` | as stated |
//! | Gemini | with `cached` | beside `output` | as stated |
//! | `OpenCode` | without `cached` and `cache-written` | beside `output` | as stated, else the sum of all |

use serde::Serialize;
use vac_record::{Decode, Entry, TokenUsage};
use vac_value::Node;

use crate::agent::Agent;
use crate::entry::common;

/// Sums; `None` where no entry says anything.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tokens {
    /// What the model was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// What it said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// What it was told and knew from before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// What was kept to be known later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_written: Option<u64>,
    /// What it thought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// All together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// What the log says that it cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl Tokens {
    /// Whether nobody said anything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Counts an entry in, without its children.
    pub(crate) fn add(&mut self, agent: Agent, entry: &Entry<'_>) {
        if let Entry::Message(message) = entry {
            if let Some(usage) = &message.token_usage {
                self.add_usage(agent, usage);
            }
            return;
        }
        let Some(beside) = common(entry).native.get("token-usage") else { return };
        let Ok(document) = beside.document() else { return };
        if let Ok(usage) = TokenUsage::from_node(document.root()) {
            self.add_usage(agent, &usage);
        }
    }

    fn add_usage(&mut self, agent: Agent, usage: &TokenUsage<'_>) {
        let written = cache_written(usage);
        add(&mut self.input, usage.input);
        add(&mut self.output, usage.output);
        add(&mut self.cached, usage.cached);
        add(&mut self.cache_written, written);
        add(&mut self.reasoning, usage.reasoning);
        add(&mut self.total, usage.total.or_else(|| total(agent, usage, written)));
        if let Some(cost) = &usage.cost {
            *self.cost.get_or_insert(0.0) += cost.to_f64();
        }
    }

    /// Rounds the cost to a millionth: sums of decimals are not decimals.
    pub(crate) fn finish(&mut self) {
        let rounded = |cost: f64| (cost * 1e6).round() / 1e6;
        self.cost = self.cost.map(rounded).filter(|cost| cost.is_finite());
    }
}

fn add(sum: &mut Option<u64>, number: Option<u64>) {
    if let Some(number) = number {
        *sum = Some(sum.unwrap_or_default().saturating_add(number));
    }
}

fn total(agent: Agent, usage: &TokenUsage<'_>, written: Option<u64>) -> Option<u64> {
    let beside = match agent {
        Agent::Claude => None,
        Agent::OpenCode => usage.reasoning,
        _ => return None,
    };
    let mut total = None;
    for part in [usage.input, usage.output, usage.cached, written, beside] {
        add(&mut total, part);
    }
    total
}

/// What has no canonical name.
fn cache_written(usage: &TokenUsage<'_>) -> Option<u64> {
    if let Some(written) = usage.extensions.get("cache_creation_input_tokens") {
        return written.document().ok()?.root().uint();
    }
    let cache = usage.extensions.get("cache")?.document().ok()?;
    cache.root().member("write").and_then(Node::uint)
}
