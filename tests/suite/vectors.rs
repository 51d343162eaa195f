//! The vectors beside the workspace: records, CBOR items and bombs.

use data_encoding::HEXLOWER;
use vac_record::{Decode, Start};
use vac_tests::shared;
use vac_value::{Document, Encode, Encoder, Encoding, Layout, Node, transcode};

#[test]
fn schema_vectors_are_judged_as_their_manifest_says() {
    let Some(folder) = shared("vectors", "VAC_VECTORS") else { return };
    let folder = folder.join("schema");
    let manifest = std::fs::read(folder.join("manifest.json")).expect("a manifest");
    let manifest = Document::json(&manifest).expect("the manifest is JSON");
    let mut judged = 0;
    for case in manifest.root().elements() {
        let text = |key: &str| case.member(key).and_then(Node::text).expect("text");
        let expected = text("expect") == "valid";
        for format in case.member("formats").expect("formats").elements() {
            let encoding = if format.is_text("json") { Encoding::Json } else { Encoding::Cbor };
            let ending = if encoding == Encoding::Json { "json" } else { "cbor" };
            let file = format!("{}.{ending}", text("name"));
            let bytes = std::fs::read(folder.join(&file)).expect("the vector is there");
            let by_schema = vac_validate::validate(&bytes, encoding).is_ok();
            let by_types = Start::from_bytes(&bytes, encoding).is_ok();
            let why = text("why");
            assert_eq!(by_schema, expected, "validator: {file}: {why}");
            assert_eq!(by_types, expected, "decoder: {file}: {why}");
            judged += 1;
        }
    }
    println!("{judged} vectors are decided correctly by validator and types");
    assert!(judged > 0, "the manifest is empty");
}

#[test]
fn malformed_items_of_rfc_8949_appendix_f_are_all_refused() {
    let Some(folder) = shared("vectors", "VAC_VECTORS") else { return };
    let text = std::fs::read(folder.join("cbor/rfc8949-appendix-f.json")).expect("the list");
    let list = Document::json(&text).expect("the list is JSON");
    let tests = list.root().member("tests").expect("tests");
    let mut refused = 0;
    for test in tests.elements() {
        let hex = test.member("hex").and_then(Node::text).expect("hex");
        let bytes = HEXLOWER.decode(hex.as_bytes()).expect("hex");
        assert!(Document::cbor(&bytes).is_err(), "{hex} was accepted");
        refused += 1;
    }
    assert_eq!(refused, 94);
}

#[test]
fn items_of_rfc_8949_appendix_a_are_read_and_written_as_it_says() {
    let Some(folder) = shared("vectors", "VAC_VECTORS") else { return };
    let text = std::fs::read(folder.join("cbor/appendix_a.json")).expect("the list");
    let list = Document::json(&text).expect("the list is JSON");
    for item in list.root().elements() {
        let hex = item.member("hex").and_then(Node::text).expect("hex");
        let bytes = HEXLOWER.decode(hex.as_bytes()).expect("hex");
        // Two-byte simple values below 32 were allowed once and are not any more.
        if hex == "f818" {
            assert!(Document::cbor(&bytes).is_err(), "f818 is malformed");
            continue;
        }
        let document = Document::cbor(&bytes).unwrap_or_else(|error| panic!("{hex}: {error}"));
        let round_trip = item.member("roundtrip").and_then(Node::bool) == Some(true);
        let again = document.root().carry().to_cbor().expect("CBOR as CBOR");
        assert_eq!(again == bytes, round_trip, "{hex} became {}", HEXLOWER.encode(&again));
        assert_eq!(document.is_tidy(), round_trip, "{hex}");
        if let Some(decoded) = item.member("decoded") {
            let mut json = Encoder::json(Layout::Compact);
            transcode(&document, &mut json).unwrap_or_else(|error| panic!("{hex}: {error}"));
            let json = json.finish();
            let same = vac_value::Any::from_json(&json).expect("JSON") == decoded.carry()
                || same_number(&json, decoded.raw());
            assert!(same, "{hex} is {}", String::from_utf8_lossy(&json));
        }
    }
}

/// The list writes some floats without a fraction (`5.0` as `5.0`, but 1e+300
/// with other digits): the same double is the same number.
fn same_number(one: &[u8], other: &[u8]) -> bool {
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<f64>().ok();
    matches!((number(one), number(other)), (Some(one), Some(other)) if one.to_bits() == other.to_bits())
}

#[test]
fn bombs_are_refused() {
    let Some(folder) = shared("vectors", "VAC_VECTORS") else { return };
    let files = std::fs::read_dir(folder.join("cbor/bombs")).expect("bombs");
    let mut count = 0;
    for file in files {
        let path = file.expect("a file").path();
        let bytes = std::fs::read(&path).expect("a bomb");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let error = vac_validate::validate(&bytes, Encoding::Cbor)
            .expect_err(&format!("{name} was found valid"));
        count += 1;
        println!("{name}: {error}");
    }
    assert!(count > 0, "no bombs");
}
