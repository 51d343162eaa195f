//! Searches a text for the formats of secrets.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::formats::{
    BASE64, FORMATS, Format, PRIVATE_KEY, Part, TELEGRAM, TELEGRAM_PARTS, URL_PASSWORD, WORD,
};
use super::placeholder::is_placeholder;
use super::url;

/// What candidates begin with, and what each of them may be.
struct Needles {
    automaton: AhoCorasick,
    /// In the order of the automaton's patterns.
    meanings: Vec<Meaning>,
}

enum Meaning {
    /// The prefix of tokens in one of these formats.
    Token(Vec<&'static Format>),
    /// A part of the first line of a private key in PEM.
    PrivateKey,
    /// What is between the number of a bot and the rest of its token.
    Telegram,
    /// What is between the scheme and the authority of a URL.
    Url,
    /// The escape of a character below U+0100 in JSON.
    Escape,
}

static NEEDLES: LazyLock<Needles> = LazyLock::new(|| {
    let mut needles = vec![
        ("PRIVATE KEY", Meaning::PrivateKey),
        (":AA", Meaning::Telegram),
        ("://", Meaning::Url),
        (r":\/\/", Meaning::Url),
        (r"\u00", Meaning::Escape),
    ];
    for format in FORMATS {
        let is_shortest = !FORMATS.iter().any(|other| {
            other.prefix.len() < format.prefix.len() && format.prefix.starts_with(other.prefix)
        });
        if is_shortest && !needles.iter().any(|(prefix, _)| *prefix == format.prefix) {
            let formats = FORMATS.iter().filter(|it| it.prefix.starts_with(format.prefix));
            needles.push((format.prefix, Meaning::Token(formats.collect())));
        }
    }
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(needles.iter().map(|(needle, _)| needle))
        .expect("the needles are few and short");
    let meanings = needles.into_iter().map(|(_, meaning)| meaning).collect();
    Needles { automaton, meanings }
});

/// A search for secrets.
pub(super) struct Search(&'static Needles);

impl Search {
    pub fn new() -> Self {
        Self(&NEEDLES)
    }

    /// Calls `found` with the kind of each secret in a text, which may be JSON. Returns whether
    /// the text contains escapes of printable ASCII characters, which could be part of a secret.
    pub fn run(&self, text: &[u8], mut found: impl FnMut(&'static str)) -> bool {
        let mut is_hidden = false;
        for candidate in self.0.automaton.find_iter(text) {
            let (start, end) = (candidate.start(), candidate.end());
            match &self.0.meanings[candidate.pattern().as_usize()] {
                Meaning::Token(formats) if is_word_start(&text[..start]) => {
                    let matches = |format: &&&Format| {
                        let rest = text[start..].strip_prefix(format.prefix.as_bytes());
                        rest.is_some_and(|rest| has_parts(rest, format.parts))
                    };
                    if let Some(format) = formats.iter().find(matches) {
                        found(format.kind);
                    }
                }
                Meaning::Token(_) => {}
                Meaning::PrivateKey => {
                    if is_private_key(&text[..start], &text[end..]) {
                        found(PRIVATE_KEY);
                    }
                }
                Meaning::Telegram => {
                    if is_bot_number(&text[..start]) && has_parts(&text[end..], TELEGRAM_PARTS) {
                        found(TELEGRAM);
                    }
                }
                Meaning::Url => {
                    if text[..start].last().is_some_and(u8::is_ascii_alphanumeric)
                        && url::has_password(&text[end..])
                    {
                        found(URL_PASSWORD);
                    }
                }
                Meaning::Escape => is_hidden |= is_escape_of_printable(&text[end..]),
            }
        }
        is_hidden
    }
}

/// Returns whether a text begins with the parts of a token and does not go on like one, and the
/// token is not a placeholder.
fn has_parts(text: &[u8], parts: &[Part]) -> bool {
    let mut at = 0;
    let mut symbols = 0;
    for part in parts {
        let rest = &text[at..];
        match part {
            Part::Text(fixed) if rest.starts_with(fixed.as_bytes()) => at += fixed.len(),
            Part::Text(_) => return false,
            Part::Run(alphabet, min, max) => {
                let run = rest.iter().take(max + 1).take_while(|byte| alphabet.contains(**byte));
                let length = run.count();
                if length < *min || length > *max {
                    return false;
                }
                at += length;
                symbols = symbols.max(alphabet.len());
            }
        }
    }
    text.get(at).is_none_or(|next| !WORD.contains(*next)) && !is_placeholder(&text[..at], symbols)
}

/// Returns whether a word may start after this text: it is empty, or ends with what is not part of
/// a word. A minus sign is part of a word, but not at its start (a removed line of a diff).
fn is_word_start(before: &[u8]) -> bool {
    match before {
        [before @ .., b'-'] => before.last() != Some(&b'-') && is_boundary(before),
        _ => is_boundary(before),
    }
}

fn is_boundary(before: &[u8]) -> bool {
    before.last().is_none_or(|last| !WORD.contains(*last)) || is_escape(before)
}

/// Returns whether a text ends with an escape whose last character looks like part of a word: of
/// JSON (`\n`, `\u001b`), of a URL (`%3D`), or of a terminal (`ESC[1m`).
fn is_escape(text: &[u8]) -> bool {
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match text {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] => true,
        [.., b'%', one, two] => is_hex(&[*one, *two]),
        [.., b'\\', b'u', one, two, three, four] => is_hex(&[*one, *two, *three, *four]),
        [parameters @ .., b'm'] => {
            let is_parameter = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
            let count = parameters.iter().rev().take(16).take_while(is_parameter).count();
            parameters[..parameters.len() - count].ends_with(b"[")
        }
        _ => false,
    }
}

/// Returns whether the first line of a private key in PEM is before and after the words
/// `PRIVATE KEY`, and a line of base 64 follows. Code that only mentions the first line has none.
fn is_private_key(before: &[u8], after: &[u8]) -> bool {
    /// PEM headers and line numbers may come before the key.
    const WINDOW: usize = 256;
    /// Lines of PEM have 64 characters or more, except for the last one.
    const MIN_LINE: usize = 40;
    let is_label =
        |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b' ';
    let label = before.iter().rev().take(32).take_while(is_label).count();
    let (dashes, label) = before.split_at(before.len() - label);
    let after = after.strip_prefix(b" BLOCK").unwrap_or(after);
    let Some(after) = after.strip_prefix(b"-----") else { return false };
    let window = &after[..after.len().min(WINDOW)];
    let is_key = |line: &[u8]| line.len() >= MIN_LINE && !is_placeholder(line, BASE64.len());
    dashes.ends_with(b"-----")
        && label.starts_with(b"BEGIN ")
        && window.split(|byte| !BASE64.contains(*byte)).any(is_key)
}

/// Returns whether a text ends with the number of a bot.
fn is_bot_number(text: &[u8]) -> bool {
    let digits = text.iter().rev().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    // URLs of the API contain `/bot<token>/`.
    let before = &text[..text.len() - digits];
    (8..=10).contains(&digits) && (is_word_start(before) || before.ends_with(b"/bot"))
}

/// Returns whether `\u00` and this text are the escape of a character that need not be escaped, and
/// that programs do not escape for HTML either.
fn is_escape_of_printable(text: &[u8]) -> bool {
    let digit = |at: usize| text.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let code = digit(0).zip(digit(1)).map(|(high, low)| high << 4 | low);
    let character = code.and_then(char::from_u32);
    character.is_some_and(|it| it.is_ascii_graphic() && !"\"'\\<>&".contains(it))
}
