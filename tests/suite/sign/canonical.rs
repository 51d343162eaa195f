//! Tests canonical JSON with the vectors next to the workspace.

use sha2::{Digest as _, Sha256};
use vac_sign::canonical::{Form, canonical, double_as_text};
use vac_tests::shared;
use vac_value::Document;

fn rfc_8785(json: &[u8]) -> String {
    let document = Document::json(json).expect("JSON");
    let canonical = canonical(&document, Form::Rfc8785).expect("a canonical form");
    String::from_utf8(canonical).expect("UTF-8")
}

#[test]
fn more_vectors_of_rfc_8785_have_their_canonical_form() {
    let Some(folder) = shared("vectors", "VAC_VECTORS") else { return };
    let folder = folder.join("jcs");
    let mut count = 0;
    for entry in folder.join("input").read_dir().expect("inputs") {
        let path = entry.expect("a file").path();
        let input = std::fs::read(&path).expect("an input");
        let output = folder.join("output").join(path.file_name().expect("a name"));
        let expected = std::fs::read_to_string(output).expect("an output");
        assert_eq!(rfc_8785(&input), expected, "{}", path.display());
        assert_eq!(rfc_8785(expected.as_bytes()), expected);
        count += 1;
    }
    assert!(count >= 6, "{count} vectors");
}

/// Compares the hash of the texts of a sequence of doubles that the vectors describe.
#[test]
fn a_hundred_thousand_doubles_are_written_as_javascript_writes_them() {
    let Some(folder) = shared("vectors", "VAC_VECTORS") else { return };
    let text = std::fs::read_to_string(folder.join("jcs/README.md")).expect("the description");
    let mut doubles: Vec<u64> = text
        .split("0x")
        .skip(1)
        .filter_map(|rest| rest.split_once('n').filter(|(digits, _)| digits.len() == 16))
        .map(|(digits, _)| u64::from_str_radix(digits, 16).expect("hex"))
        .collect();
    // The last of them begins the series, which is generated below.
    let series = doubles.pop().expect("the series");
    assert_eq!(series, 0x0010_0000_0000_0000);
    doubles.extend((0..2000).map(|number| series + number));
    let mut block = [0u8; 32];
    let mut hash = Sha256::new();
    let mut lines = 0;
    let mut random = std::iter::from_fn(|| {
        block = Sha256::digest(block).into();
        Some(block)
    })
    .flat_map(|block| {
        let (words, _) = block.as_chunks::<8>();
        words.iter().map(|word| u64::from_le_bytes(*word)).collect::<Vec<_>>()
    })
    .filter(|bits| f64::from_bits(*bits).is_finite() && f64::from_bits(*bits) != 0.0);
    let mut doubles = doubles.into_iter();
    while lines < 100_000 {
        let bits = doubles.next().or_else(|| random.next()).expect("a double");
        let written = double_as_text(f64::from_bits(bits));
        hash.update(format!("{bits:x},{written}\n"));
        lines += 1;
        if lines % 97 == 0 {
            assert_eq!(rfc_8785(written.as_bytes()), written);
        }
    }
    let hash = data_encoding::HEXLOWER.encode(&hash.finalize());
    let expected = text.lines().find(|line| line.contains("| 100000 ")).expect("the hash");
    assert!(expected.contains(&hash), "{hash} instead of {expected}");
}
