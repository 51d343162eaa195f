//! CDDL.

use vac_validate::{Document, detect_encoding};

/// Ends the schema of an input; what follows is a document for it.
const SEPARATOR: &str = "\n;;;\n";

/// The documents for a schema that comes without one.
const DOCUMENTS: &[&[u8]] = &[b"{}", b"[1, \"a\", null]", b"{\"a\": [1.5, -1, {\"b\": true}]}"];

/// CDDL text, alone or with a document: a violation is reported exactly if the document is
/// not valid, however many violations are asked for.
pub fn cddl(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (schema, document) = match text.split_once(SEPARATOR) {
        Some((schema, document)) => (schema, Some(document.as_bytes())),
        None => (text, None),
    };
    let schema = match vac_cddl::parse("fuzz.cddl", schema) {
        Ok(schema) => schema,
        Err(error) => return assert!(error.to_string().starts_with("fuzz.cddl")),
    };
    let Ok(schema) = vac_cddl::tables(&schema) else { return };
    let documents = document.as_ref().map_or(DOCUMENTS, std::slice::from_ref);
    for document in documents {
        let Ok(document) = Document::scan(document, detect_encoding(document)) else { continue };
        let some = schema.validate(schema.root, document.root(), 20);
        let all = schema.validate(schema.root, document.root(), usize::MAX);
        match (some, all) {
            (Ok(()), Ok(())) => {}
            (Err(some), Err(all)) => {
                assert!(all.as_slice().starts_with(some.as_slice()), "{some:?}: {all:?}");
                assert_eq!(some.total(), all.total());
                assert_eq!(all.total(), all.as_slice().len());
            }
            (some, all) => panic!("{some:?}: {all:?}"),
        }
    }
}
