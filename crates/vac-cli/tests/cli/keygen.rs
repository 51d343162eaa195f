//! Tests that only the owner can read the keys of `vac keygen`, and that they are never replaced.

use vac::signature::{PublicKey, SecretKey, Signer as _};

use crate::run::Folder;

#[test]
fn a_new_key_is_a_pair_of_files_and_a_thumbprint() {
    let folder = Folder::new();
    let ran = folder.vac(&["keygen", "-o", "keys/of/mine"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let read = |name: &str| {
        std::fs::read_to_string(folder.path().join("keys/of/mine").join(name)).unwrap()
    };
    let private = read("signing-key.pem");
    assert!(private.starts_with("-----BEGIN PRIVATE KEY-----\n"));
    let key = SecretKey::from_pem(&private).unwrap();
    assert_eq!(PublicKey::from_pem(&read("signing-key.pub.pem")).as_ref(), Ok(key.public_key()));
    assert_eq!(ran.stdout, format!("{}\n", key.public_key().thumbprint_uri()));

    let json = folder.vac(&["keygen", "--json", "--output", "others"]).json();
    assert!(json["algorithm"].is_i64(), "{json}");
    let other = json["key"].as_str().unwrap();
    assert!(other.starts_with("urn:ietf:params:oauth:ckt:sha-256:"));
    assert_ne!(other, key.public_key().thumbprint_uri());
}

#[test]
fn a_key_needs_a_folder_that_can_be_made() {
    let folder = Folder::new();
    folder.write("file", "");
    assert_eq!(folder.vac(&["keygen"]).code, 2, "a folder is needed");
    let ran = folder.vac(&["keygen", "-o", "file/keys"]);
    assert!(ran.code == 2 && ran.stderr.starts_with("error: cannot create file/keys"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_a_private_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    folder.vac(&["keygen", "-o", "."]);
    let mode = |name: &str| {
        std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777
    };
    assert_eq!(mode("signing-key.pem"), 0o600);
    assert_eq!(mode("signing-key.pub.pem") & 0o600, 0o600);
}

#[test]
fn a_key_is_never_replaced() {
    for there in ["signing-key.pem", "signing-key.pub.pem"] {
        let folder = Folder::new();
        let path = folder.write(there, "precious");
        let ran = folder.vac(&["keygen", "-o", "."]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("already exists: a key is never replaced"), "{ran:?}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), "precious");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1, "nothing else is left");
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_nowhere_is_not_followed() {
    let folder = Folder::new();
    let elsewhere = Folder::new();
    let target = elsewhere.path().join("stolen.pem");
    std::os::unix::fs::symlink(&target, folder.path().join("signing-key.pem")).unwrap();
    assert_eq!(folder.vac(&["keygen", "-o", "."]).code, 2);
    assert!(!target.exists());
}
