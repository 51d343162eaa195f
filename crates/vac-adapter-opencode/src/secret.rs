//! Removes the secret with which others can change a shared session: no record contains it.

use vac_adapter::members::{Rest, object};
use vac_adapter::redact::{self, Secrets};
use vac_adapter::{Report, mapping};
use vac_value::{Any, Kind, Node};

use crate::classify::{Class, Facts};

/// The members of a share that are secret.
pub(crate) const SECRETS: Secrets = Secrets::new(&["secret"]);

/// The name of the secret in reports.
pub(crate) const PATH: &str = "session_share.secret";

/// The member of a session that contains its share.
pub(crate) const SHARE: &str = "share";

/// Returns whether an object contains the secret in a place where it is redacted. A document of an
/// unknown kind that names no session may be a share object, or contain one, in a form that is not
/// known yet.
pub(crate) fn is_in(node: Node<'_, '_>, stored: &Facts<'_, '_>, class: Class) -> bool {
    let is_shared = || stored.share.is_some_and(|share| SECRETS.are_readable_in(share.raw()));
    match class {
        Class::Share => stored.secret.is_some(),
        Class::Session | Class::Member(_) => is_shared(),
        Class::Other => {
            stored.session.is_none() && (is_shared() || SECRETS.without_secrets(node).is_some())
        }
        _ => false,
    }
}

mapping! {
    /// A share object, or `share` of a session.
    pub(crate) struct Share<'a>("share"; key, value, session: Option<&str>) {
        "secret" => "redacted", stated = true;
        "id" => "of a share object, the session's `id`; else kept",
            stated = session.is_some_and(|session| value.is_text(session));
        "url" => "", keep;
    }
}

/// Returns whether only a part of a share may be kept, because it is an object or may contain the
/// secret.
pub(crate) fn is_redacted(share: Node<'_, '_>) -> bool {
    share.kind() == Kind::Map || SECRETS.are_readable_in(share.raw())
}

/// Returns the part of a share that may be kept; `None` if nothing is left.
pub(crate) fn kept<'a>(share: Node<'a, '_>, report: &mut Report) -> Option<Any<'a>> {
    if share.kind() != Kind::Map {
        return Some(redact::value(share.raw()));
    }
    let mut rest = Share::read(share, &[], None, report).rest;
    let mut hidden = Rest::default();
    rest.retain(|key, value| {
        let secret = value.source().filter(|(raw, _)| SECRETS.are_readable_in(raw));
        hidden.extend(secret.map(|(raw, _)| (key.clone(), redact::value(raw))));
        secret.is_none()
    });
    rest.extend(hidden);
    object(rest)
}
