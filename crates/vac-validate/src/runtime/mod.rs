//! What generated validators call. Rules are functions and groups are tables;
//! everything that takes thought is here.
//!
//! A check runs in one of two moods. Aloud, it notes every violation it meets
//! and goes on. Silently, while alternatives are tried, it stops at the first
//! one and only remembers how far it got.

mod array;
mod choice;
mod map;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use vac_value::path::{Locator, Step};
use vac_value::{Encoder, Encoding, Kind, Node, Violation, found};

pub use array::{Array, Shape};
pub use choice::{Alternative, Case, Choice, Select};
pub use map::Map;

/// Checks a node against a type.
pub type Check = fn(&mut Context, Node<'_, '_>) -> bool;

/// One element of a group.
#[derive(Debug)]
pub enum Element {
    /// A member of a map or an element of an array.
    Member(Member),
    /// A group of its own.
    Group(Group),
}

/// A member of a map or an element of an array.
#[derive(Debug)]
pub struct Member {
    /// Its key; in an array only a name for messages.
    pub key: Key,
    /// Whether a matching key commits to this member.
    pub cut: bool,
    /// At least so often.
    pub min: u64,
    /// At most so often.
    pub max: u64,
    /// The type of its value.
    pub check: Check,
}

/// A repeated or optional group, or one with alternatives.
#[derive(Debug)]
pub struct Group {
    /// What a message calls it.
    pub expected: &'static str,
    /// At least so often.
    pub min: u64,
    /// At most so often.
    pub max: u64,
    /// Its alternatives.
    pub choices: &'static [&'static [Element]],
}

/// The key of a member.
#[derive(Debug)]
pub enum Key {
    /// None: an element of an array.
    None,
    /// This text.
    Text(&'static str),
    /// This integer, and the schema's name for it (or nothing).
    Integer(i128, &'static str),
    /// Any other single value.
    Literal(Check),
    /// Any key of a type.
    Type(Check),
}

impl Key {
    /// Whether it stands for one single key.
    fn is_literal(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Integer(..) | Self::Literal(_))
    }

    /// What a message calls it.
    fn name(&self) -> String {
        match self {
            Self::Text(text) => format!("key \"{text}\""),
            Self::Integer(label, "") => format!("key {label}"),
            Self::Integer(label, name) => format!("key {label} ({name})"),
            Self::None => "another element".to_owned(),
            Self::Literal(_) | Self::Type(_) => "another key".to_owned(),
        }
    }

    /// What a path adds to the bare label or index.
    fn label(&self) -> &'static str {
        match self {
            Self::Integer(_, name) => name,
            _ => "",
        }
    }
}

/// A verdict on a type at a node, remembered.
#[derive(Clone, Copy)]
struct Verdict {
    valid: bool,
    furthest: u32,
}

/// The state of one validation.
#[derive(Default)]
pub struct Context {
    violations: Vec<Violation>,
    most: usize,
    total: usize,
    /// How many tries are under way; 0 is aloud.
    silent: usize,
    /// The last node at which something failed since a try began.
    furthest: u32,
    /// The rule of the innermost container: types of the prelude have none.
    within: &'static str,
    /// Names for integer labels and array elements on the way down.
    labels: Vec<(u32, &'static str)>,
    memory: HashMap<(usize, u32, u32), Verdict>,
    /// Finds the paths of violations in the document that is being read.
    locator: Locator,
    /// How much work maps with groups took.
    #[cfg(test)]
    map_steps: u64,
    /// Which document is being read: embedded ones have their own nodes.
    document: u32,
    documents: u32,
}

impl Context {
    /// Keeps at most so many violations, and counts all.
    pub fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// The violations kept, and how many there were.
    pub fn finish(self) -> (Vec<Violation>, usize) {
        (self.violations, self.total)
    }

    /// Passes a verdict on, and notes a violation if it is a bad one.
    #[inline]
    pub fn expect(
        &mut self,
        fits: bool,
        node: Node<'_, '_>,
        rule: &'static str,
        expected: &'static str,
    ) -> bool {
        fits || self.fail(node, rule, || (expected.to_owned(), found(node)))
    }

    /// Notes a violation. Gives false, for the caller to pass on.
    #[cold]
    fn fail(
        &mut self,
        node: Node<'_, '_>,
        rule: &'static str,
        words: impl FnOnce() -> (String, String),
    ) -> bool {
        if self.silent > 0 {
            self.furthest = self.furthest.max(node.index());
            return false;
        }
        self.total += 1;
        if self.violations.len() < self.most {
            let (expected, found) = words();
            let path = self.path(node);
            let rule = if rule.is_empty() { self.within } else { rule }.to_owned();
            self.violations.push(Violation {
                kind: vac_value::ViolationKind::Mismatch,
                path,
                expected,
                found,
                rule,
                others: Vec::new(),
            });
        }
        false
    }

    /// Reports the duplicate keys inside a node, at any depth. True if there are none.
    pub(crate) fn duplicate_keys(&mut self, node: Node<'_, '_>) -> bool {
        let count = node.duplicate_keys().len();
        if count == 0 {
            return true;
        }
        if self.silent > 0 {
            self.furthest = self.furthest.max(node.index());
            return false;
        }
        self.total += count;
        let room = self.most.saturating_sub(self.violations.len());
        self.violations.extend(Violation::duplicate_keys(node, room));
        false
    }

    fn path(&mut self, node: Node<'_, '_>) -> String {
        let mut path = String::new();
        for (step, index) in self.locator.steps(node) {
            path.push('/');
            path.push_str(&step.to_string());
            let name = self.labels.iter().rev().find(|(labelled, _)| *labelled == index);
            if let (Some((_, name)), Step::Label(_) | Step::Index(_)) = (name, &step) {
                path.extend(["(", name, ")"]);
            }
        }
        path
    }

    /// Tries a check without noting anything; also tells how far it got.
    fn try_silently(&mut self, check: impl FnOnce(&mut Self) -> bool) -> Verdict {
        let before = std::mem::take(&mut self.furthest);
        self.silent += 1;
        let valid = check(self);
        self.silent -= 1;
        let furthest = std::mem::replace(&mut self.furthest, before);
        Verdict { valid, furthest }
    }

    /// Takes over how far a failed try got, when that is all there is to say.
    fn note_furthest(&mut self, verdict: Verdict) {
        if !verdict.valid {
            self.furthest = self.furthest.max(verdict.furthest);
        }
    }

    /// Checks a node that a path shows by label or index, under its name.
    fn labelled(&mut self, node: Node<'_, '_>, name: &'static str, check: Check) -> bool {
        if name.is_empty() || node.encoding() == Encoding::Json {
            return check(self, node);
        }
        self.labels.push((node.index(), name));
        let valid = check(self, node);
        self.labels.pop();
        valid
    }

    /// Checks something inside a rule.
    fn within(&mut self, rule: &'static str, check: impl FnOnce(&mut Self) -> bool) -> bool {
        let around = std::mem::replace(&mut self.within, rule);
        let valid = check(self);
        self.within = around;
        valid
    }

    /// A tag and what it is on.
    pub fn tag(
        &mut self,
        node: Node<'_, '_>,
        number: Option<u64>,
        rule: &'static str,
        expected: &'static str,
        check: Check,
    ) -> bool {
        match node.tag() {
            Some((found, content)) if number.is_none_or(|number| number == found) => {
                self.within(rule, |context| check(context, content))
            }
            // A JSON integer beyond 64 bits is what CBOR has tags 2 and 3 for.
            None if node.kind() == Kind::BigInteger => {
                let tag = 2 + u64::from(node.raw().starts_with(b"-"));
                self.expect(number.is_none_or(|number| number == tag), node, rule, expected)
                    && self.inside(node, rule, &tagged_bytes(node), check)
            }
            _ => self.expect(false, node, rule, expected),
        }
    }

    /// `.cbor`: a byte string that holds one item.
    pub fn embedded(&mut self, node: Node<'_, '_>, rule: &'static str, check: Check) -> bool {
        let Some(bytes) = node.bytes() else {
            return self.expect(false, node, rule, "bytes that hold CBOR");
        };
        self.inside(node, rule, &bytes, check)
    }

    /// `.cborseq`: a byte string that holds a sequence, checked as an array.
    pub fn embedded_sequence(
        &mut self,
        node: Node<'_, '_>,
        rule: &'static str,
        check: Check,
    ) -> bool {
        let Some(bytes) = node.bytes() else {
            return self.expect(false, node, rule, "bytes that hold a CBOR sequence");
        };
        self.inside(node, rule, &vac_value::check::sequence_as_array(&bytes), check)
    }

    fn inside(
        &mut self,
        node: Node<'_, '_>,
        rule: &'static str,
        bytes: &[u8],
        check: Check,
    ) -> bool {
        let document = match node.document().embedded(bytes) {
            Ok(document) => document,
            Err(error) => {
                return self.fail(node, rule, || {
                    let violation = Violation::embedded(&error);
                    (violation.expected, violation.found)
                });
            }
        };
        self.documents += 1;
        let outer = std::mem::replace(&mut self.document, self.documents);
        let labels = std::mem::take(&mut self.labels);
        let locator = std::mem::take(&mut self.locator);
        let first = self.violations.len();
        let verdict_before = self.furthest;
        let root = document.root();
        let mut valid = self.duplicate_keys(root);
        if valid || self.silent == 0 {
            valid &= self.within(rule, |context| check(context, root));
        }
        self.document = outer;
        self.labels = labels;
        self.locator = locator;
        self.furthest = verdict_before;
        if !valid && self.silent > 0 {
            self.furthest = self.furthest.max(node.index());
        }
        if self.violations.len() > first {
            let prefix = self.path(node);
            for violation in &mut self.violations[first..] {
                violation.path.insert_str(0, &prefix);
            }
        }
        valid
    }
}

/// The byte string that CBOR has under the tag of a big integer. Of one with too
/// many digits to be converted only the length is about right.
fn tagged_bytes(node: Node<'_, '_>) -> Vec<u8> {
    let mut encoder = Encoder::cbor();
    if encoder.node(node).is_ok() {
        return encoder.finish().split_off(1);
    }
    let mut encoder = Encoder::cbor();
    encoder.bytes(&vec![1; node.raw().len() * 5 / 12]);
    encoder.finish()
}
