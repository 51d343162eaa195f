//! Adds up the tokens that a record counts.

use std::ops::AddAssign;

use serde_json::Value;

/// Sums of the canonical token usage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tokens {
    /// Sum of `input`.
    pub input: u64,
    /// Sum of `output`.
    pub output: u64,
    /// Sum of `cached`.
    pub cached: u64,
    /// Sum of `reasoning`.
    pub reasoning: u64,
    /// Sum of `total`.
    pub total: u64,
    /// Sum of `cost`.
    pub cost: f64,
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.output += other.output;
        self.cached += other.cached;
        self.reasoning += other.reasoning;
        self.total += other.total;
        self.cost += other.cost;
    }
}

/// Adds up the token usage of all entries of a record and of their children.
pub fn tokens(record: &Value) -> Tokens {
    let mut sum = Tokens::default();
    let mut entries: Vec<_> =
        record["session"]["entries"].as_array().into_iter().flatten().collect();
    while let Some(entry) = entries.pop() {
        let usage = &entry["token-usage"];
        let number = |key: &str| usage[key].as_u64().unwrap_or_default();
        sum += Tokens {
            input: number("input"),
            output: number("output"),
            cached: number("cached"),
            reasoning: number("reasoning"),
            total: number("total"),
            cost: usage["cost"].as_f64().unwrap_or_default(),
        };
        entries.extend(entry["children"].as_array().into_iter().flatten());
    }
    sum
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Tokens, tokens};

    #[test]
    fn tokens_of_children_count() {
        let record = json!({"session": {"entries": [
            {"token-usage": {"input": 1, "output": 2, "cost": 0.5}},
            {"children": [{"token-usage": {"input": 10, "cached": 3, "reasoning": 4, "total": 17}}]},
        ]}});
        let expected =
            Tokens { input: 11, output: 2, cached: 3, reasoning: 4, total: 17, cost: 0.5 };
        assert_eq!(tokens(&record), expected);
    }
}
