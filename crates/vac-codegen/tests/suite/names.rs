//! Names of generated types, fields and variants.

use std::collections::BTreeSet;

use crate::data;
use crate::project::root;

fn module(name: &str) -> String {
    let schema = vac_codegen::read("s.cddl", &data::cddl(name)).expect("CDDL");
    vac_codegen::standalone(&schema, "s.cddl").expect("a module")
}

/// The expected content of the modules of some schemas.
const EXPECTED: &[(&str, &[&str])] = &[
    ("family_suit", &["pub suit_manifest_sequence_number: u64", "    CoseAlgSha256,"]),
    ("family_cwt", &["pub iss: Option<::vac_value::Text<'a>>", "pub exp: Option<"]),
    ("family_coswid", &["pub software_name: ::vac_value::Text<'a>", "    TagCreator,"]),
    (
        "family_cardano",
        &[
            "    StakeRegistration(StakeRegistration<'a>),",
            "    VoteDelegCert(VoteDelegCert<'a>),",
            "    AddrKeyhash(CredentialAddrKeyhash<'a>),",
        ],
    ),
    ("family_corim", &["pub struct TriplesMap<'a>", "pub attest_key_triples: Option<Vec<"]),
    ("family_bidi", &["    MinusInfinity,", "    LogEntryAdded("]),
    (
        "family_eat",
        &[
            "pub struct ClaimsSet<'a>",
            "pub eat_nonce: Option<ClaimsSetEatNonce<'a>>",
            "pub latitude: ::vac_value::Number<'a>",
        ],
    ),
    ("array_choice_text", &["    Add(AAdd),", "    Remove(ARemove),"]),
    ("array_choice_named", &["    Register(Register<'a>),", "    Retire(Retire<'a>),"]),
    ("array_choice_group", &["    Register(Register<'a>),"]),
    ("control_default", &["pub y: Option<Colour>", "pub x: Option<u64>"]),
    ("control_feature", &["pub x: Option<B>"]),
    ("control_and_any", &["pub struct A {"]),
    ("generic_inline_map", &["pub struct Message<'a>", "pub struct MessageContent<'a>"]),
    ("map_constant_int_key", &["pub label: i128", "pub other: Option<::vac_value::Text<'a>>"]),
    ("map_many_groups", &["pub struct A {", "pub a1: Option<i128>"]),
    ("map_twenty_alternatives", &["pub enum A {", "    K19(AK19),"]),
    ("map_plugs_many", &["pub struct A {", "pub p23: Option<i128>"]),
    ("names_type_alone", &["pub kind: i128"]),
    ("names_type_and_kind", &["pub type_: i128", "pub kind: ::vac_value::Text<'a>"]),
    ("names_case_clash", &["pub struct ProtectedHeader {", "pub struct ReceiptProtectedHeader<"]),
    ("names_std", &["pub struct StringType {", "pub struct OptionType {"]),
    ("names_socket_clash", &["pub struct Entry<'a>", "pub enum EntrySocket<'a>"]),
    ("names_variant_symbols", &["    Plus,", "    LessEqual,", "    Empty,"]),
    ("literals_of_one_name", &["    Reserved21,", "    Reserved20,", "    OffNumber,"]),
    (
        "array_group_in_two_arrays",
        &["    ConditionA(ConditionA),", "pub struct ConditionA {", "    Custom(Custom<'a>),"],
    ),
    (
        "array_elements_of_rules",
        &[
            "pub digest: ::vac_value::Embedded<",
            "pub key: Vec<Key>",
            "pub anchor: Option<Anchor<'a>>",
            "pub parameters: Parameters<'a>",
            "pub offset_and_length: Option<AOffsetAndLength>",
        ],
    ),
    ("array_choice_by_number", &["    Code1Array(", "    Code2Array("]),
    (
        "map_nested_group_choices",
        &["pub enum A<'a> {", "    SecondC7(ASecondC7<'a>),", "pub struct ASecondC7Params {"],
    ),
    ("generic_siblings", &["pub struct BlockUse6EmbeddedItemDataOfPreviousNode<'a> {"]),
    ("key_of_one_feature", &["pub cti_label: Option<", "pub jti: Option<"]),
    ("names_label_choice", &["pub nonce_label: ::vac_value::Bytes<'a>"]),
];

#[test]
fn names_come_from_the_specification() {
    let mut missing = Vec::new();
    for (name, snippets) in EXPECTED {
        let module = module(name);
        for snippet in *snippets {
            if !module.contains(snippet) {
                missing.push(format!("{name}: {snippet}"));
            }
        }
    }
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
}

#[test]
fn members_with_two_keys_are_encoded_by_encoding() {
    let module = module("family_eat");
    let start = module.find("::vac_value::Key::Text(\"eat_nonce\")").expect("the JSON key");
    let encode = &module[start - 200..start + 200];
    assert!(encode.contains("if is_json {"), "{encode}");
    assert!(encode.contains("::vac_value::Key::Integer(10)"), "{encode}");
}

#[test]
fn names_stay_short() {
    for schema in data::schemas().iter().filter(|schema| schema.name.starts_with("family")) {
        for line in module(&schema.name).lines() {
            for word in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
                let is_type = word.starts_with(|c: char| c.is_uppercase());
                assert!(!is_type || word.len() < 90, "{}: {word}", schema.name);
            }
        }
    }
}

/// `entry` as a whole word, without the names that contain it.
fn with_socket(spec: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || "-_@.$".contains(c);
    let mut changed = String::new();
    for line in spec.lines() {
        let (code, comment) = line.split_once(';').unwrap_or((line, ""));
        let mut rest = code;
        while let Some(start) = rest.find(is_name) {
            let end = rest[start..].find(|c| !is_name(c)).map_or(rest.len(), |end| start + end);
            let name = &rest[start..end];
            changed.push_str(&rest[..start]);
            changed.push_str(if name == "entry" { "$entry" } else { name });
            rest = &rest[end..];
        }
        changed.push_str(rest);
        if !comment.is_empty() {
            changed.push(';');
            changed.push_str(comment);
        }
        changed.push('\n');
    }
    changed
}

#[test]
fn a_rule_made_a_socket_keeps_every_name() {
    let spec = std::fs::read_to_string(root().join("spec/agent-conversation.cddl")).expect("text");
    let changed = with_socket(&spec);
    assert!(changed.contains("\n$entry =") && changed.contains("[* $entry]"), "{changed}");
    // `=` defines a socket as `/=` does.
    let changed = changed.replace("\n$entry =", "\n$entry /=");
    let words = |spec: &str| -> Vec<BTreeSet<String>> {
        let schema = vac_codegen::read("s.cddl", spec).unwrap_or_else(|error| panic!("{error}"));
        let files = vac_codegen::record_files(&schema, "s.cddl").expect("types");
        let code = files.iter().map(|file| {
            let lines = file.text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let words =
                lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
            words.map(str::to_owned).collect()
        });
        code.collect()
    };
    assert_eq!(words(&spec), words(&changed));
}
