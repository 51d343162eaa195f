//! Reads the usage of a message.

use vac_adapter::members::object;
use vac_adapter::{Report, mapping};
use vac_record::TokenUsage;
use vac_record::annotations::Usage;
use vac_value::{Kind, Node};

mapping! {
    /// `usage` of a message.
    pub(crate) struct NativeUsage<'a>("usage"; key, value) {
        "input_tokens" => "`token-usage.input`, `vac.usage.input`", take input: u64 = value.uint();
        "output_tokens" => "`token-usage.output`, `vac.usage.output`",
            take output: u64 = value.uint();
        "cache_read_input_tokens" => "`token-usage.cached`, `vac.usage.cache-read`",
            take cached: u64 = value.uint();
        "cache_creation_input_tokens" => "`vac.usage.cache-write`",
            note cache_write: u64 = value.uint();
        "output_tokens_details" => "its `thinking_tokens`, and the remaining members",
            take details: Node<'a, 'a> = (value.kind() == Kind::Map).then_some(value);
        "cache_creation" | "service_tier" | "inference_geo" | "server_tool_use" | "speed" => "", keep;
        "iterations" => "`models` of the session", keep;
    }
}

mapping! {
    /// `usage.output_tokens_details` of a message.
    pub(crate) struct OutputDetails<'a>("usage.output_tokens_details"; key, value) {
        "thinking_tokens" => "`token-usage.reasoning`, `vac.usage.reasoning`",
            take reasoning: u64 = value.uint();
    }
}

/// Returns the usage with canonical and other numbers, and the numbers in buckets that can be added
/// up, as the API counts them. The API states no total.
pub(crate) fn read<'a>(
    usage: Node<'a, '_>,
    report: &mut Report,
) -> (TokenUsage<'a>, Option<Usage<'static>>) {
    let NativeUsage { input, output, cached, cache_write, details, rest: mut extensions } =
        NativeUsage::read(usage, &TokenUsage::KEYS, report);
    let mut reasoning = None;
    if let Some(details) = details {
        let details = OutputDetails::read(details, &[], report);
        reasoning = details.reasoning;
        extensions.extend(object(details.rest).map(|rest| ("output_tokens_details".into(), rest)));
    }
    let buckets = Usage { input, cache_read: cached, cache_write, output, reasoning, model: None };
    let canonical =
        TokenUsage { input, output, cached, reasoning, total: None, cost: None, extensions };
    (canonical, (buckets != Usage::default()).then_some(buckets))
}
