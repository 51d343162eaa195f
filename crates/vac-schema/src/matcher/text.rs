//! Matches control operators that decode or divide texts and byte strings.

use std::borrow::Cow;
use std::collections::BTreeSet;

use vac_value::{Kind, Node};

use super::Matcher;
use super::embedded::{Inside, write_head};
use crate::printf::{Conversion, Format, Item, Piece};
use crate::tables::{LiteralValue, TypeId, TypeKind};
use crate::text_encoding::TextEncoding;

impl<'s> Matcher<'s, '_> {
    /// Checks the bytes that a text encodes (`.b64u` and the like).
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

    /// Checks the integer that a text is the decimal form of (`.base10`).
    pub(super) fn base10(&mut self, id: TypeId, content: TypeId, node: Node<'_, '_>) -> bool {
        let text = node.text().filter(|_| node.kind() == Kind::Text);
        match text.filter(|text| is_base10(text)) {
            // Such a text is an integer in JSON, too.
            Some(text) => self.embedded(content, node, text.as_bytes(), Inside::Base10),
            None => self.mismatch(id, node),
        }
    }

    /// Checks the JSON document that a text contains (`.json`).
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

    /// Returns the bytes of a text or a byte string.
    pub(crate) fn string_bytes<'a>(node: Node<'_, 'a>) -> Option<Cow<'a, [u8]>> {
        match node.kind() {
            Kind::Text => node.text().map(|text| match text {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            }),
            _ => node.bytes(),
        }
    }

    /// Returns whether a format produces a text from items of the given types (`.printf`).
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

    /// Returns whether a conversion produces a text from an item of a type.
    fn is_converted(
        &mut self,
        conversion: Conversion,
        item: TypeId,
        literals: &[&'s LiteralValue],
        text: &str,
    ) -> bool {
        let mut candidates = conversion.candidates(text);
        candidates.extend(literals.iter().filter_map(|literal| match literal {
            LiteralValue::Integer(integer) => Some(Item::Integer(*integer)),
            LiteralValue::Float(float) => Some(Item::Float(*float)),
            LiteralValue::Text(text) => Some(Item::Text(text)),
            LiteralValue::Bytes(_) => None,
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

    /// Returns the literals of a type and the ends of its ranges.
    fn literal_items(&self, id: TypeId) -> Vec<&'s LiteralValue> {
        /// The maximum number of types that are visited.
        const MAX_TYPES: usize = 1_000;
        let mut literals = Vec::new();
        let mut open = vec![id];
        let mut visited = 0;
        while let Some(id) = open.pop() {
            visited += 1;
            if visited > MAX_TYPES {
                break;
            }
            match &self.type_(self.resolve(id)).kind {
                TypeKind::Literal(value) => literals.push(value),
                TypeKind::Range { low, high, .. } => literals.extend([low, high]),
                TypeKind::Choice { alternatives, .. } => open.extend(alternatives.iter()),
                _ => {}
            }
        }
        literals
    }
}

/// Returns whether a text is `0` or an integer without leading zeros and without `+`.
fn is_base10(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    text == "0"
        || (matches!(digits.as_bytes().first(), Some(b'1'..=b'9'))
            && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the last float from one that has a property towards another, if the floats that have it
/// are next to each other.
fn last_float(from: f64, to: f64, has_it: impl Fn(f64) -> bool) -> f64 {
    // The order of floats is that of these integers.
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
