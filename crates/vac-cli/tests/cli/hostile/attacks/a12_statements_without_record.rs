//! Tests that a statement whose record was not examined is not verified.

use crate::run::Folder;
use crate::sign::{folder, sign, timed, verify};

/// Returns a folder with a hash envelope.
fn statement() -> Folder {
    let folder = folder();
    let ran = sign(&folder, &["a.json", "--hash-envelope", "-o", "statement"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    folder
}

#[test]
fn a_statement_alone_is_not_verified() {
    let folder = statement();
    let ran = verify(&folder, &["statement"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("statement verified; record not examined"), "{ran:?}");
    let ran = verify(&folder, &["statement", "--json"]);
    let json = ran.json();
    assert_eq!(ran.code, 1);
    assert_eq!((&json["verdict"], &json["verified"]), (&"statement-only".into(), &false.into()));
}

#[test]
fn a_statement_alone_is_accepted_on_request() {
    let folder = statement();
    let ran = verify(&folder, &["statement", "--statement-only"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let verdict = "\nverdict:        statement verified; record not examined (statement)\n";
    assert!(ran.stdout.ends_with(verdict), "{ran:?}");
    let json = verify(&folder, &["statement", "--statement-only", "--json"]).json();
    assert_eq!((&json["verdict"], &json["verified"]), (&"statement-only".into(), &false.into()));
    // The option does not change any other answer.
    let (key, other) = (["--key", "other/signing-key.pub.pem"], ["keygen", "-o", "other"]);
    assert_eq!(folder.vac(&other).code, 0);
    let ran = folder.vac(&["verify", "statement", "--statement-only", key[0], key[1]]);
    assert_eq!(ran.code, 1, "{ran:?}");
    sign(&folder, &["a.json", "--detached", "-o", "detached"]);
    assert_eq!(verify(&folder, &["detached", "--statement-only"]).code, 1);
    assert_eq!(verify(&folder, &["a.json", "--statement-only"]).code, 1);
}

#[test]
fn a_statement_with_its_record_is_verified() {
    let folder = statement();
    let ran = verify(&folder, &["statement", "--record", "a.json", "--json"]);
    let json = ran.json();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!((&json["verdict"], &json["verified"]), (&"verified".into(), &true.into()));
    folder.write("b.json", timed().replace("hi", "ho"));
    let ran = verify(&folder, &["statement", "--record", "b.json", "--json"]);
    let json = ran.json();
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!((&json["verdict"], &json["verified"]), (&"failed".into(), &false.into()));
}
