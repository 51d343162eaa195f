//! Decoding, with types written by hand.

use std::borrow::Cow;
use std::sync::OnceLock;

use vac_schema::{
    Build, BuildOwned, Built, DecodeError, GroupId, Reader, Schema, TypeId, TypeKind,
};
use vac_value::{Any, Document, Embedded, Map, Node};

use super::schema;

fn decode<'a, T: Build<'a>>(schema: &Schema, document: &Document<'a>) -> Result<T, DecodeError> {
    schema.decode(schema.root, document.root())
}

#[test]
fn occurrence_bounds_of_an_alias_are_checked() {
    let schema = schema("a = [2*3 int]");
    for (text, is_valid) in
        [("[1]", false), ("[1,2]", true), ("[1,2,3]", true), ("[1,2,3,4]", false)]
    {
        let document = Document::json(text.as_bytes()).expect("JSON");
        assert_eq!(decode::<Vec<i128>>(&schema, &document).is_ok(), is_valid, "{text}");
    }
}

#[test]
fn duplicate_keys_are_refused_inside_any() {
    let document = Document::json(br#"[{"a":1,"a":2}]"#).expect("JSON");
    let decoded = decode::<Any<'_>>(&schema("a = any"), &document);
    assert!(matches!(decoded, Err(DecodeError::Invalid(_))), "{decoded:?}");
}

#[test]
fn all_violations_are_returned() {
    let document = Document::json(br#"["a",1,"b"]"#).expect("JSON");
    let error = decode::<Vec<u64>>(&schema("a = [* uint]"), &document).expect_err("texts");
    assert_eq!(error.violations().len(), 2);
    assert_eq!(error.to_string().lines().count(), 2);
}

#[test]
fn a_type_that_does_not_fit_is_an_internal_error() {
    let document = Document::json(br#"["a"]"#).expect("JSON");
    let error = decode::<Vec<u64>>(&schema("a = [* tstr]"), &document).expect_err("not a u64");
    assert!(matches!(error, DecodeError::Internal(_)), "{error:?}");
    assert!(error.to_string().starts_with("internal error: the value at byte 1"), "{error}");
}

#[test]
fn embedded_bytes_in_chunks_are_copied() {
    let schema = schema("a = bstr .cbor tstr");
    // (_ h'61', h'78'), which contains "x", and h'6178'.
    for (bytes, is_borrowed) in
        [(&b"\x5f\x41\x61\x41\x78\xff"[..], false), (&b"\x42\x61\x78"[..], true)]
    {
        let document = Document::cbor(bytes).expect("CBOR");
        let value: Embedded<'_, Cow<'_, str>> = decode(&schema, &document).expect("valid");
        assert_eq!(value.value(), "x");
        assert_eq!(matches!(value.into_value(), Cow::Borrowed(_)), is_borrowed);
    }
}

/// `{ * ( "k": int // tstr => int ) }`.
#[derive(Debug)]
struct Repeated {
    k: Option<i128>,
    rest: Map<String, i128>,
}

static REPEATED: OnceLock<GroupId> = OnceLock::new();

impl<'a> Build<'a> for Repeated {
    fn build(reader: &mut Reader<'_>, node: Node<'_, 'a>) -> Built<Self> {
        let mut map = reader.map(*REPEATED.get().expect("set by the test"), node)?;
        let k = map.optional(0)?;
        let rest: Map<Cow<'_, str>, i128> = map.rest(1)?;
        Ok(Self {
            k,
            rest: rest.into_iter().map(|(key, value)| (key.into_owned(), value)).collect(),
        })
    }
}

#[test]
fn entries_go_to_the_members_that_the_matcher_gave_them_to() {
    let schema = schema(r#"a = { * ( "k": int // tstr => int ) }"#);
    let TypeKind::Map(group) = schema.types[schema.rules[0].body.0 as usize].kind else {
        panic!("not a map");
    };
    REPEATED.set(group).expect("set once");
    let document = Document::json(br#"{"x":1,"k":2,"y":3}"#).expect("JSON");
    let value: Repeated = decode(&schema, &document).expect("valid");
    assert_eq!(value.k, Some(2));
    assert_eq!(value.rest, [("x".to_owned(), 1), ("y".to_owned(), 3)].into());
    for (text, is_valid) in
        [("{}", true), (r#"{"k":true}"#, false), (r#"{"n":true}"#, false), (r#"{"n":1}"#, true)]
    {
        let document = Document::json(text.as_bytes()).expect("JSON");
        assert_eq!(schema.validate(schema.root, document.root(), 20).is_ok(), is_valid, "{text}");
        assert_eq!(decode::<Repeated>(&schema, &document).is_ok(), is_valid, "{text}");
    }
    let count = 64_000;
    let members: Vec<_> = (0..count).map(|at| format!("\"n{at}\":{at}")).collect();
    let text = format!("{{{},\"k\":-1}}", members.join(","));
    let document = Document::json(text.as_bytes()).expect("JSON");
    let value: Repeated = decode(&schema, &document).expect("valid");
    assert_eq!(value.k, Some(-1));
    assert!(value.rest.into_iter().eq((0..count).map(|at| (format!("n{at}"), at))));
}

/// `t = (bstr .cbor t) / bstr`.
enum Nested {
    Inner(Box<Nested>),
    Bytes,
}

static NESTED: OnceLock<TypeId> = OnceLock::new();

impl Nested {
    fn build(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Built<Self> {
        match reader.choose(*NESTED.get().expect("set by the test"), node)? {
            0 => {
                let inner: Embedded<'_, Self> = Embedded::build_owned(reader, node)?;
                Ok(Self::Inner(Box::new(inner.into_value())))
            }
            _ => Ok(Self::Bytes),
        }
    }
}

impl<'a> Build<'a> for Nested {
    fn build(reader: &mut Reader<'_>, node: Node<'_, 'a>) -> Built<Self> {
        Self::build(reader, node)
    }
}

impl BuildOwned for Nested {
    fn build_owned(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Built<Self> {
        Self::build(reader, node)
    }
}

#[test]
fn embedded_documents_share_one_depth() {
    let schema = schema("t = (bstr .cbor t) / bstr");
    NESTED.set(schema.rules[0].body).expect("set once");
    let mut bytes = vec![0x40];
    for _ in 0..2000 {
        let mut outer = vec![0x59];
        outer.extend(u16::try_from(bytes.len()).expect("short").to_be_bytes());
        outer.extend(bytes);
        bytes = outer;
    }
    let document = Document::cbor(&bytes).expect("CBOR");
    let mut value: Nested = decode(&schema, &document).expect("valid");
    let mut depth = 0;
    while let Nested::Inner(inner) = value {
        value = *inner;
        depth += 1;
    }
    assert_eq!(depth, 256);
}
