//! Lines for people: harmless text, and colours.
//!
//! Text in a [`Line`] is always made harmless, so that text of a log, a record, a key or a file
//! name cannot control the terminal. Colours are removed where standard output or standard error
//! is not a terminal; they never carry information that the text does not have.

use anstyle::{AnsiColor, Style};
use vac_value::harmless;

/// What went wrong.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What one should look at.
pub const DOUBTFUL: Style = AnsiColor::Yellow.on_default().bold();
/// What is as it should be.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Names of columns and of facts.
pub const HEADING: Style = Style::new().bold();

/// One line, without its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(String);

impl Line {
    /// An empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.0.push_str(&harmless(text));
        self
    }

    /// Adds a text in a style.
    #[must_use]
    pub fn styled(self, style: Style, text: &str) -> Self {
        if style.is_plain() || text.is_empty() {
            return self.text(text);
        }
        let Self(line) = self;
        Self(format!("{line}{style}{}{style:#}", harmless(text)))
    }

    /// Adds another line.
    #[must_use]
    pub fn then(mut self, other: &Self) -> Self {
        self.0.push_str(&other.0);
        self
    }

    /// Adds blanks.
    #[must_use]
    pub fn blanks(mut self, count: usize) -> Self {
        self.0.extend(std::iter::repeat_n(' ', count));
        self
    }

    /// The text, with the escape sequences of its styles.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: AsRef<str> + ?Sized> From<&T> for Line {
    fn from(text: &T) -> Self {
        Self::new().text(text.as_ref())
    }
}

/// The beginning of a text, of so many characters at most.
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_styles_bring_escape_sequences() {
        let line = Line::from("a\u{1b}[2J\n").styled(BAD, "\u{202e}b").text("c");
        assert_eq!(line.as_str(), "a\\u{1b}[2J\\n\u{1b}[1m\u{1b}[31m\\u{202e}b\u{1b}[0mc");
        assert_eq!(Line::new().styled(Style::new(), "x"), Line::from("x"));
    }

    #[test]
    fn a_beginning_ends_between_characters() {
        assert_eq!(beginning("éèê", 2), "éè...");
        assert_eq!(beginning("éèê", 3), "éèê");
    }
}
