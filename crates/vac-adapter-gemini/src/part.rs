//! One document of an input, and the pieces that entries are made of.

use vac_adapter::Error;
use vac_adapter::cursor::Cursor;
use vac_adapter::frame::{Place, Raw, Reason};
use vac_value::{Any, Document, Encoding, Node};

use crate::broken::Skeleton;
use crate::detect::Form;

/// One document.
#[derive(Debug)]
pub(crate) struct Part {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub shape: Shape,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What a document is.
#[derive(Debug)]
pub(crate) enum Shape {
    /// A session.
    Whole(Form),
    /// A session that is no JSON as a whole.
    Broken(Skeleton),
    /// JSON, and no session.
    Other,
    /// Something else.
    Raw(Reason),
}

impl Shape {
    /// The format, if it is a session.
    pub fn form(&self) -> Option<Form> {
        match self {
            Self::Whole(form) => Some(*form),
            Self::Broken(skeleton) => Some(skeleton.form),
            Self::Other | Self::Raw(_) => None,
        }
    }
}

/// One piece of a document.
#[derive(Debug)]
pub(crate) enum Piece<'p, 'd, 'a> {
    /// The object around the list; comes first.
    Wrapper(&'p Wrapper<'d, 'a>),
    /// An element of the list.
    Element(Node<'d, 'a>),
    /// A document that is no session.
    Other(Node<'d, 'a>),
    /// What cannot be carried as a value.
    Raw(&'p Raw<'a>),
}

/// The object around the list.
#[derive(Debug)]
pub(crate) struct Wrapper<'d, 'a> {
    /// The object.
    node: Node<'d, 'a>,
    /// The member that is the list.
    list: &'static str,
    /// If its other members cannot be carried as values: its text with an empty
    /// list, and why.
    pub raw: Option<(Vec<u8>, Reason)>,
}

impl<'d, 'a> Wrapper<'d, 'a> {
    fn of(node: Node<'d, 'a>, list: &'static str, ambiguous: bool) -> Self {
        let mut wrapper = Self { node, list, raw: None };
        if ambiguous {
            wrapper.raw = Some((wrapper.text(), Reason::DuplicateKey));
        } else if let Some(cursor) = wrapper.cursor()
            && let Err(error) = Any::of(&cursor.rest(&[]), Encoding::Cbor)
        {
            // A record's head has no place for raw text, so what one encoding
            // cannot say is an entry in both.
            wrapper.raw = Some((wrapper.text(), Reason::Encoding(error.to_string())));
        }
        wrapper
    }

    /// Its members without the list.
    pub fn cursor(&self) -> Option<Cursor<'d, 'a>> {
        let mut cursor = Cursor::of(self.node)?;
        cursor.array(self.list);
        Some(cursor)
    }

    /// Looks at a member.
    pub fn member(&self, key: &str) -> Option<Node<'d, 'a>> {
        self.node.member(key)
    }

    fn text(&self) -> Vec<u8> {
        let raw = self.node.raw();
        let Some(list) = self.node.member(self.list) else { return raw.to_vec() };
        let from = list.offset() - self.node.offset();
        [&raw[..from], b"[]", &raw[from + list.raw().len()..]].concat()
    }
}

/// Takes pieces, each with the offset in the document that it begins at.
pub(crate) type Show<'s> = dyn FnMut(usize, Piece<'_, '_, '_>) -> Result<(), Error> + 's;

impl Part {
    /// Shows each piece.
    pub fn each(&self, show: &mut Show<'_>) -> Result<(), Error> {
        let reason = match &self.shape {
            Shape::Whole(form) => match Document::json(&self.bytes) {
                Ok(document) => return whole(&document, *form, show),
                Err(error) => Reason::Syntax(error),
            },
            Shape::Other => match Document::json(&self.bytes) {
                Ok(document) => return show(0, Piece::Other(document.root())),
                Err(error) => Reason::Syntax(error),
            },
            Shape::Broken(skeleton) => return skeleton.each(&self.bytes, show),
            Shape::Raw(reason) => reason.clone(),
        };
        show(0, Piece::Raw(&Raw { bytes: &self.bytes, reason, document: None }))
    }
}

/// Shows each piece of a session.
pub(crate) fn whole(document: &Document<'_>, form: Form, show: &mut Show<'_>) -> Result<(), Error> {
    let root = document.root();
    let doubles: Vec<u32> = document.duplicate_keys().map(Node::index).collect();
    let within = |node: Node<'_, '_>, double: &u32| (node.index()..node.after()).contains(double);
    let mut list = Some(root);
    if let Some(key) = form.list() {
        list = root.member(key);
        let outside = doubles.iter().any(|double| !list.is_some_and(|list| within(list, double)));
        show(0, Piece::Wrapper(&Wrapper::of(root, key, outside)))?;
    }
    let start = root.offset();
    for element in list.into_iter().flat_map(Node::elements) {
        let offset = element.offset() - start;
        if doubles.iter().any(|double| within(element, double)) {
            let bytes = element.raw();
            let document = Document::json(bytes).ok();
            let raw = Raw { bytes, reason: Reason::DuplicateKey, document };
            show(offset, Piece::Raw(&raw))?;
        } else {
            show(offset, Piece::Element(element))?;
        }
    }
    Ok(())
}

/// Shows the wrapper of a document that is put together again.
pub(crate) fn wrapper(
    document: &Document<'_>,
    form: Form,
    show: &mut Show<'_>,
) -> Result<(), Error> {
    let Some(key) = form.list() else { return Ok(()) };
    let ambiguous = document.duplicate_keys().len() > 0;
    show(0, Piece::Wrapper(&Wrapper::of(document.root(), key, ambiguous)))
}
