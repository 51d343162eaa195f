//! Reads the tokens and the cost of a message.

use vac_adapter::members::object;
use vac_adapter::{Report, mapping};
use vac_record::TokenUsage;
use vac_record::annotations::Usage;
use vac_value::{Node, Number};

use crate::object::{as_map, push};

mapping! {
    /// `tokens` of a message, of a step or of a compaction.
    pub(crate) struct Tokens<'a>("tokens"; key, value) {
        "input" => "`token-usage.input`, `vac.usage.input`", take input: u64 = value.uint();
        "output" => "`token-usage.output`, `vac.usage.output`", take output: u64 = value.uint();
        "reasoning" => "`token-usage.reasoning`, `vac.usage.reasoning`",
            take reasoning: u64 = value.uint();
        "total" => "`token-usage.total`", take total: u64 = value.uint();
        "cache" => "its `read` and `write`; the rest is kept",
            take cache: Node<'a, 'a> = as_map(value);
    }
}

mapping! {
    /// `tokens.cache`.
    pub(crate) struct Cache<'a>("tokens.cache"; key, value) {
        "read" => "`token-usage.cached`, `vac.usage.cache-read`", take read: u64 = value.uint();
        "write" => "`vac.usage.cache-write`", note write: u64 = value.uint();
    }
}

/// Returns a number that both encodings can express as a number.
pub(crate) fn cost<'a>(value: Node<'a, '_>) -> Option<Number<'a>> {
    value.number().filter(|cost| !matches!(cost, Number::Decimal(_)))
}

/// Returns the canonical numbers together with the others, and the tokens in additive buckets.
pub(crate) fn read<'a>(
    cost: Option<Number<'a>>,
    tokens: Option<Node<'a, '_>>,
    report: &mut Report,
) -> (Option<TokenUsage<'a>>, Option<Usage<'static>>) {
    if cost.is_none() && tokens.is_none() {
        return (None, None);
    }
    let tokens = tokens.map(|tokens| Tokens::read(tokens, &TokenUsage::KEYS, report));
    let Tokens { input, output, reasoning, total, cache, rest: mut extensions } =
        tokens.unwrap_or_default();
    let cache = cache.map(|cache| Cache::read(cache, &[], report)).unwrap_or_default();
    push(&mut extensions, "cache", object(cache.rest));
    let cached = cache.read;
    let canonical = TokenUsage { input, output, cached, reasoning, total, cost, extensions };
    let buckets = buckets(&canonical, cache.write);
    (Some(canonical), buckets)
}

/// Returns the tokens in additive buckets, without those that are 0.
///
/// `input` excludes what is read from a cache or written to one. `reasoning` is not part of
/// `output`, unless the stated total shows that it is: versions differ.
fn buckets(tokens: &TokenUsage<'_>, cache_write: Option<u64>) -> Option<Usage<'static>> {
    let of = |tokens: Option<u64>| tokens.unwrap_or_default();
    let reasoning = of(tokens.reasoning);
    let sum = [tokens.input, tokens.output, tokens.cached, cache_write]
        .into_iter()
        .fold(0, |sum: u64, tokens| sum.saturating_add(of(tokens)));
    let is_inside = tokens.total == Some(sum);
    let output = of(tokens.output).saturating_add(if is_inside { 0 } else { reasoning });
    let bucket = |tokens: u64| (tokens > 0).then_some(tokens);
    let buckets = Usage {
        input: bucket(of(tokens.input)),
        cache_read: bucket(of(tokens.cached)),
        cache_write: bucket(of(cache_write)),
        output: bucket(output),
        reasoning: bucket(reasoning),
        model: None,
    };
    (sum > 0 || reasoning > 0).then_some(buckets)
}
