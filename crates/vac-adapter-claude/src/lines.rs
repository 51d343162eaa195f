//! The lines of a log, whatever they are in.

use vac_adapter::frame::{Content, Place, Raw};
use vac_adapter::{Error, Log};
use vac_value::{Kind, Node};

/// One line.
#[derive(Clone, Copy)]
pub(crate) struct Line<'f, 'a> {
    /// Its number, from 0; the objects around the lines of web exports have none.
    pub index: usize,
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub content: LineContent<'f, 'a>,
}

/// What a line is.
#[derive(Clone, Copy)]
pub(crate) enum LineContent<'f, 'a> {
    /// A value.
    Value(Node<'f, 'a>),
    /// Something that cannot be carried as one.
    Raw(&'f Raw<'a>),
    /// The object around the lines of a web export, which is no line itself.
    Wrapper(Node<'f, 'a>),
}

/// The member of a web export that holds its lines.
pub(crate) const LOGLINES: &str = "loglines";

/// Shows each line of a log, which may hold web exports or not.
pub(crate) fn each(
    log: &Log<'_>,
    exports: bool,
    mut show: impl FnMut(Line<'_, '_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut index = 0;
    let mut last = Place::default();
    log.each(|frame| {
        let (place, content) = match &frame.content {
            Content::Raw(raw) => (frame.place, LineContent::Raw(raw)),
            Content::Document(document) => {
                let root = document.root();
                if exports && let Some(lines) = exported(root) {
                    show(Line { index, place: frame.place, content: LineContent::Wrapper(root) })?;
                    for line in lines.elements() {
                        let place = behind(last, Place { part: 1, ..frame.place });
                        last = place;
                        show(Line { index, place, content: LineContent::Value(line) })?;
                        index += 1;
                    }
                    return Ok(());
                }
                (frame.place, LineContent::Value(root))
            }
        };
        let place = behind(last, place);
        last = place;
        index += 1;
        show(Line { index: index - 1, place, content })
    })
}

/// A place behind the last one: many lines of exports begin on one line of the file.
fn behind(last: Place, place: Place) -> Place {
    let is_same_line = (last.file, last.line) == (place.file, place.line);
    let part = if is_same_line { place.part.max(last.part + 1) } else { place.part };
    Place { part, ..place }
}

/// The lines of a web export.
pub(crate) fn exported<'d: 'a, 'a>(root: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    // A line has a type; looked for first, because it is not far away.
    if root.member("type").is_some() {
        return None;
    }
    root.member(LOGLINES).filter(|lines| lines.kind() == Kind::Array)
}
