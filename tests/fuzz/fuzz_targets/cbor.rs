//! CBOR: nothing that looks at a document, signed or not, panics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vac_validate::{Document, RULES, check, lint, signed};

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = Document::cbor(bytes) else { return };
    for (_, rule) in RULES {
        check(&document, *rule, vac_validate::MOST_VIOLATIONS);
    }
    if let Some(payload) = signed::payload(&document) {
        payload.validate(vac_validate::MOST_VIOLATIONS);
    }
    lint::lint(&document);
});
