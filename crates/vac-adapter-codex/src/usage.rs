//! Numbers of tokens.

use vac_adapter::members::Rest;
use vac_record::TokenUsage;
use vac_record::annotations;
use vac_value::{Any, Encoding, Node};

/// Names of numbers in `token-usage`, in its order, and native ones. Tokens that are written to
/// a cache (since 0.145) have no name there.
const NUMBERS: [(Option<&str>, &str); 6] = [
    (Some("input"), "input_tokens"),
    (Some("output"), "output_tokens"),
    (Some("cached"), "cached_input_tokens"),
    (Some("reasoning"), "reasoning_output_tokens"),
    (Some("total"), "total_tokens"),
    (None, "cache_write_input_tokens"),
];

/// The numbers of a usage that are stated, in the order of [`NUMBERS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage<T>([Option<T>; 6]);

impl<'a> Usage<Node<'a, 'a>> {
    /// Reads the numbers. `None` if there are none, or nothing was used: a total without input
    /// and output is the CLI's estimate of the size of its context.
    pub fn parse(usage: Node<'a, 'a>) -> Option<Self> {
        let mut numbers = [None; 6];
        for (key, value) in usage.members() {
            if let Some(place) = NUMBERS.iter().position(|(_, native)| key.is_text(native)) {
                numbers[place] = value.uint().map(|_| value);
            }
        }
        let is_nothing = numbers[..2]
            .iter()
            .all(|number| number.is_some_and(|number: Node<'_, '_>| number.uint() == Some(0)));
        let is_stated = numbers.iter().any(Option::is_some);
        (is_stated && !is_nothing).then_some(Self(numbers))
    }

    /// Returns `token-usage`.
    pub fn carry(self) -> Any<'a> {
        let mut members = Vec::with_capacity(NUMBERS.len());
        for ((name, _), number) in NUMBERS.iter().zip(self.0) {
            members.extend(name.zip(number.map(Node::carry)));
        }
        Any::members(members)
    }

    /// Returns the values of the numbers.
    pub fn values(self) -> Usage<u64> {
        Usage(self.0.map(|number| number.and_then(Node::uint)))
    }
}

impl Usage<u64> {
    /// Returns what was used since. All of it, if the count began again.
    pub fn since(self, earlier: Self) -> Self {
        self.checked_since(earlier).unwrap_or(self)
    }

    /// Returns what was used since. `None` if the count began again.
    pub fn checked_since(self, earlier: Self) -> Option<Self> {
        let mut since = self;
        for (now, earlier) in since.0.iter_mut().zip(earlier.0) {
            if let (Some(tokens), Some(earlier)) = (&mut *now, earlier) {
                *tokens = tokens.checked_sub(earlier)?;
            }
        }
        Some(since)
    }

    /// Whether no number is smaller than that of a part, and one is greater. Numbers that only
    /// one of them states are not compared.
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
