//! Reads the token counts of a stream.

use vac_adapter::members::Rest;
use vac_adapter::{Report, mapping};
use vac_record::TokenUsage;
use vac_record::annotations::Usage;
use vac_value::Node;

mapping! {
    /// `usage` of a line of a stream. What is read from and written to a cache is counted next to
    /// `inputTokens`. The event keeps all of it.
    pub(crate) struct RunUsage<'a>("usage"; key, value) {
        "inputTokens" => "`token-usage.input`, `vac.usage.input`", note input: u64 = value.uint();
        "outputTokens" => "`token-usage.output`, `vac.usage.output`",
            note output: u64 = value.uint();
        "cacheReadTokens" => "`token-usage.cached`, `vac.usage.cache-read`",
            note cache_read: u64 = value.uint();
        "cacheWriteTokens" => "`vac.usage.cache-write`", note cache_write: u64 = value.uint();
    }
}

/// Returns the counts of a run under their canonical names, and in additive buckets with the model.
pub(crate) fn read(
    usage: Node<'_, '_>,
    model: Option<&str>,
    report: &mut Report,
) -> (Option<TokenUsage<'static>>, Option<Usage<'static>>) {
    let RunUsage { input, output, cache_read, cache_write, .. } =
        RunUsage::read(usage, &[], report);
    let canonical = TokenUsage {
        input,
        output,
        cached: cache_read,
        reasoning: None,
        total: None,
        cost: None,
        extensions: Rest::default(),
    };
    let is_empty = [input, output, cache_read].iter().all(Option::is_none);
    let mut buckets = Usage {
        input,
        cache_read: cache_read.filter(|count| *count > 0),
        cache_write: cache_write.filter(|count| *count > 0),
        output,
        reasoning: None,
        model: None,
    };
    let is_stated = buckets != Usage::default();
    buckets.model = model.map(|model| model.to_owned().into());
    ((!is_empty).then_some(canonical), is_stated.then_some(buckets))
}
