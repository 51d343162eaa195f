//! Matches tags, and documents inside strings.

use vac_value::check::sequence_as_array;
use vac_value::{
    Document, Encoder, Encoding, Kind, Limits, Node, Problem, Scanner, SyntaxError, ViolationKind,
};

use super::Matcher;
use crate::tables::{TagNumber, TypeId, TypeKind};
use crate::text_encoding::TextEncoding;

/// The way in which a string contains a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Inside {
    /// A CBOR item in bytes.
    Item,
    /// A CBOR sequence in bytes.
    Sequence,
    /// JSON in text.
    Json,
    /// Bytes in text.
    Encoded(TextEncoding),
    /// An integer in text.
    Base10,
}

impl Inside {
    fn encoding(self) -> Encoding {
        match self {
            Self::Item | Self::Sequence | Self::Encoded(_) => Encoding::Cbor,
            Self::Json | Self::Base10 => Encoding::Json,
        }
    }
}

impl Matcher<'_, '_> {
    /// Checks a tag and its content.
    pub(super) fn tag(
        &mut self,
        id: TypeId,
        number: TagNumber,
        content: TypeId,
        node: Node<'_, '_>,
    ) -> bool {
        match node.tag() {
            Some((found, inner)) if self.accepts_tag(number, found) => {
                self.depth += 1;
                let is_valid = self.check(content, inner);
                self.depth -= 1;
                is_valid
            }
            None if node.kind() == Kind::BigInteger => self.big_integer(id, number, content, node),
            _ => self.mismatch(id, node),
        }
    }

    fn accepts_tag(&self, number: TagNumber, found: u64) -> bool {
        match number {
            TagNumber::Any => true,
            TagNumber::Exactly(number) => number == found,
            TagNumber::Matching(id) => self.accepts_integer(id, i128::from(found)),
        }
    }

    /// Checks a JSON integer beyond 64 bits as the tagged byte string that it is in CBOR.
    fn big_integer(
        &mut self,
        id: TypeId,
        number: TagNumber,
        content: TypeId,
        node: Node<'_, '_>,
    ) -> bool {
        let tag = 2 + u64::from(node.raw().starts_with(b"-"));
        if !self.accepts_tag(number, tag) {
            return self.mismatch(id, node);
        }
        let mut encoder = Encoder::cbor();
        if encoder.node(node).is_err() {
            // The integer has more digits than are converted.
            return self.accepts_all_bytes(content) || self.mismatch(id, node);
        }
        let bytes = encoder.finish().split_off(1);
        self.embedded(content, node, &bytes, Inside::Item)
    }

    fn accepts_all_bytes(&self, id: TypeId) -> bool {
        if !self.budget.spend(1) {
            return false;
        }
        match &self.type_(self.resolve(id)).kind {
            TypeKind::Any | TypeKind::Major { major: 2, info: None } => true,
            TypeKind::Choice { alternatives, .. } => {
                alternatives.iter().any(|alternative| self.accepts_all_bytes(*alternative))
            }
            _ => false,
        }
    }

    /// Checks the item that a byte string contains (`.cbor`).
    pub(super) fn embedded_item(&mut self, content: TypeId, node: Node<'_, '_>) -> bool {
        match node.bytes() {
            Some(bytes) => self.embedded(content, node, &bytes, Inside::Item),
            None => self.fail_as("bytes that contain one CBOR item", node),
        }
    }

    /// Checks the sequence that a byte string contains, as an array (`.cborseq`).
    pub(super) fn embedded_sequence(&mut self, content: TypeId, node: Node<'_, '_>) -> bool {
        match node.bytes() {
            Some(bytes) => {
                self.embedded(content, node, &sequence_as_array(&bytes), Inside::Sequence)
            }
            None => self.fail_as("bytes that contain a CBOR sequence", node),
        }
    }

    fn fail_as(&mut self, expected: &str, node: Node<'_, '_>) -> bool {
        self.fail(ViolationKind::Mismatch, node, |_| (expected.to_owned(), vac_value::found(node)))
    }

    /// Scans a document inside a string, within the remaining depth.
    pub(crate) fn scan_embedded<'b>(
        &self,
        bytes: &'b [u8],
        encoding: Encoding,
    ) -> Result<Document<'b>, SyntaxError> {
        let limits = Limits::default();
        match limits.depth.checked_sub(self.depth + 1) {
            Some(depth) => Scanner::new(Limits { depth, ..limits }).scan(bytes, encoding),
            None => Err(SyntaxError { offset: 0, problem: Problem::Depth(limits.depth) }),
        }
    }

    /// Returns the number of the document inside a string.
    pub(crate) fn document_number(&mut self, node: Node<'_, '_>, inside: Inside) -> u64 {
        let next = self.last_document + 1;
        let number = *self.documents.entry((self.document, node.index(), inside)).or_insert(next);
        self.last_document = self.last_document.max(number);
        number
    }

    /// Returns whether a type accepts a value that is not part of the document, given as CBOR.
    pub(super) fn accepts_value(&mut self, id: TypeId, item: &[u8]) -> bool {
        /// The number of steps that take as long as scanning a small document.
        const SCAN_STEPS: u64 = 8;
        if !self.budget.spend(SCAN_STEPS + item.len() as u64 / 8) {
            return false;
        }
        let Ok(document) = self.scan_embedded(item, Encoding::Cbor) else { return false };
        self.last_document += 1;
        let outer = std::mem::replace(&mut self.document, self.last_document);
        self.depth += 1;
        let verdict = self.probe(|matcher| matcher.check(id, document.root()));
        self.depth -= 1;
        self.document = outer;
        verdict.is_valid
    }

    pub(super) fn embedded(
        &mut self,
        content: TypeId,
        node: Node<'_, '_>,
        bytes: &[u8],
        inside: Inside,
    ) -> bool {
        if !self.budget.spend(bytes.len() as u64) {
            return false;
        }
        let document = match self.scan_embedded(bytes, inside.encoding()) {
            Ok(document) => document,
            Err(error) => {
                let (expected, found) = match inside.encoding() {
                    Encoding::Cbor => ("bytes that contain CBOR", "bytes that do not"),
                    Encoding::Json => ("text that contains JSON", "text that does not"),
                };
                return self.fail(ViolationKind::Embedded, node, |_| {
                    (expected.to_owned(), format!("{found} ({error})"))
                });
            }
        };
        let number = self.document_number(node, inside);
        let outer = std::mem::replace(&mut self.document, number);
        let labels = std::mem::take(&mut self.labels);
        let furthest = self.furthest;
        let first = self.recorded.len();
        self.depth += 1;
        let mut is_valid = self.duplicate_keys(document.root());
        if is_valid || !self.is_done() {
            is_valid &= self.check(content, document.root());
        }
        self.depth -= 1;
        self.resolve_paths(first, &document);
        for recorded in &mut self.recorded[first..] {
            recorded.place = node.index();
            for (_, other) in &mut recorded.others {
                other.place = node.index();
            }
        }
        self.labels = labels;
        self.document = outer;
        self.furthest = furthest;
        if !is_valid && self.is_probing() {
            // The embedded document counts as further than the byte string itself.
            self.furthest = self.furthest.max(node.after());
        }
        is_valid
    }
}

/// Writes the head of a CBOR item.
pub(super) fn write_head(item: &mut Vec<u8>, major: u8, argument: u64) {
    item.push(major << 5 | 0x1b);
    item.extend(argument.to_be_bytes());
}
