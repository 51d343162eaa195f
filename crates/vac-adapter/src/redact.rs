//! Redacts secrets in bytes that are kept unparsed.
//!
//! Some native members contain secrets that no record may contain. An adapter leaves them out
//! of the documents that it parses, where it knows their place. In bytes that could not be parsed,
//! this module searches for the *names* of the secrets: in any spelling that a JSON reader would
//! take for the name (escapes, also of JSON inside JSON strings), and in spellings that damage
//! commonly leaves (space, line ends, NUL bytes and bytes that are not ASCII between the letters,
//! as in UTF-16).
//!
//! * A [`Redactor`] follows the frames of a log and decides which of them must not be kept.
//! * [`entry`] creates the entry of such a frame: its length and SHA-256 digest or, if the object
//!   is complete and only has a duplicate key, its text without the secrets.
//!
//! ```
//! use vac_adapter::redact::Secrets;
//!
//! const SECRETS: Secrets = Secrets::new(&["secret"]);
//! assert!(SECRETS.are_readable_in(br#"{"s\u0065cret": "hush", "url"#));
//! assert!(SECRETS.are_readable_in(br#"{"text": "{\"secret\":\n\"hush\"}"#));
//! assert!(!SECRETS.are_readable_in(br#"{"text": "The Secret Garden, no secret at all"#));
//! ```
//!
//! # Decisions
//!
//! * The end of a value is uncertain in damaged text, so nothing of the frame is kept.
//! * A name counts if a quotation mark, a colon or the end of the frame follows within four
//!   characters: a word in running text is not a member.
//! * A damaged document is several frames, one per line. The bytes after a frame with a secret's
//!   name may be the secret, so every frame is redacted up to the next complete object or array.

use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest, Sha256};
use vac_record::annotations;
use vac_record::{Entry, EventEntry};
use vac_value::{Any, Document, Encode, EncodeError, Kind, Node};

use crate::frame::{Content, Frame, Place, Raw, Reason};
use crate::members::Rest;
use crate::raw::{self, KnownMembers, push};

/// The `reason` in the data of a frame that was redacted as a whole.
pub const REASON: &str = annotations::UnparsedReason::Redacted.as_str();

/// The text that replaces the name of a redacted member.
const BLANK: &[u8] = b"\"(redacted)\"";

/// The maximum length of a name that can be searched for.
const MAX_NAME: usize = 64;
/// The number of characters after a name among which a quotation mark or a colon has to be.
const CONTEXT: u8 = 4;
/// The maximum number of times that escapes are undone. Text that is escaped more often is redacted
/// without a search.
const MAX_LEVELS: usize = 8;
/// The bit that marks a letter which ends an escape sequence (the `n` of `\n`). It is part of a
/// name only if the backslash is damage. Other bytes with this bit are never part of a name.
const ESCAPED: u8 = 0x80;

/// The names of members whose values are secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secrets(&'static [&'static str]);

impl Secrets {
    /// Lists secrets by the names of their members, as the agent writes them.
    ///
    /// # Panics
    /// If a name is empty, longer than 64 bytes or contains other characters than ASCII letters. In
    /// a constant, that is a compile error.
    pub const fn new(names: &'static [&'static str]) -> Self {
        let mut at = 0;
        while at < names.len() {
            let name = names[at].as_bytes();
            assert!(!name.is_empty() && name.len() <= MAX_NAME, "a name of 1 to 64 bytes");
            let mut byte = 0;
            while byte < name.len() {
                assert!(name[byte].is_ascii_alphabetic(), "a name of ASCII letters");
                byte += 1;
            }
            at += 1;
        }
        Self(names)
    }

    /// Returns whether this is the name of a secret.
    pub fn contains(self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// Returns whether bytes contain the name of a secret in any of the searched spellings.
    pub fn are_readable_in(self, bytes: &[u8]) -> bool {
        let mut search = Search::new(self);
        search.add(bytes);
        search.is_found()
    }

    /// Returns whether the decoded form of base64 text contains the name of a secret. Returns true
    /// for text that is not base64.
    pub fn are_readable_in_base64(self, text: &[u8]) -> bool {
        let mut search = Search::new(self);
        for part in text.chunks(1 << 12) {
            match BASE64.decode(part) {
                Ok(bytes) => search.add(&bytes),
                Err(_) => return true,
            }
        }
        search.is_found()
    }

    /// Returns the text of a value without its secrets, at every depth, and their number; `None`
    /// without secrets.
    pub fn without_secrets(self, node: Node<'_, '_>) -> Option<(Vec<u8>, u64)> {
        let maps = (node.index()..node.after()).map(|index| node.document().node(index));
        let members = maps.flat_map(Node::members);
        let secrets = members.filter(|(key, _)| key.text().is_some_and(|key| self.contains(&key)));
        let end = |node: Node<'_, '_>| node.offset() + node.raw().len();
        let mut spans: Vec<_> = secrets.map(|(key, value)| (key.offset(), end(value))).collect();
        if spans.is_empty() {
            return None;
        }
        spans.sort_unstable();
        let (raw, start) = (node.raw(), node.offset());
        let mut text = Vec::with_capacity(raw.len());
        let (mut at, mut count) = (start, 0);
        for (from, to) in spans.into_iter().filter(|(from, to)| from < to) {
            // A secret inside another one is already removed.
            if from >= at {
                text.extend_from_slice(&raw[at - start..from - start]);
                text.extend_from_slice(BLANK);
                text.extend_from_slice(b":null");
                (at, count) = (to, count + 1);
            }
        }
        text.extend_from_slice(&raw[at - start..]);
        Some((text, count))
    }
}

/// Follows the frames of a log, in their order, and decides which of them must not be kept.
#[derive(Debug)]
pub struct Redactor {
    search: Search,
    file: usize,
}

impl Redactor {
    /// Creates a redactor at the beginning of a log.
    pub fn new(secrets: Secrets) -> Self {
        Self { search: Search::new(secrets), file: 0 }
    }

    /// Returns whether a frame must be redacted. A complete object or array never is, because its
    /// adapter knows where it has secrets.
    pub fn is_redacted(&mut self, frame: &Frame<'_>) -> bool {
        self.enter(frame.place);
        match &frame.content {
            Content::Document(document) => match document.root().kind() {
                Kind::Map | Kind::Array => {
                    self.end();
                    false
                }
                _ => self.add(document.root().raw()),
            },
            Content::Raw(Raw { document: Some(document), .. }) => {
                self.end();
                let is_redacted = self.add(document.root().raw());
                self.end();
                is_redacted
            }
            // Only the number of NUL bytes is kept.
            Content::Raw(Raw { reason: Reason::Nul, .. }) => false,
            Content::Raw(raw) => self.add(raw.bytes),
        }
    }

    /// Starts again if this place is in another file.
    pub fn enter(&mut self, place: Place) {
        if place.file != self.file {
            self.file = place.file;
            self.end();
        }
    }

    /// Returns whether further unparsed bytes must be redacted.
    pub fn add(&mut self, bytes: &[u8]) -> bool {
        self.search.add(bytes);
        self.search.is_found()
    }

    /// Ends the unparsed bytes: a complete value separates those before and after it.
    pub fn end(&mut self) {
        self.search = Search::new(self.search.secrets);
    }
}

/// Returns the entry of a frame that must be redacted.
pub fn entry<'a>(
    secrets: Secrets,
    bytes: &[u8],
    reason: &Reason,
    place: Place,
    known: KnownMembers<'a>,
) -> Entry<'a> {
    if *reason == Reason::DuplicateKey
        && let Ok(document) = Document::json(bytes)
        && let Some((kept, count)) = secrets.without_secrets(document.root())
        && !secrets.are_readable_in(&kept)
    {
        let mut entry = raw::entry(&kept, reason, place, known);
        if let Entry::Event(EventEntry { data: Some(data), .. }) = &mut entry {
            push(data, "redacted", &count);
        }
        return entry;
    }
    let mut data = Rest::default();
    push(&mut data, "line", &place.line);
    push_digest(&mut data, bytes);
    raw::event(data, place, known, annotations::UnparsedReason::Redacted)
}

/// Returns the text that replaces the source of an entry with redacted secrets. The source itself
/// must not be written if the entry cannot be expressed in the record's encoding.
pub fn origin(entry: &Entry<'_>) -> Result<Vec<u8>, EncodeError> {
    entry.to_json().map(String::into_bytes)
}

/// Returns the value that replaces a redacted value.
pub fn value(bytes: &[u8]) -> Any<'static> {
    let mut members = Rest::default();
    push(&mut members, "reason", REASON);
    push_digest(&mut members, bytes);
    Any::members(members)
}

fn push_digest(members: &mut Rest<'_>, bytes: &[u8]) {
    push(members, "length", &(bytes.len() as u64));
    push(members, "sha-256", HEXLOWER.encode(&Sha256::digest(bytes)).as_str());
}

/// Searches bytes for names, in one pass and constant memory.
#[derive(Debug)]
struct Search {
    secrets: Secrets,
    /// The levels of escapes. Each removes the escapes from the output of the previous one.
    levels: [Escape; MAX_LEVELS],
    /// The number of levels that have read an escape.
    used: usize,
    /// The characters that names end with, a bit for each.
    last: u128,
    /// The last characters, with escapes such as `\n` as space.
    without_escaped: Tail,
    /// The last characters, with the backslash of such escapes as damage.
    with_escaped: Tail,
    /// The number of further characters that may show that the word before them is a name.
    context: u8,
    is_found: bool,
    /// The number of characters that all levels together have read.
    #[cfg(test)]
    steps: usize,
}

/// The position of a level in an escape sequence.
#[derive(Clone, Copy, Debug)]
enum Escape {
    Outside,
    Backslash,
    /// After `\u`, with the digits so far and their number.
    Hex([u8; 4], usize),
}

impl Search {
    fn new(secrets: Secrets) -> Self {
        Self {
            secrets,
            levels: [Escape::Outside; MAX_LEVELS],
            used: 0,
            last: secrets
                .0
                .iter()
                .fold(0, |last, name| last | name.bytes().next_back().map_or(0, |byte| 1 << byte)),
            without_escaped: Tail::default(),
            with_escaped: Tail::default(),
            context: 0,
            is_found: false,
            #[cfg(test)]
            steps: 0,
        }
    }

    fn is_found(&self) -> bool {
        self.is_found || self.context > 0
    }

    fn add(&mut self, bytes: &[u8]) {
        // A name at the end of the bytes counts as found.
        self.is_found |= self.context > 0;
        for &byte in bytes {
            if self.is_found {
                return;
            }
            if byte.is_ascii_graphic() {
                self.undo(0, byte);
            }
        }
    }

    /// Reads a character from the level before this one.
    fn undo(&mut self, level: usize, char: u8) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
        if level == self.used {
            if char != b'\\' {
                return self.read(char);
            }
            if level == MAX_LEVELS {
                self.is_found = true;
                return;
            }
            self.used += 1;
        }
        let next = level + 1;
        match self.levels[level] {
            Escape::Outside if char == b'\\' => self.levels[level] = Escape::Backslash,
            Escape::Outside => self.undo(next, char),
            Escape::Backslash => {
                self.levels[level] = match char {
                    // Backslashes are doubled with every level, and damage may have cut some.
                    b'\\' => return,
                    b'u' => Escape::Hex([0; 4], 0),
                    _ => Escape::Outside,
                };
                match char {
                    b'u' => {}
                    b'b' | b'f' | b'n' | b'r' | b't' => self.undo(next, char | ESCAPED),
                    _ => self.undo(next, char),
                }
            }
            Escape::Hex(mut digits, count) if char.is_ascii_hexdigit() => {
                digits[count] = char;
                if count + 1 < digits.len() {
                    self.levels[level] = Escape::Hex(digits, count + 1);
                    return;
                }
                self.levels[level] = Escape::Outside;
                let unit = digits.iter().fold(0, |unit, digit| unit << 4 | hex(*digit));
                if let Ok(unit) = u8::try_from(unit)
                    && unit.is_ascii_graphic()
                {
                    self.undo(next, unit);
                }
            }
            Escape::Hex(digits, count) => {
                self.levels[level] = Escape::Outside;
                self.undo(next, b'u');
                for digit in &digits[..count] {
                    self.undo(next, *digit);
                }
                self.undo(level, char);
            }
        }
    }

    /// Reads a character without escapes.
    fn read(&mut self, char: u8) {
        if self.context > 0 {
            self.is_found |= matches!(char, b'"' | b':');
            self.context -= 1;
        }
        if char & ESCAPED == 0 {
            self.without_escaped.push(char);
        }
        self.with_escaped.push(char & !ESCAPED);
        let may_end = self.last >> (char & !ESCAPED) & 1 == 1;
        let ends = |tail: &Tail| tail.ends_with_any(self.secrets);
        if may_end && (ends(&self.without_escaped) || ends(&self.with_escaped)) {
            self.context = CONTEXT;
        }
    }
}

fn hex(digit: u8) -> u32 {
    char::from(digit).to_digit(16).expect("a hexadecimal digit")
}

/// The last characters that were read.
#[derive(Debug)]
struct Tail {
    chars: [u8; MAX_NAME],
    next: usize,
}

impl Default for Tail {
    fn default() -> Self {
        Self { chars: [0; MAX_NAME], next: 0 }
    }
}

impl Tail {
    fn push(&mut self, char: u8) {
        self.chars[self.next] = char;
        self.next = (self.next + 1) % MAX_NAME;
    }

    fn ends_with_any(&self, secrets: Secrets) -> bool {
        secrets.0.iter().any(|name| {
            let places = (1..=MAX_NAME).map(|back| (self.next + MAX_NAME - back) % MAX_NAME);
            name.bytes().rev().zip(places).all(|(char, place)| self.chars[place] == char)
        })
    }
}

#[cfg(test)]
mod tests;
