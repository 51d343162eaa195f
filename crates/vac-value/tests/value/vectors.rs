//! The vectors of RFC 8949 and RFC 8785.

use data_encoding::HEXLOWER;

use super::*;

fn read(name: &str) -> Vec<u8> {
    let path = format!("{}/../../fixtures/rfc/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn text(node: Node<'_, '_>, key: &str) -> Option<String> {
    node.member(key).and_then(Node::text).map(std::borrow::Cow::into_owned)
}

fn bytes(hex: &str) -> Vec<u8> {
    HEXLOWER.decode(hex.as_bytes()).expect("hexadecimal digits")
}

#[test]
fn items_of_rfc_8949_appendix_a_are_read_and_written() {
    let list = read("rfc8949-appendix-a.json");
    let list = Document::json(&list).expect("JSON");
    for item in list.root().elements() {
        let hex = text(item, "hex").expect("hex");
        let bytes = bytes(&hex);
        let document = Document::cbor(&bytes).unwrap_or_else(|error| panic!("{hex}: {error}"));
        let deterministic = item.member("deterministic").and_then(Node::bool);
        assert_eq!(Some(document.is_tidy()), deterministic, "{hex}");
        let any = Any::from_cbor(&bytes).expect("CBOR");
        let written = any.to_cbor().expect("CBOR as CBOR");
        assert_eq!(Some(written == bytes), deterministic, "{hex} became {written:02x?}");
        assert_eq!(Any::from_cbor(&written).as_ref(), Ok(&any), "{hex}");
        let mut json = Encoder::json(Layout::Compact);
        let transcoded = transcode(&document, &mut json);
        match text(item, "json") {
            Some(expected) => {
                assert_eq!(transcoded, Ok(()), "{hex}");
                let written = String::from_utf8(json.finish()).expect("UTF-8");
                let parsed = Any::from_json(expected.as_bytes()).expect("JSON");
                assert_eq!(Any::from_json(written.as_bytes()), Ok(parsed), "{hex}");
                assert_eq!(any, Any::from_json(expected.as_bytes()).expect("JSON"), "{hex}");
            }
            None => assert!(transcoded.is_err(), "{hex}"),
        }
    }
    assert_eq!(list.root().elements().count(), 81);
}

#[test]
fn malformed_items_of_rfc_8949_appendix_f_are_refused() {
    let list = read("rfc8949-appendix-f.json");
    let list = Document::json(&list).expect("JSON");
    let mut count = 0;
    for (reason, items) in list.root().members() {
        for item in items.elements() {
            let hex = item.text().expect("hex");
            assert!(Document::cbor(&bytes(&hex)).is_err(), "{hex}: {:?}", reason.text());
            // Nor are they well-formed inside of something else.
            let inside = [&b"\x81"[..], &bytes(&hex)].concat();
            assert!(Document::cbor(&inside).is_err(), "81{hex}");
            count += 1;
        }
    }
    assert_eq!(count, 94);
}

#[test]
fn doubles_of_rfc_8785_are_written_with_the_same_digits() {
    let list = read("rfc8785.json");
    let list = Document::json(&list).expect("JSON");
    let numbers = list.root().member("numbers").expect("numbers");
    for number in numbers.elements() {
        let bits = u64::from_str_radix(&text(number, "bits").expect("bits"), 16).expect("hex");
        let canonical = text(number, "json").expect("JSON");
        let written = f64::from_bits(bits).to_json().expect("finite");
        // The encoder keeps the sign of zero, and writes floats with a fraction or an exponent.
        let expected = match &*canonical {
            "0" if bits >> 63 == 1 => "-0.0".to_owned(),
            integer if !integer.contains(['.', 'e']) => format!("{integer}.0"),
            other => other.to_owned(),
        };
        assert_eq!(written, expected, "{bits:016x}");
        assert_eq!(written.parse::<f64>().map(f64::to_bits), Ok(bits));
    }
    assert_eq!(numbers.elements().count(), 24);
}

/// The escapes of section 3.2.2.2 are the ones that we write.
#[test]
fn strings_of_rfc_8785_are_written_with_the_same_escapes() {
    let list = read("rfc8785.json");
    let list = Document::json(&list).expect("JSON");
    for document in list.root().member("documents").expect("documents").elements() {
        let canonical = text(document, "canonical").expect("text");
        let canonical = Document::json(canonical.as_bytes()).expect("JSON");
        let texts = (0..canonical.len()).filter_map(|at| {
            let node = canonical.node(u32::try_from(at).expect("few nodes"));
            Some((node.text()?, node.raw()))
        });
        for (text, token) in texts {
            assert_eq!(text.to_json().expect("text").as_bytes(), token);
        }
    }
}
