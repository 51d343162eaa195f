//! Reads documents that are not JSON as a whole: cut short, damaged or nested too deep.
//!
//! Brackets and quotes show where a member or an element ends. Elements that are valid by
//! themselves are parsed as usual; the rest is kept unparsed.
//!
//! ```
//! use vac_adapter::broken::Broken;
//!
//! let bytes = br#"{"id": 7, "lines": [{"a": 1}, {"a": x}, {"a": 3}, {"a"#;
//! let broken = Broken::of(bytes, &["lines"]).ok_or("no object")?;
//! assert_eq!(broken.wrapper, br#"{"id":7,"lines":[]}"#);
//! let texts: Vec<_> = broken.elements.iter().map(|element| element.of(bytes)).collect();
//! assert_eq!(texts, [&br#"{"a": 1}"#[..], br#"{"a": x}"#, br#"{"a": 3}"#]);
//! assert_eq!(&bytes[broken.lost[0].clone()], br#"{"a"#);
//! # Ok::<(), &str>(())
//! ```

mod brackets;

use std::ops::Range;

use vac_value::{Document, Scanner};

use crate::frame::{Raw, Reason, scanner};
use brackets::{Walker, is_space};

/// What is left of a document.
#[derive(Debug)]
pub struct Broken {
    /// The members around the lists that are good, and empty lists, as an object; empty if
    /// the whole is an array.
    pub wrapper: Vec<u8>,
    /// The elements of the lists, good or bad.
    pub elements: Vec<Element>,
    /// What belongs to nothing.
    pub lost: Vec<Range<usize>>,
}

/// An element of a list, good or bad.
#[derive(Debug)]
pub struct Element {
    /// The member that is the list; of an array that is the whole, nothing.
    pub list: &'static str,
    /// Where it stands.
    pub range: Range<usize>,
}

impl Element {
    /// Its bytes, of the whole.
    pub fn of<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        bytes.get(self.range.clone()).unwrap_or_default()
    }
}

impl Broken {
    /// Takes an object apart that has lists by these names, or an array; `None` if it
    /// begins as neither.
    pub fn of(bytes: &[u8], lists: &[&'static str]) -> Option<Self> {
        let mut walker = Walker::new(bytes);
        let wrapper = match bytes.first()? {
            b'{' => walker.object(lists),
            b'[' => {
                walker.list("");
                walker.end();
                Vec::new()
            }
            _ => return None,
        };
        let Walker { elements, lost, .. } = walker;
        let (elements, lost) = joined(bytes, elements, lost);
        Some(Self { wrapper, elements, lost })
    }
}

/// Joins bad elements that follow each other where one of them is no object: there the
/// brackets do not fit, and only together they are what was written.
fn joined(
    bytes: &[u8],
    elements: Vec<Element>,
    mut lost: Vec<Range<usize>>,
) -> (Vec<Element>, Vec<Range<usize>>) {
    let mut joined: Vec<Element> = Vec::with_capacity(elements.len());
    let (mut was_bad, mut was_open) = (false, false);
    for element in elements {
        let bytes = element.of(bytes);
        let is_bad = Document::json(bytes).is_err();
        let is_open = is_bad && !(bytes.starts_with(b"{") && bytes.ends_with(b"}"));
        let follows = was_bad && is_bad && (was_open || is_open);
        match joined.last_mut().filter(|before| follows && before.list == element.list) {
            Some(before) => before.range.end = element.range.end,
            None => joined.push(element),
        }
        (was_bad, was_open) = (is_bad, is_open || (follows && was_open));
    }
    if let (true, Some(last), Some(rest)) = (was_open, joined.last(), lost.last_mut())
        && rest.end == bytes.len()
        && bytes
            .get(last.range.end..rest.start)
            .is_some_and(|between| between.iter().copied().all(is_space))
    {
        rest.start = last.range.start;
        joined.pop();
    }
    (joined, lost)
}

/// Reads elements one by one.
#[derive(Debug)]
pub struct Reader(Scanner);

impl Default for Reader {
    fn default() -> Self {
        Self(scanner())
    }
}

impl Reader {
    /// Shows an element by its bytes: as a document, or why it is none that can be carried.
    pub fn read<'b, T>(
        &mut self,
        bytes: &'b [u8],
        show: impl FnOnce(Result<&Document<'b>, &Raw<'b>>) -> T,
    ) -> T {
        let (reason, document) = match self.0.json(bytes) {
            Ok(document) if document.duplicate_keys().len() == 0 => {
                let shown = show(Ok(&document));
                self.0.recycle(document);
                return shown;
            }
            Ok(document) => (Reason::DuplicateKey, Some(document)),
            Err(error) => (Reason::Syntax(error), None),
        };
        show(Err(&Raw { bytes, reason, document }))
    }
}
