//! The document of `vac usage`.

use std::collections::BTreeMap;

use serde::Serialize;
use vac::view::usage_totals::UsageTotals;

/// The result of `vac usage`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UsageOutput {
    /// The kind of the rows: `day`, `project`, `model`, `agent` or `session`.
    pub by: &'static str,
    /// The currency of the prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The rows, in the order of the table.
    pub rows: Vec<UsageRowOutput>,
    /// The sum of all rows.
    pub total: UsageRowOutput,
    /// Models with tokens that have no price.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unpriced: Vec<UnpricedModel>,
    /// Counts of statements that do not count again, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The number of statements whose time is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_time: Option<u64>,
}

/// A row of `vac usage`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UsageRowOutput {
    /// The day, project, model, agent or session, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The agent of a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The number of sessions.
    pub sessions: u64,
    /// The number of statements of tokens.
    pub requests: u64,
    /// The tokens.
    pub tokens: UsageTotals,
    /// The cost that logs state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The cost by the prices, as an exact decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed_cost: Option<String>,
    /// The number of tokens that have no price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpriced_tokens: Option<u64>,
}

/// A model with tokens that have no price.
#[derive(Serialize)]
pub struct UnpricedModel {
    /// The model, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The number of tokens.
    pub tokens: u64,
}
