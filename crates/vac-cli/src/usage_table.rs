//! The table of `vac usage`, which fits the terminal.

use vac::view::usage::{UsageRow, UsageRowKey};
use vac::view::usage_totals::UsageTotals;

use crate::format::{group_digits, truncate};
use crate::layout::{self, fit};
use crate::printer::line::Line;
use crate::printer::table::{GAP, Side, Table};

/// The name of rows that are sessions.
pub const SESSION: &str = "session";
/// Maximum width of the name of a row.
pub const MAX_NAME: usize = 48;
/// Minimum width to which names are shortened for the terminal.
const MIN_NAME: usize = 10;
/// Minimum width of a bar.
const MIN_BAR: usize = 4;
/// Maximum width of a bar.
const MAX_BAR: usize = 40;
/// The number of decimals of costs in the table.
const DECIMALS: usize = 4;

/// A row and its name.
pub type NamedRow = (UsageRowKey, UsageRow);

/// The parts of the table other than names and sums.
#[derive(Clone, Copy)]
struct Detail {
    /// The agent of sessions, and the part of the output that is reasoning.
    has_parts: bool,
    /// All digits of numbers, and whole names of columns.
    has_digits: bool,
}

/// The forms of the table, from the widest to the narrowest.
const DETAILS: [Detail; 3] = [
    Detail { has_parts: true, has_digits: true },
    Detail { has_parts: false, has_digits: true },
    Detail { has_parts: false, has_digits: false },
];

/// Returns the table, with a bar for each row where the width allows it. If a width is stated and
/// the table is wider, it has fewer columns, then rounded numbers, then shorter names.
pub fn lines(
    by: &str,
    rows: &[NamedRow],
    total: &UsageRow,
    currency: Option<&str>,
    width: Option<usize>,
) -> Vec<Line> {
    let mut columns = Vec::new();
    let mut cells = Vec::new();
    let mut used = 0;
    for detail in DETAILS {
        columns = column_names(by, currency, detail);
        let row = |(key, row): &NamedRow| {
            let name = key.name.as_deref().unwrap_or("(unknown)");
            row_cells(by, name, key.agent.as_deref().unwrap_or(""), row, detail, currency.is_some())
        };
        cells = rows.iter().map(row).collect::<Vec<_>>();
        cells.push(row_cells(by, "total", "", total, detail, currency.is_some()));
        used = columns.iter().enumerate().map(|(at, _)| column_width(&columns, &cells, at)).sum();
        if width.is_none_or(|width| used <= width + GAP) {
            break;
        }
    }
    if let Some(excess) = width.map(|width| used.saturating_sub(width + GAP)).filter(|it| *it > 0) {
        let name = column_width(&columns, &cells, 0) - GAP;
        let name = name.saturating_sub(excess).max(MIN_NAME);
        for cells in &mut cells {
            cells[0] = fit(&cells[0], name);
        }
    }
    let width = width.unwrap_or(layout::DEFAULT_WIDTH);
    let bar = Some(width.saturating_sub(used).min(MAX_BAR)).filter(|width| *width >= MIN_BAR);
    columns.extend(bar.map(|_| (String::new(), Side::Left)));
    let largest = rows.iter().filter_map(|(_, row)| row.tokens.total).max().unwrap_or(0);
    let columns: Vec<_> = columns.iter().map(|(name, side)| (name.as_str(), *side)).collect();
    let mut table = Table::with_names(&columns);
    let totals = rows.iter().map(|(_, row)| row.tokens.total);
    for (mut cells, total) in cells.into_iter().zip(totals.map(Some).chain([None])) {
        if let (Some(width), Some(total)) = (bar, total) {
            cells.push(draw_bar(total.unwrap_or(0), largest, width));
        }
        table.row(cells);
    }
    table.lines()
}

/// Returns the names of the columns without the bar.
fn column_names(by: &str, currency: Option<&str>, detail: Detail) -> Vec<(String, Side)> {
    let mut names = vec![(by, Side::Left)];
    if detail.has_parts && by == SESSION {
        names.push(("agent", Side::Left));
    }
    let buckets = if detail.has_digits {
        ["input", "cache-read", "cache-write", "output"]
    } else {
        ["input", "c-read", "c-write", "output"]
    };
    names.extend(buckets.map(|bucket| (bucket, Side::Right)));
    if detail.has_parts {
        names.push(("(reasoning)", Side::Right));
    }
    names.push(("total", Side::Right));
    let mut names: Vec<_> = names.into_iter().map(|(name, side)| (name.to_owned(), side)).collect();
    let cost = |currency| {
        let currency = truncate(currency, 8);
        (if detail.has_digits { format!("cost ({currency})") } else { currency }, Side::Right)
    };
    names.extend(currency.map(cost));
    names
}

fn row_cells(
    by: &str,
    name: &str,
    agent: &str,
    row: &UsageRow,
    detail: Detail,
    has_cost: bool,
) -> Vec<String> {
    let write = if detail.has_digits { group_digits } else { round_number };
    let number = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), write);
    let UsageTotals { input, cache_read, cache_write, output, reasoning, total } = row.tokens;
    let mut cells = vec![fit(name, MAX_NAME)];
    if detail.has_parts && by == SESSION {
        cells.push(agent.to_owned());
    }
    cells.extend([input, cache_read, cache_write, output].map(number));
    if detail.has_parts {
        cells.push(number(reasoning));
    }
    cells.push(number(total));
    if has_cost {
        cells.push(cost_cell(row));
    }
    cells
}

/// Returns the width of a column, with the gap after it.
fn column_width(columns: &[(String, Side)], rows: &[Vec<String>], at: usize) -> usize {
    let cells = rows.iter().map(|cells| layout::measure(&cells[at]));
    cells.max().unwrap_or(0).max(layout::measure(&columns[at].0)) + GAP
}

/// Returns a number with at most three digits and a unit: 953, 36.5k, 6.69M.
fn round_number(number: u64) -> String {
    const UNITS: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    let (mut scale, mut unit) = (1_u64, 0);
    // 999.5 of a unit are one of the next.
    while unit + 1 < UNITS.len() && u128::from(number) * 2 >= u128::from(scale) * 1999 {
        scale *= 1000;
        unit += 1;
    }
    if unit == 0 {
        return number.to_string();
    }
    let mut text = String::new();
    for (decimals, parts) in [(2, 100), (1, 10), (0, 1)] {
        let rounded = (u128::from(number) * parts + u128::from(scale / 2)) / u128::from(scale);
        text = match decimals {
            0 => rounded.to_string(),
            _ => format!("{}.{:0decimals$}", rounded / parts, rounded % parts),
        };
        if rounded < 1000 {
            break;
        }
    }
    text + UNITS[unit]
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
    // A number other than zero has at least the smallest mark.
    let eighths = eighths.max(u128::from(number > 0));
    let eighths = usize::try_from(eighths).unwrap_or(width * 8);
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_numbers_have_three_digits() {
        for (number, expected) in [
            (0, "0"),
            (953, "953"),
            (999, "999"),
            (1_000, "1.00k"),
            (6_694, "6.69k"),
            (9_995, "10.0k"),
            (36_526, "36.5k"),
            (99_950, "100k"),
            (999_499, "999k"),
            (999_500, "1.00M"),
            (u64::MAX, "18.4E"),
        ] {
            assert_eq!(round_number(number), expected, "{number}");
        }
    }

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
