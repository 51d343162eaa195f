//! Tests pages of records that are signed in all ways.

use vac_html::{Contents, MAX_ENTRIES, MAX_RECORD, Page, PageError, is_page};
use vac_sign::sign::{Carriage, Checked, Invalid, SignOptions, sign};
use vac_sign::{SecretKey, Signer as _, Verification, verify};
use vac_value::{Document, Encoder, Encoding, transcode};

const RECORD: &str = r#"{"version": "3.0.0-draft", "id": "r", "session": {
    "session-id": "s</title><script>", "agent-meta": {"model-id": "m", "model-provider": "p"},
    "entries": [
        {"type": "user", "content": "hi", "timestamp": 1772352000000},
        {"type": "tool-call", "name": "run", "input": {}, "vac": {"outcome": "error"}}]}}"#;

fn key() -> SecretKey {
    SecretKey::ed25519(&[7; 32])
}

fn envelope(carriage: Carriage) -> Vec<u8> {
    let checked = Checked::new(RECORD.as_bytes(), Encoding::Json);
    let checked = checked.map_err(Invalid::into_violations).expect("a valid record");
    let options = SignOptions { carriage, ..SignOptions::default() };
    sign(&checked, &options, &key()).expect("signed").to_vec()
}

fn signed(carriage: Carriage) -> Contents {
    let is_apart = !matches!(carriage, Carriage::Attached);
    Contents {
        document: envelope(carriage),
        record: is_apart.then(|| RECORD.as_bytes().to_vec()),
        key: Some(key().public_key().clone()),
    }
}

fn unsigned(record: &str) -> Contents {
    Contents { document: record.as_bytes().to_vec(), record: None, key: None }
}

fn page(contents: Contents) -> Page {
    Page { contents, version: "1.0".to_owned() }
}

fn render(contents: Contents) -> String {
    let page = page(contents).render(&[]).expect("a page");
    String::from_utf8(page).expect("text")
}

#[test]
fn page_contains_the_exact_signed_bytes() {
    for carriage in [Carriage::Attached, Carriage::Detached, Carriage::Digest] {
        let contents = signed(carriage);
        let html = render(contents.clone());
        assert!(is_page(html.as_bytes()));
        let found = Page::read(html.as_bytes()).expect("a page").contents;
        assert_eq!(found, contents);
        let with = Verification {
            key: found.key.as_ref(),
            record: found.record.as_deref(),
            ..Verification::default()
        };
        assert!(verify(&found.document, &with).is_verified());
    }
}

#[test]
fn page_of_its_contents_is_the_same_page() {
    for contents in [signed(Carriage::Attached), signed(Carriage::Digest), unsigned(RECORD)] {
        let html = render(contents);
        let again = Page::read(html.as_bytes()).expect("a page").render(&[]).expect("a page");
        assert!(again == html.as_bytes());
    }
}

#[test]
fn record_in_cbor_has_a_page() {
    let document = Document::json(RECORD.as_bytes()).expect("JSON");
    let mut encoder = Encoder::cbor();
    transcode(&document, &mut encoder).expect("CBOR");
    let contents = Contents { document: encoder.finish(), record: None, key: None };
    let html = render(contents.clone());
    assert_eq!(Page::read(html.as_bytes()).expect("a page").contents, contents);
}

#[test]
fn words_of_a_record_are_not_html() {
    let html = render(unsigned(RECORD));
    assert!(html.contains("<title>Agent session s&lt;/title&gt;&lt;script&gt;</title>"));
    assert_eq!(html.matches("<script").count(), 1);
    assert_eq!(html.matches("</script>").count(), 1);
}

#[test]
fn policy_allows_nothing_but_the_page_itself() {
    let html = render(unsigned(RECORD));
    let (_, policy) = html.split_once("Content-Security-Policy\" content=\"").expect("a policy");
    let (policy, _) = policy.split_once('"').expect("the end of the policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http") && !policy.contains('*'));
}

#[test]
fn envelope_without_its_record_is_refused() {
    let contents = Contents { record: None, ..signed(Carriage::Detached) };
    let error = page(contents).render(&[]).expect_err("no record");
    assert!(matches!(error, PageError::RecordMissing), "{error}");
}

#[test]
fn documents_that_are_not_records_are_refused() {
    for document in ["", "{", "{}", "[1]", r#"{"version": "3.0.0-draft", "id": "r"}"#] {
        let error = page(unsigned(document)).render(&[]).expect_err(document);
        assert!(matches!(error, PageError::Record(_)), "{document}: {error}");
    }
}

#[test]
fn too_large_records_are_refused_with_advice() {
    let size = PageError::TooLarge { size: MAX_RECORD + 1 }.to_string();
    assert!(size.contains("vac events"), "{size}");
    let document = vec![b' '; MAX_RECORD + 1];
    let contents = Contents { document, record: None, key: None };
    let error = page(contents).render(&[]).expect_err("too large");
    assert!(matches!(error, PageError::TooLarge { .. }), "{error}");
    let entries = PageError::TooManyEntries { entries: MAX_ENTRIES + 1 }.to_string();
    assert!(entries.contains("vac events"), "{entries}");
}

#[test]
fn other_bytes_are_not_pages() {
    let page = render(unsigned(RECORD));
    for (bytes, why) in [
        ("<html>".to_owned(), "does not begin"),
        (page.replace("vac-document", "vac-other"), "contains no document"),
        (page.replace("name=\"generator\"", "name=\"x\""), "states no version"),
    ] {
        let error = Page::read(bytes.as_bytes()).expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn changed_page_is_not_the_page_of_its_contents() {
    let page = render(signed(Carriage::Attached));
    let changed = page.replace("A page can claim anything", "This page is right");
    assert_ne!(page, changed);
    let again = Page::read(changed.as_bytes()).expect("a page").render(&[]).expect("a page");
    assert!(again == page.as_bytes());
}
