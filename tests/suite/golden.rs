//! Tests golden schemas: small CDDL files, the Rust generated from them, and documents on which the
//! schema's tables, the generated types and crate `cddl` have to agree.

use std::collections::BTreeSet;

use data_encoding::HEXLOWER;
use vac_cddl::ir::Schema;
use vac_tests::root;
use vac_value::{Any, Document, Encoder, Encoding, IntoOwned, Node, transcode};

use crate::goldens::{GOLDENS, Golden};

/// One document and whether it is valid.
pub struct Case {
    pub bytes: Vec<u8>,
    pub encoding: Encoding,
    pub valid: bool,
    pub why: String,
}

impl Case {
    pub fn document(&self) -> Document<'_> {
        Document::scan(&self.bytes, self.encoding).expect("a case is a document")
    }
}

pub fn read(name: &str) -> String {
    let path = root().join("fixtures/cddl").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn schema(stem: &str) -> Schema {
    let name = format!("{stem}.cddl");
    vac_cddl::parse(&name, &read(&name)).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the documents of a golden schema, one for each encoding.
pub fn cases(stem: &str) -> Vec<Case> {
    let text = read(&format!("{stem}.cases.json"));
    let list = Document::json(text.as_bytes()).expect("cases are JSON");
    let mut cases = Vec::new();
    for case in list.root().elements() {
        let text = |key: &str| case.member(key).and_then(Node::text);
        let valid = match text("expect").as_deref() {
            Some("valid") => true,
            Some("invalid") => false,
            other => panic!("{stem}: expect {other:?}"),
        };
        let why = text("why").expect("a case says why").into_owned();
        let mut add = |bytes: Vec<u8>, encoding| {
            cases.push(Case { bytes, encoding, valid, why: why.clone() });
        };
        if let Some(hex) = text("cbor") {
            add(HEXLOWER.decode(hex.as_bytes()).expect("hex"), Encoding::Cbor);
        } else if let Some(json) = text("json") {
            add(json.into_owned().into_bytes(), Encoding::Json);
        } else if let Some(json) = text("both") {
            let document = Document::json(json.as_bytes()).expect("JSON");
            let mut encoder = Encoder::cbor();
            transcode(&document, &mut encoder).expect("it has a CBOR form");
            add(encoder.finish(), Encoding::Cbor);
            add(json.into_owned().into_bytes(), Encoding::Json);
        }
    }
    assert!(cases.len() >= 9, "{stem} has only {} cases", cases.len());
    cases
}

/// Calls a function with every case, and panics with the list of its errors.
fn for_each_case(mut check: impl FnMut(&Golden, &Case) -> Result<(), String>) {
    let mut count = 0;
    let mut wrong = Vec::new();
    for golden in GOLDENS {
        for case in cases(golden.stem) {
            count += 1;
            if let Err(reason) = check(golden, &case) {
                let shown = match case.encoding {
                    Encoding::Json => String::from_utf8_lossy(&case.bytes).into_owned(),
                    Encoding::Cbor => HEXLOWER.encode(&case.bytes),
                };
                wrong.push(format!("{} ({}): {shown}: {reason}", golden.stem, case.why));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_schema_of_the_folder_is_tested() {
    let folder = std::fs::read_dir(root().join("fixtures/cddl")).expect("the folder is there");
    let files: BTreeSet<String> = folder
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".cddl").map(str::to_owned))
        .collect();
    let listed: BTreeSet<String> = GOLDENS.iter().map(|golden| golden.stem.to_owned()).collect();
    assert_eq!(files, listed);
}

#[test]
fn both_parsers_agree_on_every_schema() {
    let spec = std::fs::read_to_string(root().join("spec/agent-conversation.cddl")).expect("text");
    let goldens = GOLDENS.iter().map(|golden| read(&format!("{}.cddl", golden.stem)));
    for text in goldens.chain([spec]) {
        let schema = vac_codegen::read("s.cddl", &text).unwrap_or_else(|error| panic!("{error}"));
        let of_second = schema.warnings.iter().filter(|it| it.message.contains("second reader"));
        assert_eq!(of_second.count(), 0, "{:?}", schema.warnings);
    }
}

#[test]
fn golden_modules_are_up_to_date() {
    for Golden { stem, .. } in GOLDENS {
        let expected = read(&format!("generated/{}.rs", stem.replace('-', "_")));
        let written = vac_codegen::standalone(&schema(stem), &format!("{stem}.cddl"))
            .unwrap_or_else(|error| panic!("{stem}: {error}"));
        assert!(written == expected, "{stem}: run `cargo xtask codegen` and read the difference");
    }
}

#[test]
fn every_case_is_decided_correctly() {
    for_each_case(|golden, case| {
        let verdict = golden.schema.validate(golden.schema.root, case.document().root(), 20);
        match (verdict, case.valid) {
            (Ok(()), false) => Err("accepted".to_owned()),
            (Err(violations), true) => Err(format!("refused: {violations}")),
            _ => Ok(()),
        }
    });
}

/// Compiled schemas and schemas that are read at run time are matched by the same code. This test
/// shows that they are also the same data.
#[test]
fn generated_tables_equal_those_made_at_run_time() {
    for golden in GOLDENS {
        let tables = vac_cddl::tables(&schema(golden.stem)).expect("a golden schema");
        assert!(*golden.schema == tables, "{}", golden.stem);
    }
    let name = "spec/agent-conversation.cddl";
    let text = std::fs::read_to_string(root().join(name)).expect("the spec is there");
    let spec = vac_cddl::parse(name, &text).expect("CDDL");
    assert!(vac_record::schema::SCHEMA == vac_cddl::tables(&spec).expect("the spec has tables"));
}

#[test]
fn valid_documents_survive_decoding_and_encoding() {
    for_each_case(|golden, case| {
        if !case.valid {
            return Ok(());
        }
        let again = (golden.decode_and_encode)(&case.document())?;
        let value = |bytes: &'_ [u8]| {
            Document::scan(bytes, case.encoding)
                .map(|document| document.root().carry().into_owned())
        };
        let (before, after): (Any<'_>, Any<'_>) = (
            value(&case.bytes).map_err(|error| error.to_string())?,
            value(&again).map_err(|error| error.to_string())?,
        );
        if before == after {
            Ok(())
        } else {
            Err(format!("became {}", String::from_utf8_lossy(&again)))
        }
    });
}

#[test]
fn invalid_documents_are_not_decoded() {
    for_each_case(|golden, case| {
        if case.valid {
            return Ok(());
        }
        match (golden.decode_and_encode)(&case.document()) {
            Ok(_) => Err("decoded".to_owned()),
            Err(error) if error.starts_with("internal error") => Err(error),
            Err(_) => Ok(()),
        }
    });
}
