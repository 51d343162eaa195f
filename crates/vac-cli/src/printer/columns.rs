//! Tables that fit the terminal: columns are shortened or left out, and lines never wrap.

use super::table::{GAP, Side, Table};
use crate::layout::{fit, measure};

/// A table whose columns can be shortened and left out.
pub struct Columns {
    /// The columns: name, alignment, and cells with the name as the first.
    columns: Vec<(&'static str, Side, Vec<String>)>,
}

impl Columns {
    /// Creates a table with the names of its columns.
    pub fn new(columns: &[(&'static str, Side)]) -> Self {
        let column = |(name, side): &(&'static str, Side)| (*name, *side, vec![(*name).to_owned()]);
        Self { columns: columns.iter().map(column).collect() }
    }

    /// Adds a row. Characters that are not harmless are escaped.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.2.push(vac::value::harmless(&cell).into_owned());
        }
    }

    /// Returns the table for a width: `shortened` is made narrower, down to `min`, then columns are left
    /// out in the order of `left_out`, and then `last` is made narrower.
    pub fn fit(
        mut self,
        width: Option<usize>,
        (shortened, min): (&str, usize),
        left_out: &[&str],
        last: &str,
    ) -> Table {
        self.shorten(width, shortened, min);
        for name in left_out {
            if self.excess(width) > 0 {
                self.columns.retain(|(it, ..)| it != name);
            }
        }
        self.shorten(width, shortened, 1);
        self.shorten(width, last, 1);
        let sides: Vec<_> = self.columns.iter().map(|(name, side, _)| (*name, *side)).collect();
        let mut table = Table::with_names(&sides);
        let rows = self.columns.first().map_or(0, |(.., cells)| cells.len());
        for row in 1..rows {
            table.row(self.columns.iter().map(|(.., cells)| cells[row].clone()));
        }
        table
    }

    fn excess(&self, width: Option<usize>) -> usize {
        let gaps = GAP * self.columns.len().saturating_sub(1);
        let total = self.columns.iter().map(|(.., cells)| widest(cells)).sum::<usize>() + gaps;
        width.map_or(0, |width| total.saturating_sub(width))
    }

    fn shorten(&mut self, width: Option<usize>, name: &str, min: usize) {
        let excess = self.excess(width);
        if let Some((.., cells)) = self.columns.iter_mut().find(|(it, ..)| *it == name)
            && excess > 0
        {
            let wide = widest(cells).saturating_sub(excess).max(min);
            for cell in cells {
                *cell = fit(cell, wide);
            }
        }
    }
}

fn widest(cells: &[String]) -> usize {
    cells.iter().map(|cell| measure(cell)).max().unwrap_or(0)
}
