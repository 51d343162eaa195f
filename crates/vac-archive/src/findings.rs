//! The findings of a check of an archive.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FindingKind {
    /// A file, statement or head of the archive is missing.
    Missing,
    /// A file, statement or other data does not belong to the archive.
    Added,
    /// A file, statement or head has other bytes than were written.
    Changed,
    /// Statements or heads are in another order.
    Reordered,
    /// The archive is in an earlier state.
    RolledBack,
    /// The archive was rewritten: it is not the one that a head covers.
    Rewritten,
    /// A note: an interrupted run has left files or bytes, which the next run repairs.
    Unfinished,
    /// A note: an object that no statement names.
    Unused,
    /// A note: a version of a session that does not contain the previous one.
    Discontinued,
}

impl FindingKind {
    /// Returns whether it is a note, which does not make the archive invalid.
    pub fn is_note(self) -> bool {
        matches!(self, Self::Unfinished | Self::Unused | Self::Discontinued)
    }

    /// Returns the code of the kind in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Reordered => "reordered",
            Self::RolledBack => "rolled back",
            Self::Rewritten => "rewritten",
            Self::Unfinished => "unfinished",
            Self::Unused => "unused",
            Self::Discontinued => "discontinued",
        }
    }
}

/// One finding of a check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ArchiveFinding {
    /// The kind of finding.
    pub kind: FindingKind,
    /// The file, relative to the archive.
    pub file: String,
    /// The reason, in words.
    pub detail: String,
}

impl fmt::Display for ArchiveFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.as_str(), self.file)?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, ": {}", self.detail) }
    }
}

/// Returns a number with a noun in singular or plural.
pub(crate) fn count(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// A list of findings.
#[derive(Debug, Default)]
pub(crate) struct Findings(pub Vec<ArchiveFinding>);

impl Findings {
    pub fn add(&mut self, kind: FindingKind, file: impl Into<String>, detail: impl Into<String>) {
        self.0.push(ArchiveFinding { kind, file: file.into(), detail: detail.into() });
    }

    /// Returns whether a file has findings other than notes.
    pub fn has_problem(&self, file: &str) -> bool {
        self.0.iter().any(|it| it.file == file && !it.kind.is_note())
    }
}

/// Compares the numbers that items state with their positions. `None` is an item that cannot be
/// read, and counts as the one expected at its position. `expected` is the minimum number of items.
pub(crate) fn check_numbers(
    numbers: &[Option<u64>],
    expected: u64,
    (file, one): (&str, &str),
    findings: &mut Findings,
) {
    let mut places: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (place, number) in numbers.iter().enumerate() {
        if let Some(number) = number {
            places.entry(*number).or_default().push(place);
        }
    }
    let last = places.keys().next_back().map_or(0, |last| last.saturating_add(1)).max(expected);
    let mut unreadable = numbers.iter().filter(|number| number.is_none()).count() as u64;
    let mut gaps: Vec<(u64, u64)> = Vec::new();
    let mut next = 0;
    for number in places.keys().copied().chain([last]) {
        if number > next {
            // An unreadable item fills one position of a gap.
            let gap = number - next;
            let filled = gap.min(unreadable);
            unreadable -= filled;
            if gap > filled {
                gaps.push((next + filled, number - 1));
            }
        }
        // The owner of the key can sign any number.
        next = number.saturating_add(1);
    }
    for (first, last) in gaps {
        let detail = if first == last {
            format!("{one} {first}")
        } else {
            format!("{one}s {first} to {last}")
        };
        findings.add(FindingKind::Missing, file, detail);
    }
    for (number, places) in places.iter().filter(|(_, places)| places.len() > 1) {
        let detail = format!("{one} {number} occurs {} times", places.len());
        findings.add(FindingKind::Added, file, detail);
    }
    let mut highest: Option<u64> = None;
    for (place, number) in numbers.iter().enumerate() {
        let Some(number) = *number else { continue };
        let is_repeated = places.get(&number).is_some_and(|places| places[0] != place);
        if !is_repeated && highest.is_some_and(|highest| number < highest) {
            let detail = format!("{one} {number} is at place {place}");
            findings.add(FindingKind::Reordered, file, detail);
        }
        highest = highest.max(Some(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(numbers: &[Option<u64>], expected: u64) -> Vec<String> {
        let mut findings = Findings::default();
        check_numbers(numbers, expected, ("f", "head"), &mut findings);
        findings.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn numbers_name_what_happened() {
        let all = |numbers: &[u64]| numbers.iter().copied().map(Some).collect::<Vec<_>>();
        assert!(check(&[], 0).is_empty());
        assert!(check(&all(&[0, 1, 2]), 3).is_empty());
        assert_eq!(check(&all(&[0, 2]), 3), ["missing: f: head 1"]);
        assert_eq!(check(&all(&[0]), 3), ["missing: f: heads 1 to 2"]);
        assert_eq!(check(&all(&[0, 2, 1]), 3), ["reordered: f: head 1 is at place 2"]);
        assert_eq!(check(&all(&[0, 1, 1, 2]), 3), ["added: f: head 1 occurs 2 times"]);
        assert!(check(&[Some(0), None, Some(2)], 3).is_empty(), "a damaged one is not missing");
        assert_eq!(check(&[Some(0), None], 4), ["missing: f: heads 2 to 3"]);
    }
}
