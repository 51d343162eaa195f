//! Tests that only certificate authorities can issue certificates.

use super::craft::{
    self, Certificate, TIME, array, basic_constraints, bytes, dns_name, envelope,
    extended_key_usage, extension, header, key_usage, permitted_dns_name, usual,
};
use crate::run::{Folder, Ran};
use crate::sign::timed;

/// Signs a record with the key of the first certificate of a chain, and verifies it with these
/// trust roots.
fn verify(chain: &[String], key: u8, roots: &[String]) -> Ran {
    let folder = Folder::new();
    folder.write("a.json", timed());
    let secret = vac::signature::SecretKey::ed25519(&[key; 32]).to_pem().expect("PEM");
    folder.write("key.pem", secret.as_bytes());
    folder.write("chain.pem", chain.concat());
    folder.write("roots.pem", roots.concat());
    let key = ["--key", "key.pem", "--insecure-key-permissions"];
    let signing = ["sign", "a.json", "--cert", "chain.pem", "-o", "signed", key[0], key[1], key[2]];
    let signed = folder.vac(&signing);
    assert_eq!(signed.code, 0, "{signed:?}");
    folder.vac(&["verify", "signed", "--trust-root", "roots.pem", "--at", TIME])
}

#[track_caller]
fn is_refused(ran: &Ran, words: &str) {
    assert!(ran.code == 1 && ran.stdout.contains(words), "{words}: {ran:?}");
    assert!(!ran.stdout.contains("certificate trusted"), "{ran:?}");
}

#[track_caller]
fn is_trusted(ran: &Ran) {
    assert!(ran.code == 0 && ran.stdout.contains("certificate trusted"), "{ran:?}");
}

#[test]
fn chains_to_an_authority_are_trusted() {
    let root = Certificate::authority("root", 1);
    let between = Certificate::authority("between", 2);
    let signer = Certificate::signer("signer", 3);
    is_trusted(&verify(&[signer.issued_by(&root)], 3, &[root.root()]));
    let chain = [signer.issued_by(&between), between.issued_by(&root)];
    is_trusted(&verify(&chain, 3, &[root.root()]));
    is_trusted(&verify(&chain, 3, &[between.issued_by(&root)]));
}

#[test]
fn a_pinned_signer_does_not_issue_certificates() {
    let root = Certificate::authority("root", 1);
    let pinned = Certificate::signer("pinned", 2);
    let forged = Certificate::signer("forged", 9);
    let chain = [forged.issued_by(&pinned), pinned.issued_by(&root)];
    let ran = verify(&chain, 9, &[pinned.issued_by(&root)]);
    is_refused(&ran, "a certificate in the chain may not issue others");
    let ran = verify(&chain[..1], 9, &[pinned.issued_by(&root)]);
    is_refused(&ran, "it does not lead to a trust root");
    is_refused(&ran, "may not issue certificates: it is not an authority (CA:TRUE)");
    // The certificate is trusted directly.
    is_trusted(&verify(&[pinned.issued_by(&root)], 2, &[pinned.issued_by(&root)]));
    // Another certificate with its name and key is not the same.
    let renewed = Certificate { to: "350101", ..pinned.clone() };
    is_refused(&verify(&[renewed.root()], 2, &[pinned.issued_by(&root)]), "not trusted");
}

#[test]
fn a_pinned_certificate_is_refused_once_it_has_expired() {
    let pinned = Certificate { to: "261101", ..Certificate::signer("pinned", 2) };
    is_refused(&verify(&[pinned.root()], 2, &[pinned.root()]), "it has expired");
}

#[test]
fn authorities_need_ca_and_key_cert_sign() {
    let signer = Certificate::signer("signer", 3);
    for (extensions, words) in [
        (vec![], "it is not an authority (CA:TRUE)"),
        (vec![key_usage(0x04)], "it is not an authority (CA:TRUE)"),
        (vec![basic_constraints(false, None), key_usage(0x04)], "not an authority (CA:TRUE)"),
        (vec![basic_constraints(true, None)], "does not include keyCertSign"),
        (vec![basic_constraints(true, None), key_usage(0x82)], "does not include keyCertSign"),
    ] {
        let root = Certificate::authority("root", 1).with(extensions.clone());
        is_refused(&verify(&[signer.issued_by(&root)], 3, &[root.root()]), words);
        // The same for a certificate between the signer and a valid root.
        let sound = Certificate::authority("sound", 4);
        let chain = [signer.issued_by(&root), root.issued_by(&sound)];
        is_refused(&verify(&chain, 3, &[sound.root()]), "may not issue others");
    }
}

#[test]
fn roots_count_only_while_they_are_valid() {
    let signer = Certificate::signer("signer", 3);
    let expired = Certificate { to: "261101", ..Certificate::authority("root", 1) };
    let ran = verify(&[signer.issued_by(&expired)], 3, &[expired.root()]);
    is_refused(&ran, "may not issue certificates: it has expired");
    let early = Certificate { from: "270101", ..Certificate::authority("root", 1) };
    let ran = verify(&[signer.issued_by(&early)], 3, &[early.root()]);
    is_refused(&ran, "may not issue certificates: it is not valid yet");
    // A valid root with the same name and key is sufficient.
    let sound = Certificate::authority("root", 1);
    is_trusted(&verify(&[signer.issued_by(&sound)], 3, &[expired.root(), sound.root()]));
}

#[test]
fn the_path_length_of_a_root_counts() {
    let length = |length| vec![basic_constraints(true, Some(length)), key_usage(0x04)];
    let between = Certificate::authority("between", 2);
    let lower = Certificate::authority("lower", 5);
    let signer = Certificate::signer("signer", 3);
    let root = |most| Certificate::authority("root", 1).with(length(most));
    let one = [signer.issued_by(&between), between.issued_by(&root(0))];
    is_refused(&verify(&one, 3, &[root(0).root()]), "longer than a certificate in it allows");
    is_trusted(&verify(&one, 3, &[root(1).root()]));
    let two = [signer.issued_by(&lower), lower.issued_by(&between), between.issued_by(&root(1))];
    is_refused(&verify(&two, 3, &[root(1).root()]), "longer than a certificate in it allows");
    is_trusted(&verify(&two, 3, &[root(2).root()]));
    is_trusted(&verify(&[signer.issued_by(&root(0))], 3, &[root(0).root()]));
    // The same for an intermediate certificate.
    let short = between.clone().with(length(0));
    let two = [signer.issued_by(&lower), lower.issued_by(&short), short.issued_by(&root(2))];
    is_refused(&verify(&two, 3, &[root(2).root()]), "longer than a certificate in it allows");
}

#[test]
fn other_constraints_of_a_root_count() {
    let signer = Certificate::signer("signer", 3);
    let usual = || Certificate::authority("root", 1).extensions;
    let root = |more: Vec<u8>| {
        let extensions = usual().into_iter().chain([more]).collect();
        Certificate::authority("root", 1).with(extensions)
    };
    let check = |signer: &Certificate, root: &Certificate| {
        verify(&[signer.issued_by(root)], 3, &[root.root()])
    };
    // The extended key usage is servers only, and code signing.
    is_refused(&check(&signer, &root(extended_key_usage(1))), "not one for signing");
    is_trusted(&check(&signer, &root(extended_key_usage(3))));
    // A critical extension that is unknown, and one that occurs twice.
    let unknown = root(extension(99, true, &[5, 0]));
    is_refused(&check(&signer, &unknown), "may not issue certificates");
    is_trusted(&check(&signer, &root(extension(99, false, &[5, 0]))));
    is_refused(&check(&signer, &root(basic_constraints(true, None))), "may not issue");
    is_refused(&check(&signer, &root(key_usage(0x04))), "may not issue certificates");
    // Names.
    let constrained = root(permitted_dns_name("example.com"));
    let named = |name: &str| {
        let mut extensions = signer.extensions.clone();
        extensions.push(dns_name(name));
        signer.clone().with(extensions)
    };
    is_trusted(&check(&named("ci.example.com"), &constrained));
    is_refused(&check(&named("ci.example.org"), &constrained), "name constraints");
}

#[test]
fn long_chains_are_refused() {
    let root = Certificate::authority("root", 1);
    let signer = Certificate::signer("signer", 3);
    let mut chain = vec![signer.issued_by(&root)];
    chain.extend(std::iter::repeat_n(root.root(), 7));
    is_trusted(&verify(&chain, 3, &[root.root()]));
    // A chain of nine certificates can neither be signed with nor verified.
    let nine = [vec![0x18, 33], array(&vec![bytes(b"certificate"); 9])].concat();
    let folder = craft::folder();
    folder.write("signed", envelope(&header(&[usual(), vec![nine]].concat())));
    folder.write("roots.pem", chain.concat() + &root.root());
    let ran = folder.vac(&["verify", "signed", "--trust-root", "roots.pem", "--at", TIME]);
    is_refused(&ran, "expected one certificate, or 2 to 8");
    let secret = craft::signer().to_pem().expect("PEM");
    folder.write("key.pem", secret.as_bytes());
    let key = ["--key", "key.pem", "--insecure-key-permissions"];
    let signing = ["sign", "a.json", "--cert", "roots.pem", "-o", "out", key[0], key[1], key[2]];
    let ran = folder.vac(&signing);
    assert!(ran.code == 2 && ran.stderr.contains("at most 8 are allowed"), "{ran:?}");
}

#[test]
fn a_missing_revocation_check_is_said_in_help() {
    let help = Folder::new().vac(&["verify", "--help"]).stdout;
    assert!(help.contains("Revocation is not checked"), "{help}");
}
