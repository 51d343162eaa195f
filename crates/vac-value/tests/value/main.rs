//! The tests of the crate, in one binary.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use vac_value::path::pointer;
use vac_value::{
    Any, Document, Encode, EncodeError, Encoder, Encoding, Layout, Limits, Node, Problem, Scanner,
    SyntaxError, transcode,
};

mod any;
mod cbor;
mod convert;
mod documents;
mod encoder;
mod json;
mod map;
mod numbers;
mod serde;
mod vectors;

/// The maximum depth of a document.
const LIMIT: usize = 256;

/// Returns the error in the bytes and its offset.
fn fault(bytes: &[u8], encoding: Encoding) -> Option<(usize, Problem)> {
    Document::scan(bytes, encoding).err().map(|SyntaxError { offset, problem }| (offset, problem))
}

fn json_fault(text: &str) -> Option<(usize, Problem)> {
    fault(text.as_bytes(), Encoding::Json)
}

fn cbor_fault(bytes: &[u8]) -> Option<(usize, Problem)> {
    fault(bytes, Encoding::Cbor)
}

/// Reads every value of a node.
fn read_all(node: Node<'_, '_>) -> usize {
    let scalars = [
        node.bool().is_some(),
        node.integer().is_some(),
        node.float().is_some(),
        node.number().is_some(),
        node.text().is_some(),
        node.bytes().is_some(),
        node.simple().is_some(),
        !pointer(node).is_empty(),
    ];
    let mut seen = scalars.iter().filter(|is| **is).count() + node.raw().len();
    seen += node.elements().map(read_all).sum::<usize>();
    seen += node.members().map(|(k, v)| read_all(k) + read_all(v)).sum::<usize>();
    seen + node.tag().map_or(0, |(_, content)| read_all(content))
}

/// Checks that reading and rewriting bytes ends in a value or an error, and that what our writers
/// write is tidy and is not changed by writing it again. Returns whether the bytes are a document.
fn survives(bytes: &[u8], encoding: Encoding) -> bool {
    let Ok(document) = Document::scan(bytes, encoding) else { return false };
    read_all(document.root());
    for to in [Encoding::Json, Encoding::Cbor] {
        let mut encoder = Encoder::new(to);
        if transcode(&document, &mut encoder).is_err() {
            continue;
        }
        let written = encoder.finish();
        let again = Document::scan(&written, to).expect("a writer writes documents");
        assert!(again.is_tidy(), "{bytes:x?} became {written:x?}");
        let mut encoder = Encoder::new(to);
        transcode(&again, &mut encoder).expect("the same encoding has the same values");
        assert_eq!(encoder.finish(), written);
    }
    true
}
