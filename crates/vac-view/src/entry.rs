//! What all five types of entries have in common.

use vac_record::{AbstractTimestamp, Entry};
use vac_value::{Any, Kind, Map, Text};

/// Members beyond those that the schema names.
pub(crate) type Native<'a> = Map<Text<'a>, Any<'a>>;

/// What every entry has.
#[derive(Clone, Copy)]
pub(crate) struct Common<'e, 'a> {
    pub id: Option<&'e str>,
    pub timestamp: Option<&'e AbstractTimestamp<'a>>,
    pub children: &'e [Entry<'a>],
    pub native: &'e Native<'a>,
}

/// Looks at what every entry has.
pub(crate) fn common<'e, 'a>(entry: &'e Entry<'a>) -> Common<'e, 'a> {
    Common {
        id: entry.id().map(|id| &**id),
        timestamp: entry.timestamp(),
        children: entry.children().unwrap_or_default(),
        native: entry.extensions(),
    }
}

/// Whether a member is `true`.
pub(crate) fn is_true(native: &Native<'_>, key: &str) -> bool {
    let is = |any: &Any<'_>| any.document().ok().and_then(|document| document.root().bool());
    native.get(key).and_then(is) == Some(true)
}

/// Whether a member says anything but no.
pub(crate) fn is_set(native: &Native<'_>, key: &str) -> bool {
    let is_no = |any: &Any<'_>| match any.document() {
        Ok(document) => {
            document.root().kind() == Kind::Null || document.root().bool() == Some(false)
        }
        Err(_) => false,
    };
    native.get(key).is_some_and(|any| !is_no(any))
}

/// The text at a path of keys.
pub(crate) fn text(native: &Native<'_>, path: &[&str]) -> Option<String> {
    let (first, inside) = path.split_first()?;
    let document = native.get(first)?.document().ok()?;
    let mut node = document.root();
    for key in inside {
        node = node.member(key)?;
    }
    node.text().map(std::borrow::Cow::into_owned)
}
