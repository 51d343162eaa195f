//! Tests private keys with passwords, and keys of OpenSSH: `vac keygen`, `vac sign`, `vac verify`.

use std::fs;

use vac::signature::{Algorithm, PublicKey, SecretKey, Signer as _};

use crate::home;
use crate::run::Folder;
use crate::sign::timed;

const PASSWORD: (&str, &str) = ("VAC_KEY_PASSWORD", "sesame");

/// Returns a folder with a record, and keys of OpenSSH and OpenSSL whose password is `sesame`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.json", timed());
    for name in ["pkcs8-scrypt.pem", "pkcs8-ed25519.pub.pem", "openssh-aes256-ctr"] {
        copy(&folder, name);
    }
    for name in ["openssh-ed25519", "openssh-ed25519.pub", "openssh-rsa", "pkcs8-3des.pem"] {
        copy(&folder, name);
    }
    folder.write_private("password", "sesame\nanother line\n");
    folder
}

fn copy(folder: &Folder, name: &str) {
    home::copy(&format!("sign/keys/{name}"), folder, name);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::Permissions::from_mode(0o600);
        fs::set_permissions(folder.path().join(name), mode).expect("a file");
    }
}

#[test]
fn keys_of_other_tools_sign_and_verify() {
    let folder = folder();
    for (private, public) in [
        ("pkcs8-scrypt.pem", "pkcs8-ed25519.pub.pem"),
        ("openssh-aes256-ctr", "openssh-ed25519.pub"),
        ("openssh-ed25519", "openssh-ed25519.pub"),
    ] {
        let arguments = ["sign", "a.json", "--key", private, "-o", "a.cose", "--force"];
        let ran = folder.vac_at_home(&[PASSWORD], &arguments);
        assert_eq!(ran.code, 0, "{private}: {ran:?}");
        let ran = folder.vac(&["verify", "a.cose", "--key", public]);
        assert_eq!(ran.code, 0, "{public}: {ran:?}");
    }
    let wrong = folder.vac(&["verify", "a.cose", "--key", "openssh-ed25519"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("ssh-keygen -y"), "{wrong:?}");
}

#[test]
fn password_is_read_from_a_file_first() {
    let folder = folder();
    let variable = [("VAC_KEY_PASSWORD", "wrong")];
    let arguments = ["sign", "a.json", "--key", "pkcs8-scrypt.pem", "-o", "a.cose"];
    let ran = folder.vac_at_home(&variable, &arguments);
    let words = "cannot decrypt pkcs8-scrypt.pem: the password is wrong, or the file is damaged";
    assert!(ran.code == 2 && ran.stderr.contains(words), "{ran:?}");
    let arguments = [&arguments[..], &["--password-file", "password"]].concat();
    let ran = folder.vac_at_home(&variable, &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    let missing = [&arguments[..5], &["b.cose", "--password-file", "none"]].concat();
    let ran = folder.vac(&missing);
    assert!(ran.code == 2 && ran.stderr.contains("cannot read none"), "{ran:?}");
}

/// Who can write the file of a password could as well write the key.
#[cfg(unix)]
#[test]
fn password_file_that_others_can_access_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let mode = fs::Permissions::from_mode(0o666);
    fs::set_permissions(folder.path().join("password"), mode).unwrap();
    let sign = ["sign", "a.json", "--key", "pkcs8-scrypt.pem", "-o", "a.cose"];
    let sign = [&sign[..], &["--password-file", "password"]].concat();
    let keygen = ["keygen", "--encrypt", "--password-file", "password", "-o", "new"];
    for arguments in [&sign[..], &keygen] {
        let ran = folder.vac(arguments);
        let words = "password can be accessed by other users (mode 0666): run chmod 600 on it";
        assert!(ran.code == 2 && ran.stderr.contains(words), "{ran:?}");
    }
    let ran = folder.vac(&[&sign[..], &["--insecure-key-permissions"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn archives_are_signed_with_encrypted_keys() {
    let folder = folder();
    home::copy("claude/jsonl/basic/session.jsonl", &folder, "session.jsonl");
    let key = ["--key", "openssh-aes256-ctr", "--password-file", "password"];
    let init = [&["archive", "init", "sessions"][..], &key].concat();
    assert_eq!(folder.vac(&init).code, 0);
    let add = [&["archive", "add", "sessions", "session.jsonl"][..], &key].concat();
    assert_eq!(folder.vac(&add).code, 0);
    let arguments = ["archive", "verify", "sessions", "--key", "openssh-ed25519.pub"];
    assert_eq!(folder.vac(&arguments).code, 0);
}

#[test]
fn unsupported_keys_are_not_asked_for_passwords() {
    let folder = folder();
    for (key, words) in [
        ("openssh-rsa", "openssh-rsa is not a private key: unsupported key type RSA (ssh-rsa)"),
        ("pkcs8-3des.pem", "cannot decrypt pkcs8-3des.pem: its encryption is not supported: 3DES"),
    ] {
        let ran = folder.vac(&["sign", "a.json", "--key", key, "-o", "a.cose"]);
        assert!(ran.code == 2 && ran.stderr.contains(words), "{ran:?}");
    }
}

#[test]
fn new_keys_are_encrypted_and_of_either_algorithm() {
    let folder = folder();
    for (name, algorithm) in [("ed25519", Algorithm::EdDsa), ("es256", Algorithm::Es256)] {
        let arguments = ["keygen", "--alg", name, "--encrypt", "-o", name, "--json"];
        let ran = folder.vac_at_home(&[PASSWORD], &arguments);
        let json = ran.json();
        assert_eq!((ran.code, &json["encrypted"]), (0, &true.into()), "{ran:?}");
        assert_eq!(json["algorithm"], algorithm.id());
        let read = |file: &str| fs::read_to_string(folder.path().join(name).join(file)).unwrap();
        let key = SecretKey::parse(&read("signing-key.pem"), Some(b"sesame")).unwrap();
        let public = PublicKey::from_pem(&read("signing-key.pub.pem")).unwrap();
        assert_eq!(*key.public_key(), public);
    }
    let arguments = ["keygen", "--encrypt", "--password-file", "password", "-o", "other"];
    assert_eq!(folder.vac(&arguments).code, 0);
    folder.write_private("empty", "\n");
    let arguments = ["keygen", "--encrypt", "--password-file", "empty", "-o", "none"];
    let ran = folder.vac(&arguments);
    assert!(ran.code == 2 && ran.stderr.contains("the password is empty"), "{ran:?}");
    assert!(!folder.path().join("none").exists());
    let plain = folder.vac(&["keygen", "-o", "plain", "--json"]).json();
    assert_eq!(plain["encrypted"], false);
}

/// Commands in a session of their own have no terminal, in whichever one the tests run.
#[cfg(target_os = "linux")]
#[test]
fn missing_terminal_is_reported() {
    let folder = folder();
    for (line, words) in [
        (
            "setsid -w vac sign a.json --key openssh-aes256-ctr -o a.cose",
            "openssh-aes256-ctr is encrypted, and its password cannot be asked for: no terminal \
             was found (use --password-file, or the variable VAC_KEY_PASSWORD)",
        ),
        ("setsid -w vac keygen --encrypt -o new", "no terminal was found"),
    ] {
        let ran = folder.shell(&[], line);
        assert!(ran.code == 2 && ran.stderr.contains(words), "{ran:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn password_is_asked_for_on_the_terminal() {
    let folder = folder();
    if folder.in_terminal(80, "true").is_none() {
        return;
    }
    // Lines before the question are ignored, those after the answer are not read.
    let typed = |words: &str| {
        let each = format!("for word in {words}; do sleep 1; echo $word; done");
        move |command: &str| format!("({each}) | script -qec '{command} < /dev/null' /dev/null")
    };
    let right = typed("sesame sesame sesame sesame sesame sesame");
    let sign = "vac sign a.json --key openssh-aes256-ctr -o";
    let ran = folder.shell(&[], &right(&format!("{sign} a.cose")));
    assert!(ran.stdout.contains("Password of openssh-aes256-ctr: "), "{ran:?}");
    assert_eq!(folder.vac(&["verify", "a.cose", "--key", "openssh-ed25519.pub"]).code, 0);
    let wrong = typed("other other other other other other");
    let ran = folder.shell(&[], &wrong(&format!("{sign} b.cose")));
    assert!(ran.stdout.contains("the password is wrong"), "{ran:?}");
    assert!(!folder.path().join("b.cose").exists());
    let ran = folder.shell(&[], &right("vac keygen --encrypt -o new"));
    assert!(ran.stdout.contains("The same again: "), "{ran:?}");
    let key = fs::read_to_string(folder.path().join("new/signing-key.pem")).unwrap();
    assert!(SecretKey::parse(&key, Some(b"sesame")).is_ok());
    let ran = folder.shell(&[], &typed("one two three four five six")("vac keygen --encrypt -o x"));
    assert!(ran.stdout.contains("the two passwords are not the same"), "{ran:?}");
}
