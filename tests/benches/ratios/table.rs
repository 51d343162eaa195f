//! Defines tables of ratios, and their output.

use std::fmt::Write as _;

/// The name of the measure of most tables.
pub const PROCESSOR_TIME: &str = "Processor time";

/// A table of ratios.
#[derive(Debug)]
pub struct Table {
    /// The title.
    pub title: &'static str,
    /// The name of the measure of the work and the baseline.
    pub measure: &'static str,
    /// The name of the baseline of the ratios.
    pub baseline: &'static str,
    /// The head of the column with the names of the rows.
    pub of: &'static str,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug)]
pub struct Row {
    /// The name of the input.
    pub name: String,
    /// The number of bytes of the input, if there is one.
    pub bytes: Option<usize>,
    /// The ratios; `None` where nothing is measured.
    pub cells: Vec<Option<f64>>,
}

impl Table {
    /// Formats the table for a terminal.
    pub fn text(&self) -> String {
        let widest = self.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        let widest = widest.max(self.of.len());
        let mut text = format!("{}\n{}\n\n", self.title, self.about());
        let mut line = |name: &str, cells: &[String]| {
            write!(text, "{name:<widest$}").unwrap_or_default();
            for (cell, column) in cells.iter().zip(self.heads()) {
                let width = column.len().max(6);
                write!(text, "  {cell:>width$}").unwrap_or_default();
            }
            text.push('\n');
        };
        line(self.of, &self.heads());
        for row in &self.rows {
            line(&row.name, &row.format_cells());
        }
        text
    }

    /// Formats the table as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n{}\n\n", self.title, self.about());
        let mut line = |name: &str, cells: &[String]| {
            writeln!(text, "| {name} | {} |", cells.join(" | ")).unwrap_or_default();
        };
        line(self.of, &self.heads());
        line("---", &vec!["---:".to_owned(); self.heads().len()]);
        for row in &self.rows {
            line(&row.name, &row.format_cells());
        }
        text
    }

    fn about(&self) -> String {
        format!("{} as a ratio to {}; below 1 is faster.", self.measure, self.baseline)
    }

    fn heads(&self) -> Vec<String> {
        let has_bytes = self.rows.iter().any(|row| row.bytes.is_some());
        let size = has_bytes.then(|| "KB".to_owned());
        size.into_iter().chain(self.columns.iter().cloned()).collect()
    }
}

impl Row {
    fn format_cells(&self) -> Vec<String> {
        let size = self.bytes.map(|bytes| (bytes / 1024).to_string());
        let cells = self.cells.iter().map(|cell| match cell {
            Some(ratio) => format!("{ratio:.2}"),
            None => "-".to_owned(),
        });
        size.into_iter().chain(cells).collect()
    }
}
