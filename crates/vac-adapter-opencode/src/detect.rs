//! Which documents are `OpenCode`'s, and what they tell about their session.

use vac_adapter::{Confidence, Fit, Glimpse, Sample, Share, Verdict};
use vac_record::{AbstractTimestamp, Decode};
use vac_value::{IntoOwned, Kind, Node};

use crate::classify::{Class, Facts, array, is_a, is_shared};

/// How the documents of a sample fit.
pub(crate) fn verdict(sample: &Sample<'_>) -> Verdict {
    let verdict = sample.verdict(fit);
    // The one document of an export or a shared session may be cut short.
    let is_cut = || is_cut_export(sample.bytes) || is_cut_share(sample.bytes);
    if verdict.fits == 0 && is_cut() {
        return Verdict::from_confidence(Confidence::Likely);
    }
    verdict
}

/// How one document fits.
fn fit(document: Node<'_, '_>) -> Fit {
    if document.kind() == Kind::Array {
        // Todos and changes of a session, which do not say whose they are.
        let is_beside = || matches!(array(document), Class::Diffs | Class::Todos);
        return match is_shared(document) {
            true => Fit::Fits(of_shared(document)),
            false if is_beside() => Fit::Neutral,
            false => Fit::unknown(document),
        };
    }
    let facts = Facts::of(document);
    if let Some((info, messages)) = facts.export() {
        let message = messages.elements().next();
        let holds_parts = |message: Node<'_, '_>| {
            message.member("info").is_some() && message.member("parts").is_some()
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
        Class::Early => {
            let possible = if is_a(facts.metadata, Kind::Map) {
                Fit::Fits(Confidence::Possible)
            } else {
                Fit::Contradicts("no-metadata")
            };
            fits(is_id(of_metadata(&facts, "sessionID"), "ses_"), possible)
        }
        // Other agents have titles and versions as well.
        Class::Session => match facts.project {
            Some(_) => fits(is_id(facts.id, "ses_"), Fit::Fits(Confidence::Possible)),
            None => fits(is_id(facts.id, "ses_"), Fit::Contradicts("session-id")),
        },
        Class::Share => fits(is_id(facts.id, "ses_"), Fit::Neutral),
        Class::Row | Class::Whole if is_id(facts.session, "ses_") => likely,
        Class::Project => Fit::Fits(Confidence::Possible),
        Class::Row | Class::Diffs | Class::Todos | Class::Models => Fit::Neutral,
        _ if is_id(facts.session, "ses_") => Fit::Neutral,
        _ => Fit::unknown(document),
    }
}

/// Others share things as well: its ids tell.
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

/// Whether bytes begin as an export does: with what is true of a session.
fn is_cut_export(bytes: &[u8]) -> bool {
    behind(bytes, &["{", "\"info\"", ":", "{"]).is_some_and(|rest| {
        let head = String::from_utf8_lossy(rest);
        head.contains("\"ses_") && head.contains("\"projectID\"")
    })
}

/// Whether bytes begin as a shared session does: with an element that names one.
fn is_cut_share(bytes: &[u8]) -> bool {
    behind(bytes, &["[", "{", "\"type\"", ":"]).is_some_and(|rest| {
        let head = String::from_utf8_lossy(rest);
        head.contains("\"ses_") && head.contains("\"data\"")
    })
}

/// What stands behind these tokens, if bytes begin with them.
fn behind<'a>(bytes: &'a [u8], tokens: &[&str]) -> Option<&'a [u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    tokens
        .iter()
        .try_fold(bytes, |rest, token| rest.trim_ascii_start().strip_prefix(token.as_bytes()))
}

/// What the beginning of a log tells about its session. Of several sessions, what it
/// tells about the first.
pub(crate) fn glimpse(sample: &Sample<'_>) -> Glimpse {
    let mut glimpse =
        Glimpse { variant: "concatenated", share: Share::Whole, ..Glimpse::default() };
    for document in &sample.documents {
        let root = document.root();
        let facts = Facts::of(root);
        if let Some((info, messages)) = facts.export() {
            glimpse.variant = "export";
            see(&mut glimpse, &Facts::of(info));
            for message in messages.elements() {
                message.member("info").iter().for_each(|info| see(&mut glimpse, &Facts::of(*info)));
            }
        } else if root.kind() == Kind::Array && is_shared(root) {
            glimpse.variant = "share";
            let data = root.elements().filter_map(|element| element.member("data"));
            data.for_each(|data| see(&mut glimpse, &Facts::of(data)));
        } else {
            match facts.class() {
                Class::Captured => glimpse.variant = "capture",
                Class::Early => glimpse.variant = "early",
                _ => {}
            }
            see(&mut glimpse, &facts);
        }
    }
    glimpse
}

/// Takes what an object tells, unless it is another session's.
fn see(glimpse: &mut Glimpse, facts: &Facts<'_, '_>) {
    let class = facts.class();
    let metadata = |key: &str| of_metadata(facts, key);
    let session = match class {
        Class::Session => facts.id,
        Class::Early => facts.session.or_else(|| metadata("sessionID")),
        Class::Project | Class::Other => None,
        _ => facts.session,
    };
    let session = session.and_then(Node::text);
    if glimpse.session_id.is_none() {
        glimpse.session_id = session.as_deref().map(str::to_owned);
    }
    if session.is_none() || session.as_deref() != glimpse.session_id.as_deref() {
        return;
    }
    let text = |node: Option<Node<'_, '_>>| node.and_then(Node::text).map(Into::into);
    let time = if class == Class::Early { metadata("time") } else { facts.time };
    let created = time.and_then(|time| time.member("created")).or(facts.timestamp);
    let created = created.and_then(|time| AbstractTimestamp::from_node(time).ok());
    if class == Class::Session {
        // It knows best.
        glimpse.version = text(facts.version);
        glimpse.project = text(facts.directory).or_else(|| glimpse.project.take());
        glimpse.start = created.map(IntoOwned::into_owned).or_else(|| glimpse.start.take());
        return;
    }
    if glimpse.start.is_none() {
        glimpse.start = created.map(IntoOwned::into_owned);
    }
    if glimpse.project.is_none() {
        let path = facts.path.and_then(|path| path.member("cwd"));
        glimpse.project = text(path);
    }
}
