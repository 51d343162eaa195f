//! Trajectories in the Agent Trajectory Interchange Format (ATIF) as agent records.
//!
//! ATIF is the format of Harbor, which runs agents in benchmarks and writes a `trajectory.json` for
//! each run. The agent that ran is named in the trajectory: it is `cli-name` and `cli-version` of the
//! record.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_atif::Atif;
//!
//! let log = Memory {
//!     name: "trajectory.json",
//!     bytes: br#"{"schema_version": "ATIF-v1.7", "session_id": "s1",
//!         "agent": {"name": "kiln", "version": "0.4", "model_name": "house-model-2"},
//!         "steps": [{"step_id": 1, "source": "user", "message": "Fire it"}]}"#,
//! };
//! let sessions = Atif.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::RecordOptions::default())?;
//! assert_eq!(record.session.agent_meta.cli_name.as_deref(), Some("kiln"));
//! assert_eq!(report.entries["user"], 1);
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Formats
//!
//! | variant | what it is |
//! |---|---|
//! | `trajectory` | a trajectory as one document, or several as lines |
//!
//! # What a trajectory becomes
//!
//! | native | record |
//! |---|---|
//! | the trajectory without its steps | system-event `trajectory` |
//! | step of the `user` | user |
//! | step of the `agent` | assistant, with a child for its reasoning, each call and each result |
//! | step of the `system`, and of any other source | system-event of that type, with a child for each result |
//! | embedded trajectories of subagents | the same, after the steps of the trajectory |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages; answers without a request to a model | `user`, in trajectories of subagents `other-agent`; `llm_call_count` 0 |
//! | `action` | tool-calls | the [tools](Adapter::tools) |
//! | `outcome` | tool-results | not stated: `unknown` |
//! | `usage` | answers; else the event `trajectory` | `metrics`; `final_metrics`, the totals |
//! | `inherited` | steps that were copied from another trajectory | `is_copied_context` |
//! | `delegated-to`, `subagent` | the call that started a subagent; its entries | `subagent_trajectory_ref`, `trajectory_id` |
//!
//! # Decisions
//!
//! * `prompt_tokens` include those read from a cache: the bucket `input` is the difference.
//! * The totals count only where no step states tokens.
//! * `extra` is kept and not interpreted, because producers write arbitrary values.
//! * A time without an offset is not a point in time, and is kept as it is.
//! * Trajectories in one file with different ids are different sessions, at most 256 of them. Those
//!   with the same id are one.
//! * The agent of the record is `atif`. Only the trajectory states which agent ran.
#![doc = include_str!("../MAPPING.md")]

#[cfg(feature = "check")]
pub mod check;
mod detect;
mod session;
mod step;
mod survey;
mod tools;
mod trajectory;
mod usage;

use vac_adapter::mapping::Mapping;
use vac_adapter::tools::ToolTable;
use vac_adapter::{Adapter, Error, Input, Preview, Sample, Session, Verdict};

/// The adapter of ATIF trajectories.
#[derive(Clone, Copy, Debug, Default)]
pub struct Atif;

impl Adapter for Atif {
    fn name(&self) -> &'static str {
        "atif"
    }

    fn title(&self) -> &'static str {
        "ATIF trajectories"
    }

    fn detect(&self, sample: &Sample<'_>) -> Verdict {
        sample.verdict(detect::fit)
    }

    fn preview(&self, sample: &Sample<'_>) -> Preview {
        survey::preview(sample)
    }

    fn newest_tested(&self) -> Option<&'static str> {
        None
    }

    fn mappings(&self) -> Vec<Mapping> {
        vec![
            trajectory::Trajectory::MAPPING,
            step::Step::MAPPING,
            step::Call::MAPPING,
            step::Observation::MAPPING,
            step::CallResult::MAPPING,
            usage::Metrics::MAPPING,
        ]
    }

    fn tools(&self) -> &'static ToolTable {
        &tools::TOOLS
    }

    #[cfg(feature = "check")]
    fn check_rules(&self) -> Option<&'static (dyn std::any::Any + Sync)> {
        Some(&check::ATIF)
    }

    fn survey<'i>(&self, input: &'i dyn Input) -> Result<Vec<Box<dyn Session + 'i>>, Error> {
        survey::survey(input)
    }
}
