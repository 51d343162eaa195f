//! Control operators that take texts and byte strings apart.

use std::borrow::Cow;
use std::collections::BTreeSet;

use vac_value::{Kind, Node};

use super::Matcher;
use super::embedded::{Inside, write_head};
use crate::printf::{Conversion, Format, Item, Piece};
use crate::tables::{Element, ElementKind, GroupId, TypeId, TypeKind, Value};
use crate::text_encoding::TextEncoding;

impl<'s> Matcher<'s, '_> {
    /// `.b64u` and the like: checks the bytes that a text encodes.
    pub(super) fn encoded(
        &mut self,
        id: TypeId,
        encoding: TextEncoding,
        content: TypeId,
        node: Node<'_, '_>,
    ) -> bool {
        let text = node.text().filter(|_| node.kind() == Kind::Text);
        let Some(bytes) = text.and_then(|text| encoding.decode(&text)) else {
            return self.mismatch(id, node);
        };
        let mut item = Vec::with_capacity(bytes.len() + 9);
        write_head(&mut item, 2, bytes.len() as u64);
        item.extend(bytes);
        self.embedded(content, node, &item, Inside::Encoded(encoding))
    }

    /// `.base10`: checks the integer that a text is the decimal form of.
    pub(super) fn base10(&mut self, id: TypeId, content: TypeId, node: Node<'_, '_>) -> bool {
        let text = node.text().filter(|_| node.kind() == Kind::Text);
        match text.filter(|text| is_base10(text)) {
            // Such a text is an integer in JSON, too.
            Some(text) => self.embedded(content, node, text.as_bytes(), Inside::Base10),
            None => self.mismatch(id, node),
        }
    }

    /// `.json`: checks the JSON document that a text contains.
    pub(super) fn embedded_json(
        &mut self,
        id: TypeId,
        content: TypeId,
        node: Node<'_, '_>,
    ) -> bool {
        match node.text().filter(|_| node.kind() == Kind::Text) {
            Some(text) => self.embedded(content, node, text.as_bytes(), Inside::Json),
            None => self.mismatch(id, node),
        }
    }

    /// The bytes of a text or a byte string.
    pub(crate) fn string_bytes<'a>(node: Node<'_, 'a>) -> Option<Cow<'a, [u8]>> {
        match node.kind() {
            Kind::Text => node.text().map(|text| match text {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            }),
            _ => node.bytes(),
        }
    }

    /// `.printf`: whether a text is what a format makes of items of some types.
    ///
    /// Keeps the set of positions that can be reached, so that every way to divide the text
    /// is considered.
    pub(super) fn is_printed(&mut self, format: &Format, items: &[TypeId], text: &str) -> bool {
        let pieces = format.pieces();
        let mut items = items.iter();
        let mut positions = BTreeSet::from([0]);
        for (at, piece) in pieces.iter().enumerate() {
            if !self.budget.spend(positions.len() as u64) {
                return false;
            }
            positions = match piece {
                Piece::Text(piece) => positions
                    .into_iter()
                    .filter(|position| text[*position..].starts_with(piece.as_str()))
                    .map(|position| position + piece.len())
                    .collect(),
                Piece::Conversion(conversion) => {
                    let Some(item) = items.next() else { return false };
                    self.after_conversion(*conversion, *item, &positions, pieces.get(at + 1), text)
                }
            };
        }
        positions.contains(&text.len()) && items.next().is_none()
    }

    fn after_conversion(
        &mut self,
        conversion: Conversion,
        item: TypeId,
        starts: &BTreeSet<usize>,
        next: Option<&Piece>,
        text: &str,
    ) -> BTreeSet<usize> {
        let literals = self.literal_items(item);
        let mut ends = BTreeSet::new();
        for &start in starts {
            let longest =
                conversion.max_bytes().map_or(text.len(), |most| start.saturating_add(most));
            for end in start..=text.len().min(longest) {
                let is_end = text.is_char_boundary(end)
                    && !ends.contains(&end)
                    && match next {
                        None => end == text.len(),
                        Some(Piece::Text(next)) => text[end..].starts_with(next.as_str()),
                        Some(Piece::Conversion(_)) => true,
                    };
                if !self.budget.spend(1) {
                    return BTreeSet::new();
                }
                if is_end && self.is_converted(conversion, item, &literals, &text[start..end]) {
                    ends.insert(end);
                }
            }
        }
        ends
    }

    /// Whether a text is what a conversion makes of an item of a type.
    fn is_converted(
        &mut self,
        conversion: Conversion,
        item: TypeId,
        literals: &[&'s Value],
        text: &str,
    ) -> bool {
        let mut candidates = conversion.candidates(text);
        candidates.extend(literals.iter().filter_map(|literal| match literal {
            Value::Integer(integer) => Some(Item::Integer(*integer)),
            Value::Float(float) => Some(Item::Float(*float)),
            Value::Text(text) => Some(Item::Text(text)),
            Value::Bytes(_) => None,
        }));
        let is_written = |candidate: Item<'_>| {
            conversion.write(candidate).is_some_and(|written| written == text.as_bytes())
        };
        if let Some(Item::Float(float)) = candidates.first().copied()
            && is_written(Item::Float(float))
        {
            // Many floats are written alike: try the least and the greatest of them, too.
            let is_same = |float: f64| is_written(Item::Float(float));
            candidates.push(Item::Float(last_float(float, f64::NEG_INFINITY, is_same)));
            candidates.push(Item::Float(last_float(float, f64::INFINITY, is_same)));
        }
        for candidate in candidates {
            if !self.budget.spend(1 + text.len() as u64 / 8) {
                return false;
            }
            if !is_written(candidate) {
                continue;
            }
            let mut bytes = Vec::new();
            match candidate {
                Item::Integer(integer) => {
                    let is_negative = integer < 0;
                    let argument = if is_negative { -1 - integer } else { integer };
                    let Ok(argument) = u64::try_from(argument) else { continue };
                    write_head(&mut bytes, u8::from(is_negative), argument);
                }
                Item::Float(float) => {
                    bytes.push(0xfb);
                    bytes.extend(float.to_be_bytes());
                }
                Item::Text(text) => {
                    write_head(&mut bytes, 3, text.len() as u64);
                    bytes.extend(text.as_bytes());
                }
            }
            if self.accepts_value(item, &bytes) {
                return true;
            }
        }
        false
    }

    /// The literals of a type and the ends of its ranges.
    fn literal_items(&self, id: TypeId) -> Vec<&'s Value> {
        /// Types that are visited.
        const MAX_TYPES: usize = 1_000;
        let mut literals = Vec::new();
        let mut open = vec![id];
        let mut visited = 0;
        while let Some(id) = open.pop() {
            visited += 1;
            if visited > MAX_TYPES {
                break;
            }
            match &self.type_of(self.resolve(id)).kind {
                TypeKind::Literal(value) => literals.push(value),
                TypeKind::Range { low, high, .. } => literals.extend([low, high]),
                TypeKind::Choice { alternatives, .. } => open.extend(alternatives.iter()),
                _ => {}
            }
        }
        literals
    }

    /// `.join`: whether a string consists of strings that a group matches one after the
    /// other. Keeps the set of positions that can be reached.
    pub(super) fn is_joined(&mut self, array: TypeId, node: Node<'_, '_>) -> bool {
        let TypeKind::Array(group) = self.type_of(self.resolve(array)).kind else { return false };
        let Some(bytes) = Self::string_bytes(node) else { return false };
        let string = Joined { bytes: &bytes, is_text: node.kind() == Kind::Text };
        let start = BTreeSet::from([Position { at: 0, is_first: true }]);
        let end = Follow { can_end: true, ..Follow::default() };
        let ends = self.join_group(group, &start, &string, &end);
        ends.iter().any(|end| end.at == bytes.len())
    }

    fn join_group(
        &mut self,
        group: GroupId,
        starts: &BTreeSet<Position>,
        string: &Joined<'_>,
        follow: &Follow<'s>,
    ) -> BTreeSet<Position> {
        let mut ends = BTreeSet::new();
        for sequence in &*self.group_of(group).choices {
            let mut positions = starts.clone();
            let mut rest = &*sequence.elements;
            while let Some((element, after)) = rest.split_first() {
                if positions.is_empty() || !self.budget.spend(1 + positions.len() as u64) {
                    positions.clear();
                    break;
                }
                let mut next = self.after_elements(after, follow);
                if element.max > 1 {
                    self.add_follow(std::slice::from_ref(element), &mut next);
                }
                positions = self.join_element(element, positions, string, &next);
                rest = after;
            }
            ends.extend(positions);
        }
        ends
    }

    /// The occurrences of an element.
    fn join_element(
        &mut self,
        element: &'s Element,
        starts: BTreeSet<Position>,
        string: &Joined<'_>,
        follow: &Follow<'s>,
    ) -> BTreeSet<Position> {
        let mut ends = if element.min == 0 { starts.clone() } else { BTreeSet::new() };
        let mut current = starts;
        let mut count = 0;
        while count < element.max && !current.is_empty() {
            if !self.budget.spend(current.len() as u64) {
                return BTreeSet::new();
            }
            let reached = match &element.kind {
                ElementKind::Group(group) => self.join_group(*group, &current, string, follow),
                ElementKind::Member { value, .. } => {
                    self.join_string(*value, &current, string, follow)
                }
            };
            count += 1;
            if count >= element.min {
                // A position that was reached with fewer occurrences needs no second visit.
                current = reached.difference(&ends).copied().collect();
                ends.extend(&current);
            } else if reached == current {
                // Empty strings fill up what is required.
                count = element.min.max(count + 1) - 1;
            } else {
                current = reached;
            }
        }
        ends
    }

    /// One string of a type.
    fn join_string(
        &mut self,
        id: TypeId,
        starts: &BTreeSet<Position>,
        string: &Joined<'_>,
        follow: &Follow<'s>,
    ) -> BTreeSet<Position> {
        let id = self.resolve(id);
        let ty = self.type_of(id);
        let mut ends = BTreeSet::new();
        if let TypeKind::Choice { alternatives, .. } = &ty.kind {
            for alternative in &**alternatives {
                ends.extend(self.join_string(*alternative, starts, string, follow));
            }
            return ends;
        }
        for start in starts {
            let rest = &string.bytes[start.at..];
            let can_be = |kind: Kind| {
                let is_same = string.is_text == (kind == Kind::Text);
                ty.kinds.contains(kind) && (is_same || !start.is_first)
            };
            let end = |length: usize| Position { at: start.at + length, is_first: false };
            let literal = match &ty.kind {
                TypeKind::Literal(Value::Text(text)) => Some((Kind::Text, text.as_bytes())),
                TypeKind::Literal(Value::Bytes(bytes)) => Some((Kind::Bytes, &**bytes)),
                _ => None,
            };
            if let Some((kind, literal)) = literal {
                if can_be(kind) && rest.starts_with(literal) {
                    ends.insert(end(literal.len()));
                }
                continue;
            }
            for length in 0..=rest.len() {
                if !self.budget.spend(1 + follow.literals.len() as u64) {
                    return BTreeSet::new();
                }
                if ends.contains(&end(length)) || !follow.allows(&rest[length..]) {
                    continue;
                }
                let is_matched =
                    [(Kind::Text, 3), (Kind::Bytes, 2)].into_iter().any(|(kind, major)| {
                        can_be(kind) && {
                            let mut item = Vec::with_capacity(length + 9);
                            write_head(&mut item, major, length as u64);
                            item.extend(&rest[..length]);
                            self.accepts_value(id, &item)
                        }
                    });
                if is_matched {
                    ends.insert(end(length));
                }
            }
        }
        ends
    }

    /// What comes next before a list of elements, if `outer` comes after it.
    fn after_elements(&self, elements: &'s [Element], outer: &Follow<'s>) -> Follow<'s> {
        let mut follow = Follow::default();
        if self.add_follow(elements, &mut follow) {
            follow.is_anything |= outer.is_anything;
            follow.can_end |= outer.can_end;
            follow.literals.extend(&outer.literals);
        }
        follow
    }

    /// Adds what a list of elements can begin with. Returns whether it can be empty.
    fn add_follow(&self, elements: &'s [Element], follow: &mut Follow<'s>) -> bool {
        elements.iter().all(|element| {
            let can_be_empty = self.budget.spend(1)
                && match &element.kind {
                    ElementKind::Member { value, .. } => self.add_string(*value, follow),
                    ElementKind::Group(group) => {
                        let choices = self.group_of(*group).choices.iter();
                        let empty = choices
                            .filter(|sequence| self.add_follow(&sequence.elements, follow))
                            .count();
                        empty > 0
                    }
                };
            can_be_empty || element.min == 0
        })
    }

    /// Adds what a string of a type can begin with. Returns whether it can be empty.
    fn add_string(&self, id: TypeId, follow: &mut Follow<'s>) -> bool {
        let literal: &[u8] = match &self.type_of(self.resolve(id)).kind {
            TypeKind::Literal(Value::Text(text)) => text.as_bytes(),
            TypeKind::Literal(Value::Bytes(bytes)) => bytes,
            _ => {
                follow.is_anything = true;
                return true;
            }
        };
        if !literal.is_empty() {
            follow.literals.push(literal);
        }
        literal.is_empty()
    }
}

/// A string that is taken apart.
struct Joined<'b> {
    bytes: &'b [u8],
    is_text: bool,
}

/// A position in a string that is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    at: usize,
    /// Whether no string has been taken yet: the first is of the kind of the whole.
    is_first: bool,
}

/// What can follow after a string.
#[derive(Debug, Default)]
struct Follow<'s> {
    is_anything: bool,
    can_end: bool,
    literals: Vec<&'s [u8]>,
}

impl Follow<'_> {
    fn allows(&self, rest: &[u8]) -> bool {
        self.is_anything
            || (self.can_end && rest.is_empty())
            || self.literals.iter().any(|literal| rest.starts_with(literal))
    }
}

/// Whether a text is `0` or an integer without leading zeros and without `+`.
fn is_base10(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    text == "0"
        || (matches!(digits.as_bytes().first(), Some(b'1'..=b'9'))
            && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The last float from one that has a property towards another, if the floats that have it
/// are next to each other.
fn last_float(from: f64, to: f64, has_it: impl Fn(f64) -> bool) -> f64 {
    // Floats in their order are integers in theirs.
    let number = |float: f64| {
        let bits = float.to_bits().cast_signed();
        if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
    };
    let float = |number: i64| {
        let bits = if number < 0 { i64::MIN.wrapping_sub(number) } else { number };
        f64::from_bits(bits.cast_unsigned())
    };
    if from.is_nan() || has_it(to) {
        return if from.is_nan() { from } else { to };
    }
    let (mut with, mut without) = (number(from), number(to));
    while with.abs_diff(without) > 1 {
        let middle = with.midpoint(without);
        if has_it(float(middle)) {
            with = middle;
        } else {
            without = middle;
        }
    }
    float(with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base10_has_no_leading_zeros() {
        for text in ["0", "7", "-7", "10", "-123456789012345678901234567890"] {
            assert!(is_base10(text), "{text}");
        }
        for text in ["", "-", "-0", "00", "01", "-01", "+1", " 1", "1 ", "1.0", "1e3", "٣"] {
            assert!(!is_base10(text), "{text}");
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "the ends of the ranges are meant exactly")]
    fn last_float_is_found_in_both_directions() {
        let is_one = |float: f64| (0.95..=1.05).contains(&float);
        assert_eq!(last_float(1.0, f64::INFINITY, is_one), 1.05);
        assert_eq!(last_float(1.0, f64::NEG_INFINITY, is_one), 0.95);
        let is_small = |float: f64| (-0.5..=0.5).contains(&float);
        assert_eq!(last_float(0.25, f64::NEG_INFINITY, is_small), -0.5);
        assert_eq!(last_float(-0.25, f64::INFINITY, is_small), 0.5);
        assert_eq!(last_float(1.0, f64::INFINITY, |_| true), f64::INFINITY);
    }
}
