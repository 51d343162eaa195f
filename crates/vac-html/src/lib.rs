//! Renders a record as one HTML page that shows it, contains the signed bytes and verifies their
//! signature.
//!
//! ```
//! use vac_html::{Contents, Page};
//! use vac_sign::sign::{Checked, Invalid, SignOptions, sign};
//! use vac_sign::{SecretKey, Signer as _};
//! use vac_value::Encoding;
//!
//! let record = br#"{"version": "3.0.0-draft", "id": "r", "session": {
//!     "session-id": "s", "agent-meta": {"model-id": "m", "model-provider": "p"},
//!     "entries": [{"type": "user", "content": "hi", "timestamp": 1772352000000}]}}"#;
//! let key = SecretKey::ed25519(&[7; 32]); // use 32 random bytes
//! let checked = Checked::new(record, Encoding::Json).map_err(Invalid::into_violations)?;
//! let envelope = sign(&checked, &SignOptions::default(), &key)?.to_vec();
//!
//! let key = key.public_key().clone();
//! let contents = Contents { document: envelope.clone(), record: None, key: Some(key) };
//! let page = Page { contents, version: "1.0".to_owned() };
//! let html = page.render(&[])?;
//!
//! // The page contains its input, so making it again gives the same bytes.
//! let found = Page::read(&html)?;
//! assert_eq!(found.contents.document, envelope);
//! assert_eq!(found.render(&[])?, html);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a page contains
//!
//! The parts are elements `template`, which a browser neither shows nor runs:
//!
//! | id | content |
//! |---|---|
//! | `vac-document` | the exact bytes of the envelope, or of a record that is not signed |
//! | `vac-record` | the exact bytes of the record, if the envelope does not contain it |
//! | `vac-key` | the public key in PEM that the page was made with |
//! | `vac-computed` | what `vac` computed: its answers about the signature, facts about the session, and the command, paths and outcome of each call |
//!
//! All but the key are compressed with gzip and encoded in base64.
//!
//! # Decisions
//!
//! * **The page shows what it decodes from the signed bytes.** What `vac` computed is a separate
//!   part, and is labelled as such.
//! * **Three statements.** The page separates the answers of `vac` when it made the page, the
//!   answers of the browser now, and a notice that a page can claim anything. [`Page::read`]
//!   returns the envelope, which can be verified without a browser, and rendering its result has to
//!   give the same bytes.
//! * **Deterministic.** A page depends on its [`Contents`], on the adapters and on the build of
//!   `vac`, which it states. No clock is read: whether claims and certificates are valid today is
//!   not part of a page.
//! * **No content of a record is executed.** The page's script sets text only, and its content
//!   security policy allows one script and one style by their hashes, images in `data:` and nothing
//!   else: no network, no forms, no frames.
//! * **Bounded.** Records above [`MAX_RECORD`] bytes or [`MAX_ENTRIES`] entries are refused.
//! * The script is hand-written in `page/`, without framework and build step. Its files are
//!   concatenated in the order of `SCRIPTS` in `assets.rs`.

mod assets;
mod block;
mod computed;
mod error;
mod page;

pub use error::PageError;
pub use page::{Contents, MAX_ENTRIES, MAX_RECORD, Page, is_page};
