//! The secret that lets others change a shared session: no record contains it.

use vac_adapter::members::{Members, Rest, object, sift};
use vac_adapter::redact::{self, Secrets};
use vac_value::{Any, Kind, Node};

use crate::classify::{Class, Facts};

/// Members of share objects.
pub(crate) const SECRETS: Secrets = Secrets::new(&[SECRET]);

/// How the report names it.
pub(crate) const PATH: &str = "session_share.secret";

const SECRET: &str = "secret";
/// Where a session says how it is shared.
pub(crate) const SHARE: &str = "share";

/// Whether a object has one where it is redacted. A document of an unknown kind that names no
/// session may be a share object, or contain some, in a form that is not known yet.
pub(crate) fn is_in(node: Node<'_, '_>, stored: &Facts<'_, '_>, class: Class) -> bool {
    let is_shared = || stored.share.is_some_and(|share| SECRETS.are_readable_in(share.raw()));
    match class {
        Class::Share => stored.secret.is_some(),
        Class::Session | Class::Member(_) => is_shared(),
        Class::Other => {
            stored.session.is_none() && (is_shared() || SECRETS.blanked(node).is_some())
        }
        _ => false,
    }
}

/// Takes the secret from a share object.
pub(crate) fn redact(share: &mut Members<'_, '_>) {
    share.take_if(SECRET, |_| Some(()));
}

/// Takes the share object from a session; returns what may be kept of it, as a member.
pub(crate) fn redact_inside<'a>(session: &mut Members<'a, '_>) -> Option<(&'static str, Any<'a>)> {
    let share = session.take_if(SHARE, |share| {
        let is_redacted = share.kind() == Kind::Map || SECRETS.are_readable_in(share.raw());
        is_redacted.then_some(share)
    })?;
    kept(share).map(|share| (SHARE, share))
}

/// What may be kept of how a session is shared; `None` if nothing is left.
pub(crate) fn kept<'a>(share: Node<'a, '_>) -> Option<Any<'a>> {
    if share.kind() != Kind::Map {
        return Some(redact::value(share.raw()));
    }
    let mut hidden = Rest::default();
    let mut rest = sift(share, &[], |key, value| {
        let is_hidden = key != SECRET && SECRETS.are_readable_in(value.raw());
        if is_hidden {
            hidden.push((key.to_owned().into(), redact::value(value.raw())));
        }
        is_hidden || key == SECRET
    });
    rest.extend(hidden);
    object(rest)
}
