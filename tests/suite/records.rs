//! The records of `fixtures/schema`: the valid ones are valid for everybody, and
//! what the validator says of the invalid ones is what `*.expected` says.

use std::path::{Path, PathBuf};

use vac_record::Start;
use vac_tests::root;
use vac_validate::{Encoding, validate};
use vac_value::{Any, Decode, Document, Encode};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = root().join("fixtures/schema").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| encoding(path).is_some())
        .collect();
    files.sort();
    assert!(files.len() >= 5);
    files
}

fn encoding(path: &Path) -> Option<Encoding> {
    match path.extension()?.to_str()? {
        "json" => Some(Encoding::Json),
        "cbor" => Some(Encoding::Cbor),
        _ => None,
    }
}

#[test]
fn valid_records_are_valid_and_survive_types_and_encodings() {
    for path in files("valid") {
        let bytes = std::fs::read(&path).expect("a record");
        let encoding = encoding(&path).expect("JSON or CBOR");
        let shown = path.display();
        let report = validate(&bytes, encoding).unwrap_or_else(|error| panic!("{shown}: {error}"));
        assert_eq!(report.violations, [], "{shown}");
        let value =
            Start::from_bytes(&bytes, encoding).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let cbor = value.to_cbor().unwrap_or_else(|error| panic!("{shown}: {error}"));
        assert_eq!(Start::from_cbor(&cbor).expect("CBOR"), value, "{shown}");
        let before = Document::scan(&bytes, encoding).expect("a document");
        assert_eq!(before.root().carry(), Any::from_cbor(&cbor).expect("CBOR"), "{shown}");
    }
}

#[test]
fn invalid_records_are_refused_with_the_words_we_mean() {
    for path in files("invalid") {
        let bytes = std::fs::read(&path).expect("a record");
        let encoding = encoding(&path).expect("JSON or CBOR");
        let said = match validate(&bytes, encoding) {
            Err(error) => format!("{error}\n"),
            Ok(report) => {
                let lines: Vec<_> = report.violations.iter().map(|violation| format!("{violation}
")).collect();
                lines.concat()
            }

        };
        let expected = path.with_extension(format!(
            "{}.expected",
            path.extension().expect("an extension").to_string_lossy()
        ));
        if std::env::var_os("VAC_BLESS").is_some() {
            std::fs::write(&expected, &said).expect("written");
        }
        let expected = std::fs::read_to_string(&expected)
            .unwrap_or_else(|error| panic!("{}: {error}", expected.display()));
        assert_eq!(said, expected, "{}", path.display());
        assert!(Start::from_bytes(&bytes, encoding).is_err(), "{}", path.display());
    }
}
