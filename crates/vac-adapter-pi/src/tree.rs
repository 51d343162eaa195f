//! Finds the lines of a log that are on the path to the last line.
//!
//! Lines of abandoned branches stay in the file. A line whose parent is not in the file follows the
//! line before it.

use std::collections::HashMap;

use vac_value::{Kind, Node};

/// The lines, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    numbers: HashMap<String, u32>,
    lines: Vec<TreeLine>,
    /// The lines of the log that are lines of the tree, by their index.
    of_index: HashMap<u64, u32>,
}

#[derive(Debug, Default)]
struct TreeLine {
    id: String,
    index: u64,
    parent: Option<u32>,
    /// The next line on the path to the last one.
    next: Option<u32>,
    is_active: bool,
}

impl Tree {
    /// Adds a line with an id.
    pub fn add(&mut self, id: &str, parent: Option<Node<'_, '_>>, index: u64) {
        let Ok(number) = u32::try_from(self.lines.len()) else { return };
        let parent = match parent {
            Some(parent) if parent.kind() == Kind::Text => {
                let known = parent.text().and_then(|parent| self.numbers.get(&*parent).copied());
                known.or(number.checked_sub(1))
            }
            Some(parent) if parent.kind() == Kind::Null => None,
            _ => number.checked_sub(1),
        };
        self.lines.push(TreeLine { id: id.to_owned(), index, parent, ..TreeLine::default() });
        self.numbers.entry(id.to_owned()).or_insert(number);
        self.of_index.insert(index, number);
    }

    /// Returns the index of the first line with an id.
    pub fn index(&self, id: &str) -> Option<u64> {
        Some(self.lines[*self.numbers.get(id)? as usize].index)
    }

    /// Finds the path to the last line.
    pub fn finish(&mut self) {
        self.numbers = HashMap::new();
        let mut next = None;
        let mut at = self.lines.len().checked_sub(1);
        while let Some(line) = at.and_then(|at| self.lines.get_mut(at)) {
            (line.is_active, line.next) = (true, next);
            next = at.and_then(|at| u32::try_from(at).ok());
            at = line.parent.map(|parent| parent as usize);
        }
        // An abandoned line leaves the path where its parent does, which comes before it.
        for number in 0..self.lines.len() {
            let line = &self.lines[number];
            if !line.is_active
                && let Some(parent) = line.parent
            {
                let next = self.lines[parent as usize].next;
                self.lines[number].next = next;
            }
        }
    }

    /// Returns the id of the line with which the log continued instead of a line. `None` if the
    /// line is on the path to the last one; empty if no line of its branch is on that path.
    pub fn replaced_by(&self, index: u64) -> Option<&str> {
        let line = &self.lines[*self.of_index.get(&index)? as usize];
        if line.is_active {
            return None;
        }
        Some(line.next.map_or("", |next| self.lines[next as usize].id.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;
    use vac_value::Document;

    #[test]
    fn lines_of_other_branches_name_the_line_that_replaced_them() {
        let mut tree = Tree::default();
        for (index, (id, parent)) in (0..).zip([
            ("a", "null"),
            ("b", "\"a\""),
            ("c", "\"b\""),
            ("d", "\"b\""),
            ("e", "\"c\""),
            ("f", "\"d\""),
            ("g", "\"gone\""),
            ("h", "7"),
        ]) {
            let parent = Document::json(parent.as_bytes()).expect("JSON");
            tree.add(id, Some(parent.root()), index);
        }
        tree.finish();
        let found: Vec<_> = (0..9).map(|index| tree.replaced_by(index)).collect();
        let d = Some("d");
        assert_eq!(found, [None, None, d, None, d, None, None, None, None]);
    }
}
