//! Matches maps whose group is a list of members, in one pass. This is the most common form of
//! maps.

use vac_value::{Node, check};

use super::Matcher;
use crate::scalar::equals;
use crate::tables::{Element, ElementKind, LiteralValue, MemberKey, TypeId, TypeKind};

/// The maximum number of elements of a sequence that is matched in one pass.
pub(crate) const MAX_FLAT: usize = 64;

impl<'s> Matcher<'s, '_> {
    /// Matches a map in one pass: each entry goes to the member with its key, or else to the first
    /// member whose key type accepts the key.
    pub(super) fn flat_map(&mut self, elements: &'s [Element], node: Node<'_, '_>) -> bool {
        let mut is_valid = true;
        let mut counts = Counts::default();
        let mut hint = 0;
        for (key, value) in node.members().filter(|(key, _)| !key.is_duplicate_key()) {
            is_valid &= match find(elements, key, &mut hint) {
                Some((at, name, true, id)) => {
                    counts.add(at);
                    self.check_labelled(name, id, value)
                }
                Some((at, name, false, id)) => {
                    self.label(name, value);
                    let verdict = self.probe(|matcher| matcher.check(id, value));
                    self.note(verdict);
                    // Without a cut, a key type may take the entry instead.
                    let is_taken = verdict.is_valid
                        || self.by_key_type(elements, key, value, Some(id), &mut counts);
                    if verdict.is_valid || !is_taken {
                        // Count an entry with a wrong value, too, so that it is not also reported
                        // as missing.
                        counts.add(at);
                    }
                    is_taken
                }
                None => self.by_key_type(elements, key, value, None, &mut counts),
            };
            if !is_valid && self.is_done() {
                return false;
            }
        }
        for (at, element) in elements.iter().enumerate().filter(|(_, element)| element.min > 0) {
            if counts.get(at) < element.min {
                is_valid &= self.missing(element, counts.get(at), node);
            }
        }
        is_valid
    }

    /// Gives an entry to the first member whose key type accepts its key. `refused` is the
    /// type of a member with this very key that did not accept the value.
    fn by_key_type(
        &mut self,
        elements: &'s [Element],
        key: Node<'_, '_>,
        value: Node<'_, '_>,
        refused: Option<TypeId>,
        counts: &mut Counts,
    ) -> bool {
        let mut refused: Vec<TypeId> = refused.into_iter().collect();
        let mut first_refusing = None;
        for (at, element) in elements.iter().enumerate() {
            let ElementKind::Member { key: MemberKey::Type(key_type), is_cut, value: id } =
                &element.kind
            else {
                continue;
            };
            // The exact number matters only to a member that limits it.
            let is_counted = element.min > 1 || element.max != u64::MAX;
            // A fast path for most entries. Two probes would take most of the time of a map.
            if !is_counted && check::text(key) && self.is_any_text(*key_type) && self.is_any(*id) {
                counts.add_if(at, false);
                return true;
            }
            let is_full = element.max != u64::MAX && counts.get(at) >= element.max;
            if is_full || !self.probe(|matcher| matcher.check(*key_type, key)).is_valid {
                continue;
            }
            if *is_cut {
                counts.add_if(at, is_counted);
                return self.check(*id, value);
            }
            let verdict = self.probe(|matcher| matcher.check(*id, value));
            if verdict.is_valid {
                counts.add_if(at, is_counted);
                return true;
            }
            self.note(verdict);
            refused.push(*id);
            first_refusing = first_refusing.or(Some((at, is_counted)));
        }
        if let Some((at, is_counted)) = first_refusing {
            // The value was recorded as wrong. Count it, so that it is not also reported as
            // missing.
            counts.add_if(at, is_counted);
        }
        self.not_taken(key, value, Some(&refused))
    }

    /// Returns whether a type accepts every text.
    fn is_any_text(&self, id: TypeId) -> bool {
        let kind = &self.type_(self.resolve(id)).kind;
        matches!(kind, TypeKind::Major { major: 3, info: None })
    }

    /// Returns whether a type accepts every value.
    fn is_any(&self, id: TypeId) -> bool {
        matches!(self.type_(self.resolve(id)).kind, TypeKind::Any)
    }
}

pub(super) type Found<'s> = (usize, &'s str, bool, TypeId);

/// Returns the member with this literal key. Documents tend to have the schema's order, so the
/// search begins after the last find.
#[inline]
pub(super) fn find<'s>(
    elements: &'s [Element],
    key: Node<'_, '_>,
    hint: &mut usize,
) -> Option<Found<'s>> {
    let split = (*hint).min(elements.len());
    let (before, after) = elements.split_at(split);
    let text = key.text_bytes();
    // Two loops, because an iterator over both parts is slower, and this runs for every key.
    let find_in = |part: &'s [Element], first: usize| {
        for (at, element) in part.iter().enumerate() {
            if let ElementKind::Member { key: MemberKey::Literal(label), is_cut, value } =
                &element.kind
                && is_label(&label.value, text, key)
            {
                return Some((first + at, &*label.name, *is_cut, *value));
            }
        }
        None
    };
    let found = find_in(after, split).or_else(|| find_in(before, 0));
    if let Some((at, ..)) = found {
        *hint = at + 1;
    }
    found
}

/// Returns whether a key is a label. `text` is the key's text if the source contains it without
/// escapes.
#[inline]
fn is_label(label: &LiteralValue, text: Option<&[u8]>, key: Node<'_, '_>) -> bool {
    match (label, text) {
        (LiteralValue::Text(expected), Some(text)) => {
            // Most keys differ in their length or their first byte.
            expected.len() == text.len()
                && expected.as_bytes().first() == text.first()
                && expected.as_bytes() == text
        }
        (expected, _) => equals(expected, key),
    }
}

/// The number of entries that each member of a flat map has taken.
#[derive(Default)]
pub(super) struct Counts {
    /// One bit for each member that took an entry.
    once: u64,
    /// The number of further entries.
    more: Vec<(usize, u64)>,
}

impl Counts {
    #[inline]
    pub(super) fn add(&mut self, at: usize) {
        if self.once & 1 << at == 0 {
            self.once |= 1 << at;
        } else if let Some((_, count)) = self.more.iter_mut().find(|(place, _)| *place == at) {
            *count += 1;
        } else {
            self.more.push((at, 1));
        }
    }

    /// Counts the first entry, and others if `is_counted`.
    #[inline]
    fn add_if(&mut self, at: usize, is_counted: bool) {
        if is_counted || self.once & 1 << at == 0 {
            self.add(at);
        }
    }

    #[inline]
    pub(super) fn get(&self, at: usize) -> u64 {
        let more = self.more.iter().find(|(place, _)| *place == at);
        (self.once >> at & 1) + more.map_or(0, |(_, count)| *count)
    }
}
