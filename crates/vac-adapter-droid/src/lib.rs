//! Factory Droid session logs as agent records.
//!
//! ```
//! use vac_adapter::{Adapter, Memory, session};
//! use vac_adapter_droid::Droid;
//!
//! let log = Memory {
//!     name: "s1.jsonl",
//!     bytes: br#"{"type": "session_start", "id": "s1", "owner": "ada", "version": 2,
//!         "cwd": "/home/ada"}
//!         {"type": "message", "id": "m1", "timestamp": "2026-01-28T09:00:00.000Z",
//!         "message": {"role": "user", "content": [{"type": "text", "text": "Hi"}]}}"#,
//! };
//! let sessions = Droid.survey(&log)?;
//! let (record, report) = session::collect(&*sessions[0], &session::RecordOptions::default())?;
//! assert_eq!(record.id, "s1");
//! assert_eq!(report.entries["user"], 1);
//! # Ok::<(), vac_adapter::Error>(())
//! ```
//!
//! # Formats
//!
//! | variant | what it is |
//! |---|---|
//! | `jsonl` | a session as lines |
//! | `jsonl-settings` | the same with its `settings.json` |
//! | `stream-json` | output of `droid exec --output-format stream-json` |
//!
//! # What lines become
//!
//! | native | record |
//! |---|---|
//! | `message` of a `user` or the `assistant` | user, assistant, with a child for each thought, call and result |
//! | `tool_call`, `tool_result`, `reasoning` (captured) | tool-call, tool-result, reasoning |
//! | `<id>.settings.json` | system-event `settings` |
//! | all others, and messages of other roles | system-event of that type |
//!
//! # Annotations
//!
//! | annotation | on | from |
//! |---|---|---|
//! | `author` | user messages with anything but results | `visibility` and `hookEventName` (0.229), else the [rules](vac_adapter::Adapter::prompt_rules) for texts; `other-agent` in the session of a subagent |
//! | `action` | tool-calls | the [tools](vac_adapter::Adapter::tools) |
//! | `outcome` | tool-results | `is_error`, which is left out where a call succeeded |
//! | `usage` | messages that state it; else `settings`, or the `completion` of a capture | `usage`; `tokenUsage`, the totals of the session |
//! | `starts`, `ends` | `session_start`; `session_end`, `completion`, `agent_turn_outcome` (0.229) | |
//! | `duplicate-of` | a captured thought that is printed again (0.132) | its `id` |
//! | `superseded: compacted` | messages before a `compaction_state` | |
//! | `parent` of the session | | `callingSessionId` |
//!
//! # Decisions
//!
//! * One entry for each line, in the order of the log, and then the settings.
//! * Files that the user mentions are further text blocks of the prompt. Readers of its text leave
//!   them out.
//! * The totals in the settings count only where no message states tokens. They change during the
//!   session.
//! * A captured call and its result have the same `id`, which is the `call-id`, unless they have a
//!   `toolCallId`.
//! * The version of the agent is not in the log: `version` is that of the format.
//! * The format is not documented, and few sessions are public: unknown types and keys are kept and
//!   reported.
#![doc = include_str!("../MAPPING.md")]

#[cfg(feature = "check")]
pub mod check;
mod companions;
mod line;
mod lines;
mod places;
mod tools;
mod usage;

use vac_adapter::blocks;
use vac_adapter::line_log::{LineAdapter, LineAgent};
use vac_adapter::prompt::PromptRule;
use vac_adapter::session_marks::SessionMark;
use vac_record::annotations::Author;

/// Texts in the user's name. The versions are those of the format.
const RULES: &[PromptRule] = &[
    PromptRule::prefix("Contents of /", Author::Program, "2"),
    PromptRule::prefix("Contents of C:\\", Author::Program, "2"),
    PromptRule::tag("system-reminder", Author::Program, "2"),
    PromptRule::tag("system-notification", Author::Program, "2"),
];

/// The adapter of Factory Droid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Droid;

impl LineAdapter for Droid {
    const AGENT: LineAgent = LineAgent {
        mappings: &[
            &[
                line::Line::MAPPING,
                line::Message::MAPPING,
                line::Thinking::MAPPING,
                usage::TokenUsage::MAPPING,
            ],
            &blocks::MAPPINGS,
        ],
        tools: &tools::TOOLS,
        compaction_events: &[line::COMPACTION],
        prompt_rules: RULES,
        logs_results: true,
        writes_whole_texts: true,
        companions: &companions::COMPANIONS,
        session_marks: Some(&[SessionMark::Head("session_start"), SessionMark::Id("session_id")]),
        places: places::PLACES,
        #[cfg(feature = "check")]
        check_rules: Some(&check::DROID),
        ..LineAgent::new::<lines::Lines>("droid", "Factory Droid")
    };
}
