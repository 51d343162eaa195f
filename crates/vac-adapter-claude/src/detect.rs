//! Which documents are lines of a Claude Code log, and what the first of them tell.

use vac_adapter::{Confidence, Glimpse, Sample, Share, ids};
use vac_record::AbstractTimestamp;
use vac_value::{Decode, IntoOwned, Kind, Node, Text};

use crate::hoisted::Hoisted;
use crate::known;
use crate::lines::exported;

/// Whether the type of a line is known.
fn is_known(line: Node<'_, '_>) -> bool {
    line.member("type").and_then(Node::text).is_some_and(|kind| known::line(&kind))
}

/// How sure one document makes.
pub(crate) fn confidence(document: Node<'_, '_>) -> Confidence {
    if let Some(lines) = exported(document) {
        return match lines.elements().next() {
            Some(line) if is_known(line) => Confidence::Certain,
            _ => Confidence::Possible,
        };
    }
    if document.kind() != Kind::Map || !is_known(document) {
        return Confidence::No;
    }
    let has = |key: &str| document.member(key).is_some();
    let is_message = document
        .member("message")
        .is_some_and(|message| message.kind() == Kind::Map && message.member("content").is_some());
    if has("sessionId") || has("parentUuid") || has("leafUuid") || has("isSnapshotUpdate") {
        Confidence::Certain
    } else if is_message && has("timestamp") {
        Confidence::Likely
    } else if is_message {
        Confidence::Possible
    } else {
        Confidence::No
    }
}

/// What the beginning of a log tells about its session.
pub(crate) fn glimpse(sample: &Sample<'_>) -> Glimpse {
    let mut hoisted = Hoisted::default();
    let mut glimpse = Glimpse { variant: "jsonl", ..Glimpse::default() };
    let mut agent = None;
    for document in &sample.documents {
        let root = document.root();
        let lines = exported(root);
        if lines.is_some() {
            glimpse.variant = "loglines";
        }
        let single = lines.is_none().then_some(root);
        for line in lines.into_iter().flat_map(Node::elements).chain(single) {
            for (key, value) in line.members() {
                let Some(key) = key.text() else { continue };
                hoisted.survey(&key, value);
                if key == "timestamp" && glimpse.start.is_none() {
                    glimpse.start =
                        AbstractTimestamp::decode(value).ok().map(IntoOwned::into_owned);
                }
            }
            let is_message = line.member("message").is_some();
            if agent.is_none() && is_message {
                agent = Some(line.member("agentId").and_then(Node::text).map(Text::into_owned));
            }
        }
    }
    if agent.flatten().is_some() {
        glimpse.variant = "subagent";
        glimpse.share = Share::Subagent;
    }
    glimpse.session_id = hoisted.session_id.or_else(|| ids::stem(sample.name).map(str::to_owned));
    glimpse.project = hoisted.cwd;
    glimpse.version = hoisted.version;
    glimpse
}
