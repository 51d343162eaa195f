//! Keys that a map has twice.

use std::iter::Peekable;
use std::vec::IntoIter;

use vac_value::path::Step;
use vac_value::{Document, Kind, Node, found};

use super::{Findings, quoted};

pub(super) fn lint(document: &Document<'_>, findings: &mut Findings) {
    let mut values: Vec<_> = document.duplicate_keys().map(|key| (key.after(), key)).collect();
    if values.is_empty() {
        return;
    }
    values.sort_by_key(|(value, _)| *value);
    let mut search =
        Search { values: values.into_iter().peekable(), path: String::new(), findings };
    search.look_into(document.root());
}

/// Goes down where there is something to find, and nowhere else.
struct Search<'f, 'd, 'a> {
    /// The values of the keys, and the keys, in document order.
    values: Peekable<IntoIter<(u32, Node<'d, 'a>)>>,
    path: String,
    findings: &'f mut Findings,
}

impl Search<'_, '_, '_> {
    fn look_into(&mut self, node: Node<'_, '_>) {
        while let Some((_, key)) = self.values.next_if(|(value, _)| *value == node.index()) {
            let name = match key.text() {
                Some(text) => quoted(&text),
                None => found(key),
            };
            let message = format!("the map has had the key {name} before");
            self.findings.add(key, "duplicate-key", self.path.clone(), message);
        }
        match node.kind() {
            Kind::Array => {
                for (at, element) in node.elements().enumerate() {
                    self.step(element, || Step::Index(at));
                }
            }
            Kind::Map => {
                for (at, (key, value)) in node.members().enumerate() {
                    self.step(key, || Step::KeyAt(at));
                    self.step(value, || step_to(key, at));
                }
            }
            Kind::Tag => {
                if let Some((_, content)) = node.tag() {
                    self.look_into(content);
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, child: Node<'_, '_>, step: impl FnOnce() -> Step) {
        if self.values.peek().is_some_and(|(value, _)| *value < child.after()) {
            let length = self.path.len();
            self.path.push('/');
            self.path.push_str(&step().to_string());
            self.look_into(child);
            self.path.truncate(length);
        }
    }
}

fn step_to(key: Node<'_, '_>, at: usize) -> Step {
    if let Some(text) = key.text() {
        Step::Key(text.into_owned())
    } else if let Some(label) = key.integer() {
        Step::Label(label)
    } else {
        Step::Other(format!("({} key {at})", key.kind().name()))
    }
}
