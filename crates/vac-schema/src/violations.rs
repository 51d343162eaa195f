//! The violations that a validation found.

use std::fmt;

use vac_value::Violation;

/// The violations of a document: at least one, unless none were to be recorded.
///
/// They can be iterated over, printed line by line and serialized as a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations {
    recorded: Vec<Violation>,
    total: usize,
}

impl Violations {
    /// Returns the verdict on a document with these violations; `total` counts those that were not
    /// recorded, too.
    pub fn verdict(recorded: Vec<Violation>, total: usize) -> Result<(), Self> {
        let total = total.max(recorded.len());
        if total == 0 { Ok(()) } else { Err(Self { recorded, total }) }
    }

    /// Returns the recorded violations, in the order in which they were found.
    pub fn as_slice(&self) -> &[Violation] {
        &self.recorded
    }

    /// Iterates over the recorded violations.
    pub fn iter(&self) -> std::slice::Iter<'_, Violation> {
        self.recorded.iter()
    }

    /// Returns the number of all violations, including those that were not recorded.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Returns the first violation and the number of the others, on one line.
    pub fn summary(&self) -> String {
        match (self.recorded.first(), self.total) {
            (None, total) => format!("{total} violations"),
            (Some(first), 1) => first.to_string(),
            (Some(first), total) => format!("{first} (and {} more)", total - 1),
        }
    }

    /// Adds a prefix to every path.
    #[must_use]
    pub fn inside(mut self, prefix: &str) -> Self {
        for violation in &mut self.recorded {
            violation.path.insert_str(0, prefix);
        }
        self
    }
}

impl From<Violation> for Violations {
    fn from(violation: Violation) -> Self {
        Self { recorded: vec![violation], total: 1 }
    }
}

impl fmt::Display for Violations {
    /// Formats one line for each recorded violation; `{:#}` adds the other alternatives of choices.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, violation) in self.recorded.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            violation.fmt(f)?;
        }
        match self.total - self.recorded.len() {
            0 => Ok(()),
            1 if self.recorded.is_empty() => f.write_str("1 violation"),
            all if self.recorded.is_empty() => write!(f, "{all} violations"),
            1 => f.write_str("\nand 1 more violation"),
            more => write!(f, "\nand {more} more violations"),
        }
    }
}

impl std::error::Error for Violations {}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.recorded.into_iter()
    }
}

impl<'v> IntoIterator for &'v Violations {
    type Item = &'v Violation;
    type IntoIter = std::slice::Iter<'v, Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl serde::Serialize for Violations {
    /// Serializes the list of the recorded violations.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.recorded.serialize(serializer)
    }
}
