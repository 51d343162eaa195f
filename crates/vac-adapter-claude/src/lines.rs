//! Reads the lines of a log or of web exports.

use vac_adapter::damaged::{self, List, Piece, Pieces};
use vac_adapter::frame::{Content, Place, Raw};
use vac_adapter::{Error, Log};
use vac_value::{Document, Kind, Node};

use crate::known;

/// One line.
#[derive(Clone, Copy)]
pub(crate) struct Line<'f, 'a> {
    /// The number of the line, from 0. Wrappers are not counted.
    pub index: usize,
    /// The place of the line in the log.
    pub place: Place,
    /// The content of the line.
    pub content: LineContent<'f, 'a>,
}

/// The content of a line.
#[derive(Clone, Copy)]
pub(crate) enum LineContent<'f, 'a> {
    /// A value.
    Value(Node<'f, 'a>),
    /// Bytes that cannot be kept as a value.
    Raw(&'f Raw<'a>),
    /// The object around the lines of a web export.
    Wrapper(Node<'f, 'a>),
}

/// The member of a web export that contains its lines.
pub(crate) const LOGLINES: &str = "loglines";

const LISTS: &[List] = &[List::new(LOGLINES)];

/// Maximum number of bytes before the lines of a web export.
const MAX_BEFORE: usize = 64 * 1024;

/// Passes each line of a log, which may contain web exports, to `show`.
pub(crate) fn each(
    log: &Log<'_>,
    exports: bool,
    show: impl FnMut(Line<'_, '_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut lines = Lines { index: 0, last: Place::default(), show };
    log.each(|frame| match &frame.content {
        Content::Raw(raw) => match exports.then(|| damaged(raw.bytes)).flatten() {
            Some(wrapper) => lines.damaged(&wrapper, raw, frame.place),
            None => lines.next(frame.place, LineContent::Raw(raw)),
        },
        Content::Document(document) => {
            let root = document.root();
            match exports.then(|| exported(root)).flatten() {
                Some(list) => lines.export(root, list, frame.place),
                None => lines.next(frame.place, LineContent::Value(root)),
            }
        }
    })
}

/// Numbers lines.
struct Lines<F> {
    index: usize,
    last: Place,
    show: F,
}

impl<F: FnMut(Line<'_, '_>) -> Result<(), Error>> Lines<F> {
    fn next(&mut self, place: Place, content: LineContent<'_, '_>) -> Result<(), Error> {
        let place = after(self.last, place);
        self.last = place;
        self.index += 1;
        (self.show)(Line { index: self.index - 1, place, content })
    }

    fn wrapper(&mut self, root: Node<'_, '_>, place: Place) -> Result<(), Error> {
        (self.show)(Line { index: self.index, place, content: LineContent::Wrapper(root) })
    }

    fn export(
        &mut self,
        root: Node<'_, '_>,
        list: Node<'_, '_>,
        place: Place,
    ) -> Result<(), Error> {
        self.wrapper(root, place)?;
        let first = Place { part: 1, ..place };
        list.elements().try_for_each(|line| self.next(first, LineContent::Value(line)))
    }

    /// Passes the lines of a truncated or damaged export, and the bytes between them, to `show`.
    fn damaged(&mut self, wrapper: &[u8], raw: &Raw<'_>, place: Place) -> Result<(), Error> {
        let first = Place { part: 1, ..place };
        match damaged::parse(wrapper) {
            Content::Document(wrapper) => self.wrapper(wrapper.root(), place)?,
            Content::Raw(ambiguous) => {
                if let Ok(nothing) = Document::json(b"{}") {
                    self.wrapper(nothing.root(), place)?;
                }
                self.next(first, LineContent::Raw(&ambiguous))?;
            }
        }
        Pieces::from_frame(raw, LISTS).try_for_each(|piece| match piece {
            Piece::Element { value, .. } => self.next(first, LineContent::Value(value.root())),
            Piece::Raw { raw, .. } => self.next(first, LineContent::Raw(&raw)),
            _ => Ok(()),
        })
    }
}

/// Returns the object around the lines of a damaged document, if the bytes begin as one that
/// contains lines. That of an array is empty.
fn damaged(bytes: &[u8]) -> Option<Vec<u8>> {
    let beginning = &bytes[..bytes.len().min(MAX_BEFORE)];
    // The key may be written with escapes. The parser below decides whether it exists.
    let mut names = beginning.windows(LOGLINES.len());
    let may_be_export = beginning.starts_with(b"[")
        || beginning.windows(2).any(|pair| pair == b"\\u")
        || names.any(|name| name == LOGLINES.as_bytes());
    if !may_be_export {
        return None;
    }
    let wrapper = damaged::wrapper(bytes, LISTS);
    let is_export = match &wrapper {
        Some(wrapper) => exported(Document::json(wrapper).ok()?.root()).is_some(),
        None => elements(bytes).next().is_some_and(|line| is_line(line.root())),
    };
    is_export.then(|| wrapper.unwrap_or_else(|| b"{}".to_vec()))
}

/// Returns the complete lines of a damaged web export.
pub(crate) fn damaged_lines(bytes: &[u8]) -> impl Iterator<Item = Document<'_>> {
    damaged(bytes).into_iter().flat_map(|_| elements(bytes))
}

fn elements(bytes: &[u8]) -> impl Iterator<Item = Document<'_>> {
    Pieces::new(bytes, LISTS).filter_map(|piece| match piece {
        Piece::Element { value, .. } => Some(value),
        _ => None,
    })
}

/// Returns a place after the last one: many lines of exports begin on one line of the file.
fn after(last: Place, place: Place) -> Place {
    let is_same_line = (last.file, last.line) == (place.file, place.line);
    let part = if is_same_line { place.part.max(last.part + 1) } else { place.part };
    Place { part, ..place }
}

/// Returns the lines of a document that contains some: a web export, or an array of them.
pub(crate) fn exported<'d: 'a, 'a>(root: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    if root.kind() == Kind::Array {
        return root.elements().next().is_some_and(is_line).then_some(root);
    }
    // A line has a `type` near its beginning.
    if root.member("type").is_some() {
        return None;
    }
    root.member(LOGLINES).filter(|lines| lines.kind() == Kind::Array)
}

/// Returns whether the element of an array is a line. Other agents have arrays of messages with the
/// same types.
fn is_line(node: Node<'_, '_>) -> bool {
    const IDS: [&str; 4] = ["uuid", "parentUuid", "leafUuid", "session_id"];
    let kind = node.member("type").and_then(Node::text);
    kind.is_some_and(|kind| known::line(&kind)) && IDS.iter().any(|key| node.member(key).is_some())
}
