//! Computes paths of nodes as JSON pointers (RFC 6901).

use crate::document::Kind;
use crate::node::Node;
use crate::secrets::contains_secret;

/// One step from a container or tag into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of a text key.
    Key(String),
    /// The value of an integer label.
    Label(i128),
    /// The value of a key of another kind, described by the kind and the position of the key.
    Other(String),
    /// The key at this position of a map.
    KeyAt(usize),
    /// An element of an array.
    Index(usize),
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Key(key) => f.write_str(&escape(key)),
            Self::Label(label) => write!(f, "{label}"),
            Self::Other(other) => f.write_str(other),
            Self::KeyAt(place) => write!(f, "(key {place})"),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

/// Returns the steps from the root to a node, each with the index of the node it leads to. Tags
/// are not steps. Use a [`Locator`] to locate many nodes of one document.
pub fn steps(node: Node<'_, '_>) -> Vec<(Step, u32)> {
    Locator::default().steps(node)
}

/// Finds the steps to nodes of one document. It remembers the position of the last node, so that
/// locating all nodes in document order takes one walk over the document.
#[derive(Debug, Default)]
pub struct Locator {
    /// The containers and tags around the last node, from the root on.
    levels: Vec<Level>,
    moves: usize,
}

/// A container or tag, and the child of it on the path.
#[derive(Clone, Copy, Debug)]
struct Level {
    around: u32,
    /// The index of the child, from 0.
    place: usize,
    /// The node of an element or of a tag's content; for a member, the key.
    child: u32,
}

impl Locator {
    /// Returns the steps to a node; see [`steps`]. All nodes have to be of the same document.
    pub fn steps(&mut self, node: Node<'_, '_>) -> Vec<(Step, u32)> {
        self.go_to(node);
        let document = node.document();
        let mut steps = Vec::with_capacity(self.levels.len());
        for (depth, level) in self.levels.iter().enumerate() {
            let next = self.levels.get(depth + 1).map_or(node.index(), |inner| inner.around);
            let child = document.node(level.child);
            match document.node(level.around).kind() {
                Kind::Array => steps.push((Step::Index(level.place), level.child)),
                Kind::Map if next < child.after() => {
                    steps.push((Step::KeyAt(level.place), level.child));
                }
                Kind::Map => steps.push((key_step(child, level.place), child.after())),
                _ => {}
            }
        }
        steps
    }

    /// Returns the number of children that were visited, for tests that count work.
    pub fn moves(&self) -> usize {
        self.moves
    }

    /// Returns the JSON pointer of a node; that of the root is empty.
    pub fn pointer(&mut self, node: Node<'_, '_>) -> String {
        let mut pointer = String::new();
        for (step, _) in self.steps(node) {
            pointer.push('/');
            pointer.push_str(&step.to_string());
        }
        pointer
    }

    /// Sets the levels to those around a node.
    fn go_to(&mut self, node: Node<'_, '_>) {
        let (document, target) = (node.document(), node.index());
        let is_around =
            |level: &&Level| level.around < target && target < document.node(level.around).after();
        let shared = self.levels.iter().take_while(is_around).count();
        self.levels.truncate(shared);
        let mut resumed = self.levels.pop();
        let mut at = resumed.map_or(0, |level| level.around);
        while at < target {
            let first = Level { around: at, place: 0, child: at + 1 };
            let mut level = resumed.take().filter(|level| level.child <= target).unwrap_or(first);
            let is_map = document.node(at).kind() == Kind::Map;
            loop {
                let child = document.node(level.child);
                // A member ends with its value.
                let end = if is_map { document.node(child.after()).after() } else { child.after() };
                if target < end {
                    let is_value = is_map && target >= child.after();
                    at = if is_value { child.after() } else { level.child };
                    break;
                }
                level = Level { place: level.place + 1, child: end, ..level };
                self.moves += 1;
            }
            self.levels.push(level);
        }
    }
}

fn key_step(key: Node<'_, '_>, at: usize) -> Step {
    if let Some(text) = key.text() {
        Step::Key(text.into_owned())
    } else if let Some(label) = key.integer() {
        Step::Label(label)
    } else {
        Step::Other(format!("({} key {at})", key.kind().name()))
    }
}

/// Returns the JSON pointer of a node; that of the root is empty.
pub fn pointer(node: Node<'_, '_>) -> String {
    Locator::default().pointer(node)
}

/// Escapes a key for a pointer, and characters that are not printable. A likely secret is not
/// shown.
fn escape(key: &str) -> String {
    if contains_secret(key) {
        return "(redacted)".to_owned();
    }
    crate::printable::printable(&key.replace('~', "~0").replace('/', "~1"), 80)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    #[test]
    fn every_node_is_found_in_any_order() {
        let text = br#"{"a": [1, [2, {"b/c": null}]], "d": {"e": [[]]}, "f": 3}"#;
        let document = Document::json(text).unwrap();
        let count = u32::try_from(document.len()).unwrap();
        let alone: Vec<_> = (0..count).map(|at| pointer(document.node(at))).collect();
        assert_eq!(alone[1], "/(key 0)");
        assert_eq!(alone[8], "/a/1/1/b~1c");
        assert_eq!(alone.last().unwrap(), "/f");
        let mut locator = Locator::default();
        for step in [1, 5, 7, 11] {
            for at in (0..count).map(|at| at * step % count) {
                assert_eq!(locator.pointer(document.node(at)), alone[at as usize]);
            }
        }
    }

    #[test]
    fn tags_and_keys_of_any_type_are_located() {
        // {1: 2([h'00', 7]), [1]: 5}
        let document = Document::cbor(b"\xa2\x01\xc2\x82\x41\x00\x07\x81\x01\x05").unwrap();
        let mut locator = Locator::default();
        let pointers: Vec<_> = (0..9).map(|at| locator.pointer(document.node(at))).collect();
        assert_eq!(
            pointers,
            [
                "",
                "/(key 0)",
                "/1",
                "/1",
                "/1/0",
                "/1/1",
                "/(key 1)",
                "/(key 1)/0",
                "/(array key 1)"
            ]
        );
    }

    #[test]
    fn locating_in_document_order_is_linear() {
        let moves = |elements: usize| {
            let text = format!("[{}]", vec![r#"{"a":1,"b":[2,3]}"#; elements].join(","));
            let document = Document::json(text.as_bytes()).unwrap();
            let mut locator = Locator::default();
            for at in 0..u32::try_from(document.len()).unwrap() {
                locator.steps(document.node(at));
            }
            locator.moves()
        };
        let (one, four) = (moves(500), moves(2000));
        assert!(four <= 4 * one + 8, "{one} moves, then {four}");
    }
}
