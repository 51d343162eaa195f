//! Recognises likely secrets in texts: access tokens, private keys, and passwords in URLs.
//!
//! It is here, below everything that describes a value in a message, so that no message shows a
//! secret: [`found`](crate::found), paths and violations ask [`contains_secret`].
//!
//! # Decisions
//!
//! * **Published formats only.** A token has a prefix that names its issuer, and a rest of a known
//!   length and alphabet. A hash, a UUID or a blob of base64 has no such prefix at the start of a
//!   word, so that it is not reported. Secrets without a format (most passwords) are not found.
//! * **Linear time, and most bytes are skipped.** A token has a word of at least 20 characters, so
//!   the search moves on by 20 bytes at a time where words are shorter. What has no such word is
//!   searched by a fixed text in it: passwords in URLs by their `@`, private keys by their first
//!   line. What is found is compared up to a fixed length, without backtracking.
//! * **JSON is searched as it is written.** No token contains a character that has to be escaped,
//!   and a backslash ends a token. JSON inside of a string, whose quotes are escaped, needs no
//!   decoding either. Only strings in which letters, digits or punctuation are escaped
//!   (`\u0067hp_...`) are decoded.

mod anchored;
mod formats;
mod pem;
mod placeholder;
mod search;
#[cfg(test)]
mod tests;
mod url;

pub use pem::{SplitKey, has_key_header};
pub use search::{has_needless_escape, search};

/// The kind of a private key.
pub const PRIVATE_KEY: &str = formats::PRIVATE_KEY;

/// All kinds of secrets that are found, in alphabetical order.
pub const SECRET_KINDS: &[&str] = formats::KINDS;

/// Returns whether a text contains a likely secret.
pub fn contains_secret(text: &str) -> bool {
    let mut is_found = false;
    search(text.as_bytes(), |_| is_found = true);
    is_found
}
