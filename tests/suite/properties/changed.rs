//! Tests that validator and types agree on documents that are changed at random.

use super::*;

/// A value that can be changed, and written in any order and in either encoding.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    /// A number, a byte string, `null` or the like, as it was written.
    Scalar(Vec<u8>),
    Text(String),
    Array(Vec<Item>),
    Map(Vec<(Item, Item)>),
    Tag(u64, Box<Item>),
    /// A byte string that contains an item.
    Embedded(Box<Item>),
}

impl Item {
    fn from_node(node: Node<'_, '_>) -> Self {
        match node.kind() {
            Kind::Text => match node.text() {
                Some(text) => Self::Text(text.into_owned()),
                None => Self::Scalar(node.raw().to_vec()),
            },
            Kind::Array => Self::Array(node.elements().map(Self::from_node).collect()),
            Kind::Map => Self::Map(
                node.members().map(|(k, v)| (Self::from_node(k), Self::from_node(v))).collect(),
            ),
            Kind::Tag => {
                let (number, content) = node.tag().expect("a tag");
                Self::Tag(number, Box::new(Self::from_node(content)))
            }
            Kind::Bytes => {
                let bytes = node.bytes().expect("bytes");
                // Short byte strings can be an item by chance.
                match Document::cbor(&bytes) {
                    Ok(inside) if bytes.len() > 1 => {
                        Self::Embedded(Box::new(Self::from_node(inside.root())))
                    }
                    _ => Self::Scalar(node.raw().to_vec()),
                }
            }
            _ => Self::Scalar(node.raw().to_vec()),
        }
    }

    fn write(&self, encoding: Encoding, out: &mut Vec<u8>) {
        let cbor = encoding == Encoding::Cbor;
        match self {
            Self::Scalar(raw) => out.extend(raw),
            Self::Text(text) => {
                let mut encoder = Encoder::new(encoding);
                encoder.text(text);
                out.extend(encoder.finish());
            }
            Self::Array(elements) => {
                out.extend(if cbor { head(4, elements.len() as u64) } else { b"[".to_vec() });
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 && !cbor {
                        out.push(b',');
                    }
                    element.write(encoding, out);
                }
                out.extend(if cbor { &b""[..] } else { b"]" });
            }
            Self::Map(members) => {
                out.extend(if cbor { head(5, members.len() as u64) } else { b"{".to_vec() });
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 && !cbor {
                        out.push(b',');
                    }
                    key.write(encoding, out);
                    out.extend(if cbor { &b""[..] } else { b":" });
                    value.write(encoding, out);
                }
                out.extend(if cbor { &b""[..] } else { b"}" });
            }
            Self::Tag(number, content) => {
                out.extend(head(6, *number));
                content.write(encoding, out);
            }
            Self::Embedded(item) => {
                let mut inside = Vec::new();
                item.write(encoding, &mut inside);
                out.extend(head(2, inside.len() as u64));
                out.extend(inside);
            }
        }
    }

    fn encode(&self, encoding: Encoding) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(encoding, &mut out);
        out
    }

    fn children(&mut self) -> Vec<&mut Item> {
        match self {
            Self::Scalar(_) | Self::Text(_) => Vec::new(),
            Self::Array(elements) => elements.iter_mut().collect(),
            // Keys are changed by name, not at random.
            Self::Map(members) => members.iter_mut().map(|(_, value)| value).collect(),
            Self::Tag(_, content) | Self::Embedded(content) => vec![content],
        }
    }

    /// Returns the number of values, this one included.
    fn count(&mut self) -> usize {
        1 + self.children().into_iter().map(Item::count).sum::<usize>()
    }

    /// Returns the value at a position in document order.
    fn value_at(&mut self, place: usize) -> &mut Item {
        if place == 0 {
            return self;
        }
        // The child is searched twice, because of the borrow checker.
        let mut before = 1;
        let mut way = 0;
        for (child, item) in self.children().into_iter().enumerate() {
            let count = item.count();
            way = child;
            if place < before + count {
                break;
            }
            before += count;
        }
        self.children().into_iter().nth(way).expect("a child").value_at(place - before)
    }

    /// Collects every value and every key in it.
    fn parts(&self, values: &mut Vec<Item>, keys: &mut Vec<Item>) {
        values.push(self.clone());
        match self {
            Self::Scalar(_) | Self::Text(_) => {}
            Self::Array(elements) => elements.iter().for_each(|item| item.parts(values, keys)),
            Self::Map(members) => {
                for (key, value) in members {
                    keys.push(key.clone());
                    value.parts(values, keys);
                }
            }
            Self::Tag(_, content) | Self::Embedded(content) => content.parts(values, keys),
        }
    }
}

/// Pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let sides = sides.max(1) as u64;
        usize::try_from((mixed ^ mixed >> 31) % sides).expect("less than the sides")
    }

    fn pick<'p, T>(&mut self, from: &'p [T]) -> &'p T {
        &from[self.roll(from.len())]
    }
}

/// The values and keys to insert: those of documents, and unusual ones.
struct Parts {
    encoding: Encoding,
    values: Vec<Item>,
    keys: Vec<Item>,
}

impl Parts {
    fn new(encoding: Encoding) -> Self {
        let scalars: &[&[u8]] = match encoding {
            Encoding::Json => &[
                b"null",
                b"true",
                b"0",
                b"1",
                b"-1",
                b"1.5",
                b"-0.0",
                b"1e400",
                b"18446744073709551616",
                b"-18446744073709551617",
                b"\"\\ud800\"",
                b"7",
                b"255",
                b"256",
            ],
            Encoding::Cbor => &[
                b"\xf6",
                b"\xf5",
                b"\x00",
                b"\x01",
                b"\x20",
                b"\xf9\x3e\x00",
                b"\xf9\x80\x00",
                b"\xc2\x49\x01\0\0\0\0\0\0\0\0",
                b"\xf7",
                b"\xf0",
                b"\xf8\xff",
                b"\x40",
                b"\x41\x01",
                b"\x42\x01\x02",
                b"\xf9\x7e\x00",
                b"\x18\xff",
                b"\x19\x01\x00",
                b"\x44abcd",
                b"\xfa\x3d\xcc\xcc\xcd",
                b"\x5f\x41\x01\xff",
                b"\x1a\x00\x00\x00\x07",
            ],
        };
        let mut values: Vec<_> = scalars.iter().map(|raw| Item::Scalar(raw.to_vec())).collect();
        let texts = ["", "x", "type", "2024-01-01T00:00:00Z"];
        values.extend(texts.iter().map(|text| Item::Text((*text).to_owned())));
        values.extend([Item::Array(Vec::new()), Item::Map(Vec::new())]);
        let mut keys: Vec<_> = texts.iter().map(|text| Item::Text((*text).to_owned())).collect();
        if encoding == Encoding::Cbor {
            keys.extend(
                [&b"\x00"[..], b"\x01", b"\x20", b"\x18\x21", b"\x41\x01", b"\xf5", b"\x81\x01"]
                    .iter()
                    .map(|raw| Item::Scalar(raw.to_vec())),
            );
        }
        Self { encoding, values, keys }
    }

    fn add(&mut self, document: &Document<'_>) {
        let item = Item::from_node(document.root());
        item.parts(&mut self.values, &mut self.keys);
    }

    fn change(&self, item: &mut Item, dice: &mut Dice) {
        let place = dice.roll(item.count());
        let target = item.value_at(place);
        match (dice.roll(12), &mut *target) {
            (0 | 1, Item::Array(elements)) if !elements.is_empty() => {
                elements.remove(dice.roll(elements.len()));
            }
            (0 | 1, Item::Map(members)) if !members.is_empty() => {
                members.remove(dice.roll(members.len()));
            }
            (2, Item::Array(elements)) if !elements.is_empty() => {
                let twin = dice.pick(elements).clone();
                elements.insert(dice.roll(elements.len() + 1), twin);
            }
            (2 | 3, Item::Map(members)) if !members.is_empty() => {
                let at = dice.roll(members.len());
                members[at].0 = dice.pick(&self.keys).clone();
            }
            (3, Item::Array(elements)) if elements.len() > 1 => {
                let (one, other) = (dice.roll(elements.len()), dice.roll(elements.len()));
                elements.swap(one, other);
            }
            (4 | 5, Item::Array(elements)) => {
                elements.insert(dice.roll(elements.len() + 1), dice.pick(&self.values).clone());
            }
            (4 | 5, Item::Map(members)) => {
                let (key, value) = (dice.pick(&self.keys).clone(), dice.pick(&self.values).clone());
                members.insert(dice.roll(members.len() + 1), (key, value));
            }
            (0..=3, Item::Text(text)) if !text.is_empty() => {
                let end = text.char_indices().nth(dice.roll(text.chars().count()));
                text.truncate(end.map_or(0, |(end, _)| end));
            }
            (4, Item::Text(text)) => text.push('x'),
            (0 | 1, Item::Tag(number, _)) => *number = *dice.pick(&[0, 2, 3, 4, 17, 18, 24, 32]),
            (2, Item::Tag(_, content)) => *target = (**content).clone(),
            (6, _) => *target = Item::Array(vec![target.clone()]),
            (7, _) if self.encoding == Encoding::Cbor => {
                let number = *dice.pick(&[2, 18, 24, 32, 100]);
                *target = Item::Tag(number, Box::new(target.clone()));
            }
            (8, _) if self.encoding == Encoding::Cbor => {
                *target = Item::Embedded(Box::new(target.clone()));
            }
            _ => *target = dice.pick(&self.values).clone(),
        }
    }

    /// Returns a document with one or a few changes.
    fn change_item(&self, item: &Item, dice: &mut Dice) -> Item {
        let mut changed = item.clone();
        for _ in 0..=dice.roll(2) {
            self.change(&mut changed, dice);
        }
        changed
    }
}

fn display(bytes: &[u8], encoding: Encoding) -> String {
    match encoding {
        Encoding::Json => String::from_utf8_lossy(bytes).into_owned(),
        Encoding::Cbor => HEXLOWER.encode(bytes),
    }
}

/// Calls a function with the document of an item. Maps may have duplicate keys.
fn with_document(item: &Item, encoding: Encoding, check: impl FnOnce(&[u8], &Document<'_>)) {
    let bytes = item.encode(encoding);
    let document = Document::scan(&bytes, encoding)
        .unwrap_or_else(|error| panic!("{}: {error}", display(&bytes, encoding)));
    check(&bytes, &document);
}

#[test]
fn validator_and_types_agree_on_changed_records() {
    let start = prop_oneof![
        BOTH.start(),
        JSON.start(),
        BOTH.signed().prop_map(Start::SignedAgentRecord),
        BOTH.unprotected().prop_map(|unprotected| Start::SignedAgentRecord(Tagged(
            SignedAgentRecordContent {
                protected: Embedded::new(least_header()),
                unprotected,
                payload: None,
                signature: Vec::new().into(),
            }
        ))),
    ];
    let (mut valid, mut invalid) = (0, 0);
    let counts = std::cell::RefCell::new((&mut valid, &mut invalid));
    proptest!(config(150), |(start in start, seed in any::<u64>())| {
        let mut dice = Dice(seed);
        let forms = [
            (Encoding::Json, start.to_json().map(String::into_bytes)),
            (Encoding::Cbor, start.to_cbor()),
        ];
        for (encoding, source) in forms {
            let Ok(source) = source else { continue };
            let document = Document::scan(&source, encoding).expect("our writer's");
            let mut parts = Parts::new(encoding);
            parts.add(&document);
            let item = Item::from_node(document.root());
            for _ in 0..8 {
                with_document(&parts.change_item(&item, &mut dice), encoding, |bytes, document| {
                    let validator = is_valid("start", document);
                    let decoded = Start::from_bytes(bytes, encoding);
                    assert_eq!(
                        validator,
                        decoded.is_ok(),
                        "{}: {decoded:?}",
                        display(bytes, encoding)
                    );
                    let mut counts = counts.borrow_mut();
                    *counts.0 += usize::from(validator);
                    *counts.1 += usize::from(!validator);
                });
            }
        }
    });
    assert!(valid > 300 && invalid > 300, "{valid} valid, {invalid} invalid: too few of one kind");
}

/// In JSON a big integer is one token; a schema may still match its bytes.
#[test]
fn big_integers_of_json_are_matched_as_the_bytes_of_cbor() {
    let schema = vac_cddl::parse("big.cddl", "big = #6.2(bstr .size 9)").expect("CDDL");
    let schema = vac_cddl::tables(&schema).expect("a schema");
    let tokens = [
        ("18446744073709551616".to_owned(), true),
        ("4722366482869645213695".to_owned(), true),
        ("4722366482869645213696".to_owned(), false),
        ("-18446744073709551617".to_owned(), false),
        ("18446744073709551615".to_owned(), false),
        ("9".repeat(5000), false),
    ];
    for (token, valid) in tokens {
        let document = Document::json(token.as_bytes()).expect("JSON");
        let verdict = schema.validate(schema.root, document.root(), 20);
        assert_eq!(verdict.is_ok(), valid, "{token}");
    }
}

fn least_header() -> ProtectedHeader<'static> {
    let cwt_claims = CwtClaims { iss: "i".into(), sub: "s".into(), extensions: Map::default() };
    ProtectedHeader {
        cwt_claims,
        alg: None,
        content_type: None,
        kid: None,
        x5t: None,
        x5chain: None,
        extensions: Map::default(),
    }
}

#[test]
fn validator_and_types_agree_on_changed_golden_documents() {
    let mut dice = Dice(0);
    let (mut valid, mut invalid) = (0, 0);
    let mut wrong = Vec::new();
    for golden in GOLDENS {
        let schema = schema(golden.stem);
        let tables = vac_cddl::tables(&schema).expect("a golden schema");
        let cases = cases(golden.stem);
        for encoding in [Encoding::Json, Encoding::Cbor] {
            let cases: Vec<_> = cases.iter().filter(|case| case.encoding == encoding).collect();
            let mut parts = Parts::new(encoding);
            for case in &cases {
                parts.add(&case.document());
            }
            for case in cases {
                let item = Item::from_node(case.document().root());
                for _ in 0..12 {
                    with_document(
                        &parts.change_item(&item, &mut dice),
                        encoding,
                        |bytes, document| {
                            let validator =
                                tables.validate(tables.root, document.root(), 1).is_ok();
                            let decoder = (golden.decode_and_encode)(document);
                            let decoder = decoder.is_ok();
                            if decoder != validator {
                                wrong.push(format!(
                                    "{}: validator {validator}, decoder {decoder}: {}",
                                    golden.stem,
                                    display(bytes, encoding)
                                ));
                            }
                            valid += usize::from(validator);
                            invalid += usize::from(!validator);
                        },
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), valid + invalid, wrong.join("\n"));
    assert!(valid > 1000 && invalid > 1000, "{valid} valid, {invalid} invalid");
}

/// Returns the violations of a document, one line each.
fn outcome(verdict: &Result<(), vac_schema::Violations>) -> Vec<String> {
    match verdict {
        Ok(()) => vec!["  valid".to_owned()],
        Err(violations) => violations.iter().map(|violation| format!("  {violation}")).collect(),
    }
}

/// Returns the line for a document: its encoding, and its text or its bytes in hexadecimal.
fn document_line(bytes: &[u8], encoding: Encoding) -> String {
    match (encoding, std::str::from_utf8(bytes)) {
        (Encoding::Json, Ok(text)) if !text.contains('\n') => format!("json {text}"),
        (Encoding::Json, _) => format!("json-hex {}", HEXLOWER.encode(bytes)),
        (Encoding::Cbor, _) => format!("cbor {}", HEXLOWER.encode(bytes)),
    }
}

fn document_bytes(line: &str) -> (Vec<u8>, Encoding) {
    let (kind, text) = line.split_once(' ').expect("a kind and a document");
    let hex = || HEXLOWER.decode(text.as_bytes()).expect("hexadecimal");
    match kind {
        "json" => (text.as_bytes().to_vec(), Encoding::Json),
        "json-hex" => (hex(), Encoding::Json),
        "cbor" => (hex(), Encoding::Cbor),
        _ => panic!("{line}"),
    }
}

/// Returns documents for a new verdict file: those of the schema, and changed ones.
fn new_documents(originals: &[(Vec<u8>, Encoding)]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut dice = Dice(originals.len() as u64);
    for encoding in [Encoding::Json, Encoding::Cbor] {
        let originals = originals.iter().filter(|(_, of)| *of == encoding);
        let documents: Vec<_> = originals
            .map(|(bytes, _)| Document::scan(bytes, encoding).expect("a document"))
            .collect();
        let mut parts = Parts::new(encoding);
        for document in &documents {
            parts.add(document);
            lines.push(document_line(document.root().raw(), encoding));
        }
        for document in &documents {
            let item = Item::from_node(document.root());
            for _ in 0..3 {
                let bytes = parts.change_item(&item, &mut dice).encode(encoding);
                lines.push(document_line(&bytes, encoding));
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    lines.retain(|line| line.len() < 4000 && seen.insert(line.clone()));
    lines
}

/// A schema with its name and its own documents.
type Recorded = (&'static str, vac_cddl::ir::Schema, Vec<(Vec<u8>, Encoding)>);

/// Returns the schemas with recorded verdicts.
fn recorded_schemas() -> Vec<Recorded> {
    let goldens = GOLDENS.iter().map(|golden| {
        let cases = cases(golden.stem).into_iter().map(|case| (case.bytes, case.encoding));
        (golden.stem, schema(golden.stem), cases.collect())
    });
    let spec = "spec/agent-conversation.cddl";
    let text = std::fs::read_to_string(vac_tests::root().join(spec)).expect("the spec is there");
    let mut records = Vec::new();
    for folder in ["valid", "invalid"] {
        let folder = vac_tests::root().join("fixtures/schema").join(folder);
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .expect("the folder is there")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        for path in paths {
            let encoding = match path.extension().and_then(|extension| extension.to_str()) {
                Some("json") => Encoding::Json,
                Some("cbor") => Encoding::Cbor,
                _ => continue,
            };
            let bytes = std::fs::read(&path).expect("a file");
            if Document::scan(&bytes, encoding).is_ok() {
                records.push((bytes, encoding));
            }
        }
    }
    let spec = ("agent-conversation", vac_cddl::parse(spec, &text).expect("CDDL"), records);
    goldens.chain([spec]).collect()
}

/// Compares verdicts, paths and messages for fixed documents of every golden schema and of the
/// specification with `fixtures/cddl/verdicts`.
#[test]
fn verdicts_and_messages_are_as_recorded() {
    let folder = vac_tests::root().join("fixtures/cddl/verdicts");
    let mut wrong = Vec::new();
    for (name, schema, originals) in recorded_schemas() {
        let tables = vac_cddl::tables(&schema).expect("a golden schema");
        let path = folder.join(name).with_extension("txt");
        let recorded = std::fs::read_to_string(&path).unwrap_or_default();
        let mut documents: Vec<_> =
            recorded.lines().filter(|line| !line.starts_with(' ')).map(str::to_owned).collect();
        if documents.is_empty() {
            documents = new_documents(&originals);
        }
        let mut text = String::new();
        for line in documents {
            let (bytes, encoding) = document_bytes(&line);
            let document = Document::scan(&bytes, encoding).expect("a document");
            let verdict = tables.validate(tables.root, document.root(), 20);
            text.extend([line.as_str(), "\n", &outcome(&verdict).join("\n"), "\n"]);
        }
        if text != recorded {
            if std::env::var_os("VAC_BLESS").is_some() {
                std::fs::write(&path, text).expect("a file can be written");
            } else {
                wrong.push(name);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?} (VAC_BLESS=1 writes them)");
}
