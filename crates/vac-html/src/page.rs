//! Renders pages, and reads the data that they contain.

use std::fmt::Write as _;

use vac_adapter::Adapter;
use vac_sign::{PublicKey, Verification, verify};
use vac_validate::detect_encoding;
use vac_validate::signed::{self, Payload};
use vac_value::{Document, harmless};

use crate::assets::{BODY, STYLE, policy, script};
use crate::block;
use crate::computed::Computed;
use crate::error::PageError;

/// The maximum size of a record in a page, in bytes. A browser has to keep it and its text in
/// memory.
pub const MAX_RECORD: usize = 256 << 20;
/// The maximum number of entries in a page, with children.
pub const MAX_ENTRIES: u64 = 200_000;

/// The maximum size of an envelope without its record.
const MAX_ENVELOPE: usize = 4 << 20;
const DOCUMENT: &str = "vac-document";
const RECORD: &str = "vac-record";
const KEY: &str = "vac-key";
const COMPUTED: &str = "vac-computed";
const GENERATOR: &str = "<meta name=\"generator\" content=\"vac ";
const BEGINNING: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n";

/// The data that a page is rendered from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The bytes of an envelope, or of a record that is not signed.
    pub document: Vec<u8>,
    /// The bytes of the record, if the envelope does not contain it.
    pub record: Option<Vec<u8>>,
    /// The signer's key.
    pub key: Option<PublicKey>,
}

/// An HTML page of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The document and the key that the page is rendered from.
    pub contents: Contents,
    /// The build of `vac` that renders or rendered the page.
    pub version: String,
}

/// Returns whether bytes begin like a page of `vac`, which may still be damaged. Other line ends
/// and a byte order mark, which mail programs and editors write, are accepted.
pub fn is_page(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut beginning = bytes.iter().filter(|byte| **byte != b'\r');
    BEGINNING.bytes().all(|expected| beginning.next() == Some(&expected))
}

impl Page {
    /// Renders the page. The adapters in `agents` provide the tables of tools.
    ///
    /// Reading a record recurses as deep as the record nests, which is at most 256 levels.
    ///
    /// # Errors
    /// If there is not exactly one valid record, or it is too large.
    pub fn render(&self, agents: &[&'static dyn Adapter]) -> Result<Vec<u8>, PageError> {
        let Contents { document, record, key } = &self.contents;
        for bytes in [Some(document), record.as_ref()].into_iter().flatten() {
            if bytes.len() > MAX_RECORD {
                return Err(PageError::TooLarge { size: bytes.len() });
            }
        }
        let computed = self.computed(agents)?;
        if computed.count() > MAX_ENTRIES {
            return Err(PageError::TooManyEntries { entries: computed.count() });
        }
        let script = script();
        let mut page = String::with_capacity(document.len() / 2 + script.len() + BODY.len());
        page.push_str(BEGINNING);
        let policy = policy(&script, STYLE);
        let title = escape(&harmless(computed.session_id()));
        write!(
            page,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             {GENERATOR}{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>Agent session {title}</title>\n\
             <style>{STYLE}</style>\n\
             {BODY}",
            escape(&harmless(&self.version)),
        )
        .expect("writing to a string cannot fail");
        block::write(&mut page, DOCUMENT, document);
        if let Some(record) = record {
            block::write(&mut page, RECORD, record);
        }
        if let Some(key) = key {
            let pem = key.to_pem().map_err(PageError::Key)?;
            block::write_text(&mut page, KEY, &pem);
        }
        block::write(&mut page, COMPUTED, &computed.to_json());
        writeln!(page, "<script>{script}</script>").expect("writing to a string cannot fail");
        Ok(page.into_bytes())
    }

    /// Reads the data that a page contains. What else the page shows is not checked: to check it,
    /// render the result and compare the bytes.
    ///
    /// # Errors
    /// If the bytes are not a page, or a part of it is damaged.
    pub fn read(bytes: &[u8]) -> Result<Self, PageError> {
        let not_a_page = |reason: &str| PageError::NotAPage(reason.to_owned());
        if !is_page(bytes) {
            return Err(not_a_page("it does not begin as pages do"));
        }
        let page = std::str::from_utf8(bytes).map_err(|_| not_a_page("it is not UTF-8"))?;
        let max = MAX_RECORD + MAX_ENVELOPE;
        let document = block::bytes(page, DOCUMENT, max)?;
        let key = block::text(page, KEY)?.map(PublicKey::from_pem).transpose();
        let version = page.split_once(GENERATOR).and_then(|(_, rest)| rest.split_once('"'));
        Ok(Self {
            contents: Contents {
                document: document.ok_or_else(|| not_a_page("it contains no document"))?,
                record: block::bytes(page, RECORD, max)?,
                key: key.map_err(|error| PageError::NotAPage(format!("its key is {error}")))?,
            },
            version: version.ok_or_else(|| not_a_page("it states no version"))?.0.to_owned(),
        })
    }

    fn computed(&self, agents: &[&'static dyn Adapter]) -> Result<Computed<'_>, PageError> {
        let Contents { document: bytes, record, key } = &self.contents;
        let document =
            Document::scan(bytes, detect_encoding(bytes)).map_err(PageError::not_a_record)?;
        let payload = signed::payload(&document);
        let answers = payload.is_some().then(|| {
            let with = Verification {
                key: key.as_ref(),
                record: record.as_deref(),
                ..Verification::default()
            };
            verify(bytes, &with)
        });
        let thumbprint = key.as_ref().map(PublicKey::thumbprint_uri);
        let answers = answers.as_ref().map(|answers| (answers, thumbprint));
        let apart;
        let shown = match (payload, record) {
            (Some(Payload::Detached | Payload::Digest), None) => {
                return Err(PageError::RecordMissing);
            }
            (Some(Payload::Detached | Payload::Digest), Some(record)) => {
                let encoding = detect_encoding(record);
                apart = Document::scan(record, encoding).map_err(PageError::not_a_record)?;
                &apart
            }
            _ => &document,
        };
        Computed::new(shown, agents, answers, &self.version).map_err(PageError::Record)
    }
}

/// Escapes text for use in HTML.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(character),
        }
    }
    escaped
}
