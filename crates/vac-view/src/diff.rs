//! The lines that an edit adds and removes.

use vac_adapter::tools::edits::{Change, FileEdit};

/// The maximum product of the numbers of lines of two texts that are compared line by line. The
/// time and memory of a comparison grow with it.
const MAX_CELLS: usize = 1 << 20;
/// The number of lines without a change that are kept around changes.
const CONTEXT: usize = 3;

/// The changes of an edit to a file, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// The path, if the call states it.
    pub path: Option<String>,
    /// The extent of the change.
    pub extent: Extent,
    /// The changed lines, with up to three unchanged lines before and after each change.
    pub lines: Vec<DiffLine>,
}

/// The extent of a change, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The numbers of lines.
    Lines {
        /// The number of lines that are added.
        added: u64,
        /// The number of lines that are removed.
        removed: u64,
    },
    /// The file gets this number of lines; what it had before is unknown.
    Written(u64),
    /// The file is deleted.
    Deleted,
    /// The extent is unknown.
    Unknown,
}

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// The kind of line.
    pub kind: LineKind,
    /// The text of the line, without sign and line end.
    pub text: String,
}

/// The kind of a line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// The line is unchanged.
    Same,
    /// The line is added.
    Added,
    /// The line is removed.
    Removed,
    /// The position of the following lines, or a mark that unchanged lines are left out here.
    Hunk,
}

impl LineKind {
    /// Returns the sign at the beginning of such a line in a patch.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Same => " ",
            Self::Added => "+",
            Self::Removed => "-",
            Self::Hunk => "@",
        }
    }
}

impl FileDiff {
    /// Returns the lines that an edit changes.
    pub fn new(edit: FileEdit) -> Self {
        let FileEdit { path, change } = edit;
        let (extent, lines) = match change {
            Change::Replace { old, new } => counted(compare(&old, &new)),
            Change::Patch(patch) => counted(patch.lines().filter_map(patch_line).collect()),
            Change::Write(content) => {
                let lines: Vec<_> = content.lines().map(|it| line(LineKind::Added, it)).collect();
                (Extent::Written(lines.len() as u64), lines)
            }
            Change::Delete => (Extent::Deleted, Vec::new()),
            Change::Unknown => (Extent::Unknown, Vec::new()),
        };
        Self { path, extent, lines }
    }
}

fn line(kind: LineKind, text: &str) -> DiffLine {
    DiffLine { kind, text: text.to_owned() }
}

fn counted(lines: Vec<DiffLine>) -> (Extent, Vec<DiffLine>) {
    let count = |kind| lines.iter().filter(|line| line.kind == kind).count() as u64;
    let extent = Extent::Lines { added: count(LineKind::Added), removed: count(LineKind::Removed) };
    (extent, lines)
}

fn patch_line(text: &str) -> Option<DiffLine> {
    let kind = match text.as_bytes().first() {
        Some(b'+') => LineKind::Added,
        Some(b'-') => LineKind::Removed,
        Some(b'@') => return Some(line(LineKind::Hunk, text.trim_matches('@').trim())),
        // "\ No newline at end of file"
        Some(b'\\') => return None,
        Some(b' ') => LineKind::Same,
        // Some models omit the space before an unchanged line.
        _ => return Some(line(LineKind::Same, text)),
    };
    Some(line(kind, text.get(1..).unwrap_or_default()))
}

/// Compares two texts line by line.
fn compare(old: &str, new: &str) -> Vec<DiffLine> {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let before = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let after =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (removed, added) =
        (&old_rest[..old_rest.len() - after], &new_rest[..new_rest.len() - after]);
    let mut lines = Vec::new();
    context(&mut lines, &old[..before], 0, CONTEXT);
    if removed.len().saturating_mul(added.len()) <= MAX_CELLS {
        align(&mut lines, removed, added);
    } else {
        lines.extend(removed.iter().map(|text| line(LineKind::Removed, text)));
        lines.extend(added.iter().map(|text| line(LineKind::Added, text)));
    }
    context(&mut lines, &old_rest[old_rest.len() - after..], CONTEXT, 0);
    lines
}

/// Adds the first and the last of some unchanged lines.
fn context(lines: &mut Vec<DiffLine>, same: &[&str], first: usize, last: usize) {
    if same.len() <= first + last {
        lines.extend(same.iter().map(|text| line(LineKind::Same, text)));
        return;
    }
    lines.extend(same[..first].iter().map(|text| line(LineKind::Same, text)));
    let left_out = same.len() - first - last;
    if first > 0 && last > 0 {
        lines.push(line(LineKind::Hunk, &format!("{left_out} lines without changes")));
    }
    lines.extend(same[same.len() - last..].iter().map(|text| line(LineKind::Same, text)));
}

/// Adds the lines of two texts; their longest common subsequence is unchanged.
fn align(lines: &mut Vec<DiffLine>, old: &[&str], new: &[&str]) {
    let width = new.len() + 1;
    // For each pair of lines, the length of the longest common subsequence of the texts from these
    // lines on.
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            lengths[i * width + j] = if old[i] == new[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut same = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            same.push(old[i]);
            (i, j) = (i + 1, j + 1);
            continue;
        }
        context(lines, &std::mem::take(&mut same), CONTEXT, CONTEXT);
        let removes = j == new.len()
            || (i < old.len() && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]);
        if removes {
            lines.push(line(LineKind::Removed, old[i]));
            i += 1;
        } else {
            lines.push(line(LineKind::Added, new[j]));
            j += 1;
        }
    }
    context(lines, &same, CONTEXT, CONTEXT);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(change: Change) -> (Extent, String) {
        let diff = FileDiff::new(FileEdit { path: None, change });
        let lines = diff.lines.iter().map(|line| format!("{}{}", line.kind.sign(), line.text));
        (diff.extent, lines.collect::<Vec<_>>().join("\n"))
    }

    fn replace(old: &str, new: &str) -> (Extent, String) {
        shown(Change::Replace { old: old.to_owned(), new: new.to_owned() })
    }

    #[test]
    fn replaced_texts_are_compared_by_line() {
        let lines = |added, removed| Extent::Lines { added, removed };
        for (old, new, extent, expected) in [
            ("a\nb\nc", "a\nx\nc", lines(1, 1), " a\n-b\n+x\n c"),
            ("", "x\ny\n", lines(2, 0), "+x\n+y"),
            ("x", "", lines(0, 1), "-x"),
            ("same", "same", lines(0, 0), " same"),
            ("1\n2\n3\n4\n5", "1\n2\n3\n4\n6", lines(1, 1), " 2\n 3\n 4\n-5\n+6"),
            ("a\nb\nc\nd", "b\nx\nd", lines(1, 2), "-a\n b\n-c\n+x\n d"),
        ] {
            assert_eq!(replace(old, new), (extent, expected.to_owned()), "{old:?} {new:?}");
        }
    }

    #[test]
    fn long_parts_without_changes_are_left_out() {
        let same: Vec<_> = (0..20).map(|number| number.to_string()).collect();
        let same = same.join("\n");
        let (extent, shown) = replace(&format!("a\n{same}\nb"), &format!("c\n{same}\nd"));
        assert_eq!(extent, Extent::Lines { added: 2, removed: 2 });
        assert_eq!(shown, "-a\n+c\n 0\n 1\n 2\n@14 lines without changes\n 17\n 18\n 19\n-b\n+d");
    }

    #[test]
    fn large_texts_are_replaced_as_a_whole() {
        let text = |letter: &str| vec![letter; 1100].join("\n");
        let (extent, _) = replace(&text("a"), &text("b"));
        assert_eq!(extent, Extent::Lines { added: 1100, removed: 1100 });
    }

    #[test]
    fn patches_state_their_lines() {
        let patch = "@@ -1,2 +1,2 @@\n same\n-old\n+new\n\\ No newline at end of file\n";
        assert_eq!(
            shown(Change::Patch(patch.to_owned())),
            (Extent::Lines { added: 1, removed: 1 }, "@-1,2 +1,2\n same\n-old\n+new".to_owned())
        );
        assert_eq!(shown(Change::Write("a\nb\n".to_owned())).0, Extent::Written(2));
        assert_eq!(shown(Change::Delete), (Extent::Deleted, String::new()));
    }
}
