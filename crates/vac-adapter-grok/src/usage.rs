//! Reads numbers of tokens, which the end of a turn states: `turn_completed` of Grok Build, or the
//! response to a prompt.

use vac_adapter::{Report, mapping};
use vac_record::annotations::Usage;
use vac_value::{Kind, Node, Text};

mapping! {
    /// `usage` of a turn, or of a model in it. The event keeps it, too.
    pub(crate) struct NativeUsage<'a>("usage"; key, value) {
        "inputTokens" => "`vac.usage.input`, without those of caches", take input: u64 = value.uint();
        "totalTokens" => "whether the input contains those of caches", note total: u64 = value.uint();
        "outputTokens" => "`vac.usage.output`", take output: u64 = value.uint();
        "cachedReadTokens" => "`vac.usage.cache-read`", take cache_read: u64 = value.uint();
        "cacheCreationTokens" | "cachedWriteTokens" => "`vac.usage.cache-write`",
            take cache_write: u64 = value.uint();
        "reasoningTokens" | "thoughtTokens" => "`vac.usage.reasoning`",
            take reasoning: u64 = value.uint();
        "modelCalls" | "apiDurationMs" | "costUsdTicks" | "modelUsage" | "numTurns"
        => "", keep;
    }
}

/// Returns the tokens that each model used in a turn, in buckets. The model is unknown if only
/// totals are stated.
pub(crate) fn of_turn<'a>(usage: Node<'a, 'a>, report: &mut Report) -> Vec<Usage<'a>> {
    let models = usage.member("modelUsage").filter(|models| models.kind() == Kind::Map);
    let of_models = models.into_iter().flat_map(Node::members);
    let mut used: Vec<_> =
        of_models.filter_map(|(model, usage)| buckets(usage, model.text(), report)).collect();
    let total = buckets(usage, None, report);
    if used.is_empty() {
        used.extend(total);
    }
    used
}

fn buckets<'a>(
    usage: Node<'a, 'a>,
    model: Option<Text<'a>>,
    report: &mut Report,
) -> Option<Usage<'a>> {
    if usage.kind() != Kind::Map {
        return None;
    }
    let NativeUsage { input, output, total, cache_read, cache_write, reasoning, rest: _ } =
        NativeUsage::read(usage, &[], report);
    let some = |number: Option<u64>| number.filter(|number| *number > 0);
    let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    // The total shows whether cached tokens are counted in addition to the input.
    let sum = [input, output, Some(cached)].into_iter().flatten().try_fold(0, u64::checked_add);
    let is_next_to = cached > 0 && total.is_some() && total == sum;
    let inside = if is_next_to { 0 } else { cached };
    let buckets = Usage {
        input: some(input.map(|input| input.saturating_sub(inside))),
        cache_read: some(cache_read),
        cache_write: some(cache_write),
        output: some(output),
        reasoning: some(reasoning),
        model: None,
    };
    (buckets != Usage::default()).then_some(Usage { model, ..buckets })
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Document;

    #[test]
    fn total_shows_whether_the_input_contains_what_was_cached() {
        for (total, input) in [(1010, 200), (1810, 1000)] {
            let text = format!(
                r#"{{"totalTokens":{total},"inputTokens":1000,"cachedReadTokens":800,"outputTokens":10}}"#
            );
            let document = Document::json(text.as_bytes()).expect("JSON");
            let used = of_turn(document.root(), &mut Report::default());
            assert_eq!(used[0].input, Some(input), "{total}");
            assert_eq!((used[0].cache_read, used[0].output), (Some(800), Some(10)));
        }
    }
}
