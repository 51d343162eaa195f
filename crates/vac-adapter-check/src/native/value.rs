//! Parses a document to a [`Value`], to follow ids and to count. Such values must not be compared:
//! the last of duplicate keys is used, and text that is not Unicode and numbers beyond 64 bits are
//! changed.

use serde_json::{Map, Value};

use super::leaf::Leaf;
use super::path::PathStep;
use super::read::{ValuePart, read};

/// Maximum depth of a value. Deeper values are omitted, because dropping a `Value` recurses.
const MAX_LEVELS: usize = 500;

/// Parses a document; `None` if it is not JSON.
pub fn value(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok().or_else(|| parse_leniently(bytes))
}

fn parse_leniently(bytes: &[u8]) -> Option<Value> {
    let mut open: Vec<Value> = vec![Value::Array(Vec::new())];
    let mut below = 0_usize;
    read(bytes, &mut |path, event| match event {
        ValuePart::Begin { .. } if open.len() > MAX_LEVELS => below += 1,
        ValuePart::End { .. } if below > 0 => below -= 1,
        ValuePart::Leaf(_) if below > 0 => {}
        ValuePart::Begin { is_object: true } => open.push(Value::Object(Map::new())),
        ValuePart::Begin { is_object: false } => open.push(Value::Array(Vec::new())),
        ValuePart::Leaf(leaf) => put(&mut open, path.last(), scalar(&leaf)),
        ValuePart::End { .. } => {
            let value = open.pop().unwrap_or_default();
            put(&mut open, path.last(), value);
        }
    })?;
    match open.pop() {
        Some(Value::Array(mut roots)) => roots.pop(),
        _ => None,
    }
}

fn put(open: &mut [Value], step: Option<&PathStep<'_>>, value: Value) {
    match (open.last_mut(), step) {
        (Some(Value::Object(members)), Some(PathStep::Key(key))) => {
            members.insert(String::from_utf8_lossy(key).into_owned(), value);
        }
        (Some(Value::Array(elements)), _) => elements.push(value),
        _ => {}
    }
}

fn scalar(leaf: &Leaf<'_>) -> Value {
    match leaf {
        Leaf::Bool(value) => (*value).into(),
        Leaf::Text(text) => String::from_utf8_lossy(text).into(),
        Leaf::Number(number) => number_value(number),
        Leaf::Null | Leaf::Garbage(_) => Value::Null,
    }
}

fn number_value(number: &str) -> Value {
    let plain = match number.split_once('e') {
        Some((digits, power)) => match power.parse::<usize>() {
            Ok(power @ 1..=20) => format!("{digits}{}", "0".repeat(power)),
            _ => number.to_owned(),
        },
        None => number.to_owned(),
    };
    if let Ok(number) = plain.parse::<u64>() {
        return number.into();
    }
    if let Ok(number) = plain.parse::<i64>() {
        return number.into();
    }
    let number: f64 = plain.parse().unwrap_or_default();
    number.clamp(f64::MIN, f64::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::{parse_leniently, value};

    #[test]
    fn document_becomes_a_value() {
        let text = r#"{"a": [1, -20, 1.5, {"b": "x"}, []], "c": {"d": null}, "n": 1700000000000}"#;
        assert_eq!(parse_leniently(text.as_bytes()), serde_json::from_str(text).ok());
        let awkward = value(br#"{"a": 1e400, "b": "\ud800"}"#).expect("JSON");
        assert!(awkward["a"].is_number() && awkward["b"].is_string());
        assert_eq!(value(b"{\"a\":"), None);
    }
}
