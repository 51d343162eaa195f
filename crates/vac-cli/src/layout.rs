//! Text that fits the terminal: its width, and lines that are shortened or wrapped to it.
//!
//! Widths are those of characters on a terminal. Text is made harmless before it is measured,
//! because an escaped character is wider than the character.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};
use vac::value::harmless;

/// The width of text where that of the terminal is unknown.
pub const DEFAULT_WIDTH: usize = 100;
/// Minimum width of text.
const MIN_WIDTH: usize = 20;
/// The spaces that replace a tab.
const TAB: &str = "    ";
/// The replacement for the end of a text that does not fit.
const ELLIPSIS: char = '…';

/// Returns the width in the variable `COLUMNS`, else that of the terminal that is
/// standard output. `None` if there is neither.
pub fn width() -> Option<usize> {
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = stated.or_else(|| {
        terminal_size::terminal_size().map(|(terminal_size::Width(width), _)| usize::from(width))
    });
    width.filter(|width| *width > 0).map(|width| width.max(MIN_WIDTH))
}

/// Returns the width of a text that was made harmless.
pub fn measure(text: &str) -> usize {
    text.width()
}

/// Returns a text on one line: white space becomes one space, and other characters that are not
/// harmless are escaped.
pub fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    harmless(&words.join(" ")).into_owned()
}

/// Returns the beginning of a text that fits the width, with an ellipsis if it is not all of it.
pub fn fit(text: &str, width: usize) -> String {
    let text = harmless(text);
    if text.width() <= width {
        return text.into_owned();
    }
    let mut fitting = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        fitting.push(character);
    }
    if width > 0 {
        fitting.push(ELLIPSIS);
    }
    fitting
}

/// Returns the lines of a text, broken between words where they are wider than the width. Words
/// that are wider are broken too.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.replace('\t', TAB);
        let line = harmless(line.trim_end());
        if line.width() <= width {
            lines.push(line.into_owned());
            continue;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        // A continued line of a list or of code begins where the first one does.
        let indent = " ".repeat(indent.min(width / 2));
        wrap_line(&line, &indent, width, &mut lines);
    }
    lines
}

fn wrap_line(line: &str, indent: &str, width: usize, lines: &mut Vec<String>) {
    let mut current = indent.to_owned();
    let mut has_word = false;
    for word in line.trim_start_matches(' ').split(' ') {
        let space = usize::from(has_word);
        if has_word && current.width() + space + word.width() > width {
            lines.push(std::mem::replace(&mut current, indent.to_owned()));
            has_word = false;
        }
        if has_word {
            current.push(' ');
        }
        if current.width() + word.width() <= width {
            current.push_str(word);
        } else {
            for character in word.chars() {
                let character_width = character.width().unwrap_or(0);
                if current.width() + character_width > width && current.len() > indent.len() {
                    lines.push(std::mem::replace(&mut current, indent.to_owned()));
                }
                current.push(character);
            }
        }
        has_word = true;
    }
    lines.push(current);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shortened_to_their_width_on_a_terminal() {
        for (text, width, expected) in [
            ("four", 4, "four"),
            ("fours", 4, "fou…"),
            ("漢字漢字", 6, "漢字…"),
            ("漢字漢字", 8, "漢字漢字"),
            ("a\u{1b}b", 4, "a\\u…"),
            ("ab", 0, ""),
        ] {
            assert_eq!(fit(text, width), expected, "{text:?}");
            assert!(measure(&fit(text, width)) <= width);
        }
        assert_eq!(one_line(" a\n\tb  c\u{202e}"), "a b c\\u{202e}");
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("  one two three", 9), ["  one two", "  three"]);
        assert_eq!(wrap("a\n\nb\u{1b}[2J\n", 20), ["a", "", "b\\u{1b}[2J"]);
        assert_eq!(wrap("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(wrap("", 5), Vec::<String>::new());
    }

    #[test]
    fn wrapped_lines_fit_whatever_the_text_is() {
        for text in
            ["aaaaaaaaaaaa    b", "          x", "漢 字 é\u{301}\u{301} 🦀🦀🦀🦀", "- a\tb c d e f"]
        {
            for width in 2..12 {
                for line in wrap(text, width) {
                    assert!(measure(&line) <= width, "{line:?} at {width}");
                }
            }
        }
    }
}
