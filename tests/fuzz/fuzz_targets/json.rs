//! JSON: the whole document and the stream give the same answer, and nothing
//! that looks at a document panics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vac_validate::{Document, Encoding, lint, stream, validate};

fuzz_target!(|bytes: &[u8]| {
    let whole = validate(bytes, Encoding::Json);
    let streamed = stream::validate(bytes, vac_validate::MOST_VIOLATIONS);
    match (whole, streamed) {
        (Ok(whole), Ok(streamed)) => assert_eq!(whole, streamed),
        (Err(whole), Err(stream::Error::Syntax(streamed))) => assert_eq!(whole, streamed),
        (whole, streamed) => panic!("{whole:?}, but in a stream {streamed:?}"),
    }
    if let Ok(document) = Document::json(bytes) {
        lint::lint(&document);
    }
});
