//! Token counts under their canonical names.

use vac_adapter::members::Rest;
use vac_record::TokenUsage;
use vac_value::Node;

/// Of a capture as a whole; the native counts stay where they are.
pub(crate) fn of_capture(usage: Node<'_, '_>) -> Option<TokenUsage<'static>> {
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
