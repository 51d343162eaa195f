//! Compares carried values: each value is written in one canonical form, and the forms are
//! compared.
//!
//! The form is deterministic CBOR, with extensions for values that CBOR cannot represent. It is
//! written with a list of pending nodes instead of recursion (except for keys that are containers,
//! which are nested at most a few levels deep), and maps are sorted, so that comparing takes O(n
//! log n).

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Any, Carried, Parts};
use crate::document::{Encoding, Kind};
use crate::encode::Encode;
use crate::encoder::Encoder;
use crate::json;
use crate::node::{Node, Value};
use crate::number::{DecimalParts, Number};

/// The first byte of an extension: a break, with which no item begins.
const EXTENDED: u8 = 0xff;
/// A number that has too many digits for CBOR, or too large an exponent.
const NUMBER: u8 = 0;
/// Bytes that exceed the limits of documents.
const UNREADABLE: u8 = 1;
/// A value that was built with too many levels.
const TOO_DEEP: u8 = 2;

impl PartialEq for Any<'_> {
    fn eq(&self, other: &Self) -> bool {
        if let (Some(one), Some(other)) = (self.source(), other.source())
            && one == other
        {
            return true;
        }
        canonical(self) == canonical(other)
    }
}

impl Eq for Any<'_> {}

impl Hash for Any<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        canonical(self).hash(state);
    }
}

impl PartialEq<str> for Any<'_> {
    fn eq(&self, other: &str) -> bool {
        match self.as_text() {
            Some(text) => text == other,
            None => self.document().is_ok_and(|document| document.root().is_text(other)),
        }
    }
}

impl PartialEq<&str> for Any<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

/// A node or key that is still to be written.
enum Pending<T> {
    Value(T),
    /// The canonical form of a key.
    Key(Vec<u8>),
}

/// Returns the canonical form of a value.
fn canonical(any: &Any<'_>) -> Vec<u8> {
    let mut out = Encoder::cbor();
    let mut pending = vec![Pending::Value(any)];
    while let Some(next) = pending.pop() {
        let any = match next {
            Pending::Key(key) => {
                out.raw(&key);
                continue;
            }
            Pending::Value(any) => any,
        };
        let built = match &any.0 {
            Carried::Built(built) => built,
            Carried::Node(node) => {
                push_node(*node, &mut out);
                continue;
            }
            Carried::Bytes { raw, .. } => {
                push_bytes(any, raw, &mut out);
                continue;
            }
            Carried::Shared { raw, .. } => {
                push_bytes(any, raw, &mut out);
                continue;
            }
        };
        match &built.parts {
            Parts::Array(elements) => {
                out.head(4, elements.len());
                pending.extend(elements.iter().rev().map(Pending::Value));
            }
            Parts::Tag(number, content) => {
                out.tag_head(*number);
                pending.push(Pending::Value(content));
            }
            Parts::Members(members) => {
                let members = members.iter().map(|(key, value)| (text_key(key.as_bytes()), value));
                push_members(members.collect(), &mut out, &mut pending);
            }
            Parts::Map(members) => {
                let members = members.iter().map(|(key, value)| (canonical(key), value));
                push_members(members.collect(), &mut out, &mut pending);
            }
            Parts::TooDeep(identity) => {
                out.raw(&[EXTENDED, TOO_DEEP]);
                out.raw(&Arc::as_ptr(identity).addr().to_be_bytes());
            }
        }
    }
    out.finish()
}

/// Writes a value that is carried as bytes.
fn push_bytes(any: &Any<'_>, raw: &[u8], out: &mut Encoder<'_>) {
    match any.document() {
        Ok(document) => push_node(document.root(), out),
        Err(_) => push_extended(UNREADABLE, raw, out),
    }
}

/// Writes a node and everything in it.
fn push_node(node: Node<'_, '_>, out: &mut Encoder<'_>) {
    let mut pending = vec![Pending::Value(node)];
    while let Some(next) = pending.pop() {
        let node = match next {
            Pending::Key(key) => {
                out.raw(&key);
                continue;
            }
            Pending::Value(node) => node,
        };
        // Deterministic CBOR is the canonical form.
        if node.encoding() == Encoding::Cbor && node.is_tidy() {
            out.raw(node.raw());
            continue;
        }
        match node.value() {
            Value::Array(elements) => {
                out.head(4, elements.clone().count());
                let first = pending.len();
                pending.extend(elements.map(Pending::Value));
                pending[first..].reverse();
            }
            Value::Map(members) => {
                let members = members.map(|(key, value)| (node_key(key), value));
                push_members(members.collect(), out, &mut pending);
            }
            Value::Tag(2 | 3, content) if content.kind() == Kind::Bytes => push_scalar(node, out),
            Value::Tag(number, content) => {
                out.tag_head(number);
                pending.push(Pending::Value(content));
            }
            _ => push_scalar(node, out),
        }
    }
}

/// Writes the head of a map, and schedules its members in the order of their keys. Members with
/// equal keys stay in the order of the source.
fn push_members<T>(
    mut members: Vec<(Vec<u8>, T)>,
    out: &mut Encoder<'_>,
    pending: &mut Vec<Pending<T>>,
) {
    out.head(5, members.len());
    members.sort_by(|one, other| one.0.cmp(&other.0));
    for (key, value) in members.into_iter().rev() {
        pending.push(Pending::Value(value));
        pending.push(Pending::Key(key));
    }
}

fn text_key(text: &[u8]) -> Vec<u8> {
    let mut out = Encoder::cbor();
    out.head(3, text.len());
    out.raw(text);
    out.finish()
}

fn node_key(key: Node<'_, '_>) -> Vec<u8> {
    let mut out = Encoder::cbor();
    push_node(key, &mut out);
    out.finish()
}

fn push_scalar(node: Node<'_, '_>, out: &mut Encoder<'_>) {
    match node.value() {
        // Half a surrogate pair becomes three bytes that are not UTF-8.
        Value::LoneSurrogate(content) => out.raw(&text_key(&json::unescape(content))),
        value => {
            if out.scalar(node).is_ok() {
                return;
            }
            match value {
                Value::Float(Number::Decimal(decimal)) => push_decimal(decimal.as_str(), out),
                // An integer has only one token.
                _ => push_extended(NUMBER, node.raw(), out),
            }
        }
    }
}

/// Writes a decimal number that CBOR cannot represent.
fn push_decimal(token: &str, out: &mut Encoder<'_>) {
    match DecimalParts::parse(token) {
        Some(DecimalParts { negative, digits, exponent }) => {
            let sign = if negative { "-" } else { "" };
            let digits = String::from_utf8_lossy(&digits);
            push_extended(NUMBER, format!("{sign}{digits}e{exponent}").as_bytes(), out);
        }
        None => push_extended(NUMBER, token.as_bytes(), out),
    }
}

fn push_extended(kind: u8, bytes: &[u8], out: &mut Encoder<'_>) {
    out.raw(&[EXTENDED, kind]);
    out.raw(&(bytes.len() as u64).to_be_bytes());
    out.raw(bytes);
}
