//! Rows of a database.

use vac_value::{Document, Kind, Limits, Scanner};

/// The maximum depth of JSON in a cell, which is less than a record allows.
const MAX_DEPTH: usize = 200;

/// The value of a row in a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// A float.
    Real(f64),
    /// Text that is UTF-8.
    Text(String),
    /// Bytes, or text that is not UTF-8.
    Blob(Vec<u8>),
}

impl Cell {
    /// Returns whether it is NULL.
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }

    /// Returns the bytes of text or of a blob.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text.as_bytes()),
            Self::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the number of bytes of text or of a blob.
    pub fn size(&self) -> usize {
        self.bytes().map_or(0, <[u8]>::len)
    }

    /// Returns the JSON that it contains, if a record can contain it.
    pub fn json(&self) -> Option<Document<'_>> {
        json(self.bytes()?)
    }

    /// Returns the JSON object that it contains, if a record can contain it.
    pub fn json_object(&self) -> Option<Document<'_>> {
        self.json().filter(|document| document.root().kind() == Kind::Map)
    }

    /// Returns the value as text. Numbers are formatted, and bytes that are not UTF-8 are replaced.
    pub fn to_text(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Integer(number) => number.to_string(),
            Self::Real(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        }
    }
}

/// Parses bytes as a JSON document that a record can contain.
pub(super) fn json(bytes: &[u8]) -> Option<Document<'_>> {
    let limits = Limits { depth: MAX_DEPTH, ..Limits::default() };
    Scanner::new(limits).json(bytes).ok()
}

/// A row: the names of its columns, and its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row(pub Vec<(String, Cell)>);

impl Row {
    /// Returns the value in a column, if the table has the column.
    pub fn get(&self, column: &str) -> Option<&Cell> {
        self.0.iter().find(|(name, _)| name == column).map(|(_, cell)| cell)
    }

    /// Returns the value in a column; NULL if the table does not have the column.
    pub fn cell(&self, column: &str) -> &Cell {
        self.get(column).unwrap_or(&Cell::Null)
    }

    /// Removes the value in a column and returns it; NULL if the table does not have the column.
    pub fn take(&mut self, column: &str) -> Cell {
        let cell = self.0.iter_mut().find(|(name, _)| name == column);
        cell.map_or(Cell::Null, |(_, cell)| std::mem::replace(cell, Cell::Null))
    }

    /// Returns names and cells, in the order of the table's columns.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Cell)> {
        self.0.iter().map(|(name, cell)| (name.as_str(), cell))
    }
}
