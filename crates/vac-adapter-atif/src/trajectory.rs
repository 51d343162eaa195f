//! Converts a trajectory without its steps to an event.

use vac_adapter::annotation::attach;
use vac_adapter::entry::{self, Common};
use vac_adapter::members::Rest;
use vac_adapter::{Report, mapping};
use vac_record::Entry;
use vac_record::annotations::EntryAnnotations;
use vac_value::{Kind, Node};

/// The type of the event.
pub(crate) const TRAJECTORY: &str = "trajectory";

mapping! {
    /// A trajectory, which becomes an event.
    pub(crate) struct Trajectory<'a>("trajectory"; key, value) {
        "steps" => "the entries after it", take steps: Node<'a, 'a> =
            (value.kind() == Kind::Array).then_some(value);
        "subagent_trajectories" => "the same, for each; entries have `vac.subagent`",
            take subagents: Node<'a, 'a> = (value.kind() == Kind::Array).then_some(value);
        "session_id" => "`session-id`", keep;
        "agent" => "`cli-name`, `cli-version` and `model-id` of the session", keep;
        "final_metrics" => "`vac.usage`, if no step states tokens", keep;
        "schema_version" | "trajectory_id" | "notes" | "continued_trajectory_ref" | "extra" => "", keep;
    }
}

/// Returns the event of a trajectory.
pub(crate) fn event<'a>(rest: Rest<'a>, id: String, it: &EntryAnnotations<'_>) -> Entry<'a> {
    let mut extensions = Rest::default();
    attach(&mut extensions, it);
    let common = Common { timestamp: None, id: Some(id.into()), extensions };
    Entry::Event(entry::event(TRAJECTORY.into(), Some(rest), common))
}

/// Returns a value that is not an object as an event.
pub(crate) fn value<'a>(
    node: Node<'a, '_>,
    kind: &'static str,
    id: String,
    it: &EntryAnnotations<'_>,
    report: &mut Report,
) -> Entry<'a> {
    report.unknown("a value that is not an object");
    let mut data = Rest::default();
    data.push(("value".into(), node.carry()));
    let mut extensions = Rest::default();
    attach(&mut extensions, it);
    let common = Common { timestamp: None, id: Some(id.into()), extensions };
    Entry::Event(entry::event(kind.into(), Some(data), common))
}
