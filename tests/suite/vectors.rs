//! The vectors next to the workspace: records and CBOR bombs.

use vac_record::{Decode, Start};
use vac_tests::shared;
use vac_value::{Document, Encoding, Node};

#[test]
fn schema_vectors_have_the_verdicts_of_their_manifest() {
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
