//! Keeps members of a native object, and chooses the names that they are kept under. [Mapping
//! tables](mod@crate::mapping) state which members are kept.

use std::borrow::Cow;

use vac_value::{Any, IntoOwned, Kind, Limits, Map, Node, Scanner, Text};

use crate::annotation;

/// Lists of keys that a native key must not be mistaken for. The keys that the schema names
/// are generated: `MessageEntry::KEYS`.
pub mod keys {
    use vac_record::EventEntry;

    /// The keys of `event-entry`, and `parent-id`, which adapters add.
    pub const EVENT: &[&str] =
        &with::<{ EventEntry::KEYS.len() + 1 }>(&EventEntry::KEYS, &["parent-id"]);

    /// Returns the keys of a map and those that an adapter adds to it, `N` in all.
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
    /// If there are not exactly `N` keys. In a constant, that is a compile error.
    pub const fn with<const N: usize>(
        named: &[&'static str],
        ours: &[&'static str],
    ) -> [&'static str; N] {
        assert!(N == named.len() + ours.len(), "N is the number of keys");
        let mut all = [""; N];
        let mut at = 0;
        while at < N {
            all[at] = if at < named.len() { named[at] } else { ours[at - named.len()] };
            at += 1;
        }
        all
    }
}

/// The prefix of a native key that would otherwise be mistaken for a canonical one.
const MARK: &str = "native:";
/// The prefix of a native key that is not text.
const TOKEN_MARK: &str = "native-token:";

/// The members of a native object that the schema does not name.
pub type Rest<'a> = Map<Text<'a>, Any<'a>>;

/// Passes each member of an object to `take`, which returns whether it took it, and returns those
/// that it did not take, for a map that names these keys. Called by [`mapping!`](crate::mapping!).
#[doc(hidden)]
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
        rest.push((kept_name(key, text, named), value.carry()));
    }
    rest
}

/// Returns all members of an object, for a map that names these keys.
pub fn all<'d>(node: Node<'d, '_>, named: &[&str]) -> Rest<'d> {
    sift(node, named, |_, _| false)
}

/// Returns the members as one object; `None` without any.
pub fn object(members: Rest<'_>) -> Option<Any<'_>> {
    (!members.is_empty()).then(|| Any::members(members))
}

/// The maximum depth of a value in a text, which is less than a record allows.
const MAX_DEPTH: usize = 200;

/// Returns the value that a text contains as JSON, if a record can contain it.
pub fn json_in_text(text: &str) -> Option<Any<'static>> {
    let limits = Limits { depth: MAX_DEPTH, ..Limits::default() };
    let document = Scanner::new(limits).json(text.as_bytes()).ok()?;
    let is_unique = document.duplicate_keys().next().is_none();
    is_unique.then(|| document.root().carry().into_owned())
}

/// Returns null, for a value that the schema requires and the source does not have.
#[expect(clippy::missing_panics_doc, reason = "`null` is JSON")]
pub fn null<'a>() -> Any<'a> {
    Any::from_json(b"null").expect("null is JSON")
}

/// Returns the name under which a native key is kept in a map that names these keys.
fn kept_name<'a>(key: Node<'a, '_>, text: Option<Text<'a>>, named: &[&str]) -> Text<'a> {
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
