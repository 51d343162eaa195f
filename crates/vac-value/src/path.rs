//! Where a node is: a JSON pointer (RFC 6901).

use crate::document::{Kind, Node};

/// One step from a container or tag into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The value of a text key.
    Key(String),
    /// The value of an integer label.
    Label(i128),
    /// The value of another key, shown by its kind and place.
    Other(String),
    /// The key itself at this place of a map.
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

/// The steps from the root to a node, each with the index of the node it leads
/// to. Looks its way down through the index, so that nobody has to keep a path
/// while everything is fine. A tag is not a step.
pub fn steps(node: Node<'_, '_>) -> Vec<(Step, u32)> {
    let mut steps = Vec::new();
    let mut around = node.document().root();
    let target = node.index();
    while around.index() < target {
        let inside = |child: Node<'_, '_>| child.index() <= target && target < child.after();
        around = match around.kind() {
            Kind::Array => {
                let Some((at, child)) =
                    around.elements().enumerate().find(|(_, child)| inside(*child))
                else {
                    break;
                };
                steps.push((Step::Index(at), child.index()));
                child
            }
            Kind::Map => {
                let found = around
                    .members()
                    .enumerate()
                    .find(|(_, (key, value))| inside(*key) || inside(*value));
                let Some((at, (key, value))) = found else { break };
                if inside(key) {
                    steps.push((Step::KeyAt(at), key.index()));
                    key
                } else {
                    steps.push((key_step(key, at), value.index()));
                    value
                }
            }
            Kind::Tag => match around.tag() {
                Some((_, content)) => content,
                None => break,
            },
            _ => break,
        };
    }
    steps
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

/// A node's JSON pointer; the root's is empty.
pub fn pointer(node: Node<'_, '_>) -> String {
    steps(node).iter().fold(String::new(), |pointer, (step, _)| format!("{pointer}/{step}"))
}

/// Escapes a key for a pointer, and control characters for the eye.
fn escape(key: &str) -> String {
    crate::printable::printable(&key.replace('~', "~0").replace('/', "~1"), 80)
}
