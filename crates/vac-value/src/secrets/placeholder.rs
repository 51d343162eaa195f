//! Recognises placeholders: texts in the format of a secret that are not random.

/// Texts that placeholders contain, in any case.
const WORDS: [&[u8]; 10] = [
    b"example",
    b"placeholder",
    b"redacted",
    b"dummy",
    b"sample",
    b"xxxxx",
    b"00000",
    b"12345",
    b"abcdef",
    // The subject 1234567890 of the JWT that documentation shows, in base 64.
    b"IxMjM0NTY3ODkwI",
];

/// The number of bytes at the beginning of a text that are examined.
const EXAMINED: usize = 128;

/// Returns whether a text in an alphabet of `symbols` symbols is a placeholder: it has few
/// different characters, counts up, or contains a word such as `example`.
pub(super) fn is_placeholder(text: &[u8], symbols: usize) -> bool {
    let text = &text[..text.len().min(EXAMINED)];
    let needed = (text.len() / 2).min(symbols / 2).min(16);
    count_distinct(text) < needed || counts_up(text, 1) || counts_up(text, 2) || has_word(text)
}

/// Returns the number of different ASCII characters in a text.
pub(super) fn count_distinct(text: &[u8]) -> usize {
    text.iter().fold(0_u128, |seen, byte| seen | 1 << (byte & 127)).count_ones() as usize
}

/// Returns whether most characters are the successors of those `step` places before them, or equal
/// to them.
fn counts_up(text: &[u8], step: usize) -> bool {
    let pairs = text.iter().zip(text.iter().skip(step));
    let up = pairs.filter(|(one, next)| next.wrapping_sub(**one) <= 1).count();
    up * 2 > text.len()
}

fn has_word(text: &[u8]) -> bool {
    WORDS.iter().any(|word| text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word)))
}
