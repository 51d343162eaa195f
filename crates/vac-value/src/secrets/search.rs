//! Searches a text for the formats of secrets.

use std::sync::LazyLock;

use memchr::memchr_iter;
use memchr::memmem::{Finder, find_iter};

use super::formats::{
    BASE64URL, DISCORD, DISCORD_PARTS, FORMATS, Format, PRIVATE_KEY, Part, TELEGRAM,
    TELEGRAM_PARTS, URL_PASSWORD, WORD,
};
use super::placeholder::is_placeholder;
use super::{anchored, pem, url};

/// The minimum number of characters of the longest word in a token. Ordinary words are shorter.
pub(super) const MIN_WORD: usize = 20;

/// Whether a byte is part of a word.
static IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte as usize] = BASE64URL.contains(byte);
        byte += 1;
    }
    table
};

/// The formats of tokens, by the first byte of their prefix, or by its last one if that is not part
/// of a word (`SG.`).
static BY_BYTE: LazyLock<Vec<Vec<&'static Format>>> = LazyLock::new(|| {
    let mut formats = vec![Vec::new(); 256];
    for format in FORMATS {
        let prefix = format.prefix.as_bytes();
        let byte = if is_before_word(format) { prefix.last() } else { prefix.first() };
        formats[usize::from(*byte.expect("no prefix is empty"))].push(format);
    }
    formats
});

static PEM: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(pem::WORDS));

/// Returns whether the long word of a format begins after its prefix.
fn is_before_word(format: &Format) -> bool {
    format.prefix.bytes().last().is_some_and(|byte| !IS_WORD[usize::from(byte)])
}

/// Calls `found` with the kind of each secret in a text, which may be the inside of a JSON string.
pub fn search(text: &[u8], mut found: impl FnMut(&'static str)) {
    for_each_long_word(text, |start| {
        if let Some(kind) = token(text, start) {
            found(kind);
        }
    });
    // A password may contain an `@`: each URL counts once.
    let mut last_url = None;
    for at in memchr_iter(b'@', text) {
        let url = url::password_start(&text[..at], &text[at + 1..]);
        if url.is_some() && std::mem::replace(&mut last_url, url) != url {
            found(URL_PASSWORD);
        }
    }
    anchored::search(text, &mut found);
    for at in PEM.find_iter(text) {
        if pem::is_private_key(&text[..at], &text[at + PEM.needle().len()..]) {
            found(PRIVATE_KEY);
        }
    }
}

/// Calls a function with the start of each word of at least [`MIN_WORD`] bytes. Most bytes are
/// skipped: if the byte where a long word would have to reach is not part of a word, none of those
/// before it begins one.
fn for_each_long_word(text: &[u8], mut visit: impl FnMut(usize)) {
    // The start of the current word, and the end of its part that has been examined.
    let (mut start, mut examined) = (0, 0);
    while let Some(part) = text.get(examined..start + MIN_WORD) {
        match part.iter().rposition(|byte| !IS_WORD[usize::from(*byte)]) {
            Some(last) => (start, examined) = (examined + last + 1, start + MIN_WORD),
            None => {
                visit(start);
                let rest = &text[start + MIN_WORD..];
                let end = rest.iter().position(|byte| !IS_WORD[usize::from(*byte)]);
                let Some(end) = end else { return };
                start += MIN_WORD + end + 1;
                examined = start;
            }
        }
    }
}

/// Returns the kind of the token that a long word is, or is the first long word of.
fn token(text: &[u8], word: usize) -> Option<&'static str> {
    let start = skip_escape(text, word);
    let matches = |format: &&&Format, at: usize| {
        let rest = text.get(at..).and_then(|text| text.strip_prefix(format.prefix.as_bytes()));
        rest.is_some_and(|rest| has_parts(rest, format.parts))
    };
    let formats = |at: Option<&u8>| &BY_BYTE[at.map_or(0, |byte| usize::from(*byte))];
    if let Some(format) = formats(text.get(start)).iter().find(|format| matches(format, start)) {
        return Some(format.kind);
    }
    if is_bot_in_base64(&text[start..]) {
        return Some(DISCORD);
    }
    let before = &text[..word];
    if before.last().is_none_or(|byte| !b".:".contains(byte)) {
        return None;
    }
    if is_bot_number(before) && has_parts(&text[word..], TELEGRAM_PARTS) {
        return Some(TELEGRAM);
    }
    let matches = |format: &&&Format| {
        let start = before.strip_suffix(format.prefix.as_bytes());
        start.is_some_and(|start| is_word_start(start) && matches(format, start.len()))
    };
    formats(before.last()).iter().find(matches).map(|format| format.kind)
}

/// Returns where a word starts that seems to start at `word`: after the rest of an escape of JSON
/// (`\n`, `\u001b`), of a URL (`%3D`) or of a terminal (`ESC[1m`, `ESC[K`), and after a minus sign
/// (a removed line of a diff).
fn skip_escape(text: &[u8], word: usize) -> usize {
    let (before, after) = text.split_at(word);
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    let escape = match (before.last(), after) {
        (Some(b'\\'), [b'n' | b'r' | b't' | b'b' | b'f', ..]) => 1,
        (Some(b'\\'), [b'u', digits @ ..]) if digits.get(..4).is_some_and(is_hex) => 5,
        (Some(b'%'), digits) if digits.get(..2).is_some_and(is_hex) => 2,
        (Some(b'[' | b';' | b':' | b'?'), _) => {
            let digits = after.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
            match after.get(digits) {
                // In logs, the escape character before colours is often missing.
                Some(b'm') => digits + 1,
                Some(end) if end.is_ascii_alphabetic() && is_in_control_sequence(before) => {
                    digits + 1
                }
                _ => 0,
            }
        }
        _ => 0,
    };
    let is_minus = matches!(after[escape..], [b'-', next, ..] if next != b'-');
    word + escape + usize::from(is_minus)
}

/// Returns whether a text ends inside a control sequence of a terminal: after the escape character,
/// as a byte or as the escape of a string, a bracket and perhaps parameters.
fn is_in_control_sequence(text: &[u8]) -> bool {
    let is_parameter = |byte: &&u8| matches!(byte, b'0'..=b'?');
    let parameters = text.iter().rev().take(16).take_while(is_parameter).count();
    let Some(before) = text[..text.len() - parameters].strip_suffix(b"[") else { return false };
    let escapes: [&[u8]; 6] = [b"\x1b", b"u001b", b"u001B", b"x1b", b"x1B", b"033"];
    escapes.iter().any(|escape| before.ends_with(escape)) || before.ends_with(br"\e")
}

/// Returns whether a word may start after this text.
pub(super) fn is_word_start(before: &[u8]) -> bool {
    let rest = before.iter().rev().take(8).take_while(|byte| IS_WORD[usize::from(**byte)]).count();
    let start = skip_escape(before, before.len() - rest);
    // The minus sign of a removed line may be the last character.
    start == before.len() || before[start..] == *b"-"
}

/// Returns whether a text begins with the parts of a token and does not go on like one, and the
/// token is not a placeholder.
pub(super) fn has_parts(text: &[u8], parts: &[Part]) -> bool {
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

/// Returns whether a text ends with the number of a bot and a colon.
fn is_bot_number(text: &[u8]) -> bool {
    let Some(text) = text.strip_suffix(b":") else { return false };
    let digits = text.iter().rev().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    let before = &text[..text.len() - digits];
    // URLs of the API contain `/bot<token>/`.
    (8..=10).contains(&digits) && (is_word_start(before) || before.ends_with(b"/bot"))
}

/// Returns whether a text begins with a token that begins with the number of a bot in base 64, of
/// which every fourth character is one of three.
fn is_bot_in_base64(text: &[u8]) -> bool {
    let number = text.iter().take(24).step_by(4);
    number.len() == 6
        && number.into_iter().all(|byte| matches!(byte, b'M' | b'N' | b'O'))
        && has_parts(text, DISCORD_PARTS)
}

/// Returns whether JSON contains the escape of a character that need not be escaped, and that
/// programs do not escape for HTML either. It could be part of a secret.
pub fn has_needless_escape(json: &[u8]) -> bool {
    find_iter(json, r"\u00").any(|at| {
        let digit = |at: usize| json.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let code = digit(at + 4).zip(digit(at + 5)).map(|(high, low)| high << 4 | low);
        let character = code.and_then(char::from_u32);
        character.is_some_and(|it| it.is_ascii_graphic() && !"\"'\\<>&".contains(it))
    })
}
