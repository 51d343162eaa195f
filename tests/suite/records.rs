//! Tests the records of `fixtures/schema`: the valid ones are valid for the validator and the
//! types, and the invalid ones have the violations of their `*.expected` files.

use std::path::{Path, PathBuf};

use vac_record::{Decode, Start};
use vac_tests::root;
use vac_validate::{Encoding, Error, validate};
use vac_value::{Any, Document, Encode};

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
        assert_eq!(validate(&bytes, encoding), Ok(()), "{shown}");
        let value =
            Start::from_bytes(&bytes, encoding).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let cbor = value.to_cbor().unwrap_or_else(|error| panic!("{shown}: {error}"));
        assert_eq!(Start::from_cbor(&cbor).expect("CBOR"), value, "{shown}");
        let before = Document::scan(&bytes, encoding).expect("a document");
        assert_eq!(before.root().carry(), Any::from_cbor(&cbor).expect("CBOR"), "{shown}");
    }
}

#[test]
fn invalid_records_have_the_expected_violations() {
    for path in files("invalid") {
        let bytes = std::fs::read(&path).expect("a record");
        let encoding = encoding(&path).expect("JSON or CBOR");
        let error = validate(&bytes, encoding).expect_err("an invalid record");
        let message = format!("{error}\n");
        let expected = path.with_extension(format!(
            "{}.expected",
            path.extension().expect("an extension").to_string_lossy()
        ));
        if std::env::var_os("VAC_BLESS").is_some() {
            std::fs::write(&expected, &message).expect("written");
        }
        let expected = std::fs::read_to_string(&expected)
            .unwrap_or_else(|error| panic!("{}: {error}", expected.display()));
        assert_eq!(message, expected, "{}", path.display());
        assert!(Start::from_bytes(&bytes, encoding).is_err(), "{}", path.display());
    }
}

/// Everything that recurses has to work for the deepest record that the scanner accepts, on the
/// stack of a test's thread.
#[test]
fn record_at_the_depth_limit_is_handled_everywhere() {
    let json = vac_tests::synthetic::nested(126);
    assert!(Document::json(json.as_bytes()).is_ok());
    assert!(Document::json(vac_tests::synthetic::nested(127).as_bytes()).is_err());
    assert_eq!(validate(json.as_bytes(), Encoding::Json), Ok(()));
    let value = Start::from_json(json.as_bytes()).expect("a record");
    let cbor = value.to_cbor().expect("CBOR");
    assert_eq!(validate(&cbor, Encoding::Cbor), Ok(()));
    let owned = vac_record::IntoOwned::into_owned(Start::from_cbor(&cbor).expect("a record"));
    assert_eq!(owned, value);
    assert_eq!(owned.to_json(), value.to_json());
    assert!(format!("{owned:?}").contains("leaf"));
    let through_serde: Start<'_> =
        ciborium::from_reader(to_ciborium(&value).as_slice()).expect("serde reads");
    assert_eq!(through_serde, value);
}

fn to_ciborium(value: &Start<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).expect("serde writes");
    bytes
}

#[test]
fn error_at_the_bottom_of_a_deep_record_is_one_violation() {
    let json = vac_tests::synthetic::nested(120).replace("\"event-type\"", "\"event_type\"");
    let Err(Error::Invalid(violations)) = validate(json.as_bytes(), Encoding::Json) else {
        panic!("it is JSON and not valid");
    };
    assert_eq!(violations.total(), 1);
    let violation = &violations.as_slice()[0];
    assert_eq!(violation.path, format!("/session/entries/0{}", "/children/0".repeat(120)));
    assert_eq!(violation.expected, "key \"event-type\"");
    assert_eq!(violation.rule, "event-entry");
}
