//! Decodes documents with the generated modules, and prints where decoder and validator
//! disagree.

#![deny(warnings)]

use std::fmt::Write;

use vac_schema::Schema;
use vac_value::{Document, Encode, Encoder, Encoding, IntoOwned, Node};

/// Decodes a document and encodes it again.
type Recode = fn(Node<'_, '_>) -> Result<Vec<u8>, String>;

macro_rules! module {
    ($module:ident) => {
        (stringify!($module), &generated::$module::schema::SCHEMA, Some((|node| {
            use generated::$module::schema::{SCHEMA, rules::ROOT};
            let value: generated::$module::Root =
                SCHEMA.decode(ROOT, node).map_err(|error| error.to_string())?;
            encode_as(node.encoding(), &value)
        }) as Recode))
    };
    ($module:ident, constant) => {
        (stringify!($module), &generated::$module::schema::SCHEMA, None)
    };
}

static MODULES: &[(&str, &Schema, Option<Recode>)] = &[
MODULES
];

fn encode_as(encoding: Encoding, value: &impl Encode) -> Result<Vec<u8>, String> {
    let mut encoder = Encoder::new(encoding);
    value.encode(&mut encoder).map_err(|error| format!("internal error: {error}"))?;
    Ok(encoder.finish())
}

/// Returns an error if the decoder and the validator disagree about a document.
fn problem(
    schema: &Schema,
    recode: Option<Recode>,
    bytes: &[u8],
    encoding: Encoding,
    expected: &str,
) -> Result<(), String> {
    let Ok(document) = Document::scan(bytes, encoding) else {
        return if expected == "?" { Ok(()) } else { Err("not a document".to_owned()) };
    };
    let verdict = schema.validate(schema.root, document.root(), 20);
    match (&verdict, expected) {
        (Ok(()), "-") => return Err("accepted".to_owned()),
        (Err(violations), "+" | "=" | "!") => return Err(format!("refused: {violations}")),
        _ => {}
    }
    let Some(recode) = recode else { return Ok(()) };
    let once = match (verdict, recode(document.root())) {
        (Ok(()), Err(error)) if expected == "!" && error.contains("again under its key") => {
            return Ok(());
        }
        (Ok(()), Ok(_)) if expected == "!" => return Err("decoded".to_owned()),
        (Ok(()), Ok(once)) => once,
        (Ok(()), Err(error)) => return Err(format!("valid, but not decoded: {error}")),
        (Err(_), Ok(_)) => return Err("invalid, but decoded".to_owned()),
        (Err(violations), Err(error)) => {
            return if violations.to_string() == error || !error.starts_with("internal") {
                Ok(())
            } else {
                Err(error)
            };
        }
    };
    let again = Document::scan(&once, encoding).map_err(|error| format!("encoded: {error}"))?;
    let twice = recode(again.root());
    let twice = twice.map_err(|error| format!("encoded as {}: {error}", show(&once)))?;
    if once != twice {
        return Err(format!("encoded as {}, then as {}", show(&once), show(&twice)));
    }
    let is_same = document.root().carry().into_owned() == again.root().carry().into_owned();
    if expected == "=" && !is_same {
        return Err(format!("encoded as {}", show(&once)));
    }
    Ok(())
}

fn show(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.chars().all(|c| !c.is_control()) => text.to_owned(),
        _ => bytes.iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").expect("a string can be written to");
            hex
        }),
    }
}

fn main() {
    let mut count = 0;
    let mut valid = 0;
    for line in include_str!("../documents.txt").lines() {
        let mut words = line.split(' ');
        let mut next = || words.next().expect("a line has four words");
        let (module, encoding, expected, hex) = (next(), next(), next(), next());
        let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(digits).collect();
        let encoding = if encoding == "json" { Encoding::Json } else { Encoding::Cbor };
        let (_, schema, recode) =
            MODULES.iter().find(|(name, ..)| *name == module).expect("the module exists");
        count += 1;
        match problem(schema, *recode, &bytes, encoding, expected) {
            Ok(()) => valid += 1,
            Err(reason) => println!("{module} {}: {reason}", show(&bytes)),
        }
    }
    println!("{valid} of {count}");
}
