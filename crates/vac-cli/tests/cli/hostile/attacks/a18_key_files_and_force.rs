//! Tests that advice about keys fits the file, and that `--force` only overwrites.

use crate::sign::{folder, sign};

#[test]
fn a_public_key_does_not_sign() {
    let folder = folder();
    let ran = folder.vac(&["sign", "a.json", "--key", "keys/signing-key.pub.pem", "-o", "signed"]);
    let expected =
        "error: keys/signing-key.pub.pem is a public key; signing needs the private key\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, expected));
}

#[test]
fn other_files_are_named_without_advice_on_permissions() {
    let folder = folder();
    folder.write("cert.pem", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n");
    folder.write(
        "locked.pem",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n",
    );
    for (name, words) in [
        ("cert.pem", "cert.pem is a certificate; signing needs the private key"),
        ("locked.pem", "locked.pem is not a private key: "),
        ("a.json", "a.json is not a private key: not PEM"),
    ] {
        let ran = folder.vac(&["sign", "a.json", "--key", name, "-o", "signed"]);
        assert!(ran.code == 2 && ran.stderr.contains(words), "{ran:?}");
        assert!(!ran.stderr.contains("chmod"), "{ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_private_key_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let key = folder.path().join("keys/signing-key.pem");
    std::fs::set_permissions(key, std::fs::Permissions::from_mode(0o644)).expect("permissions");
    let ran = sign(&folder, &["a.json", "-o", "signed"]);
    assert!(ran.code == 2 && ran.stderr.contains("run chmod 600 on it"), "{ran:?}");
}

#[test]
fn force_overwrites_and_nothing_else() {
    let folder = folder();
    folder.write("bad.json", "{\"version\": 3}");
    for options in [&["--force"][..], &[]] {
        let ran =
            sign(&folder, &[&["bad.json", "-o", "signed", "--subject", "s"], options].concat());
        assert!(ran.code == 1 && ran.stderr.contains("--allow-invalid"), "{ran:?}");
        assert!(!folder.path().join("signed").exists());
    }
    let allowed = ["bad.json", "-o", "signed", "--subject", "s", "--allow-invalid"];
    assert_eq!(sign(&folder, &allowed).code, 0);
    // That does not overwrite.
    let ran = sign(&folder, &allowed);
    assert!(ran.code == 2 && ran.stderr.contains("--force"), "{ran:?}");
    assert_eq!(sign(&folder, &[&allowed[..], &["--force"]].concat()).code, 0);
    assert_eq!(sign(&folder, &["a.json", "-o", "signed", "--force"]).code, 0);
}

#[test]
fn force_means_overwrite_in_every_command() {
    let folder = folder();
    for command in
        [&["sign"][..], &["verify"], &["transcode"], &["receipts", "attach"], &["convert"]]
    {
        let help = folder.vac(&[command, &["--help"]].concat()).stdout;
        let at = help.find("--force").unwrap_or_else(|| panic!("{command:?}: {help}"));
        let text = help[at..].split("\n\n").next().expect("its text").to_lowercase();
        assert!(["overwrite", "replace"].iter().any(|word| text.contains(word)), "{text}");
        assert!(!text.contains("invalid"), "{text}");
        assert!(!help.contains("--replace"), "{help}");
    }
}
