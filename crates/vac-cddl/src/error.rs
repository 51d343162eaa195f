//! Errors in a specification.

use std::fmt;

use vac_value::harmless;

use crate::ir::Location;
use crate::lower::limits;
use crate::source::Source;

/// An error in a specification: the reason why it cannot be read, and its location.
///
/// `{}` displays it on one line, `spec.cddl:12:5: control operator .pcre is not
/// supported`; `{:#}` adds the line of the text with a mark under the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    location: Location,
    message: String,
    excerpt: Vec<String>,
}

impl Error {
    pub(crate) fn new(location: Location, message: impl Into<String>) -> Self {
        Self { location, message: message.into(), excerpt: Vec::new() }
    }

    /// Adds the line of the text that it is about.
    pub(crate) fn with_line(mut self, text: &str) -> Self {
        if let Some(line) = text.split('\n').nth(self.location.line - 1) {
            self.excerpt = excerpt(line.trim_end(), &self.location);
        }
        self
    }

    /// Returns the location of the construct that is wrong.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Returns the description of the error.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the line of the text and a mark under the place, as lines to print. Empty if the
    /// text is not known.
    pub fn excerpt(&self) -> &[String] {
        &self.excerpt
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)?;
        if f.alternate() {
            self.excerpt.iter().try_for_each(|line| write!(f, "\n{line}"))?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// The errors of a specification, in the order of the text. There is at least one.
///
/// Displayed, each error is on a line of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    all: Vec<Error>,
}

impl Errors {
    /// Collects errors; `None` if the list is empty.
    pub(crate) fn new(all: Vec<Error>) -> Option<Self> {
        (!all.is_empty()).then_some(Self { all })
    }

    /// Sorts errors by their place in the texts, removes duplicates, and adds to each the line that
    /// it is about. `all` must not be empty.
    pub(crate) fn sorted(mut all: Vec<Error>, sources: &[&Source<'_>]) -> Self {
        let place = |error: &Error| {
            let Location { line, column, .. } = error.location;
            let file = sources.iter().position(|source| source.contains(&error.location));
            // An error in any other text comes last.
            (file.unwrap_or(usize::MAX), line, column)
        };
        all.sort_by_cached_key(place);
        all.dedup();
        all.truncate(limits::ERRORS);
        for error in &mut all {
            if let Some(source) = sources.iter().find(|it| it.contains(&error.location))
                && let Some(line) = source.line_text(error.location.line)
            {
                error.excerpt = excerpt(line, &error.location);
            }
        }
        Self { all }
    }

    /// Returns the errors.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.all.iter()
    }
}

impl From<Error> for Errors {
    fn from(error: Error) -> Self {
        Self { all: vec![error] }
    }
}

impl<'a> IntoIterator for &'a Errors {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.all.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

fn excerpt(line: &str, location: &Location) -> Vec<String> {
    /// The number of characters that are shown before and after the location.
    const BEFORE: usize = 60;
    const AFTER: usize = 40;
    let at = location.column - 1;
    let cut = at.saturating_sub(BEFORE);
    let shown = |skip: usize, take: usize| -> String {
        // A tab would move the mark.
        let part = line.chars().skip(skip).take(take);
        let part: String = part.map(|c| if c == '\t' { ' ' } else { c }).collect();
        harmless(&part).into_owned()
    };
    let before = shown(cut, at - cut);
    let number = location.line.to_string();
    let margin = " ".repeat(number.len());
    vec![
        format!("{number} | {before}{}", shown(at, AFTER)),
        format!("{margin} | {}^", " ".repeat(before.chars().count())),
    ]
}
