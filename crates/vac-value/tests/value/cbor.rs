//! Scanning CBOR: what is accepted, what is refused and where.

use super::*;

#[test]
fn malformed_cbor_is_refused_with_its_offset() {
    use Problem::{
        Chunk, Empty, InitialByte, KeyDepth, Length, OddMap, SimpleValue, Trailing, Truncated, Utf8,
    };
    let refused: &[(&[u8], usize, Problem)] = &[
        (b"", 0, Empty),
        (b"\x18", 0, Truncated),
        (b"\x19\x01", 0, Truncated),
        (b"\x1b\x01\x02\x03\x04\x05\x06\x07", 0, Truncated),
        (b"\xf9\x3c", 0, Truncated),
        (b"\xf8", 0, Truncated),
        (b"\xc0", 1, Truncated),
        (b"\x9f\x01", 2, Truncated),
        (b"\xbf\x01\x02", 3, Truncated),
        (b"\x5f\x41\x00", 3, Truncated),
        (b"\x82\x81\x00\x81", 3, Length(1)),
        (b"\x82\x01", 0, Length(2)),
        (b"\xa1\x01", 0, Length(1)),
        (b"\x42\x00", 0, Length(2)),
        (b"\x7f\x63\x61\xff", 1, Length(3)),
        (b"\x5b\xff\xff\xff\xff\xff\xff\xff\xff", 0, Length(u64::MAX)),
        (b"\x9b\x7f\xff\xff\xff\xff\xff\xff\xff", 0, Length(u64::MAX / 2)),
        (b"\xbb\x80\x00\x00\x00\x00\x00\x00\x00", 0, Length(1 << 63)),
        (b"\x00\x00", 1, Trailing),
        (b"\x80\xff", 1, Trailing),
        (b"\x9f\xff\xff", 2, Trailing),
        (b"\x62\xc3\x28", 1, Utf8),
        (b"\x62\x61\xff", 2, Utf8),
        (b"\x63\xed\xa0\x80", 1, Utf8),
        (b"\x62\xc0\x80", 1, Utf8),
        (b"\x61\xc3", 1, Utf8),
        (b"\x7f\x61\xc3\x61\xa9\xff", 2, Utf8),
        (b"\xa1\x61\xff\x00", 2, Utf8),
        (b"\x1c", 0, InitialByte(0x1c)),
        (b"\x81\x3d", 1, InitialByte(0x3d)),
        (b"\xfe", 0, InitialByte(0xfe)),
        (b"\x1f", 0, InitialByte(0x1f)),
        (b"\x3f", 0, InitialByte(0x3f)),
        (b"\xdf\x00", 0, InitialByte(0xdf)),
        (b"\xff", 0, InitialByte(0xff)),
        (b"\x81\xff", 1, InitialByte(0xff)),
        (b"\xa1\xff\x00", 1, InitialByte(0xff)),
        (b"\xc1\xff", 1, InitialByte(0xff)),
        (b"\x9f\xc1\xff\xff", 2, InitialByte(0xff)),
        (b"\x9f\x81\xff\xff", 2, InitialByte(0xff)),
        (b"\xbf\x01\xff", 2, OddMap),
        (b"\xbf\x01\x02\x03\xff", 4, OddMap),
        (b"\xf8\x00", 0, SimpleValue(0)),
        (b"\x81\xf8\x18", 1, SimpleValue(24)),
        (b"\xf8\x1f", 0, SimpleValue(31)),
        (b"\x5f\x61\x61\xff", 1, Chunk),
        (b"\x7f\x41\x61\xff", 1, Chunk),
        (b"\x5f\x00\xff", 1, Chunk),
        (b"\x5f\x5f\xff\xff", 1, Chunk),
        (b"\x5f\x41\x00\xc1\xff", 3, Chunk),
        (b"\xa1\xa1\xa1\xa1\xa1\xa1\0\0\0\0\0\0\0", 5, KeyDepth(4)),
    ];
    for (bytes, offset, problem) in refused {
        assert_eq!(cbor_fault(bytes), Some((*offset, *problem)), "{bytes:02x?}");
        let shown = SyntaxError { offset: *offset, problem: *problem }.to_string();
        assert!(shown.starts_with(&format!("byte {offset}: ")), "{shown}");
    }
}

#[test]
fn unusual_cbor_is_accepted() {
    let accepted: &[&[u8]] = &[
        b"\x18\x00",
        b"\x1b\0\0\0\0\0\0\0\0",
        b"\x5f\xff",
        b"\x7f\xff",
        b"\x7f\x60\x61a\x78\x01b\xff",
        b"\x9f\xff",
        b"\xbf\xff",
        b"\xbf\x9f\xff\xbf\xff\xff",
        b"\xe0",
        b"\xf3",
        b"\xf8\x20",
        b"\xf8\xff",
        b"\xf7",
        b"\xf9\x7e\x01",
        b"\xc2\x41\x00",
        b"\xdb\xff\xff\xff\xff\xff\xff\xff\xff\xf6",
        b"\xc1\xc1\xc1\x00",
        b"\xa1\xa0\xa0",
        b"\xa1\xa1\xa1\xa1\xa0\0\0\0\0",
        b"\xd9\xd9\xf7\x80",
    ];
    for bytes in accepted {
        assert_eq!(cbor_fault(bytes), None, "{bytes:02x?}");
        assert!(survives(bytes, Encoding::Cbor));
    }
}

#[test]
fn bignums_are_written_in_one_form() {
    let long: &[(&[u8], &[u8])] = &[
        (b"\xc2\x40", b"\x00"),
        (b"\xc2\x41\x00", b"\x00"),
        (b"\xc2\x41\x17", b"\x17"),
        (b"\xc3\x41\x18", b"\x38\x18"),
        (b"\xc2\x48\xff\xff\xff\xff\xff\xff\xff\xff", b"\x1b\xff\xff\xff\xff\xff\xff\xff\xff"),
        (b"\xc3\x48\xff\xff\xff\xff\xff\xff\xff\xff", b"\x3b\xff\xff\xff\xff\xff\xff\xff\xff"),
        (b"\xc2\x4a\x00\x01\0\0\0\0\0\0\0\0", b"\xc2\x49\x01\0\0\0\0\0\0\0\0"),
        (b"\xc3\x5f\x41\x01\x48\0\0\0\0\0\0\0\0\xff", b"\xc3\x49\x01\0\0\0\0\0\0\0\0"),
        (b"\x81\xc4\x82\x01\xc2\x41\x05", b"\x81\xc4\x82\x01\x05"),
        // Other tags on the same bytes, and the same tag on other things, stay.
        (b"\xc4\x58\x01\x00", b"\xc4\x41\x00"),
        (b"\xc2\x18\x01", b"\xc2\x01"),
    ];
    for (bytes, expected) in long {
        let document = Document::cbor(bytes).expect("CBOR");
        assert!(!document.is_tidy(), "{bytes:02x?}");
        let written = document.root().carry().to_cbor().expect("CBOR as CBOR");
        assert_eq!(&written, expected, "{bytes:02x?}");
        assert!(Document::cbor(&written).expect("CBOR").is_tidy(), "{written:02x?}");
    }
    for tidy in
        [&b"\xc2\x49\x01\0\0\0\0\0\0\0\0"[..], b"\xc4\x41\x00", b"\xc2\x01", b"\xc2\x61\x00"]
    {
        assert!(Document::cbor(tidy).expect("CBOR").is_tidy(), "{tidy:02x?}");
    }
}

/// Returns where the item at the front ends, by appendix C of RFC 8949; `None` if it is not
/// well-formed or its text is not UTF-8.
fn end_of_item(bytes: &[u8], may_break: bool) -> Option<(usize, bool)> {
    let initial = *bytes.first()?;
    let (major, info) = (initial >> 5, initial & 31);
    let (argument, head) = match info {
        0..=23 => (u64::from(info), 1),
        24..=27 => {
            let width = 1usize << (info - 24);
            let tail = bytes.get(1..=width)?;
            (tail.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)), 1 + width)
        }
        31 => return end_of_indefinite(bytes, major, may_break),
        _ => return None,
    };
    let items = match major {
        2 | 3 => {
            let end = head.checked_add(usize::try_from(argument).ok()?)?;
            let content = bytes.get(head..end)?;
            return (major == 2 || std::str::from_utf8(content).is_ok()).then_some((end, false));
        }
        4 => argument,
        5 => argument.checked_mul(2)?,
        6 => 1,
        7 if info == 24 && argument < 32 => return None,
        _ => 0,
    };
    let mut end = head;
    for _ in 0..items {
        end += end_of_item(bytes.get(end..)?, false)?.0;
    }
    Some((end, false))
}

fn end_of_indefinite(bytes: &[u8], major: u8, may_break: bool) -> Option<(usize, bool)> {
    let mut end = 1;
    match major {
        2 | 3 => loop {
            let rest = bytes.get(end..)?;
            let first = *rest.first()?;
            if first == 0xff {
                return Some((end + 1, false));
            }
            if first >> 5 != major || first & 31 == 31 {
                return None;
            }
            end += end_of_item(rest, false)?.0;
        },
        4 | 5 => loop {
            let (length, is_break) = end_of_item(bytes.get(end..)?, true)?;
            end += length;
            if is_break {
                return Some((end, false));
            }
            if major == 5 {
                end += end_of_item(bytes.get(end..)?, false)?.0;
            }
        },
        7 if may_break => Some((1, true)),
        _ => None,
    }
}

fn agrees_with_appendix_c(bytes: &[u8]) -> bool {
    let well_formed = end_of_item(bytes, false).is_some_and(|(end, _)| end == bytes.len());
    match cbor_fault(bytes) {
        // This limit is not one of CBOR.
        Some((_, Problem::KeyDepth(_))) => {}
        found => assert_eq!(found.is_none(), well_formed, "{bytes:02x?}: {found:?}"),
    }
    well_formed
}

#[test]
fn short_inputs_are_checked_as_in_appendix_c() {
    for first in 0..=255 {
        agrees_with_appendix_c(&[first]);
        for second in 0..=255 {
            agrees_with_appendix_c(&[first, second]);
            for third in [0x00, 0x01, 0x18, 0x41, 0x61, 0x80, 0xa0, 0xc1, 0xf6, 0xff] {
                agrees_with_appendix_c(&[first, second, third]);
            }
        }
    }
}

#[test]
fn random_items_are_checked_as_in_appendix_c() {
    let mut runner = TestRunner::deterministic();
    let byte = prop::sample::select(vec![
        0x00, 0x17, 0x18, 0x19, 0x20, 0x40, 0x41, 0x42, 0x5f, 0x60, 0x61, 0x62, 0x7f, 0x80, 0x81,
        0x82, 0x98, 0x9f, 0xa0, 0xa1, 0xa2, 0xb8, 0xbf, 0xc1, 0xc2, 0xd8, 0xf4, 0xf6, 0xf8, 0xf9,
        0xff, 0xffu8,
    ]);
    let inputs = prop::collection::vec(byte, 1..14);
    let mut well_formed = 0;
    for _ in 0..40_000 {
        let bytes = inputs.new_tree(&mut runner).expect("some bytes").current();
        // Test the item at the front as well, because it is often well-formed.
        let end = end_of_item(&bytes, false).map_or(bytes.len(), |(end, _)| end);
        for bytes in [&bytes[..], &bytes[..end]] {
            if agrees_with_appendix_c(bytes) {
                well_formed += 1;
                survives(bytes, Encoding::Cbor);
            }
        }
    }
    assert!(well_formed > 5000, "only {well_formed} were well-formed");
}
