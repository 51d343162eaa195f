//! `vac usage`

use std::cmp::Reverse;
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ValueEnum};
use vac_view::prices::PriceTable;
use vac_view::usage::{GroupBy, UsageReport, UsageRow, UsageTable, read_usage};

use crate::convert::when;
use crate::exit::Exit;
use crate::format::{group_digits, pluralize, truncate};
use crate::help;
use crate::json_output::{Document, UnpricedModel, UsageOutput, UsageRowOutput};
use crate::layout::{self, fit};
use crate::printer::Printer;
use crate::printer::line::Line;
use crate::printer::table::{GAP, Side, Table};
use crate::session_scan::{Limits, Scope};

/// No name of a row is wider.
const MAX_NAME: usize = 48;
/// The widths of the bars.
const MIN_BAR: usize = 4;
const MAX_BAR: usize = 40;
/// The number of decimals of costs in the table.
const DECIMALS: usize = 4;

/// Add up the tokens of sessions, and their cost
///
/// Tokens are in buckets that can be added up: `input` (not cached), `cache-read`, `cache-write` and
/// `output`, of which `reasoning` is a part. Like in `vac inspect` they are claims of vac.
///
/// Nothing counts twice: entries that repeat others, are earlier versions of others or were inherited
/// from another session (forks and resumed sessions) do not count, and what several sessions or
/// copies of a session contain counts in the one that is read first. Tokens of subagents count, and
/// so do those of messages that were rewound.
///
/// With --prices, the cost is computed from your own table; none is built in. Prices are decimals for
/// a million tokens, and sums are exact; the table rounds them half up to 4 decimals. Tokens without
/// a price are reported, and a cost without them is marked with `+`.
#[derive(Args)]
#[command(after_help = help::ending(
    &["A table of prices: {\"currency\": \"USD\", \"models\": {\"example-*\": {\"input\": 3.00, \
       \"cache-read\": 0.30, \"cache-write\": 3.75, \"output\": 15.00}}}. A name that ends with * is \
       the beginning of names of models; the longest applies."],
    "an input is not a session, or is an invalid record",
    &[
        ("vac usage", "All sessions on this machine, by day"),
        ("vac usage --since 7d --by project", "The last seven days, by project"),
        ("vac usage --by model --prices prices.json records/", "Records, with their cost"),
    ],
))]
pub struct UsageArgs {
    #[command(flatten)]
    scope: Scope,
    /// Only tokens that were used then or later: 2026-03, 2026-03-01, 2026-03-01T09:30:00Z, 24h,
    /// 7d, 2w (ago), today, yesterday; in UTC
    #[arg(long, value_name = "WHEN", value_parser = when::since)]
    since: Option<i128>,
    /// Only tokens that were used then or earlier; a day or month is included
    #[arg(long, value_name = "WHEN", value_parser = when::until)]
    until: Option<i128>,
    /// What the rows are
    #[arg(long, value_enum, default_value = "day")]
    by: By,
    /// Table of prices (JSON) to compute the cost with
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum By {
    /// Days in UTC
    Day,
    /// Working directories
    Project,
    /// Models
    Model,
    /// Agents
    Agent,
    /// Sessions
    Session,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Project => "project",
            Self::Model => "model",
            Self::Agent => "agent",
            Self::Session => "session",
        }
    }
}

impl From<By> for GroupBy {
    fn from(by: By) -> Self {
        match by {
            By::Day => Self::Day,
            By::Project => Self::Project,
            By::Model => Self::Model,
            By::Agent => Self::Agent,
            By::Session => Self::Session,
        }
    }
}

/// A row and its name, which is `None` where it is unknown.
type NamedRow = (Option<String>, UsageRow);

impl UsageArgs {
    /// Runs the command.
    pub fn run(self, printer: &Printer) -> Result<Exit> {
        let prices = self.read_prices()?;
        let currency = prices.as_ref().map(|prices| prices.currency.clone());
        let mut table = UsageTable::new(self.by.into(), self.since, self.until, prices);
        let scanned = self.scope.each(Limits::default(), printer, read_usage, &mut |session| {
            table.add(&session.result);
            Ok(())
        })?;
        let mut report = table.finish();
        let mut rows: Vec<NamedRow> = std::mem::take(&mut report.rows).into_iter().collect();
        // Days are in the order of time already.
        if !matches!(self.by, By::Day) {
            rows.sort_by_key(|(_, row)| Reverse(row.tokens.total));
        }
        Self::report(&report, printer);
        if self.json {
            let output = self.output(rows, report, currency);
            printer.json(&Document::new("usage", output))?;
        } else if !rows.is_empty() {
            let width = layout::width().unwrap_or(layout::DEFAULT_WIDTH);
            for line in lines(self.by, &rows, &report.total, currency.as_deref(), width) {
                printer.line(line)?;
            }
        } else if scanned.logs > 0 {
            printer.info("no tokens found");
        }
        Ok(scanned.exit)
    }

    fn read_prices(&self) -> Result<Option<PriceTable>> {
        let Some(path) = &self.prices else { return Ok(None) };
        let name = path.display();
        let bytes = std::fs::read(path).with_context(|| name.to_string())?;
        let table = PriceTable::parse(&bytes);
        table.map(Some).map_err(|reason| anyhow!("{name}: not a table of prices: {reason}"))
    }

    /// Prints what the numbers do not contain.
    fn report(report: &UsageReport, printer: &Printer) {
        for (model, tokens) in &report.unpriced {
            let tokens = pluralize(*tokens, "token");
            printer.warn(&match model {
                Some(model) => {
                    let model = truncate(model, MAX_NAME);
                    format!("no price for {tokens} of model `{model}` (not in the cost)")
                }
                None => format!("no price for {tokens} of an unknown model (not in the cost)"),
            });
        }
        if report.unknown_time > 0 {
            let requests = pluralize(report.unknown_time, "request");
            printer.warn(&format!("{requests} of unknown time included"));
        }
        let skipped: u64 = report.skipped.values().sum();
        let skipped = skipped.saturating_add(report.in_other_session);
        if skipped > 0 {
            let statements = pluralize(skipped, "repeated statement");
            printer.detail(&format!("{statements} not counted again"));
        }
    }

    fn output(
        &self,
        rows: Vec<NamedRow>,
        report: UsageReport,
        currency: Option<String>,
    ) -> UsageOutput {
        let row = |(name, row): NamedRow| UsageRowOutput {
            name,
            sessions: row.sessions,
            requests: row.requests,
            tokens: row.tokens,
            // Sums of decimals are not decimals, so round to a millionth.
            cost: row
                .stated_cost
                .map(|cost| (cost * 1e6).round() / 1e6)
                .filter(|it| it.is_finite()),
            computed_cost: row.cost.map(|cost| cost.to_string()),
            unpriced_tokens: currency.is_some().then_some(row.unpriced),
        };
        let mut skipped: std::collections::BTreeMap<_, _> =
            report.skipped.iter().map(|(reason, count)| (reason.name(), *count)).collect();
        if report.in_other_session > 0 {
            skipped.insert("in-other-session", report.in_other_session);
        }
        let unpriced = report.unpriced.into_iter();
        UsageOutput {
            by: self.by.name(),
            rows: rows.into_iter().map(row).collect(),
            total: row((None, report.total)),
            unpriced: unpriced.map(|(model, tokens)| UnpricedModel { model, tokens }).collect(),
            skipped,
            unknown_time: Some(report.unknown_time).filter(|count| *count > 0),
            currency,
        }
    }
}

/// Returns the table, with a bar for each row where the width allows it.
fn lines(
    by: By,
    rows: &[NamedRow],
    total: &UsageRow,
    currency: Option<&str>,
    width: usize,
) -> Vec<Line> {
    let cost_name = currency.map(|currency| format!("cost ({})", truncate(currency, 8)));
    let mut columns = vec![
        (by.name(), Side::Left),
        ("input", Side::Right),
        ("cache-read", Side::Right),
        ("cache-write", Side::Right),
        ("output", Side::Right),
        ("(reasoning)", Side::Right),
        ("total", Side::Right),
    ];
    columns.extend(cost_name.as_deref().map(|name| (name, Side::Right)));
    let cells = |name: &str, row: &UsageRow| {
        let number = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), group_digits);
        let tokens = &row.tokens;
        let mut cells = vec![
            fit(name, MAX_NAME),
            number(tokens.input),
            number(tokens.cache_read),
            number(tokens.cache_write),
            number(tokens.output),
            number(tokens.reasoning),
            number(tokens.total),
        ];
        if currency.is_some() {
            cells.push(cost_cell(row));
        }
        cells
    };
    let mut all: Vec<_> =
        rows.iter().map(|(name, row)| cells(name.as_deref().unwrap_or("(unknown)"), row)).collect();
    all.push(cells("total", total));
    let column_width = |(at, (name, _)): (usize, &(&str, Side))| {
        let cells = all.iter().map(|cells| layout::measure(&cells[at]));
        cells.max().unwrap_or(0).max(name.len()) + GAP
    };
    let used: usize = columns.iter().enumerate().map(column_width).sum();
    let bar = Some(width.saturating_sub(used).min(MAX_BAR)).filter(|width| *width >= MIN_BAR);
    columns.extend(bar.map(|_| ("", Side::Left)));
    let largest = rows.iter().filter_map(|(_, row)| row.tokens.total).max().unwrap_or(0);
    let mut table = Table::with_names(&columns);
    let totals = rows.iter().map(|(_, row)| row.tokens.total);
    for (mut cells, total) in all.into_iter().zip(totals.map(Some).chain([None])) {
        if let (Some(width), Some(total)) = (bar, total) {
            cells.push(draw_bar(total.unwrap_or(0), largest, width));
        }
        table.row(cells);
    }
    table.lines()
}

/// Returns the cost of a row: `+` if tokens without a price are not in it, `unknown` if none has one.
fn cost_cell(row: &UsageRow) -> String {
    let total = row.tokens.total.unwrap_or(0);
    match row.cost {
        None => "-".to_owned(),
        Some(_) if row.unpriced > 0 && row.unpriced >= total => "unknown".to_owned(),
        Some(cost) if row.unpriced > 0 => format!("{}+", cost.rounded(DECIMALS)),
        Some(cost) => cost.rounded(DECIMALS),
    }
}

/// Returns a bar whose length is the share of a number in the largest one, in eighths of a column.
fn draw_bar(number: u64, largest: u64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if largest == 0 {
        return String::new();
    }
    let eighths = u128::from(number) * (width as u128 * 8) / u128::from(largest);
    // What is not zero has a mark.
    let eighths = eighths.max(u128::from(number > 0));
    let eighths = usize::try_from(eighths).unwrap_or(width * 8);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(draw_bar(10, 10, 4), "████");
        assert_eq!(draw_bar(5, 10, 5), "██▌");
        assert_eq!(draw_bar(1, 1_000_000, 4), "▏");
        assert_eq!(draw_bar(0, 10, 4), "");
        assert_eq!(draw_bar(0, 0, 4), "");
        assert_eq!(draw_bar(u64::MAX, u64::MAX, 40).chars().count(), 40);
    }
}
