//! The lines of a log, whatever they are in.

use vac_adapter::frame::{Content, Place, Raw};
use vac_adapter::{Error, Log};
use vac_value::{Kind, Node};

/// One line.
#[derive(Clone, Copy)]
pub(crate) struct Line<'f, 'a> {
    /// Its number, from 0.
    pub index: u64,
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

/// Shows each line of a log.
pub(crate) fn each(
    log: &Log<'_>,
    mut show: impl FnMut(Line<'_, '_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut index = 0;
    let mut next = || {
        index += 1;
        index - 1
    };
    log.each(|frame| {
        let place = frame.place;
        let document = match &frame.content {
            Content::Document(document) => document,
            Content::Raw(raw) => {
                let content = LineContent::Raw(raw);
                return show(Line { index: next(), place, content });
            }
        };
        let root = document.root();
        let Some(lines) = exported(root) else {
            let content = LineContent::Value(root);
            return show(Line { index: next(), place, content });
        };
        show(Line { index: 0, place, content: LineContent::Wrapper(root) })?;
        for (part, line) in (1..).zip(lines.elements()) {
            let content = LineContent::Value(line);
            show(Line { index: next(), place: Place { part, ..place }, content })?;
        }
        Ok(())
    })
}

/// The lines of a web export.
pub(crate) fn exported<'d, 'a>(root: Node<'d, 'a>) -> Option<Node<'d, 'a>> {
    // A line has a type; looked for first, because it is not far away.
    if root.member("type").is_some() {
        return None;
    }
    root.member(LOGLINES).filter(|lines| lines.kind() == Kind::Array)
}
