//! Token counts of a stream.

use vac_adapter::members::Rest;
use vac_record::TokenUsage;
use vac_record::annotations::Usage;
use vac_value::Node;

/// Returns the counts of a run under their canonical names; the native counts stay in the data.
pub(crate) fn from_capture(usage: Node<'_, '_>) -> Option<TokenUsage<'static>> {
    let number = |key: &str| usage.member(key).and_then(Node::uint);
    let usage = TokenUsage {
        input: number("inputTokens"),
        output: number("outputTokens"),
        cached: number("cacheReadTokens"),
        reasoning: None,
        total: None,
        cost: None,
        extensions: Rest::default(),
    };
    let is_empty = [usage.input, usage.output, usage.cached].iter().all(Option::is_none);
    (!is_empty).then_some(usage)
}

/// Returns the counts of a run in additive buckets. Cursor counts what is read from and written
/// to a cache next to `inputTokens`.
pub(crate) fn additive(usage: Node<'_, '_>, model: Option<&str>) -> Option<Usage<'static>> {
    let number = |key: &str| usage.member(key).and_then(Node::uint);
    let usage = Usage {
        input: number("inputTokens"),
        cache_read: number("cacheReadTokens").filter(|count| *count > 0),
        cache_write: number("cacheWriteTokens").filter(|count| *count > 0),
        output: number("outputTokens"),
        reasoning: None,
        model: None,
    };
    let is_stated = usage != Usage::default();
    is_stated.then(|| Usage { model: model.map(|model| model.to_owned().into()), ..usage })
}
