//! `vac usage`

use std::cmp::Reverse;
use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use vac::view::prices::PriceTable;
use vac::view::usage::{GroupBy, UsageReport, UsageRowKey, UsageTable, read_usage};
use vac::when;

use crate::exit::Exit;
use crate::format::{format_size, pluralize, truncate};
use crate::help;
use crate::json_output::{Document, UnpricedModel, UsageOutput, UsageRowOutput};
use crate::layout;
use crate::printer::Printer;
use crate::session_scan::{Limits, Scope};
use crate::usage_table::{self, NamedRow, lines};

/// Add up the tokens of sessions, and their cost
///
/// Tokens are in buckets that can be added up: `input` (not cached), `cache-read`, `cache-write` and
/// `output`, of which `reasoning` is a part. Like in `vac inspect` they are claims of vac.
///
/// Each token is counted once: entries that repeat others, are earlier versions of others or were inherited
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
    /// Only tokens that were used then or later: 2026, 2026-03, 2026-03-01,
    /// 2026-03-01T09:30:00Z, 24h, 7d, 2w (ago), today, yesterday; in UTC
    #[arg(long, value_name = "WHEN", value_parser = when::since)]
    since: Option<i128>,
    /// Only tokens that were used then or earlier; all of a day, month or year
    #[arg(long, value_name = "WHEN", value_parser = when::until)]
    until: Option<i128>,
    /// Group tokens by this
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
            Self::Session => usage_table::SESSION,
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

/// Maximum size of a table of prices in bytes.
const MAX_PRICES: u64 = 16 << 20;

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
            let currency = currency.as_deref();
            for line in lines(self.by.name(), &rows, &report.total, currency, layout::width()) {
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
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_PRICES + 1).read_to_end(&mut bytes))
            .with_context(|| name.to_string())?;
        if bytes.len() as u64 > MAX_PRICES {
            bail!("{name}: not a table of prices: more than {}", format_size(MAX_PRICES));
        }
        PriceTable::parse(&bytes)
            .map(Some)
            .map_err(|reason| anyhow!("{name}: not a table of prices: {}", truncate(&reason, 400)))
    }

    /// Prints what the numbers do not contain.
    fn report(report: &UsageReport, printer: &Printer) {
        for (model, tokens) in &report.unpriced {
            let tokens = pluralize(*tokens, "token");
            printer.warn(&match model {
                Some(model) => {
                    let model = truncate(model, usage_table::MAX_NAME);
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
        let row = |(key, row): NamedRow| UsageRowOutput {
            name: key.name,
            agent: key.agent,
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
            total: row((UsageRowKey::default(), report.total)),
            unpriced: unpriced.map(|(model, tokens)| UnpricedModel { model, tokens }).collect(),
            skipped,
            unknown_time: Some(report.unknown_time).filter(|count| *count > 0),
            currency,
        }
    }
}
