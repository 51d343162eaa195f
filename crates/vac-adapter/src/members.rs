//! The members of one native object: what is not taken is kept.
//!
//! Methods such as [`Members::text`] remove a member only if its value fits the canonical
//! field; any other member stays. [`Members::rest`] returns what stayed, to be kept under its
//! native name. Dropping members without calling it is a defect, and panics if debug
//! assertions are on (a release build continues).
//!
//! ```
//! use vac_adapter::members::Members;
//! use vac_record::MessageEntry;
//! use vac_value::Document;
//!
//! let line = Document::json(br#"{"uuid": "u1", "timestamp": "soon", "mood": "good", "x": null}"#)?;
//! let mut members = Members::new(line.root()).ok_or("not an object")?;
//! assert_eq!(members.text("uuid").as_deref(), Some("u1"));
//! assert_eq!(members.timestamp("timestamp"), None, "that is no timestamp: it stays");
//! let rest = members.rest(&MessageEntry::KEYS);
//! let names: Vec<_> = rest.iter().map(|(name, _)| name.as_ref()).collect();
//! assert_eq!(names, ["native:timestamp", "mood"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Decisions
//!
//! * A native key that the target map names is kept as `native:` and itself, and
//!   so is one that begins with `native:`, so that no two keys can meet. The key `vac` is
//!   reserved for [annotations](crate::annotation) and is kept as `native:vac`.
//! * A key that is not Unicode text (a lone surrogate) is kept as
//!   `native-token:` and its JSON token without the quotes.
//! * A member whose value is null is left out of the rest; inside a value that is kept as
//!   a whole, nulls stay.

use std::borrow::Cow;

use vac_record::{AbstractTimestamp, Decode};
use vac_value::{Any, Kind, Map, Node, Number, Text};

use crate::annotation;

/// Lists of keys that a native key must not be mistaken for. The keys that the schema names
/// are generated: `MessageEntry::KEYS`.
pub mod keys {
    use vac_record::EventEntry;

    /// The keys of `event-entry`, and `parent-id`, which adapters add.
    pub const EVENT: &[&str] =
        &with::<{ EventEntry::KEYS.len() + 1 }>(&EventEntry::KEYS, &["parent-id"]);

    /// The keys of a map and those that an adapter adds to it; there are `N` of them.
    ///
    /// ```
    /// use vac_adapter::members::keys;
    /// use vac_record::MessageEntry;
    ///
    /// const OURS: &[&str] = &["mood"];
    /// const MESSAGE: &[&str] =
    ///     &keys::with::<{ MessageEntry::KEYS.len() + OURS.len() }>(&MessageEntry::KEYS, OURS);
    /// assert!(MESSAGE.ends_with(&["children", "mood"]));
    /// ```
    ///
    /// # Panics
    /// If there are not `N`: in a constant, that is an error of the compiler.
    pub const fn with<const N: usize>(
        named: &[&'static str],
        ours: &[&'static str],
    ) -> [&'static str; N] {
        assert!(N == named.len() + ours.len(), "as many as there are");
        let mut all = [""; N];
        let mut at = 0;
        while at < N {
            all[at] = if at < named.len() { named[at] } else { ours[at - named.len()] };
            at += 1;
        }
        all
    }
}

/// Marks a native key that would be mistaken for a canonical one.
const MARK: &str = "native:";
/// Marks a native key that is no text.
const TOKEN_MARK: &str = "native-token:";

/// Members beyond those the schema names.
pub type Rest<'a> = Map<Text<'a>, Any<'a>>;

/// The members of one native object that nobody has taken yet.
#[derive(Debug)]
#[must_use = "what is not taken has to be kept: call rest()"]
pub struct Members<'d, 'a> {
    members: Vec<Member<'d, 'a>>,
}

#[derive(Debug)]
struct Member<'d, 'a> {
    key: Node<'d, 'a>,
    /// What the key says, if it says so without escapes.
    plain: Option<&'a [u8]>,
    value: Node<'d, 'a>,
}

impl<'d, 'a> Member<'d, 'a> {
    fn new((key, value): (Node<'d, 'a>, Node<'d, 'a>)) -> Self {
        let plain = match key.raw() {
            [b'"', inside @ .., b'"'] if !inside.contains(&b'\\') => Some(inside),
            _ => None,
        };
        Self { key, plain, value }
    }

    fn is(&self, key: &str) -> bool {
        match self.plain {
            Some(plain) => plain == key.as_bytes(),
            None => self.key.is_text(key),
        }
    }
}

impl<'d, 'a> Members<'d, 'a> {
    /// The members of an object; `None` if it is none.
    pub fn new(node: Node<'d, 'a>) -> Option<Self> {
        (node.kind() == Kind::Map).then(|| {
            let mut members = Vec::with_capacity(24);
            members.extend(node.members().map(Member::new));
            Self { members }
        })
    }

    fn place(&self, key: &str) -> Option<usize> {
        self.members.iter().position(|member| member.is(key))
    }

    /// Looks at a member without taking it.
    pub fn peek(&self, key: &str) -> Option<Node<'d, 'a>> {
        self.place(key).map(|at| self.members[at].value)
    }

    /// Takes a member if there is something to make of it.
    pub fn take_if<T>(
        &mut self,
        key: &str,
        make: impl FnOnce(Node<'d, 'a>) -> Option<T>,
    ) -> Option<T> {
        let at = self.place(key)?;
        let value = make(self.members[at].value)?;
        self.members.remove(at);
        Some(value)
    }

    /// Takes a member of a type of the schema.
    pub fn decode<T: Decode<'a>>(&mut self, key: &str) -> Option<T> {
        self.take_if(key, |node| T::from_node(node).ok())
    }

    /// Takes text.
    pub fn text(&mut self, key: &str) -> Option<Text<'a>> {
        self.take_if(key, Node::text)
    }

    /// Takes an RFC 3339 date-time or an unsigned integer.
    pub fn timestamp(&mut self, key: &str) -> Option<AbstractTimestamp<'a>> {
        self.decode(key)
    }

    /// Takes an integer of 0 to 2^64 - 1.
    pub fn uint(&mut self, key: &str) -> Option<u64> {
        self.take_if(key, Node::uint)
    }

    /// Takes a number that both encodings have as a number.
    pub fn number(&mut self, key: &str) -> Option<Number<'a>> {
        self.take_if(key, |node| {
            node.number().filter(|number| !matches!(number, Number::Decimal(_)))
        })
    }

    /// Takes a bool.
    pub fn bool(&mut self, key: &str) -> Option<bool> {
        self.take_if(key, Node::bool)
    }

    /// Takes whatever is there; null counts as nothing.
    pub fn any(&mut self, key: &str) -> Option<Any<'d>> {
        self.take_if(key, |node| (node.kind() != Kind::Null).then(|| node.carry()))
    }

    /// Takes an object, whose members then have to be taken or kept in
    /// turn.
    pub fn object(&mut self, key: &str) -> Option<Members<'d, 'a>> {
        self.take_if(key, Members::new)
    }

    /// Takes an array, whose elements are then the caller's to keep.
    pub fn array(&mut self, key: &str) -> Option<Node<'d, 'a>> {
        self.take_if(key, |node| (node.kind() == Kind::Array).then_some(node))
    }

    /// Takes away a member whose value is already said elsewhere in the record: a
    /// discriminator that became the entry's type, or a value that equals the
    /// session's. Anything but exactly this text stays.
    pub fn said(&mut self, key: &str, elsewhere: &str) -> bool {
        self.take_if(key, |node| node.is_text(elsewhere).then_some(())).is_some()
    }

    /// What nobody has taken, for a map that names these keys ([`keys`]); a map
    /// that names none, such as the data of an event, takes `&[]`.
    pub fn rest(mut self, named: &[&str]) -> Rest<'d> {
        let members = std::mem::take(&mut self.members);
        members
            .into_iter()
            .filter(|member| member.value.kind() != Kind::Null)
            .map(|member| (kept(member.key, member.key.text(), named), member.value.carry()))
            .collect()
    }

    /// What nobody has taken of a nested object, to stand in its place; `None`
    /// if nothing is left.
    pub fn remainder(self) -> Option<Any<'d>> {
        object(self.rest(&[]))
    }
}

/// Shows each member of an object to `take`, which says whether it took it, and gives
/// those that it did not take as [`Members::rest`] does: one pass, where [`Members`]
/// searches for every member that is wanted.
///
/// ```
/// use vac_adapter::members::{put, sift};
/// use vac_record::MessageEntry;
/// use vac_value::Document;
///
/// let line = Document::json(br#"{"uuid": "u1", "type": 7, "mood": "good", "x": null}"#)?;
/// let mut id = None;
/// let rest = sift(line.root(), &MessageEntry::KEYS, |key, value| match key {
///     "uuid" => put(&mut id, value.text()),
///     "type" => value.is_text("user"),
///     _ => false,
/// });
/// assert_eq!(id.as_deref(), Some("u1"));
/// let names: Vec<_> = rest.iter().map(|(name, _)| name.as_ref()).collect();
/// assert_eq!(names, ["native:type", "mood"]);
/// # Ok::<(), vac_value::SyntaxError>(())
/// ```
pub fn sift<'d, 'a>(
    node: Node<'d, 'a>,
    named: &[&str],
    mut take: impl FnMut(&str, Node<'d, 'a>) -> bool,
) -> Rest<'d> {
    let mut rest = Rest::default();
    for (key, value) in node.members() {
        if value.kind() == Kind::Null {
            continue;
        }
        let text = key.text();
        if text.as_deref().is_some_and(|text| take(text, value)) {
            continue;
        }
        if rest.is_empty() {
            rest.reserve(6);
        }
        rest.push((kept(key, text, named), value.carry()));
    }
    rest
}

/// Returns all members of an object, for a map that names these keys.
pub fn all<'d>(node: Node<'d, '_>, named: &[&str]) -> Rest<'d> {
    sift(node, named, |_, _| false)
}

/// Puts a value in its place, if there is one, and says whether there is: what a
/// member is taken with in [`sift`].
pub fn put<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    let is_there = value.is_some();
    if is_there {
        *place = value;
    }
    is_there
}

/// The members as one carried object; `None` if there are none.
pub fn object(members: Rest<'_>) -> Option<Any<'_>> {
    (!members.is_empty()).then(|| Any::members(members))
}

/// Stands for a value that the schema requires and the source does not have.
pub fn null<'a>() -> Any<'a> {
    Any::from_json(b"null").unwrap_or_else(|_| Any::from(""))
}

/// The name that a native key, which says this, is kept under in a map that names
/// these keys.
fn kept<'a>(key: Node<'a, '_>, text: Option<Text<'a>>, named: &[&str]) -> Text<'a> {
    match text {
        Some(text)
            if named.contains(&&*text)
                || text == annotation::KEY
                || text.starts_with(MARK)
                || text.starts_with(TOKEN_MARK) =>
        {
            Cow::Owned(format!("{MARK}{text}"))
        }
        Some(text) => text,
        None => {
            let token = String::from_utf8_lossy(key.raw());
            Cow::Owned(format!("{TOKEN_MARK}{}", token.trim_matches('"')))
        }
    }
}

impl Drop for Members<'_, '_> {
    fn drop(&mut self) {
        debug_assert!(
            self.members.is_empty() || std::thread::panicking(),
            "{} native members were neither taken nor kept",
            self.members.len(),
        );
    }
}
