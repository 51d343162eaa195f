//! Reads numbers of tokens.

use vac_adapter::members::Rest;
use vac_adapter::{Report, mapping};
use vac_record::TokenUsage;
use vac_record::annotations;
use vac_value::{Any, Encoding, Node};

mapping! {
    /// The usage of a response: `usage` of a `token_usage_record` or a `turn.completed`,
    /// `info.last_token_usage` and `info.total_token_usage` of a `token_count`, or one without
    /// `info`. The event that states it keeps it, too.
    pub(crate) struct NativeUsage<'a>("usage"; key, value) {
        "input_tokens" => "`token-usage.input`; without cached ones `vac.usage.input`",
            take input: Node<'a, 'a> = number(value);
        "output_tokens" => "`token-usage.output`, `vac.usage.output`",
            take output: Node<'a, 'a> = number(value);
        "cached_input_tokens" => "`token-usage.cached`, `vac.usage.cache-read`",
            take cached: Node<'a, 'a> = number(value);
        "reasoning_output_tokens" => "`token-usage.reasoning`, `vac.usage.reasoning`",
            take reasoning: Node<'a, 'a> = number(value);
        "total_tokens" => "`token-usage.total`", take total: Node<'a, 'a> = number(value);
        // Since 0.145.
        "cache_write_input_tokens" => "`vac.usage.cache-write`",
            take cache_write: Node<'a, 'a> = number(value);
        "type" => "", keep;
    }
}

fn number<'a>(value: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
    value.uint().map(|_| value)
}

/// The numbers of a usage that are stated: input, output, cached, reasoning, total, and tokens
/// written to a cache, for which `token-usage` has no name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage<T>([Option<T>; 6]);

impl<'a> Usage<Node<'a, 'a>> {
    /// Reads the numbers. `None` if there are none, or nothing was used: a total without input
    /// and output is the CLI's estimate of the size of its context.
    pub fn parse(usage: Node<'a, 'a>, report: &mut Report) -> Option<Self> {
        let NativeUsage { input, output, cached, reasoning, total, cache_write, rest: _ } =
            NativeUsage::read(usage, &[], report);
        let numbers = [input, output, cached, reasoning, total, cache_write];
        let is_zero = |number: &Option<Node<'_, '_>>| number.and_then(Node::uint) == Some(0);
        let is_stated = numbers.iter().any(Option::is_some);
        (is_stated && !numbers[..2].iter().all(is_zero)).then_some(Self(numbers))
    }

    /// Returns `token-usage`.
    pub fn carry(self) -> Any<'a> {
        let names = ["input", "output", "cached", "reasoning", "total"];
        let numbers = names.into_iter().zip(self.0);
        Any::members(numbers.filter_map(|(name, number)| Some((name, number?.carry()))))
    }

    /// Returns the values of the numbers.
    pub fn values(self) -> Usage<u64> {
        Usage(self.0.map(|number| number.and_then(Node::uint)))
    }
}

impl Usage<u64> {
    /// Returns the tokens used since an earlier count; all of them if the count began again.
    pub fn since(self, earlier: Self) -> Self {
        self.checked_since(earlier).unwrap_or(self)
    }

    /// Returns the tokens used since an earlier count. `None` if the count began again.
    pub fn checked_since(self, earlier: Self) -> Option<Self> {
        let mut since = self;
        for (now, earlier) in since.0.iter_mut().zip(earlier.0) {
            if let (Some(tokens), Some(earlier)) = (&mut *now, earlier) {
                *tokens = tokens.checked_sub(earlier)?;
            }
        }
        Some(since)
    }

    /// Returns whether no number is smaller than that of `part`, and at least one is greater.
    /// Numbers that only one of them states are not compared.
    pub fn contains(self, part: Self) -> bool {
        let mut pairs = self.0.into_iter().zip(part.0).filter_map(|(all, part)| all.zip(part));
        let mut is_greater = false;
        pairs.all(|(all, part)| {
            is_greater |= all > part;
            all >= part
        }) && is_greater
    }

    /// Returns the numbers in buckets that can be added up. The CLI counts cached tokens, read
    /// or written, as input, too; reasoning is a part of output.
    pub fn buckets(self) -> annotations::Usage<'static> {
        let [input, output, cached, reasoning, _, written] = self.0;
        let uncached = |input: u64| {
            input.saturating_sub(cached.unwrap_or(0)).saturating_sub(written.unwrap_or(0))
        };
        let some = |number: Option<u64>| number.filter(|number| *number > 0);
        annotations::Usage {
            input: input.map(uncached),
            cache_read: some(cached),
            cache_write: some(written),
            output,
            reasoning: some(reasoning),
            model: None,
        }
    }

    /// Returns `token-usage`.
    pub fn carry(self) -> Option<Any<'static>> {
        let [input, output, cached, reasoning, total, _] = self.0;
        let extensions = Rest::default();
        let usage = TokenUsage { input, output, cached, reasoning, total, cost: None, extensions };
        Any::from_value(&usage, Encoding::Json).ok()
    }
}
