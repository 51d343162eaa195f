//! Reads numbers of tokens: those of a message (in the newest versions), those of a captured run,
//! or the totals of the session in `settings.json`.

use vac_adapter::{Report, mapping};
use vac_record::annotations::Usage;
use vac_value::Node;

mapping! {
    /// `tokenUsage` of the settings, and `usage` of a message. The entry keeps it, too.
    pub(crate) struct TokenUsage<'a>("tokenUsage"; key, value) {
        "inputTokens" | "input_tokens" => "`vac.usage.input`: without caches",
            take input: u64 = value.uint();
        "outputTokens" | "output_tokens" => "`vac.usage.output`", take output: u64 = value.uint();
        "cacheCreationTokens" | "cache_creation_input_tokens" => "`vac.usage.cache-write`",
            take cache_write: u64 = value.uint();
        "cacheReadTokens" | "cache_read_input_tokens" => "`vac.usage.cache-read`",
            take cache_read: u64 = value.uint();
        "thinkingTokens" | "thinking_tokens" => "`vac.usage.reasoning`", take reasoning: u64 = value.uint();
        "factoryCredits" => "", keep;
    }
}

/// Returns whether a value states tokens.
pub(crate) fn is_usage(value: Node<'_, '_>) -> bool {
    let keys = ["inputTokens", "outputTokens", "input_tokens", "output_tokens"];
    keys.into_iter().any(|key| value.member(key).is_some())
}

/// Returns the numbers in buckets. `None` if the value states none.
pub(crate) fn read(usage: Node<'_, '_>, report: &mut Report) -> Option<Usage<'static>> {
    let TokenUsage { input, output, cache_write, cache_read, reasoning, rest: _ } =
        TokenUsage::read(usage, &[], report);
    let some = |number: Option<u64>| number.filter(|number| *number > 0);
    let buckets = Usage {
        input: some(input),
        cache_read: some(cache_read),
        cache_write: some(cache_write),
        output: some(output),
        reasoning: some(reasoning),
        model: None,
    };
    (buckets != Usage::default()).then_some(buckets)
}
