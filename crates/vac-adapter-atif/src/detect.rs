//! Detects documents that are trajectories.

use vac_adapter::{Confidence, Fit};
use vac_value::{Kind, Node};

/// The beginning of every version of the format.
const VERSION: &str = "ATIF-v";

/// Returns how a document fits.
pub(crate) fn fit(document: Node<'_, '_>) -> Fit {
    if document.kind() != Kind::Map {
        return Fit::unknown(document);
    }
    let version = document.member("schema_version").and_then(Node::text);
    let steps = document.member("steps").filter(|steps| steps.kind() == Kind::Array);
    match (version, steps) {
        (Some(version), _) if version.starts_with(VERSION) => Fit::Fits(Confidence::Certain),
        (Some(_), _) => Fit::Contradicts("schema-version"),
        // Early producers omit the version.
        (None, Some(steps)) if has_agent(document) && steps.elements().any(is_step) => {
            Fit::Fits(Confidence::Likely)
        }
        _ => Fit::unknown(document),
    }
}

fn has_agent(document: Node<'_, '_>) -> bool {
    document.member("agent").is_some_and(|agent| agent.member("name").is_some())
}

fn is_step(step: Node<'_, '_>) -> bool {
    let source = step.member("source").and_then(Node::text);
    step.member("step_id").is_some()
        && step.member("message").is_some()
        && source.is_some_and(|source| matches!(&*source, "user" | "agent" | "system"))
}
