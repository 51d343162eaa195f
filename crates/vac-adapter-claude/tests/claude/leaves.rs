//! Scalar leaves of JSON, counted.

use std::collections::BTreeMap;

use vac_value::{Kind, Node};

/// Values, and how often each is there.
pub type Leaves = BTreeMap<String, i64>;

/// Adds the scalars inside a node: text by what it says, numbers as they are
/// written. Nulls are not counted, and neither is what `except` names by the
/// path of keys to it.
pub fn add(node: Node<'_, '_>, except: &dyn Fn(&[String], &str) -> bool, to: &mut Leaves) -> u64 {
    inside(node, &mut Vec::new(), except, to)
}

fn inside(
    node: Node<'_, '_>,
    path: &mut Vec<String>,
    except: &dyn Fn(&[String], &str) -> bool,
    to: &mut Leaves,
) -> u64 {
    match node.kind() {
        Kind::Map => {
            let mut excepted = 0;
            for (key, value) in node.members() {
                path.push(scalar(key));
                excepted += inside(value, path, except, to);
                path.pop();
            }
            excepted
        }
        Kind::Array => {
            path.push("*".to_owned());
            let excepted = node.elements().map(|element| inside(element, path, except, to)).sum();
            path.pop();
            excepted
        }
        Kind::Null => 0,
        _ => {
            let value = scalar(node);
            if except(path, &value) {
                return 1;
            }
            *to.entry(value).or_default() += 1;
            0
        }
    }
}

/// A scalar as text: what text says, else the token.
pub fn scalar(node: Node<'_, '_>) -> String {
    match node.text() {
        Some(text) => format!("\"{text}"),
        None => String::from_utf8_lossy(node.raw()).into_owned(),
    }
}

/// What is in the first and not in the second.
pub fn missing(native: &Leaves, record: &Leaves) -> Vec<String> {
    native
        .iter()
        .filter(|(value, count)| record.get(*value).copied().unwrap_or_default() < **count)
        .map(|(value, _)| value.chars().take(80).collect())
        .collect()
}
