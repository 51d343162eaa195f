//! Strict reading: what is a document and what is not, where it stops being one,
//! and that nothing makes the reader panic.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use vac_record::{Decode, TokenUsage, VerifiableAgentRecord};
use vac_value::path::pointer;
use vac_value::{
    Any, Document, Encode, EncodeError, Encoder, Encoding, Layout, Limits, Node, Problem, Scanner,
    SyntaxError, transcode,
};

mod both;
mod cbor;
mod json;

/// How deep a document may be.
const LIMIT: usize = 256;

/// What is wrong with the bytes, and where.
fn fault(bytes: &[u8], encoding: Encoding) -> Option<(usize, Problem)> {
    Document::scan(bytes, encoding).err().map(|SyntaxError { offset, problem }| (offset, problem))
}

fn json_fault(text: &str) -> Option<(usize, Problem)> {
    fault(text.as_bytes(), Encoding::Json)
}

fn cbor_fault(bytes: &[u8]) -> Option<(usize, Problem)> {
    fault(bytes, Encoding::Cbor)
}

/// Looks at everything in a document that there is to look at.
fn look_everywhere(node: Node<'_, '_>) -> usize {
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
    seen += node.elements().map(look_everywhere).sum::<usize>();
    seen += node.members().map(|(k, v)| look_everywhere(k) + look_everywhere(v)).sum::<usize>();
    seen + node.tag().map_or(0, |(_, content)| look_everywhere(content))
}

/// Whatever the bytes are, reading and rewriting them ends in a value or an
/// error. What our writers make is tidy, and stays as it is.
fn survives(bytes: &[u8], encoding: Encoding) -> bool {
    let Ok(document) = Document::scan(bytes, encoding) else { return false };
    look_everywhere(document.root());
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
