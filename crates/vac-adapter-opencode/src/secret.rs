//! The one deliberate omission: what lets others change a shared session.

use vac_adapter::cursor::Cursor;
use vac_value::{Any, Node};

use crate::classify::{Class, Facts};

/// How the report calls it.
pub(crate) const OMITTED: &str = "session_share.secret";

const SECRET: &str = "secret";
/// Where a session says how it is shared.
const SHARE: &str = "share";

/// Whether a unit holds one.
pub(crate) fn is_in(unit: &Facts<'_, '_>, class: Class) -> bool {
    let holds = |share: Node<'_, '_>| share.member(SECRET).is_some();
    match class {
        Class::Share => unit.secret.is_some(),
        Class::Session => unit.share.is_some_and(holds),
        _ => false,
    }
}

/// Takes it away from a share object.
pub(crate) fn omit(share: &mut Cursor<'_, '_>) {
    share.take_if(SECRET, |_| Some(()));
}

/// Takes it away from a session; gives what is left of its share object, as a
/// member.
pub(crate) fn omit_inside<'a>(session: &mut Cursor<'a, '_>) -> Option<(&'static str, Any<'a>)> {
    let mut share = session.object(SHARE)?;
    omit(&mut share);
    share.remainder().map(|left| (SHARE, left))
}

/// Whether bytes that are no document might be a share object, or hold one.
pub(crate) fn may_be_in(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let has = |key: &str| text.contains(key);
    has("\"secret\"") && (has("\"share\"") || !(has("\"type\"") || has("\"role\"")))
}
