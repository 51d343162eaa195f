//! Documents in both encodings: limits, duplicate keys, tidiness, paths.

use super::*;

/// Returns a document that has some of everything.
fn sizeable_json() -> String {
    let part = r#"{"a":[1,-2.5e-3,"x\u00e9\ud83d\ude00\n",true,false,null,18446744073709551617],"":{"deep":[[[{}]]]},"é":"日本語","\\":1e400}"#;
    let parts: Vec<_> = (0..12).map(|at| format!("{{\"part {at}\" : {part}}}")).collect();
    format!("[{}]", parts.join(" , "))
}

fn sizeable_cbor() -> Vec<u8> {
    let json = sizeable_json();
    let mut bytes = b"\x9f".to_vec();
    bytes.extend(Any::from_json(json.as_bytes()).expect("JSON").to_cbor().expect("CBOR"));
    bytes.extend(b"\xbf\x5f\x42\x01\x02\x40\xff\x7f\x62\xc3\xa9\xff\xff");
    bytes.extend(b"\xc1\x1b\x00\x00\x00\x00\x00\x00\x00\x05\xfb\x3f\xb9\x99\x99\x99\x99\x99\x9a");
    bytes.extend(b"\xf9\x7e\x00\xf8\x20\xf7\xa1\x82\x01\x02\xa1\xa0\x80\xff");
    bytes
}

#[test]
fn truncated_documents_are_refused_at_every_length() {
    let json = sizeable_json();
    assert_eq!(json_fault(&json), None);
    for end in 0..json.len() {
        let (offset, problem) = fault(&json.as_bytes()[..end], Encoding::Json).expect("an error");
        assert!(offset <= end, "{problem} at {offset} of {end}");
        assert!(matches!(problem, Problem::Truncated | Problem::Empty), "{end}: {problem}");
    }
    let cbor = sizeable_cbor();
    assert_eq!(cbor_fault(&cbor), None);
    for end in 0..cbor.len() {
        let (offset, problem) = cbor_fault(&cbor[..end]).expect("an error");
        assert!(offset <= end, "{problem} at {offset} of {end}");
        let expected = matches!(problem, Problem::Truncated | Problem::Empty | Problem::Length(_));
        assert!(expected, "{end}: {problem}");
    }
}

#[test]
fn documents_with_changed_bytes_are_read_or_refused() {
    let mut runner = TestRunner::deterministic();
    let (json, cbor) = (sizeable_json().into_bytes(), sizeable_cbor());
    let change = (any::<prop::sample::Index>(), any::<u8>());
    let changes = prop::collection::vec(change, 1..4);
    let mut read = 0;
    for at in 0..1500 {
        let (mut bytes, encoding) = match at % 2 {
            0 => (json.clone(), Encoding::Json),
            _ => (cbor.clone(), Encoding::Cbor),
        };
        for (place, byte) in changes.new_tree(&mut runner).expect("changes").current() {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        read += usize::from(survives(&bytes, encoding));
    }
    assert!(read > 50, "only {read} were documents");
}

#[test]
fn documents_beyond_the_size_limit_are_refused() {
    let limits = Limits { size: 5, ..Limits::default() };
    let mut scanner = Scanner::new(limits);
    assert!(scanner.json(b"[1,2]").is_ok());
    let error = scanner.json(b"[1,23]").map(|_| ()).expect_err("too long");
    assert_eq!(error, SyntaxError { offset: 5, problem: Problem::Size(5) });
    assert!(scanner.cbor(b"\x84\x01\x02\x03\x04").is_ok());
    let error = scanner.cbor(b"\x85\x01\x02\x03\x04\x05").map(|_| ()).expect_err("too long");
    assert_eq!(error.problem, Problem::Size(5));
}

#[test]
fn documents_beyond_the_depth_limit_are_refused() {
    let arrays = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let maps = |depth: usize| format!("{}1{}", "{\"k\":".repeat(depth), "}".repeat(depth));
    for depth in [1, LIMIT - 1, LIMIT] {
        assert_eq!(json_fault(&arrays(depth)), None);
        assert_eq!(json_fault(&maps(depth)), None);
        assert!(survives(arrays(depth).as_bytes(), Encoding::Json));
        assert!(survives(maps(depth).as_bytes(), Encoding::Json));
    }
    for depth in [LIMIT + 1, 600, 100_000] {
        assert_eq!(json_fault(&arrays(depth)), Some((LIMIT, Problem::Depth(LIMIT))));
        assert_eq!(json_fault(&"[".repeat(depth)), Some((LIMIT, Problem::Depth(LIMIT))));
        assert_eq!(json_fault(&maps(depth)), Some((LIMIT * 5, Problem::Depth(LIMIT))));
    }
    let heads: &[(&[u8], &[u8])] = &[
        (b"\x81", b""),
        (b"\x9f", b"\xff"),
        (b"\xa1\x00", b""),
        (b"\xbf\x00", b"\xff"),
        (b"\xc1", b""),
    ];
    for (head, tail) in heads {
        let nested =
            |depth: usize| [&head.repeat(depth)[..], b"\x00", &tail.repeat(depth)].concat();
        for depth in [1, LIMIT - 1, LIMIT] {
            assert_eq!(cbor_fault(&nested(depth)), None, "{head:x?}");
            assert!(survives(&nested(depth), Encoding::Cbor));
        }
        for depth in [LIMIT + 1, 100_000] {
            let expected = Some((LIMIT * head.len(), Problem::Depth(LIMIT)));
            assert_eq!(cbor_fault(&nested(depth)), expected, "{head:x?}");
        }
    }
    let mut shallow = Scanner::new(Limits { depth: 2, ..Limits::default() });
    assert!(shallow.json(b"[[1]]").is_ok());
    assert!(shallow.json(b"[[[]]]").is_err());
    assert!(shallow.cbor(b"\xc1\x81\x00").is_ok());
    assert!(shallow.cbor(b"\xc1\x81\x80").is_err());
}

#[test]
fn deep_and_many_keys_are_compared_in_time() {
    // Maps that are the keys of maps.
    for depth in [1, 4, 5, 6, 500, 100_000] {
        let keys = [&b"\xa1".repeat(depth)[..], b"\x00", &b"\x00".repeat(depth)].concat();
        assert_eq!(cbor_fault(&keys).is_none(), depth <= 5, "{depth}");
    }
    // The same with arrays between them, and with tags.
    for between in [&b"\xa1\x81"[..], b"\xa1\xc1", b"\xbf\x9f"] {
        let fault = cbor_fault(&between.repeat(50_000));
        assert!(fault.is_some(), "{between:x?}");
    }
    // Many deep keys that differ at their very end.
    let mut bytes = b"\xb9\x01\x00".to_vec();
    for at in 0..=255 {
        bytes.extend(b"\x81".repeat(LIMIT - 1));
        bytes.extend([0x18, at, 0xf6]);
    }
    let document = Document::cbor(&bytes).expect("a map");
    // 0 to 23 in two bytes are loose, but different.
    assert_eq!(document.duplicate_keys().len(), 0);
    // Maps as keys at the limit, each with many members out of order.
    let mut wide = b"\xbf".to_vec();
    for at in (0..2000u16).rev() {
        wide.extend(b"\xa2\x02\x00\x01\x19");
        wide.extend(at.to_be_bytes());
        wide.push(0xf6);
    }
    wide.push(0xff);
    let nested = [&b"\xa1\xa1"[..], &wide, b"\x00\x00"].concat();
    assert_eq!(Document::cbor(&nested).expect("a map").duplicate_keys().len(), 0);
}

/// Returns the pointers of the keys that their maps have had before.
fn duplicates(bytes: &[u8], encoding: Encoding) -> Vec<usize> {
    let document = Document::scan(bytes, encoding).expect("a document");
    let found: Vec<_> = document.duplicate_keys().map(Node::offset).collect();
    let mut encoder = Encoder::new(encoding);
    match transcode(&document, &mut encoder) {
        Ok(()) => assert!(found.is_empty()),
        Err(error) => assert!(matches!(error, EncodeError::DuplicateKey(_)), "{error}"),
    }
    assert!(found.is_empty() || !document.is_tidy());
    found
}

#[test]
fn duplicate_keys_are_found_in_json() {
    let cases: &[(&str, &[usize])] = &[
        (r#"{"a":1,"b":2}"#, &[]),
        (r#"{"a":1,"a":1}"#, &[7]),
        (r#"{"a":1,"a":2,"a":3}"#, &[7, 13]),
        (r#"{"a":1,"\u0061":2}"#, &[7]),
        (r#"{"\u0061":1,"a":2}"#, &[12]),
        (r#"{"\/":1,"/":2,"\u002F":3}"#, &[8, 14]),
        (r#"{"😀":1,"\ud83d\ude00":2}"#, &[10]),
        (r#"{"\ud800":1,"\uD800":2,"\ud801":3}"#, &[12]),
        (r#"{"":1,"":2}"#, &[6]),
        (r#"[{"x":[{"y":{"z":1,"z":2}}]}]"#, &[19]),
        (r#"{"a":{"a":1,"b":{"a":1,"a":2}},"b":3,"a":4}"#, &[23, 37]),
        (r#"{"a":1,"A":2,"a ":3}"#, &[]),
        (r#"{"1":1,"1.0":2,"01":3}"#, &[]),
        (r#"{"\u00e9":1,"e\u0301":2}"#, &[]),
        (r#"{"long key of one kind":1,"long key of two kind":2,"long key of one kind":3}"#, &[51]),
        (r#"{"a":{"b":1},"c":{"b":1}}"#, &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(duplicates(text.as_bytes(), Encoding::Json), *expected, "{text}");
    }
}

#[test]
fn duplicate_keys_are_found_in_cbor() {
    let cases: &[(&[u8], &[usize])] = &[
        (b"\xa2\x01\x00\x02\x00", &[]),
        (b"\xa2\x01\x00\x01\x00", &[3]),
        (b"\xa2\x01\x00\x18\x01\x00", &[3]),
        (b"\xa3\x1b\0\0\0\0\0\0\0\x01\x00\x19\0\x01\x00\x01\x00", &[11, 15]),
        (b"\xa2\x20\x00\x38\x00\x00", &[3]),
        // An integer, a float and a text are different keys.
        (b"\xa3\x01\x00\xf9\x3c\x00\x00\x61\x31\x00", &[]),
        (b"\xa2\xf9\x3c\x00\x00\xfb\x3f\xf0\0\0\0\0\0\0\x00", &[5]),
        // Zeros are one key, and so are NaNs with one payload (RFC 8949 section 5.6.1).
        (b"\xa2\xf9\x00\x00\x00\xf9\x80\x00\x00", &[5]),
        (b"\xa2\xf9\x3c\x00\x00\xf9\xbc\x00\x00", &[]),
        (b"\xa2\xf9\x7e\x00\x00\xfa\x7f\xc0\x00\x00\x00", &[5]),
        (b"\xa2\xf9\x7e\x00\x00\xf9\xfe\x00\x00", &[5]),
        (b"\xa2\xf9\x7e\x00\x00\xf9\x7e\x01\x00", &[]),
        // A bignum that is written as an integer would be the same key.
        (b"\xa2\x01\x00\xc2\x41\x01\x00", &[3]),
        (b"\xa2\xc2\x41\x01\x00\xc2\x42\x00\x01\x00", &[5]),
        // Text in chunks, and bytes that look like it.
        (b"\xa2\x62ab\x00\x7f\x61a\x61b\xff\x00", &[5]),
        (b"\xa2\x62ab\x00\x42ab\x00", &[]),
        (b"\xa2\x41\x00\x00\x58\x01\x00\x00", &[4]),
        // Containers, however they are written.
        (b"\xa2\x81\x01\x00\x9f\x18\x01\xff\x00", &[4]),
        (b"\xa2\xa2\x01\x02\x03\x04\x00\xa2\x03\x04\x01\x02\x00", &[7]),
        (b"\xa2\x81\x01\x00\x81\x02\x00", &[]),
        (b"\xa2\xc1\x01\x00\xd8\x01\x01\x00", &[4]),
        (b"\xa2\xc1\x01\x00\xc2\x01\x00", &[]),
        // Inside of a key, of a value, of a tag.
        (b"\xa1\xa2\x01\x00\x01\x00\x00", &[4]),
        (b"\x81\xa1\x00\xc1\xa2\x61a\x00\x61a\x00", &[8]),
        (b"\xbf\xf6\x00\xf5\x00\xf6\x00\xff", &[5]),
        (b"\xa2\xe0\x00\xf8\x20\x00", &[]),
    ];
    for (bytes, expected) in cases {
        assert_eq!(duplicates(bytes, Encoding::Cbor), *expected, "{bytes:02x?}");
    }
}

#[test]
fn one_duplicate_key_among_100_000_is_found() {
    let mut members: Vec<String> = (0..100_000).map(|at| format!("\"key {at}\":{at}")).collect();
    let text = format!("{{{}}}", members.join(","));
    let all = Document::json(text.as_bytes()).expect("a map");
    assert_eq!((all.duplicate_keys().len(), all.is_tidy()), (0, true));
    members.insert(70_000, "\"key 31415\":null".to_owned());
    let text = format!("{{{}}}", members.join(","));
    let document = Document::json(text.as_bytes()).expect("a map");
    let found: Vec<_> = document.duplicate_keys().map(Node::raw).collect();
    assert_eq!(found, [b"\"key 31415\""]);

    let member = |key: u32| [&[0x1a][..], &key.to_be_bytes(), &[0xf6]].concat();
    let mut keys: Vec<u32> = (100_000..200_000).collect();
    let map = |keys: &[u32]| {
        let members: Vec<u8> = keys.iter().flat_map(|key| member(*key)).collect();
        [&[0xbf][..], &members, &[0xff]].concat()
    };
    assert_eq!(duplicates(&map(&keys), Encoding::Cbor), [0; 0]);
    keys.push(131_415);
    assert_eq!(duplicates(&map(&keys), Encoding::Cbor), [1 + 6 * 100_000]);
}

#[test]
fn documents_are_tidy_if_our_writers_would_write_them() {
    for text in ["1", "[]", "{}", r#"{"b":1,"a":[1,2,{"c":"d e"}]}"#, r#"["\u0061",1.0,1E+2]"#] {
        assert!(Document::json(text.as_bytes()).expect("JSON").is_tidy(), "{text}");
    }
    for text in [
        "[ ]",
        "{ }",
        "[1, 2]",
        "[1 ,2]",
        "[1\n]",
        r#"{"a" :1}"#,
        r#"{"a": 1}"#,
        r#"{"a":1 }"#,
        r#"{"a":[[ ]]}"#,
        r"[[1,2],[1, 2],[1,2]]",
        r"[{},{} ,{}]",
        r#"{"a":1,"a":1}"#,
    ] {
        assert!(!Document::json(text.as_bytes()).expect("JSON").is_tidy(), "{text}");
    }
    let tidy: &[&[u8]] = &[
        b"\x00",
        b"\x18\x18",
        b"\x39\x01\x00",
        b"\x61a",
        b"\x82\x01\xa2\x01\x00\x61a\x00",
        // Bytewise order: the integer 256 before -1 before text.
        b"\xa3\x19\x01\x00\x00\x20\x00\x60\x00",
        b"\xf9\x3c\x00",
        b"\xfa\x3d\xcc\xcc\xcd",
        b"\xfb\x3f\xb9\x99\x99\x99\x99\x99\x9a",
        b"\xf9\x7e\x00",
        b"\xc1\x00",
        b"\xf8\x20",
    ];
    let loose: &[&[u8]] = &[
        b"\x18\x17",
        b"\x19\x00\xff",
        b"\x1a\x00\x00\xff\xff",
        b"\x1b\0\0\0\0\xff\xff\xff\xff",
        b"\x38\x00",
        b"\x58\x00",
        b"\x78\x01a",
        b"\x98\x00",
        b"\xb8\x00",
        b"\xd8\x01\x00",
        b"\x5f\xff",
        b"\x7f\xff",
        b"\x9f\xff",
        b"\xbf\xff",
        b"\x81\x9f\xff",
        b"\xc1\x18\x01",
        b"\xa2\x02\x00\x01\x00",
        b"\xa2\x62ab\x00\x61c\x00",
        b"\xa2\x20\x00\x19\x01\x00\x00",
        b"\xa1\x00\xa2\x02\x00\x01\x00",
        b"\xa1\xa2\x02\x00\x01\x00\x00",
        b"\xa2\x01\x00\x01\x00",
        b"\xfa\x3f\x80\x00\x00",
        b"\xfb\x3f\xf0\0\0\0\0\0\0",
        b"\xfb\x7f\xf8\0\0\0\0\0\0",
    ];
    for (items, is_tidy) in [(tidy, true), (loose, false)] {
        for bytes in items {
            let document = Document::cbor(bytes).expect("CBOR");
            assert_eq!(document.is_tidy(), is_tidy, "{bytes:02x?}");
            let written = Any::from_cbor(bytes).expect("CBOR").to_cbor();
            if let Ok(written) = written {
                assert_eq!(written == *bytes, is_tidy, "{bytes:02x?} became {written:02x?}");
            }
        }
    }
}

#[test]
fn pretty_json_has_two_spaces_a_level() {
    let compact = r#"{"a":[],"b":{},"c":[1,[2,{"d":"\u0065"}],{}],"f":{"g":[[]],"h":1.0}}"#;
    let pretty = r#"{
  "a": [],
  "b": {},
  "c": [
    1,
    [
      2,
      {
        "d": "\u0065"
      }
    ],
    {}
  ],
  "f": {
    "g": [
      []
    ],
    "h": 1.0
  }
}"#;
    let rewrite = |text: &str, layout| {
        let document = Document::json(text.as_bytes()).expect("JSON");
        let mut encoder = Encoder::json(layout);
        transcode(&document, &mut encoder).expect("JSON as JSON");
        String::from_utf8(encoder.finish()).expect("UTF-8")
    };
    assert_eq!(rewrite(compact, Layout::Pretty), pretty);
    assert_eq!(rewrite(pretty, Layout::Pretty), pretty);
    assert_eq!(rewrite(pretty, Layout::Compact), compact);
    assert_eq!(rewrite("[ ]", Layout::Pretty), "[]");
    // The same from CBOR and from a type that carries a value.
    let cbor = Any::from_json(b"[{\"a\":[1,2]}]").expect("JSON").to_cbor().expect("CBOR");
    let mut encoder = Encoder::json(Layout::Pretty);
    transcode(&Document::cbor(&cbor).expect("CBOR"), &mut encoder).expect("JSON has it");
    let expected = "[\n  {\n    \"a\": [\n      1,\n      2\n    ]\n  }\n]";
    assert_eq!(encoder.finish(), expected.as_bytes());
    let carried = Any::from_json(br#"{"y":[1,{}]}"#).expect("JSON");
    let expected = "{\n  \"x\": {\n    \"y\": [\n      1,\n      {}\n    ]\n  }\n}";
    assert_eq!(Any::members([("x", carried)]).to_json_pretty().as_deref(), Ok(expected));
}

#[test]
fn unusual_documents_keep_their_value_through_cbor() {
    let same = [
        r#"{"":"","a":"b"}"#,
        r#"[[[[[[]]]]],{},"",0,-1,1.5,-0.0,null,true,false]"#,
        r#"{"\u0000":"\u0000\u001f\"\\\b\f\n\r\t/","k":"日本語😀"}"#,
        r"[18446744073709551615,18446744073709551616,-18446744073709551617,1e400,1e-7,1e+21]",
        r"[5e-324,1.7976931348623157e+308,0.1,100.0,10000000000000000.0,1e-7]",
    ];
    for text in same {
        let any = Any::from_json(text.as_bytes()).expect("JSON");
        let cbor = any.to_cbor().expect("CBOR has it");
        let back = Any::from_cbor(&cbor).expect("CBOR").to_json().expect("JSON has it");
        assert_eq!(back, text);
        assert_eq!(Any::from_json(back.as_bytes()), Any::from_cbor(&cbor));
        assert!(Document::cbor(&cbor).is_ok_and(|document| document.is_tidy()));
    }
}

#[test]
fn paths_are_json_pointers() {
    let text = r#"{"a/b":{"m~n":[0,{"":{" ":1}}]},"~1":2,"\u002f":{"é":3},"":4}"#;
    let document = Document::json(text.as_bytes()).expect("JSON");
    let root = document.root();
    assert_eq!(pointer(root), "");
    let all: Vec<String> =
        (0u32..).take(document.len()).map(|at| pointer(document.node(at))).collect();
    for expected in ["/a~1b", "/a~1b/m~0n/0", "/a~1b/m~0n/1// ", "/~01", "/~1/é", "/"] {
        assert!(all.iter().any(|pointer| pointer == expected), "{expected} in {all:#?}");
    }
    let bytes = b"\xa3\x01\xc1\x81\x00\x20\x81\xf6\xa1\x00\x01\x82\x00\x01";
    let document = Document::cbor(bytes).expect("CBOR");
    let values: Vec<_> = document.root().members().collect();
    let inside = |node: Node<'_, '_>| node.elements().next().map(pointer);
    assert_eq!(values[0].1.tag().and_then(|(_, array)| inside(array)).as_deref(), Some("/1/0"));
    assert_eq!(inside(values[1].1).as_deref(), Some("/-1/0"));
    assert_eq!(inside(values[2].1).as_deref(), Some("/(map key 2)/0"));
    assert_eq!(pointer(values[2].0), "/(key 2)");
    let inner = values[2].0.members().next().expect("a member").1;
    assert_eq!(pointer(inner), "/(key 2)/0");
}
#[test]
fn json_beyond_the_node_limit_is_refused() {
    let limits = Limits { nodes: 4, ..Limits::default() };
    let mut scanner = Scanner::new(limits);
    for text in ["[1,2,3]", r#"{"a":[]}"#, "[[[1]]]"] {
        assert!(scanner.json(text.as_bytes()).is_ok(), "{text}");
    }
    for text in ["[1,2,3,4]", "[[[[1]]]]", "[[],[],[],{}]"] {
        let error = scanner.json(text.as_bytes()).map(|_| ()).expect_err(text);
        assert_eq!(error.problem, Problem::Nodes(4), "{text}");
    }
}

#[test]
fn line_ends_are_counted_between_tokens() {
    let document = Document::json(b"\n{\n\"a\\n\":\r\n 1,\n\n        \"b\":2}\n\n").expect("JSON");
    assert_eq!(document.line_ends(), 5, "those after the document are not scanned");
    assert_eq!(Document::json(b"[]").expect("JSON").line_ends(), 0);
}

#[test]
fn prefixes_are_scanned_with_their_end() {
    let mut scanner = Scanner::default();
    let (document, end) = scanner.json_prefix(b" [1] {}").expect("JSON");
    assert_eq!((document.root().raw(), end), (&b"[1]"[..], 4));
    scanner.recycle(document);
    let (document, end) = scanner.cbor_prefix(b"\x81\x01\x02").expect("CBOR");
    assert_eq!((document.len(), end), (2, 2));
    let document = scanner.settle(document);
    assert_eq!(document.root().elements().next().and_then(Node::uint), Some(1));
}

#[test]
fn every_kind_of_node_has_its_value() {
    use vac_value::Value;
    let bytes =
        b"\x8d\xf6\xf7\xf5\x20\xf9\x3c\x00\xf0\xf8\xff\x41\x00\x61a\x80\xa0\xc1\x00\x39\x01\x00";
    let document = Document::cbor(bytes).expect("CBOR");
    let values: Vec<_> = document.root().elements().map(Node::value).collect();
    assert!(
        matches!(
            &values[..],
            [
                Value::Null,
                Value::Undefined,
                Value::Bool(true),
                Value::Integer(-1),
                Value::Float(vac_value::Number::Float(1.0)),
                Value::Simple(16),
                Value::Simple(255),
                Value::Bytes(_),
                Value::Text(_),
                Value::Array(_),
                Value::Map(_),
                Value::Tag(1, _),
                Value::Integer(-257),
            ]
        ),
        "{values:?}"
    );
    let document = Document::json(br#"[18446744073709551616,"\ud800x",1e400]"#).expect("JSON");
    let values: Vec<_> = document.root().elements().map(Node::value).collect();
    assert!(
        matches!(
            &values[..],
            [
                Value::BigInteger("18446744073709551616"),
                Value::LoneSurrogate(r"\ud800x"),
                Value::Float(vac_value::Number::Decimal(_)),
            ]
        ),
        "{values:?}"
    );
}

#[test]
fn numbers_are_compared_without_rounding() {
    use std::cmp::Ordering::{Equal, Greater, Less};
    use vac_value::check;
    let compare = |text: &str, to: i128| {
        let document = Document::json(text.as_bytes()).expect("JSON");
        check::compare_integer(document.root(), to)
    };
    let large = 1_i128 << 53;
    assert_eq!(compare("9007199254740993", large), Some(Greater));
    assert_eq!(compare("9007199254740992.0", large + 1), Some(Less));
    assert_eq!(compare("9007199254740992.0", large), Some(Equal));
    assert_eq!(compare("1.5", 1), Some(Greater));
    assert_eq!(compare("-1.5", -1), Some(Less));
    assert_eq!(compare("-1.5", -2), Some(Greater));
    assert_eq!(compare("1e300", i128::from(u64::MAX)), Some(Greater));
    assert_eq!(compare("\"1\"", 1), None);
    let float = |text: &str, to: f64| {
        let document = Document::json(text.as_bytes()).expect("JSON");
        check::compare_float(document.root(), to)
    };
    assert_eq!(float("9007199254740993", 9_007_199_254_740_992.0), Some(Greater));
    assert_eq!(float("2", 2.5), Some(Less));
    assert_eq!(float("2.5", 2.5), Some(Equal));
    let nan = Document::cbor(b"\xf9\x7e\x00").expect("CBOR");
    assert_eq!(check::compare_integer(nan.root(), 0), None);
    assert!(check::is_float(nan.root(), f64::NAN) && check::float16(nan.root()));
    let float = Document::cbor(b"\xfa\x47\xc3\x50\x00").expect("CBOR");
    assert!(!check::float16(float.root()) && check::float32(float.root()));
    assert!(check::float_range(float.root(), 0.0, 100_000.0, true));
    assert!(!check::float_range(float.root(), 0.0, 100_000.0, false));
}

#[test]
fn lengths_are_those_of_strings_and_containers() {
    use vac_value::check;

    for (text, expected) in [
        (&br#""\u00e9x""#[..], Some(3)),
        (br#""\ud800""#, None),
        (b"[1,[2,3]]", Some(2)),
        (br#"{"a":1}"#, Some(1)),
        (b"7", None),
        (b"null", None),
    ] {
        let document = Document::json(text).expect("JSON");
        assert_eq!(check::length(document.root()), expected);
    }
    let bytes = Document::cbor(b"\x5f\x42ab\x41c\xff").expect("CBOR");
    assert_eq!(check::length(bytes.root()), Some(3));
}
