//! Detects documents of `OpenCode`, and returns the preview of a session.

use vac_adapter::damaged::{Piece, Pieces};
use vac_adapter::{Confidence, Fit, Preview, Sample, Share, Verdict};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{IntoOwned, Kind, Node};

use crate::classify::{Class, Facts, array, is_a, is_flat, is_shared};
use crate::damaged_export::{LISTS, MESSAGES, form};

/// Returns the verdict on the documents of a sample.
pub(crate) fn verdict(sample: &Sample<'_>) -> Verdict {
    let verdict = sample.verdict(fit);
    // An export or a shared session is one document, which may be truncated.
    if verdict.fits == 0 && is_damaged(sample.text()) {
        return Verdict::from_confidence(Confidence::Likely);
    }
    verdict
}

/// Returns the verdict on one document.
fn fit(document: Node<'_, '_>) -> Fit {
    if document.kind() == Kind::Array {
        // Todos and changes of a session do not name the session.
        let is_session_data = || matches!(array(document), Class::Diffs | Class::Todos);
        return match is_shared(document) {
            true => Fit::Fits(of_shared(document)),
            false if is_session_data() => Fit::Neutral,
            false => Fit::unknown(document),
        };
    }
    let facts = Facts::new(document);
    if let Some((info, messages)) = facts.export() {
        let message = messages.elements().next();
        let holds_parts = |message: Node<'_, '_>| {
            message.member("info").is_some() && message.member("parts").is_some()
                || (is_flat(message) && is_id(message.member("id"), "msg_"))
        };
        return match message.map(holds_parts) {
            Some(false) => Fit::Contradicts("no-parts"),
            Some(true) => Fit::Fits(Confidence::Certain),
            None if is_id(info.member("id"), "ses_") => Fit::Fits(Confidence::Certain),
            None => Fit::Fits(Confidence::Possible),
        };
    }
    let fits = |is_ours: bool, otherwise: Fit| {
        if is_ours { Fit::Fits(Confidence::Certain) } else { otherwise }
    };
    let likely = Fit::Fits(Confidence::Likely);
    let has_session = facts.session.is_some();
    match facts.class() {
        Class::Part if is_id(facts.message, "msg_") => Fit::Fits(Confidence::Certain),
        Class::Message if is_id(facts.session, "ses_") => Fit::Fits(Confidence::Certain),
        Class::Part | Class::Message if has_session => likely,
        Class::Captured => fits(facts.part.is_some() || is_id(facts.session, "ses_"), Fit::Neutral),
        Class::Message2025 => {
            let possible = if is_a(facts.metadata, Kind::Map) {
                Fit::Fits(Confidence::Possible)
            } else {
                Fit::Contradicts("no-metadata")
            };
            fits(is_id(of_metadata(&facts, "sessionID"), "ses_"), possible)
        }
        // Sessions of other agents have titles and versions, too.
        Class::Session => match facts.project {
            Some(_) => fits(is_id(facts.id, "ses_"), Fit::Fits(Confidence::Possible)),
            None => fits(is_id(facts.id, "ses_"), Fit::Contradicts("session-id")),
        },
        Class::Share => fits(is_id(facts.id, "ses_"), Fit::Neutral),
        Class::Row | Class::SessionMessage if is_id(facts.session, "ses_") => likely,
        Class::Project => Fit::Fits(Confidence::Possible),
        Class::Row | Class::Diffs | Class::Todos | Class::Models => Fit::Neutral,
        _ if is_id(facts.session, "ses_") => Fit::Neutral,
        _ => Fit::unknown(document),
    }
}

/// Returns the confidence that a shared session gives. Other agents have shared sessions, too, so
/// the ids decide.
fn of_shared(elements: Node<'_, '_>) -> Confidence {
    let mut data = elements.elements().take(3).filter_map(|element| element.member("data"));
    let names = |data: Node<'_, '_>, key: &str| is_id(data.member(key), "ses_");
    if data.any(|data| names(data, "id") || names(data, "sessionID")) {
        Confidence::Certain
    } else {
        Confidence::Possible
    }
}

fn of_metadata<'d, 'a>(facts: &Facts<'d, 'a>, key: &str) -> Option<Node<'d, 'a>> {
    facts.metadata.and_then(|metadata| metadata.member(key))
}

fn is_id(id: Option<Node<'_, '_>>, prefix: &str) -> bool {
    id.and_then(Node::text).is_some_and(|id| id.starts_with(prefix))
}

/// Returns whether bytes are the beginning of an export or of a shared session of `OpenCode`: a
/// complete object in them names a session, or contains a message with its parts.
fn is_damaged(bytes: &[u8]) -> bool {
    let is_ours = |piece: Piece<'_>| match &piece {
        Piece::Member { of: "", key, value } if key.root().is_text("info") => {
            let info = value.root();
            is_id(info.member("id"), "ses_") && info.member("projectID").is_some()
        }
        Piece::Element { of: MESSAGES, value, .. } => {
            let message = value.root();
            let [info, parts] = ["info", "parts"].map(|key| message.member(key));
            is_a(parts, Kind::Array) && info.is_some_and(|info| info.member("role").is_some())
                || (is_flat(message) && is_id(message.member("id"), "msg_"))
        }
        Piece::Element { of: "", value, .. } => value.root().member("data").is_some_and(|data| {
            is_id(data.member("id"), "ses_") || is_id(data.member("sessionID"), "ses_")
        }),
        _ => false,
    };
    form(bytes).is_some() && Pieces::new(bytes, LISTS).any(is_ours)
}

/// Returns the preview of the first session in a log.
pub(crate) fn preview(sample: &Sample<'_>) -> Preview {
    let mut preview =
        Preview { variant: "concatenated", share: Share::Whole, ..Preview::default() };
    for document in &sample.documents {
        let root = document.root();
        let facts = Facts::new(root);
        if let Some((info, messages)) = facts.export() {
            preview.variant = "export";
            see(&mut preview, &Facts::new(info));
            for message in messages.elements() {
                message
                    .member("info")
                    .iter()
                    .for_each(|info| see(&mut preview, &Facts::new(*info)));
            }
        } else if root.kind() == Kind::Array && is_shared(root) {
            preview.variant = "share";
            let data = root.elements().filter_map(|element| element.member("data"));
            data.for_each(|data| see(&mut preview, &Facts::new(data)));
        } else {
            match facts.class() {
                Class::Captured => preview.variant = "capture",
                Class::Message2025 => preview.variant = "early",
                _ => {}
            }
            see(&mut preview, &facts);
        }
    }
    preview
}

/// Adds the facts of an object to the preview, unless they are another session's.
fn see(preview: &mut Preview, facts: &Facts<'_, '_>) {
    let class = facts.class();
    let metadata = |key: &str| of_metadata(facts, key);
    let session = match class {
        Class::Session => facts.id,
        Class::Message2025 => facts.session.or_else(|| metadata("sessionID")),
        Class::Project | Class::Other => None,
        _ => facts.session,
    };
    let session = session.and_then(Node::text);
    if preview.session_id.is_none() {
        preview.session_id = session.as_deref().map(str::to_owned);
    }
    if session.is_none() || session.as_deref() != preview.session_id.as_deref() {
        return;
    }
    let text = |node: Option<Node<'_, '_>>| node.and_then(Node::text).map(Into::into);
    let time = if class == Class::Message2025 { metadata("time") } else { facts.time };
    let created = time.and_then(|time| time.member("created")).or(facts.timestamp);
    let created = created.and_then(|time| AbstractTimestamp::from_node(time).ok());
    if class == Class::Session {
        // The facts of the session override those of its messages.
        preview.version = text(facts.version);
        preview.parent = facts.session_parent();
        preview.project = text(facts.directory).or_else(|| preview.project.take());
        preview.start = created.map(IntoOwned::into_owned).or_else(|| preview.start.take());
        return;
    }
    if preview.start.is_none() {
        preview.start = created.map(IntoOwned::into_owned);
    }
    if preview.project.is_none() {
        let path = facts.path.and_then(|path| path.member("cwd"));
        preview.project = text(path);
    }
}
