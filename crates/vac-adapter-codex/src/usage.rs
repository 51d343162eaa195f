//! The usage that a token count tells.

use vac_adapter::cursor::Rest;
use vac_record::TokenUsage;
use vac_value::Node;

/// The canonical numbers of the last response. The event carries the native
/// ones, those that are no canonical number among them.
pub(crate) fn token_usage(count: Node<'_, '_>) -> Option<TokenUsage<'static>> {
    let last = count.member("info")?.member("last_token_usage")?;
    let number = |key: &str| last.member(key).and_then(Node::uint);
    let usage = TokenUsage {
        input: number("input_tokens"),
        output: number("output_tokens"),
        cached: number("cached_input_tokens"),
        reasoning: number("reasoning_output_tokens"),
        total: number("total_tokens"),
        cost: None,
        extensions: Rest::default(),
    };
    let is_empty = [usage.input, usage.output, usage.cached, usage.reasoning, usage.total]
        .iter()
        .all(Option::is_none);
    (!is_empty).then_some(usage)
}

/// The total so far: a count that tells it again counts nothing new.
pub(crate) fn total<'a>(count: Node<'_, 'a>) -> Option<&'a [u8]> {
    Some(count.member("info")?.member("total_token_usage")?.raw())
}
