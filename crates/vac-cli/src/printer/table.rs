//! Tables with columns as wide as their content.

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;
use vac::value::harmless;

use super::line::{HEADING, Line};

/// Number of spaces between columns.
pub const GAP: usize = 2;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// For text.
    Left,
    /// For numbers.
    Right,
}

/// Rows of cells.
pub struct Table {
    sides: Vec<Side>,
    rows: Vec<(Style, Vec<String>)>,
}

impl Table {
    /// Creates a table without a heading.
    pub fn new(sides: &[Side]) -> Self {
        Self { sides: sides.to_vec(), rows: Vec::new() }
    }

    /// Creates a table with the names of its columns as heading.
    pub fn with_names(columns: &[(&str, Side)]) -> Self {
        let sides: Vec<_> = columns.iter().map(|(_, side)| *side).collect();
        let mut table = Self::new(&sides);
        table.styled_row(HEADING, columns.iter().map(|(name, _)| (*name).to_owned()));
        table
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.styled_row(Style::new(), cells);
    }

    /// Adds a row whose cells are in a style.
    pub fn styled_row(&mut self, style: Style, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().map(|cell| harmless(&cell).into_owned());
        self.rows.push((style, cells.collect()));
    }

    /// Returns the rows as lines.
    pub fn lines(&self) -> Vec<Line> {
        let widths = self.widths();
        let line = |(style, cells): &(Style, Vec<String>)| {
            let last = cells.iter().rposition(|cell| !cell.is_empty());
            let mut line = Line::new();
            for (column, cell) in cells.iter().enumerate().take(last.map_or(0, |last| last + 1)) {
                let width = widths.get(column).copied().unwrap_or_default();
                let room = width.saturating_sub(cell.width());
                let (before, after) = match self.sides.get(column) {
                    Some(Side::Right) => (room, 0),
                    // The last column is not padded.
                    _ if Some(column) == last => (0, 0),
                    _ => (0, room),
                };
                let gap = if column == 0 { 0 } else { GAP };
                line = line.spaces(gap + before).styled(*style, cell).spaces(after);
            }
            line
        };
        self.rows.iter().map(line).collect()
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.sides.len()];
        for (_, cells) in &self.rows {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.width());
            }
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(table: &Table) -> Vec<String> {
        let plain = |line: &Line| anstream::adapter::strip_str(line.as_str()).to_string();
        table.lines().iter().map(plain).collect()
    }

    #[test]
    fn columns_are_as_wide_as_their_content_on_a_terminal() {
        let mut table =
            Table::with_names(&[("name", Side::Left), ("size", Side::Right), ("more", Side::Left)]);
        table.row(["漢字".to_owned(), "1".to_owned(), "x".to_owned()]);
        table.row(["e\u{301}\u{202e}".to_owned(), "12345".to_owned(), String::new()]);
        table.row([String::new(), String::new(), String::new()]);
        assert_eq!(
            lines(&table),
            ["name        size  more", "漢字           1  x", "e\u{301}\\u{202e}  12345", ""]
        );
        assert!(table.lines()[0].as_str().starts_with("\u{1b}[1mname\u{1b}[0m "));
    }
}
