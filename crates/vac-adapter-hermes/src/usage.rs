//! Reads numbers of tokens: those of each model, or else the totals of the session.

use vac_adapter::{Report, mapping};
use vac_record::annotations::Usage;
use vac_value::{Node, Text};

mapping! {
    /// A row of `session_model_usage`, and the totals of a row of `sessions`. The event keeps them,
    /// too.
    pub(crate) struct Tokens<'a>("session_model_usage"; key, value) {
        "input_tokens" => "`vac.usage.input`: without caches", take input: u64 = value.uint();
        "output_tokens" => "`vac.usage.output`", take output: u64 = value.uint();
        "cache_read_tokens" => "`vac.usage.cache-read`", take cache_read: u64 = value.uint();
        "cache_write_tokens" => "`vac.usage.cache-write`", take cache_write: u64 = value.uint();
        "reasoning_tokens" => "`vac.usage.reasoning`", take reasoning: u64 = value.uint();
        "model" => "`vac.usage.model`", take model: Text<'a> = value.text();
        _ => keep;
    }
}

/// Returns the tokens that a model or a session used.
pub(crate) fn read<'a>(row: Node<'a, 'a>, report: &mut Report) -> Option<Usage<'a>> {
    let Tokens { input, output, cache_read, cache_write, reasoning, model, rest: _ } =
        Tokens::read(row, &[], report);
    let some = |number: Option<u64>| number.filter(|number| *number > 0);
    let buckets = Usage {
        input: some(input),
        cache_read: some(cache_read),
        cache_write: some(cache_write),
        output: some(output),
        reasoning: some(reasoning),
        model: None,
    };
    let model = model.filter(|model| !model.is_empty());
    (buckets != Usage::default()).then_some(Usage { model, ..buckets })
}
