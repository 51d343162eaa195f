//! The schemas of `tests/schemas`.
//!
//! A schema begins with `=== name` and ends before the next one. Lines that begin with `+ `
//! or `- ` are valid and invalid documents in CBOR diagnostic notation, those with `+json `
//! or `-json ` documents in JSON. `! ` marks a document that is valid, but has a member under
//! both of its keys, so that no value can hold it.

use crate::edn;

/// A document and the expected result.
pub struct Case {
    pub bytes: Vec<u8>,
    pub is_json: bool,
    /// `None` if the decoder and the validator only have to agree.
    pub is_valid: Option<bool>,
    /// Whether it is valid, but has a member under both of its keys.
    pub has_both_keys: bool,
}

pub struct Schema {
    pub name: String,
    pub cddl: String,
    pub cases: Vec<Case>,
}

const FILES: [&str; 3] = [
    include_str!("../schemas/small.txt"),
    include_str!("../schemas/names.txt"),
    include_str!("../schemas/families.txt"),
];

/// Returns all schemas.
pub fn schemas() -> Vec<Schema> {
    FILES.iter().flat_map(|file| file.split("\n=== ").skip(1).map(schema)).collect()
}

/// Returns the schema with a name.
pub fn cddl(name: &str) -> String {
    let found = schemas().into_iter().find(|schema| schema.name == name);
    found.unwrap_or_else(|| panic!("no schema `{name}`")).cddl
}

fn schema(text: &str) -> Schema {
    let (name, text) = text.split_once('\n').expect("a schema follows its name");
    let mut schema = Schema { name: name.to_owned(), cddl: String::new(), cases: Vec::new() };
    for line in text.lines() {
        let case = match line.split_once(' ') {
            Some((mark @ ("+" | "-" | "!"), edn)) => Case {
                bytes: edn::parse(edn).to_cbor(),
                is_json: false,
                is_valid: Some(mark != "-"),
                has_both_keys: mark == "!",
            },
            Some((mark @ ("+json" | "-json"), json)) => Case {
                bytes: json.as_bytes().to_vec(),
                is_json: true,
                is_valid: Some(mark == "+json"),
                has_both_keys: false,
            },
            _ => {
                schema.cddl.push_str(line);
                schema.cddl.push('\n');
                continue;
            }
        };
        schema.cases.push(case);
    }
    schema
}
