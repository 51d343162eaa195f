//! CDDL.

use vac_cddl::{ModuleLoader, ParseOptions, SpecFile};
use vac_validate::{Document, detect_encoding};

/// The text that ends the schema of an input and precedes a document for it.
const SEPARATOR: &str = "\n;;;\n";

/// The text that separates the schema and its modules `m0`, `m1` and so on.
const MODULE: &str = "\n;===\n";

/// The documents for a schema without a document.
const DOCUMENTS: &[&[u8]] = &[b"{}", b"[1, \"a\", null]", b"{\"a\": [1.5, -1, {\"b\": true}]}"];

/// Checks CDDL text, alone or with a document: violations are reported if and only if the document
/// is not valid, with any limit on their number.
pub fn cddl(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (schema, document) = match text.split_once(SEPARATOR) {
        Some((schema, document)) => (schema, Some(document.as_bytes())),
        None => (text, None),
    };
    let (schema, modules) = schema.split_once(MODULE).unwrap_or((schema, ""));
    let modules: Vec<&str> = modules.split(MODULE).filter(|text| !text.is_empty()).collect();
    let loader = |name: &str| {
        let number = name.strip_prefix('m').and_then(|number| number.parse::<usize>().ok());
        let text = number.and_then(|number| modules.get(number));
        let text = text.ok_or_else(|| format!("module `{name}` is not found"))?;
        Ok(SpecFile::new(format!("fuzz.cddl/{name}"), (*text).to_owned()))
    };
    let loader = (!modules.is_empty()).then_some(&loader as &dyn ModuleLoader);
    let options = ParseOptions { start: None, modules: loader };
    let schema = match vac_cddl::parse_files(&[SpecFile::new("fuzz.cddl", schema)], &options) {
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
