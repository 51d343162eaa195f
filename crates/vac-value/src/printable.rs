//! Escapes characters of untrusted text that could affect a terminal or mislead a reader.
//!
//! These are characters that a terminal would act on (control characters, and with them every
//! escape sequence), that end a line, that reorder the text around them, or that are invisible.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns whether a character is visible and does not change how others are displayed.
pub fn is_harmless(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    !matches!(character,
        // The control characters of the second set. The first set is in ASCII.
        '\u{80}'..='\u{9f}'
        // Line and paragraph separators.
        | '\u{2028}' | '\u{2029}'
        // Characters that set or override the direction of text.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Characters without width or shape.
        | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Tags, and more variation selectors than any script needs.
        | '\u{e0000}'..='\u{e0fff}')
}

/// Escapes every character that is not [harmless](is_harmless), line ends included: `\n`,
/// `\u{1b}`.
pub fn harmless(text: &str) -> Cow<'_, str> {
    replaced(text, |character| !is_harmless(character), escape)
}

/// Escapes every character of JSON texts that is not [harmless](is_harmless): `\u202e`. The value
/// and the white space between tokens do not change.
pub fn harmless_json(text: &str) -> Cow<'_, str> {
    // JSON allows these between values only.
    let is_blank = |character| matches!(character, '\t' | '\n' | '\r');
    let is_escaped = |character| !is_harmless(character) && !is_blank(character);
    replaced(text, is_escaped, |character, shown| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            write!(shown, "\\u{unit:04x}").expect("writing to a string cannot fail");
        }
    })
}

/// Escapes the first `max` characters of a text for use in quotes: quotes and backslashes are
/// escaped, too.
pub fn printable(text: &str, max: usize) -> String {
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == max {
            shown.push_str("...");
            break;
        }
        match character {
            '"' | '\\' => shown.extend(['\\', character]),
            _ if is_harmless(character) => shown.push(character),
            _ => escape(character, &mut shown),
        }
    }
    shown
}

fn escape(character: char, shown: &mut String) {
    shown.extend(character.escape_default());
}

/// Replaces characters that are not printable ASCII; borrows the text if there are none to replace.
fn replaced(
    text: &str,
    is_replaced: impl Fn(char) -> bool,
    replace: impl Fn(char, &mut String),
) -> Cow<'_, str> {
    let mut shown = String::new();
    // The end of the text that is in `shown`.
    let mut copied = 0;
    let mut at = 0;
    loop {
        at += printable_ascii_length(&text.as_bytes()[at..]);
        let Some(character) = text[at..].chars().next() else { break };
        let end = at + character.len_utf8();
        if is_replaced(character) {
            shown.push_str(&text[copied..at]);
            replace(character, &mut shown);
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[copied..]);
    Cow::Owned(shown)
}

/// Returns the number of printable ASCII characters that bytes begin with.
fn printable_ascii_length(bytes: &[u8]) -> usize {
    let is_printable = |byte: u8| matches!(byte, b' '..=b'~');
    if !bytes.first().is_some_and(|first| is_printable(*first)) {
        return 0;
    }
    // Check a whole chunk without branches, so that the compiler uses vector instructions.
    let is_all_printable =
        |chunk: &&[u8; 32]| chunk.iter().fold(true, |all, byte| all & is_printable(*byte));
    let (chunks, _) = bytes.as_chunks::<32>();
    let length = chunks.iter().take_while(is_all_printable).count() * 32;
    let rest = &bytes[length..];
    length + rest.iter().position(|byte| !is_printable(*byte)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "\u{1b}[2J\u{9b}31m\r\n\t\u{7f}\u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{feff}\u{2028}\u{2029}\u{e0041}\u{3164}";

    #[test]
    fn hostile_characters_are_escaped() {
        let shown = harmless(HOSTILE);
        assert!(shown.chars().all(is_harmless), "{shown}");
        assert!(shown.starts_with(r"\u{1b}[2J\u{9b}31m\r\n\t\u{7f}\u{202e}"), "{shown}");
        assert_eq!(harmless(&shown), shown, "once is enough");
        assert!(printable(HOSTILE, usize::MAX).chars().all(is_harmless));
    }

    #[test]
    fn harmless_text_is_not_changed() {
        for text in ["", r#"C:\Users\ada "x""#, "é 漢字 עברית العربية 🦀 ⚠\u{fe0f} e\u{301}"]
        {
            assert!(matches!(harmless(text), Cow::Borrowed(same) if same == text));
        }
        assert_eq!(printable(r#"a"\b"#, usize::MAX), r#"a\"\\b"#);
        assert_eq!(printable("four", 3), "fou...");
        assert_eq!(printable("four", 4), "four");
    }

    #[test]
    fn characters_are_found_wherever_they_are() {
        for length in 0..100 {
            let before = "a".repeat(length);
            for (character, escaped) in [('\u{1b}', "\\u{1b}"), ('\u{7f}', "\\u{7f}"), ('é', "é")]
            {
                let text = format!("{before}{character}{before}{character}");
                assert_eq!(harmless(&text), format!("{before}{escaped}{before}{escaped}"));
            }
        }
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let json = "{\n\t\"a\u{202e}\": [\"\u{7f}\u{9b}\u{e0041}é\", 1.0]\r\n}";
        let shown = harmless_json(json);
        assert_eq!(shown, "{\n\t\"a\\u202e\": [\"\\u007f\\u009b\\udb40\\udc41é\", 1.0]\r\n}");
        assert_eq!(
            crate::Any::from_json(shown.as_bytes()).expect("JSON"),
            crate::Any::from_json(json.as_bytes()).expect("JSON")
        );
    }
}
