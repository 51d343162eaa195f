//! Reads numbers of tokens.

use vac_adapter::{Report, mapping};
use vac_record::TokenUsage;
use vac_record::annotations::Usage;
use vac_value::{Node, Number};

mapping! {
    /// `usage` of an answer, a tool result, a compaction, a summary of a branch, or a line of its
    /// own. Only that of an answer becomes `token-usage`; others keep it.
    pub(crate) struct NativeUsage<'a>("usage"; key, value) {
        "input" => "`token-usage.input`, `vac.usage.input`: without caches", take input: u64 = value.uint();
        "output" => "`token-usage.output`, `vac.usage.output`", take output: u64 = value.uint();
        "cacheRead" => "`token-usage.cached`, `vac.usage.cache-read`", take cached: u64 = value.uint();
        "cacheWrite" => "`vac.usage.cache-write`", note cache_write: u64 = value.uint();
        "reasoning" => "`token-usage.reasoning`, `vac.usage.reasoning`", take reasoning: u64 = value.uint();
        "totalTokens" => "`token-usage.total`", take total: u64 = value.uint();
        "cost" => "its `total` is `token-usage.cost`, or `vac.stated-cost`",
            note cost: Number<'a> = value.member("total").and_then(Node::number);
        // Oh My Pi.
        "reasoningTokens" => "`vac.usage.reasoning`", note reasoning_tokens: u64 = value.uint();
        "cacheWrite1h" | "premiumRequests" | "orchestration" => "", keep;
    }
}

/// Returns whether a value is a usage: it states tokens read from a cache, or a total.
pub(crate) fn is_usage(value: Node<'_, '_>) -> bool {
    value.member("cacheRead").is_some() || value.member("totalTokens").is_some()
}

/// Returns the numbers as the log states them, and in buckets that can be added up.
pub(crate) fn read<'a>(
    usage: Node<'a, '_>,
    report: &mut Report,
) -> (TokenUsage<'a>, Option<Usage<'static>>) {
    let NativeUsage {
        input,
        output,
        cached,
        cache_write,
        reasoning,
        total,
        cost,
        reasoning_tokens,
        rest,
    } = NativeUsage::read(usage, &TokenUsage::KEYS, report);
    let some = |number: Option<u64>| number.filter(|number| *number > 0);
    let buckets = Usage {
        input: some(input),
        cache_read: some(cached),
        cache_write: some(cache_write),
        output: some(output),
        reasoning: some(reasoning.or(reasoning_tokens)),
        model: None,
    };
    let stated = TokenUsage { input, output, cached, reasoning, total, cost, extensions: rest };
    (stated, (buckets != Usage::default()).then_some(buckets))
}
