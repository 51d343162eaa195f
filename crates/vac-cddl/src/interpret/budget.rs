//! How much work one document may cause.
//!
//! Schemas can be written so that matching takes polynomial or exponential time, or nests
//! without end although the document does not: repetitions within repetitions, rules that
//! refer to the next rule twice, long chains of rules. Real schemas take some ten steps for
//! each byte of a document. Whatever takes far more is stopped, and that is an error, never a
//! verdict.

use vac_value::{Document, Violation};

/// Steps that every document may take.
pub(super) const STEPS: u64 = 10_000_000;

/// Steps more for each byte of the document.
const STEPS_FOR_EACH_BYTE: u64 = 50;

/// Types that may be checked within each other. Documents have at most 256 levels, and few
/// schemas have more than four types for each.
const NESTING: usize = 1_100;

/// Counts the work on one document.
#[derive(Debug)]
pub(super) struct Budget {
    limit: u64,
    steps: u64,
    nesting: usize,
    stopped: Option<Stop>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Steps,
    Nesting,
}

impl Budget {
    /// So many steps, and more for each byte of the document.
    pub fn new(steps: u64, document: &Document<'_>) -> Self {
        let bytes = document.root().raw().len() as u64;
        let limit = steps.saturating_add(bytes.saturating_mul(STEPS_FOR_EACH_BYTE));
        Self { limit, steps: 0, nesting: 0, stopped: None }
    }

    /// Counts some steps. False if there are none left: then everything fails until the end.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> bool {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.limit && self.stopped.is_none() {
            self.stopped = Some(Stop::Steps);
        }
        self.stopped.is_none()
    }

    /// Counts a step into a type. Has to be followed by [`Budget::leave`] if it is true.
    #[inline]
    pub fn enter(&mut self) -> bool {
        if self.nesting == NESTING && self.stopped.is_none() {
            self.stopped = Some(Stop::Nesting);
        }
        let may = self.spend(1);
        self.nesting += usize::from(may);
        may
    }

    #[inline]
    pub fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// Starts again, to explain what was decided.
    pub fn renew(&mut self) {
        self.steps = 0;
    }

    #[cfg(test)]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Why matching was stopped, if it was.
    pub fn violation(&self) -> Option<Violation> {
        let (expected, found) = match self.stopped? {
            Stop::Steps => (
                format!(
                    "a document that the schema can be matched against in {} steps",
                    self.limit
                ),
                "that more are needed: validation was stopped",
            ),
            Stop::Nesting => (
                format!("types of the schema nested at most {NESTING} deep in this document"),
                "that they are nested deeper: validation was stopped",
            ),
        };
        Some(Violation {
            kind: vac_value::ViolationKind::Mismatch,
            path: String::new(),
            expected,
            found: found.to_owned(),
            rule: String::new(),
            others: Vec::new(),
        })
    }
}
