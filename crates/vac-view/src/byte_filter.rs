//! Tests quickly whether the bytes of a log can contain a match of a pattern, so that most logs
//! need not be parsed.
//!
//! Texts of a log are JSON strings, some of them inside other JSON strings. At every level, a word
//! of ASCII letters, digits and underscores is written without escapes, unless its letters are
//! escaped as in `\u0041`, which no agent does. A pattern that needs a word can therefore not match
//! in a log that contains neither the word nor such an escape.
//!
//! A word that exists only after pieces of a tool's output were joined is not found, because the
//! log does not contain it.
//!
//! This holds for logs whose texts are in one piece
//! ([`Adapter::writes_whole_texts`](vac_adapter::Adapter::writes_whole_texts)).

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// The minimum length of a word. Almost every log contains every shorter word.
const MIN_WORD: usize = 2;
/// The maximum number of alternative words.
const MAX_WORDS: usize = 64;
/// Escapes of characters of words, of the backslash, and of the two other characters that match a
/// letter of ASCII if case is ignored.
const ESCAPES: &str =
    r"\\u(?:00(?:3[0-9]|4[1-9a-fA-F]|5[0-9aAcCfF]|6[1-9a-fA-F]|7[0-9aA])|212[aA]|017[fF])";

/// Tests whether bytes can contain a match of a pattern.
#[derive(Clone, Debug)]
pub struct ByteFilter {
    pattern: Regex,
    /// The maximum number of bytes of a match of the filter's pattern.
    max_length: usize,
}

impl ByteFilter {
    /// Creates the filter of a pattern. `None` if the pattern needs no word, or cannot be parsed.
    ///
    /// ```
    /// use vac_view::byte_filter::ByteFilter;
    ///
    /// let filter = ByteFilter::new(r"\bcargo +(test|bench)\b", false).expect("it needs words");
    /// assert!(filter.may_match(br#"{"command": "cargo\ttest"}"#));
    /// assert!(filter.may_match(br#"{"command": "c\u0061rgo test"}"#));
    /// assert!(!filter.may_match(br#"{"command": "make test"}"#));
    /// assert!(ByteFilter::new(r"\d+", false).is_none());
    /// ```
    pub fn new(pattern: &str, ignores_case: bool) -> Option<Self> {
        let mut parser = ParserBuilder::new();
        parser.multi_line(true).crlf(true).case_insensitive(ignores_case);
        let words = required_words(&parser.build().parse(pattern).ok()?)?;
        let max_length = words.iter().map(|word| word.text.len()).max()?;
        // A word can be written with longer characters if case is ignored.
        let max_length = (max_length * 3).max(r"\u0000".len());
        let ignores_case = words.iter().any(|word| word.ignores_case);
        let words: Vec<_> = words.into_iter().map(|word| word.text).collect();
        let pattern = RegexBuilder::new(&format!("{}|{ESCAPES}", words.join("|")))
            .case_insensitive(ignores_case)
            .build();
        Some(Self { pattern: pattern.ok()?, max_length })
    }

    /// Returns whether bytes can contain a match.
    pub fn may_match(&self, bytes: &[u8]) -> bool {
        self.pattern.is_match(bytes)
    }

    /// Returns the number of bytes at the end of a piece of input that a reader has to test again
    /// with the next piece, because a match can begin there.
    pub fn overlap(&self) -> usize {
        self.max_length - 1
    }
}

/// A word of ASCII letters, digits and underscores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Word {
    text: String,
    ignores_case: bool,
}

/// Returns a set of words such that every match contains at least one of them. `None` if the
/// pattern has no such set.
fn required_words(pattern: &Hir) -> Option<Vec<Word>> {
    match pattern.kind() {
        HirKind::Literal(_) | HirKind::Class(_) => words_of_sequence(std::slice::from_ref(pattern)),
        HirKind::Concat(parts) => words_of_sequence(parts),
        HirKind::Capture(capture) => required_words(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required_words(&repetition.sub),
        HirKind::Empty | HirKind::Look(_) | HirKind::Repetition(_) => None,
        HirKind::Alternation(choices) => {
            let words: Vec<_> = choices.iter().map(required_words).collect::<Option<_>>()?;
            let words = words.concat();
            (words.len() <= MAX_WORDS).then_some(words)
        }
    }
}

/// Returns the most selective set of words that the parts of a sequence require.
fn words_of_sequence(parts: &[Hir]) -> Option<Vec<Word>> {
    let mut candidates: Vec<Vec<Word>> = Vec::new();
    let mut word = Word::default();
    for part in parts {
        match part.kind() {
            HirKind::Literal(literal) => {
                for byte in &literal.0 {
                    if byte.is_ascii_alphanumeric() || *byte == b'_' {
                        word.text.push(char::from(*byte));
                    } else {
                        candidates.push(vec![std::mem::take(&mut word)]);
                    }
                }
            }
            HirKind::Class(class) if letter(class).is_some() => {
                word.text.extend(letter(class));
                word.ignores_case = true;
            }
            _ => {
                candidates.push(vec![std::mem::take(&mut word)]);
                // A class that is not the two cases of one letter requires no word.
                if !matches!(part.kind(), HirKind::Class(_)) {
                    candidates.extend(required_words(part));
                }
            }
        }
    }
    candidates.push(vec![word]);
    let shortest = |words: &Vec<Word>| words.iter().map(|word| word.text.len()).min().unwrap_or(0);
    let best = candidates.into_iter().max_by_key(shortest)?;
    (shortest(&best) >= MIN_WORD).then_some(best)
}

/// Returns the letter whose upper and lower case a class consists of.
fn letter(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let mut letters = class.iter().flat_map(|range| range.start()..=range.end());
    let first = letters.next().filter(char::is_ascii_uppercase)?.to_ascii_lowercase();
    let is_variant =
        |it: char| it == first || matches!((first, it), ('k', '\u{212a}') | ('s', '\u{17f}'));
    let rest: Vec<_> = letters.take(3).collect();
    (rest.contains(&first) && rest.into_iter().all(is_variant)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(pattern: &str, ignores_case: bool) -> Option<Vec<String>> {
        let hir = ParserBuilder::new().case_insensitive(ignores_case).build().parse(pattern);
        let words = required_words(&hir.expect("a pattern"))?;
        Some(words.into_iter().map(|word| word.text).collect())
    }

    #[test]
    fn longest_word_of_a_pattern_is_required() {
        for (pattern, expected) in [
            ("loom", &["loom"][..]),
            (r"a loom\.rs", &["loom"]),
            ("(shuttle|loom) +broke", &["broke"]),
            ("(shuttle|loom) +b", &["shuttle", "loom"]),
            ("(?:loom){2,}x?", &["loom"]),
            ("wéaving", &["aving"]),
            (r"\bloom\b|\bmill\b", &["loom", "mill"]),
        ] {
            let expected: Vec<_> = expected.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(words(pattern, false), Some(expected), "{pattern}");
        }
        for pattern in ["", "a", r"\d+", "(loom)?", "loom|", "[a-z]{9}", "l.o.o.m", "é"] {
            assert_eq!(words(pattern, false), None, "{pattern}");
        }
    }

    #[test]
    fn filter_ignores_case_as_the_pattern_does() {
        assert_eq!(words("Kiosk 7", true), Some(vec!["kiosk".to_owned()]));
        assert_eq!(words("(?i)loom", false), Some(vec!["loom".to_owned()]));
        let filter = ByteFilter::new("Kiosk", true).expect("a word");
        for text in ["kIOSK", "\u{212a}io\u{17f}k", r"\u212aiosk", r"kio\u017fk", r"\u006biosk"] {
            assert!(filter.may_match(text.as_bytes()), "{text}");
            assert!(text.len() <= filter.overlap() + 1 || text.contains('\\'), "{text}");
        }
        assert!(!filter.may_match(br"kio sk \u001b \u003c"));
        assert!(!ByteFilter::new("Kiosk", false).expect("a word").may_match(b"kiosk"));
    }
}
