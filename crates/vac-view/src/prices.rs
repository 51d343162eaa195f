//! A table of prices that the user provides, and exact amounts of money.
//!
//! ```
//! use vac_view::prices::PriceTable;
//! use vac_view::usage_totals::UsageTotals;
//!
//! let table = PriceTable::parse(br#"{"currency": "USD", "models": {
//!     "kiln-1": {"input": 3, "cache-read": 0.3, "output": "15.50"},
//!     "kiln-*": {"input": 1, "output": 2}}}"#)?;
//! let tokens = UsageTotals { input: Some(1_000_000), output: Some(7), ..UsageTotals::default() };
//! let priced = table.price("kiln-1", &tokens);
//! assert_eq!((priced.cost.to_string().as_str(), priced.unpriced), ("3.0001085", 0));
//! // A model, or a bucket, without a price is never free.
//! assert_eq!(table.price("loom-1", &tokens).unpriced, 1_000_007);
//! # Ok::<(), String>(())
//! ```
//!
//! # Decisions
//!
//! * Prices are per million tokens, and have at most 9 decimals. They are JSON numbers or texts,
//!   and are read as decimals, never as binary fractions.
//! * Sums are exact: a multiple of 10^-15 of the currency. Only displayed amounts are rounded.
//! * Reasoning is a part of the output and has its price.
//! * The name of a model is compared exactly. A name that ends with `*` matches all models that
//!   begin with the text before it. The longest name that matches applies.

use std::collections::BTreeMap;
use std::fmt;

use vac_value::{Document, Kind, Node};

use crate::usage_totals::UsageTotals;

/// The number of decimals of prices and of costs.
const PRICE_DECIMALS: usize = 9;
const COST_DECIMALS: usize = 15;
/// The limit that every price is below, in units of the currency, so that products with numbers of
/// tokens do not overflow.
const MAX_PRICE: u128 = 1_000_000;

/// An exact amount of money, as a multiple of 10^-15 of the currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost(u128);

impl Cost {
    /// Returns the sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns the amount with this many decimals (at most 15), rounded half up.
    pub fn rounded(self, decimals: usize) -> String {
        let decimals = decimals.min(COST_DECIMALS);
        let unit = power_of_ten(COST_DECIMALS - decimals);
        let rounded = self.0.saturating_add(unit / 2) / unit;
        let one = power_of_ten(decimals);
        if decimals == 0 {
            return rounded.to_string();
        }
        format!("{}.{:0decimals$}", rounded / one, rounded % one)
    }
}

impl fmt::Display for Cost {
    /// Writes all decimals that are not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.rounded(COST_DECIMALS);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

fn power_of_ten(exponent: usize) -> u128 {
    std::iter::repeat_n(10, exponent).product()
}

/// The cost of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priced {
    /// The cost of the tokens that have a price.
    pub cost: Cost,
    /// The number of tokens without a price.
    pub unpriced: u64,
}

/// The prices of a model per million tokens, in 10^-9 of the currency.
#[derive(Clone, Copy, Debug, Default)]
struct ModelPrices {
    input: Option<u128>,
    cache_read: Option<u128>,
    cache_write: Option<u128>,
    output: Option<u128>,
}

/// Prices by model.
#[derive(Clone, Debug)]
pub struct PriceTable {
    /// The currency that the table states.
    pub currency: String,
    models: BTreeMap<String, ModelPrices>,
}

impl PriceTable {
    /// Parses a table.
    ///
    /// # Errors
    /// With the reason, if it is not a table of prices.
    pub fn parse(json: &[u8]) -> Result<Self, String> {
        let document = Document::json(json).map_err(|error| format!("not JSON: {error}"))?;
        let root = document.root();
        let mut currency = None;
        let mut models = BTreeMap::new();
        for (key, value) in members(root, "the table")? {
            match key.as_str() {
                "currency" => {
                    let text = value.text().ok_or("`currency` is not text")?;
                    currency = Some(text.into_owned());
                }
                "models" => {
                    for (model, prices) in members(value, "`models`")? {
                        let prices = ModelPrices::parse(&model, prices)?;
                        models.insert(model, prices);
                    }
                }
                _ => return Err(format!("unexpected key `{key}`")),
            }
        }
        let currency = currency.ok_or("`currency` is missing")?;
        if models.is_empty() {
            return Err("`models` is missing or empty".to_owned());
        }
        Ok(Self { currency, models })
    }

    /// Returns the cost of tokens of a model.
    pub fn price(&self, model: &str, tokens: &UsageTotals) -> Priced {
        let unknown = ModelPrices::default();
        let table = self.find(model).unwrap_or(&unknown);
        let mut priced = Priced { cost: Cost::default(), unpriced: 0 };
        for (count, price) in [
            (tokens.input, table.input),
            (tokens.cache_read, table.cache_read),
            (tokens.cache_write, table.cache_write),
            (tokens.output, table.output),
        ] {
            let count = count.unwrap_or(0);
            match price {
                // A price of 10^-9 per million tokens is 10^-15 per token.
                Some(price) => {
                    priced.cost = priced.cost.plus(Cost(price.saturating_mul(count.into())));
                }
                None => priced.unpriced = priced.unpriced.saturating_add(count),
            }
        }
        priced
    }

    fn find(&self, model: &str) -> Option<&ModelPrices> {
        let is_beginning = |(name, _): &(&String, &ModelPrices)| {
            name.strip_suffix('*').is_some_and(|beginning| model.starts_with(beginning))
        };
        let longest = || self.models.iter().filter(is_beginning).max_by_key(|(name, _)| name.len());
        self.models.get(model).or_else(|| longest().map(|(_, prices)| prices))
    }
}

impl ModelPrices {
    fn parse(model: &str, node: Node<'_, '_>) -> Result<Self, String> {
        let mut prices = Self::default();
        for (key, value) in members(node, &format!("`{model}`"))? {
            let bucket = match key.as_str() {
                "input" => &mut prices.input,
                "cache-read" => &mut prices.cache_read,
                "cache-write" => &mut prices.cache_write,
                "output" => &mut prices.output,
                _ => {
                    let expected = "expected input, cache-read, cache-write or output";
                    return Err(format!("`{model}`: unexpected key `{key}` ({expected})"));
                }
            };
            let text = value.text().map_or_else(
                || String::from_utf8_lossy(value.raw()).into_owned(),
                std::borrow::Cow::into_owned,
            );
            let price = parse_decimal(&text).ok_or_else(|| {
                let expected = "expected a decimal below 1000000 with at most 9 decimals";
                format!("`{model}`: the price of `{key}` is `{text}` ({expected})")
            })?;
            *bucket = Some(price);
        }
        Ok(prices)
    }
}

/// Returns the members of an object. A key that occurs twice is an error.
fn members<'d, 'a>(node: Node<'d, 'a>, what: &str) -> Result<Vec<(String, Node<'d, 'a>)>, String> {
    if node.kind() != Kind::Map {
        return Err(format!("{what} is not an object"));
    }
    let mut members: Vec<(String, Node<'d, 'a>)> = Vec::new();
    let mut keys = std::collections::BTreeSet::new();
    for (key, value) in node.members() {
        let key = key.text().ok_or_else(|| format!("a key of {what} is not text"))?.into_owned();
        if !keys.insert(key.clone()) {
            return Err(format!("{what} has the key `{key}` twice"));
        }
        members.push((key, value));
    }
    Ok(members)
}

/// Parses a decimal and returns it in 10^-9.
fn parse_decimal(text: &str) -> Option<u128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || fraction.len() > PRICE_DECIMALS {
        return None;
    }
    let whole: u128 = whole.parse().ok().filter(|whole| *whole < MAX_PRICE)?;
    let decimals: u128 = format!("{fraction:0<PRICE_DECIMALS$}").parse().ok()?;
    Some(whole * power_of_ten(PRICE_DECIMALS) + decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        for (text, expected) in [
            ("0", Some(0)),
            ("0.1", Some(100_000_000)),
            ("3.000000001", Some(3_000_000_001)),
            ("999999.5", Some(999_999_500_000_000)),
            ("1000000", None),
            ("0.0000000001", None),
            ("1e3", None),
            ("-1", None),
            ("+1", None),
            (".5", None),
            ("5.", None),
            ("", None),
            ("99999999999999999999999999999999999999999", None),
        ] {
            assert_eq!(parse_decimal(text), expected, "{text}");
        }
        // Ten times 0.1 is exactly 1, unlike with binary fractions.
        let table = PriceTable::parse(br#"{"currency":"EUR","models":{"m":{"input":0.1}}}"#);
        let tokens = UsageTotals { input: Some(1_000_000), ..UsageTotals::default() };
        let cost = table.unwrap().price("m", &tokens).cost;
        let sum = std::iter::repeat_n(cost, 10).fold(Cost::default(), Cost::plus);
        assert_eq!((sum.to_string().as_str(), sum.rounded(4).as_str()), ("1", "1.0000"));
    }

    #[test]
    fn costs_are_rounded_half_up() {
        let cost = Cost(1_234_550_000_000_000);
        assert_eq!(cost.rounded(4), "1.2346");
        assert_eq!(cost.rounded(2), "1.23");
        assert_eq!(cost.rounded(0), "1");
        assert_eq!(Cost(5).rounded(4), "0.0000");
        assert_eq!(Cost(u128::MAX).plus(Cost(1)), Cost(u128::MAX));
    }

    #[test]
    fn longest_name_that_matches_applies() {
        let table = br#"{"currency": "EUR", "models": {
            "*": {"input": 1}, "kiln-*": {"input": 2}, "kiln-2": {"input": 3}}}"#;
        let table = PriceTable::parse(table).unwrap();
        let tokens = UsageTotals { input: Some(1_000_000), ..UsageTotals::default() };
        let cost = |model: &str| table.price(model, &tokens).cost.to_string();
        assert_eq!(
            (cost("loom"), cost("kiln-1"), cost("kiln-2")),
            ("1".into(), "2".into(), "3".into())
        );
    }

    #[test]
    fn malformed_tables_are_errors_with_reasons() {
        for (json, reason) in [
            ("", "not JSON"),
            ("[]", "the table is not an object"),
            ("{}", "`currency` is missing"),
            (r#"{"currency": 1}"#, "`currency` is not text"),
            (r#"{"currency": "EUR"}"#, "`models` is missing or empty"),
            (r#"{"currency": "EUR", "models": {"m": 1}}"#, "`m` is not an object"),
            (r#"{"currency": "EUR", "models": {"m": {"in": 1}}}"#, "`m`: unexpected key `in`"),
            (
                r#"{"currency": "EUR", "models": {"m": {"input": 1e2}}}"#,
                "price of `input` is `1e2`",
            ),
            (r#"{"currency": "EUR", "models": {"m": {"input": null}}}"#, "is `null`"),
            (r#"{"currency": "EUR", "models": {"m": {}, "m": {}}}"#, "has the key `m` twice"),
            (r#"{"currency": "EUR", "extra": 1}"#, "unexpected key `extra`"),
        ] {
            let error = PriceTable::parse(json.as_bytes()).unwrap_err();
            assert!(error.contains(reason), "{json}: {error}");
        }
    }
}
