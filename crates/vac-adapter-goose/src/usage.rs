//! Reads numbers of tokens: those of each request (`usage_ledger`), or else the totals of the
//! session.

use vac_adapter::{Report, mapping};
use vac_record::annotations::Usage;
use vac_value::{Node, Text};

mapping! {
    /// A row of `usage_ledger`, and the totals of a session. The event keeps them, too.
    pub(crate) struct Ledger<'a>("usage_ledger"; key, value) {
        "input_tokens" | "accumulated_input_tokens" => "`vac.usage.input`, without those of caches",
            take input: u64 = value.uint();
        "output_tokens" | "accumulated_output_tokens" => "`vac.usage.output`",
            take output: u64 = value.uint();
        "total_tokens" | "accumulated_total_tokens" => "whether the input contains that of caches",
            note total: u64 = value.uint();
        "cache_read_tokens" | "accumulated_cache_read_tokens" => "`vac.usage.cache-read`",
            take cache_read: u64 = value.uint();
        "cache_write_tokens" | "accumulated_cache_write_tokens" => "`vac.usage.cache-write`",
            take cache_write: u64 = value.uint();
        "model" => "`vac.usage.model`", take model: Text<'a> = value.text();
        _ => keep;
    }
}

/// Returns the tokens that a request used.
pub(crate) fn of_request<'a>(row: Node<'a, 'a>, report: &mut Report) -> Option<Usage<'a>> {
    buckets(Ledger::read(row, &[], report))
}

/// Returns the totals of a session. Its other numbers are those of the last request.
pub(crate) fn of_session<'a>(row: Node<'a, '_>) -> Option<Usage<'a>> {
    let number = |key: &str| row.member(key).and_then(Node::uint);
    buckets(Ledger {
        input: number("accumulated_input_tokens"),
        output: number("accumulated_output_tokens"),
        total: number("accumulated_total_tokens"),
        cache_read: number("accumulated_cache_read_tokens"),
        cache_write: number("accumulated_cache_write_tokens"),
        ..Ledger::default()
    })
}

fn buckets(ledger: Ledger<'_>) -> Option<Usage<'_>> {
    let Ledger { input, output, total, cache_read, cache_write, model, rest: _ } = ledger;
    let cached = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    let without_caches = input.zip(output).and_then(|(input, output)| input.checked_add(output));
    let contains_cached = total.is_none() || total == without_caches;
    let some = |number: Option<u64>| number.filter(|number| *number > 0);
    let buckets = Usage {
        input: some(input.map(|it| if contains_cached { it.saturating_sub(cached) } else { it })),
        cache_read: some(cache_read),
        cache_write: some(cache_write),
        output: some(output),
        reasoning: None,
        model: None,
    };
    (buckets != Usage::default()).then_some(Usage { model, ..buckets })
}
