//! Reads tokens and cost of a step, and the totals of a trajectory.

use vac_adapter::{Report, mapping};
use vac_record::TokenUsage;
use vac_record::annotations::Usage;
use vac_value::{Kind, Node, Number};

mapping! {
    /// `metrics` of a step.
    pub(crate) struct Metrics<'a>("metrics"; key, value) {
        "prompt_tokens" => "`token-usage.input`, with what was cached; `vac.usage.input`, without",
            take input: u64 = value.uint();
        "completion_tokens" => "`token-usage.output`, `vac.usage.output`", take output: u64 = value.uint();
        "cached_tokens" => "`token-usage.cached`, `vac.usage.cache-read`", take cached: u64 = value.uint();
        "cost_usd" => "`token-usage.cost`", take cost: Number<'a> =
            value.number().filter(|cost| !matches!(cost, Number::Decimal(_)));
        "prompt_token_ids" | "completion_token_ids" | "logprobs" | "extra" => "", keep;
    }
}

/// Returns the usage that a step states, and the same in buckets.
pub(crate) fn read<'a>(
    metrics: Node<'a, '_>,
    report: &mut Report,
) -> (TokenUsage<'a>, Option<Usage<'static>>) {
    let Metrics { input, output, cached, cost, rest } =
        Metrics::read(metrics, &TokenUsage::KEYS, report);
    let stated =
        TokenUsage { input, output, cached, reasoning: None, total: None, cost, extensions: rest };
    (stated, buckets(input, cached, output))
}

/// Returns the totals of a trajectory.
pub(crate) fn totals(root: Node<'_, '_>) -> Option<Usage<'static>> {
    let metrics = root.member("final_metrics")?;
    let number = |key: &str| metrics.member(key).and_then(Node::uint);
    buckets(
        number("total_prompt_tokens"),
        number("total_cached_tokens"),
        number("total_completion_tokens"),
    )
}

/// Returns whether a step states tokens.
pub(crate) fn has_tokens(step: Node<'_, '_>) -> bool {
    let keys = ["prompt_tokens", "completion_tokens", "cached_tokens"];
    let metrics = step.member("metrics").filter(|metrics| metrics.kind() == Kind::Map);
    metrics.is_some_and(|metrics| {
        keys.iter().any(|key| metrics.member(key).and_then(Node::uint).is_some())
    })
}

/// Returns tokens in buckets. Cached tokens are a part of the prompt.
fn buckets(
    prompt: Option<u64>,
    cached: Option<u64>,
    output: Option<u64>,
) -> Option<Usage<'static>> {
    let input = match (prompt, cached) {
        (Some(prompt), Some(cached)) => Some(prompt.saturating_sub(cached)),
        (prompt, _) => prompt,
    };
    let usage = Usage {
        input,
        cache_read: cached,
        cache_write: None,
        output,
        reasoning: None,
        model: None,
    };
    (usage != Usage::default()).then_some(usage)
}
