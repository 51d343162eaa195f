//! Numbers of tokens.

use vac_adapter::members::Rest;
use vac_record::TokenUsage;
use vac_value::{Any, Encoding, Node};

/// Canonical names of numbers, in their order, and native ones.
const NUMBERS: [(&str, &str); 5] = [
    ("input", "input_tokens"),
    ("output", "output_tokens"),
    ("cached", "cached_input_tokens"),
    ("reasoning", "reasoning_output_tokens"),
    ("total", "total_tokens"),
];

/// The numbers of a usage that are there: input, output, cached, reasoning, total.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage<T>([Option<T>; 5]);

impl<'a> Usage<Node<'a, 'a>> {
    /// The numbers; `None` if there are none, or nothing was used. A total of nothing
    /// is the CLI's guess at the size of its context.
    pub fn of(usage: Node<'a, 'a>) -> Option<Self> {
        let mut numbers = [None; 5];
        for (key, value) in usage.members() {
            if let Some(place) = NUMBERS.iter().position(|(_, native)| key.is_text(native)) {
                numbers[place] = value.uint().map(|_| value);
            }
        }
        let is_nothing = numbers[..2]
            .iter()
            .all(|number| number.is_some_and(|number: Node<'_, '_>| number.raw() == b"0"));
        let is_told = numbers.iter().any(Option::is_some);
        (is_told && !is_nothing).then_some(Self(numbers))
    }

    /// As `token-usage`. The native numbers are where they are, too.
    pub fn carry(self) -> Any<'a> {
        let mut members = Vec::with_capacity(NUMBERS.len());
        for ((name, _), number) in NUMBERS.iter().zip(self.0) {
            members.extend(number.map(|number| (*name, number.carry())));
        }
        Any::members(members)
    }

    /// The values of the numbers.
    pub fn values(self) -> Usage<u64> {
        Usage(self.0.map(|number| number.and_then(Node::uint)))
    }
}

impl Usage<u64> {
    /// What was used since; the whole, if it was counted from the beginning again.
    pub fn since(self, earlier: Self) -> Self {
        let mut since = self;
        for (now, earlier) in since.0.iter_mut().zip(earlier.0) {
            if let (Some(tokens), Some(earlier)) = (&mut *now, earlier) {
                match tokens.checked_sub(earlier) {
                    Some(more) => *tokens = more,
                    None => return self,
                }
            }
        }
        since
    }

    /// As `token-usage`.
    pub fn carry(self) -> Option<Any<'static>> {
        let [input, output, cached, reasoning, total] = self.0;
        let extensions = Rest::default();
        let usage = TokenUsage { input, output, cached, reasoning, total, cost: None, extensions };
        Any::from_value(&usage, Encoding::Json).ok()
    }
}
