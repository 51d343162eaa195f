//! Lines of text with colours, for people.
//!
//! Text in a [`Line`] is always made harmless, so that text of a log, a record, a key or a file
//! name cannot control the terminal. Colours are removed where standard output or standard error
//! is not a terminal; they never carry information that the text does not have.

use anstyle::{AnsiColor, Style};
use vac::value::harmless;

/// The style of errors.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The style of warnings.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The style of good results.
pub const SUCCESS: Style = AnsiColor::Green.on_default();
/// The style of names of columns and facts.
pub const HEADING: Style = Style::new().bold();

/// One line, without its line feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(String);

impl Line {
    /// Creates an empty line.
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

    /// Adds spaces.
    #[must_use]
    pub fn spaces(mut self, count: usize) -> Self {
        self.0.extend(std::iter::repeat_n(' ', count));
        self
    }

    /// Returns the text with the escape sequences of its styles.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: AsRef<str> + ?Sized> From<&T> for Line {
    fn from(text: &T) -> Self {
        Self::new().text(text.as_ref())
    }
}

impl From<&Line> for Line {
    fn from(line: &Line) -> Self {
        line.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_come_only_from_styles() {
        let line = Line::from("a\u{1b}[2J\n").styled(ERROR, "\u{202e}b").text("c");
        assert_eq!(line.as_str(), "a\\u{1b}[2J\\n\u{1b}[1m\u{1b}[31m\\u{202e}b\u{1b}[0mc");
        assert_eq!(Line::new().styled(Style::new(), "x"), Line::from("x"));
    }
}
