//! Limits the work on one document.
//!
//! Some schemas make matching take polynomial or exponential time, or nest without end although the
//! document does not: repetitions within repetitions, rules that refer to the next rule twice. Real
//! schemas take less than ten steps for each byte of a document. Matching that takes far more is
//! stopped, which is reported as a violation.

use std::cell::Cell;

use vac_value::{Node, Violation, ViolationKind};

/// The number of steps that every document may take.
const STEPS: u64 = 10_000_000;

/// The number of additional steps for each byte of the document.
const STEPS_PER_BYTE: u64 = 50;

/// Maximum nesting of types that are being checked. Documents have at most 256 levels, and few
/// schemas have more than four types for each.
const MAX_NESTING: usize = 1_100;

/// Counts the work on one document, and limits it.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    left: Cell<u64>,
    nesting: usize,
    stop: Cell<Option<Stop>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Steps,
    Nesting,
}

impl Budget {
    /// Returns the default budget for checking a node, which grows with the size of its document.
    pub fn new(node: Node<'_, '_>) -> Self {
        let bytes = node.raw().len() as u64;
        Self::with_steps(STEPS.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE)))
    }

    /// Creates a budget of `limit` steps.
    pub fn with_steps(limit: u64) -> Self {
        Self { limit, left: Cell::new(limit), nesting: 0, stop: Cell::new(None) }
    }

    /// Counts steps. Returns whether matching may go on.
    #[inline]
    pub(crate) fn spend(&self, steps: u64) -> bool {
        match self.left.get().checked_sub(steps) {
            Some(left) => {
                self.left.set(left);
                true
            }
            None => {
                self.stop(Stop::Steps);
                false
            }
        }
    }

    /// Stops matching, because it needs more memory than its steps should take.
    pub(crate) fn exhaust(&self) {
        self.stop(Stop::Steps);
    }

    #[cold]
    fn stop(&self, reason: Stop) {
        self.left.set(0);
        if self.stop.get().is_none() {
            self.stop.set(Some(reason));
        }
    }

    /// Counts a type within the current one. Returns whether matching may go on; then
    /// [`Budget::leave`] must follow.
    #[inline]
    pub(crate) fn enter(&mut self) -> bool {
        if self.nesting == MAX_NESTING {
            self.stop(Stop::Nesting);
        }
        let may_go_on = !self.is_stopped() && self.spend(1);
        self.nesting += usize::from(may_go_on);
        may_go_on
    }

    #[inline]
    pub(crate) fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// Returns whether matching was stopped. If so, its verdict is not reliable.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.get().is_some()
    }

    /// Returns the number of steps so far.
    pub fn steps(&self) -> u64 {
        self.limit - self.left.get()
    }

    /// Returns the violation that reports why matching was stopped.
    pub(crate) fn violation(&self) -> Option<Violation> {
        let expected = match self.stop.get()? {
            Stop::Steps => {
                format!("a document that can be matched in at most {} steps", self.limit)
            }
            Stop::Nesting => {
                format!("types of the schema nested at most {MAX_NESTING} deep")
            }
        };
        Some(Violation {
            kind: ViolationKind::Stopped,
            path: String::new(),
            expected,
            found: "more: validation was stopped".to_owned(),
            rule: String::new(),
            others: Vec::new(),
        })
    }
}
