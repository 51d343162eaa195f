//! Tests that well-formed headers in any order are read.

use super::craft::parameter::{alg, claims, content_type, kid};
use super::craft::{bytes, envelope, envelope_with, folder, header, text, usual};
use crate::run::{Folder, Ran};
use crate::sign::timed;

fn verify(folder: &Folder, options: &[&str]) -> Ran {
    folder.vac(&[&["verify", "signed", "--key", "pub.pem"], options].concat())
}

/// Returns a folder with an envelope that has this protected header and a valid signature.
fn with(protected: &[u8]) -> Folder {
    let folder = folder();
    folder.write("signed", envelope(protected));
    folder
}

#[test]
fn headers_of_other_tools_are_verified() {
    let json = || content_type("application/json");
    let long_label = vec![0x18, 1, 0x27];
    let chunks = [vec![4, 0x5f], bytes(b"ke"), bytes(b"y"), vec![0xff]].concat();
    let indefinite = [vec![0xbf], usual().concat(), vec![0xff]].concat();
    for protected in [
        header(&[claims("i"), json(), alg()]),
        header(&[alg(), json(), claims("i"), kid(b"key")]),
        header(&[long_label, json(), claims("i")]),
        header(&[alg(), json(), chunks, claims("i")]),
        indefinite,
    ] {
        let folder = with(&protected);
        let ran = verify(&folder, &[]);
        assert!(ran.code == 0 && ran.stdout.contains("; deterministic: no"), "{ran:?}");
        let json = verify(&folder, &["--json"]).json();
        assert_eq!((&json["verdict"], &json["deterministic"]), (&"verified".into(), &false.into()));
        let ran = verify(&folder, &["--strict"]);
        assert!(ran.code == 1 && ran.stdout.contains("not encoded deterministically"), "{ran:?}");
        for command in ["validate", "inspect"] {
            let ran = folder.vac(&[command, "signed"]);
            assert_eq!(ran.code, 0, "{ran:?}");
        }
    }
    let folder = with(&header(&usual()));
    let ran = verify(&folder, &["--strict"]);
    assert!(ran.code == 0 && !ran.stdout.contains("deterministic"), "{ran:?}");
    assert_eq!(verify(&folder, &["--json"]).json()["deterministic"], true);
}

#[test]
fn a_header_is_verified_as_it_was_received() {
    let (sorted, reversed) = (header(&usual()), {
        let mut parameters = usual();
        parameters.reverse();
        header(&parameters)
    });
    assert_eq!(sorted.len(), reversed.len());
    // The header in another order is not what was signed.
    let mut changed = envelope(&sorted);
    let at = changed.windows(sorted.len()).position(|part| part == sorted).expect("the header");
    changed.splice(at..at + sorted.len(), reversed);
    let folder = folder();
    folder.write("signed", changed);
    let ran = verify(&folder, &[]);
    assert!(ran.code == 1 && ran.stdout.contains("signature:      failed"), "{ran:?}");
}

#[test]
fn duplicate_labels_are_refused_in_any_encoding() {
    let json = || content_type("application/json");
    let long_label = vec![0x18, 1, 0x26];
    let long_text = [vec![0x7f], text("x"), vec![0xff, 0]].concat();
    let nested = [vec![15, 0xa3, 1], text("a"), vec![0x18, 1], text("b"), vec![2], text("c")];
    for parameters in [
        vec![alg(), alg(), json(), claims("i")],
        vec![alg(), long_label.clone(), json(), claims("i")],
        vec![long_label, json(), claims("i"), alg()],
        vec![alg(), json(), claims("i"), [text("x"), vec![0]].concat(), long_text],
        vec![alg(), json(), nested.concat()],
    ] {
        let folder = with(&header(&parameters));
        let ran = verify(&folder, &[]);
        assert!(ran.code == 1 && ran.stdout.contains("occurs twice in its map"), "{ran:?}");
        assert_ne!(folder.vac(&["inspect", "--key", "pub.pem", "signed"]).code, 0);
    }
}

#[test]
fn a_label_is_in_one_header_only() {
    for (unprotected, words) in [
        (vec![0xa1, 1, 0x27], "label 1 (alg) is in the protected and the unprotected header"),
        (vec![0xa1, 0x18, 1, 0x26], "label 1 (alg) is in the protected"),
        (vec![0xa1, 3, 0x18, 60], "label 3 (content type) is in the protected"),
        (vec![0xa1, 2, 0x81, 1], "label 2 (crit) is in the unprotected header"),
        (vec![0xa1, 0x19, 1, 2, 0x2f], "label 258 (payload-hash-alg) is in the unprotected"),
        (vec![0xbf, 0x18, 99, 0, 0x18, 99, 0, 0xff], "occurs twice in its map"),
    ] {
        let folder = folder();
        let payload = timed();
        folder.write("signed", envelope_with(&header(&usual()), &unprotected, payload.as_bytes()));
        let ran = verify(&folder, &[]);
        assert!(ran.code == 1 && ran.stdout.contains(words), "{words}: {ran:?}");
    }
}

#[test]
fn envelopes_in_other_shapes_are_refused() {
    let sound = envelope(&header(&usual()));
    let protected = bytes(&header(&usual()));
    let after = 2 + protected.len();
    let rest = &sound[after..];
    let signature = &sound[sound.len() - 66..];
    let payload = timed();
    for (what, envelope) in [
        ("no tag", sound[1..].to_vec()),
        ("another tag", [&[0xd8, 98][..], &sound[1..]].concat()),
        ("a tag twice", [&[0xd2][..], &sound].concat()),
        ("a tag around", [&[0xd9, 0xd9, 0xf7][..], &sound].concat()),
        ("a tag inside", [&[0xd2, 0xd9, 0xd9, 0xf7][..], &sound[1..]].concat()),
        ("a long tag", [&[0xd8, 18][..], &sound[1..]].concat()),
        ("an array of indefinite length", [&[0xd2, 0x9f][..], &sound[2..], &[0xff]].concat()),
        ("a long array", [&[0xd2, 0x98, 4][..], &sound[2..]].concat()),
        ("a header in chunks", [&[0xd2, 0x84, 0x5f][..], &protected, &[0xff], rest].concat()),
        ("a tag on the header", [&[0xd2, 0x84, 0xd8, 24][..], &protected, rest].concat()),
        ("a text as payload", [&sound[..after], &[0xa0], &text(&payload), signature].concat()),
        (
            "a payload in chunks",
            [&sound[..after], &[0xa0, 0x5f], &bytes(payload.as_bytes()), &[0xff], signature]
                .concat(),
        ),
        ("undefined as payload", [&sound[..after], &[0xa0, 0xf7], signature].concat()),
        ("bytes after the end", [&sound[..], &[0]].concat()),
        ("another envelope after the end", [&sound[..], &sound].concat()),
    ] {
        let folder = folder();
        folder.write("signed", envelope);
        for options in [&[][..], &["--record", "a.json"]] {
            let ran = verify(&folder, options);
            assert!(ran.code == 1 && !ran.stdout.contains("signature:      ok"), "{what}: {ran:?}");
        }
    }
}

#[test]
fn a_detached_payload_is_the_record_that_is_given() {
    let sound = envelope(&header(&usual()));
    let head = 2 + bytes(&header(&usual())).len();
    let detached = [&sound[..head], &[0xa0, 0xf6], &sound[sound.len() - 66..]].concat();
    let folder = folder();
    folder.write("signed", detached);
    folder.write("b.json", timed().replace("hi", "ho"));
    assert_eq!(verify(&folder, &["--record", "a.json"]).code, 0);
    assert_eq!(verify(&folder, &["--record", "b.json"]).code, 1);
    assert_eq!(verify(&folder, &[]).code, 1);
}

#[test]
fn a_content_type_has_to_fit_the_record() {
    for (name, code) in [
        ("application/cbor", 1),
        ("application/json", 0),
        ("application/x+json; v=3", 0),
        ("application/x+cbor", 1),
    ] {
        let folder = with(&header(&[alg(), content_type(name), claims("i")]));
        let ran = verify(&folder, &[]);
        assert_eq!(ran.code, code, "{name}: {ran:?}");
    }
}
