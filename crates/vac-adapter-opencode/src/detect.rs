//! Which documents are `OpenCode`'s.

use vac_adapter::Confidence;
use vac_value::Node;

use crate::classify::{Class, class, export, foreign};

/// How sure one document makes.
pub(crate) fn confidence(document: Node<'_, '_>) -> Confidence {
    if foreign(document).is_some() {
        return Confidence::Likely;
    }
    if let Some((info, messages)) = export(document) {
        let message = messages.elements().next();
        let holds_parts = |message: Node<'_, '_>| {
            message.member("info").is_some() && message.member("parts").is_some()
        };
        return match message.map(holds_parts) {
            Some(false) => Confidence::No,
            Some(true) => Confidence::Certain,
            None if is_id(info, "id", "ses_") => Confidence::Certain,
            None => Confidence::Possible,
        };
    }
    match class(document) {
        Class::Part if is_id(document, "messageID", "msg_") => Confidence::Certain,
        Class::Message if is_id(document, "sessionID", "ses_") => Confidence::Certain,
        Class::Session | Class::Share if is_id(document, "id", "ses_") => Confidence::Certain,
        Class::Part | Class::Message if document.member("sessionID").is_some() => {
            Confidence::Likely
        }
        Class::Session | Class::Project => Confidence::Possible,
        _ => Confidence::No,
    }
}

fn is_id(document: Node<'_, '_>, key: &str, prefix: &str) -> bool {
    document.member(key).and_then(Node::text).is_some_and(|id| id.starts_with(prefix))
}
