//! Lists of known native names. Unknown names are reported. Each list is sorted.

/// Types of lines.
const LINES: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "assistant",
    "atis-latch",
    "attachment",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "cost-state",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "fork-context-ref",
    "frame-link",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "relocated",
    "summary",
    "system",
    "tag",
    "task-summary",
    "user",
    "worktree-state",
];

/// Types of lines that only `--output-format stream-json` prints. Other agents print some of them,
/// too.
const STREAMED: &[&str] = &[
    "auth_status",
    "control_cancel_request",
    "control_request",
    "control_response",
    "prompt_suggestion",
    "rate_limit_event",
    "result",
    "stream_event",
    "tool_progress",
    "tool_use_summary",
];

/// Subtypes of system lines.
const SYSTEM: &[&str] = &[
    "agents_killed",
    "api_error",
    "api_retry",
    "away_summary",
    "bridge_status",
    "compact_boundary",
    "elicitation_complete",
    "files_persisted",
    "hook_progress",
    "hook_response",
    "hook_started",
    "informational",
    "init",
    "local_command",
    "local_command_output",
    "memory_recall",
    "memory_saved",
    "microcompact_boundary",
    "mirror_error",
    "model_refusal_fallback",
    "model_refusal_no_fallback",
    "notification",
    "permission_denied",
    "permission_retry",
    "plugin_install",
    "post_turn_summary",
    "scheduled_task_fire",
    "session_state_changed",
    "status",
    "stop_hook_summary",
    "task_notification",
    "task_progress",
    "task_started",
    "task_updated",
    "turn_duration",
];

/// Types of attachments.
const ATTACHMENTS: &[&str] = &[
    "agent_listing_delta",
    "agent_mention",
    "already_read_file",
    "async_hook_response",
    "auto_mode",
    "auto_mode_exit",
    "bash_output_audience_note",
    "batching_reminder_sent",
    "budget_usd",
    "command_permissions",
    "compact_file_reference",
    "compaction_reminder",
    "companion_intro",
    "context_efficiency",
    "critical_system_reminder",
    "current_session_memory",
    "date",
    "date_change",
    "deferred_tools_delta",
    "deferred_tools_record",
    "diagnostics",
    "directory",
    "dynamic_skill",
    "edited_image_file",
    "edited_text_file",
    "environment",
    "file",
    "goal_status",
    "hook_additional_context",
    "hook_blocking_error",
    "hook_cancelled",
    "hook_deferred_tool",
    "hook_error_during_execution",
    "hook_non_blocking_error",
    "hook_permission_decision",
    "hook_stopped_continuation",
    "hook_success",
    "hook_system_message",
    "instructions",
    "invoked_skills",
    "max_turns_reached",
    "mcp_instructions_delta",
    "mcp_resource",
    "model",
    "nested_memory",
    "opened_file_in_ide",
    "output_style",
    "output_token_usage",
    "pdf_reference",
    "plan_file_reference",
    "plan_mode",
    "plan_mode_exit",
    "plan_mode_reentry",
    "prompt_snapshot",
    "queued_command",
    "read_truncation_notice",
    "relevant_memories",
    "remote_session_change",
    "selected_lines_in_ide",
    "session_context",
    "silent_turn_reminder",
    "skill_listing",
    "structured_output",
    "task_reminder",
    "task_status",
    "team_context",
    "teammate_mailbox",
    "teammate_shutdown_batch",
    "todo_reminder",
    "token_usage",
    "total_tokens_reminder",
    "ultra_effort_enter",
    "ultra_effort_exit",
    "ultrathink_effort",
    "verify_plan_reminder",
    "workflow_keyword_request",
];

/// Types of the data of progress lines.
const PROGRESS: &[&str] = &[
    "agent_progress",
    "bash_progress",
    "hook_progress",
    "mcp_progress",
    "powershell_progress",
    "query_update",
    "search_results_received",
    "skill_progress",
    "waiting_for_task",
];

/// Operations on the queue of prompts.
const QUEUE: &[&str] = &["dequeue", "enqueue", "popAll", "remove"];

/// Types of lines in the journal of a workflow.
const JOURNAL: &[&str] = &["result", "started"];

/// Blocks that are content and nothing else.
const PLAIN_BLOCKS: &[&str] =
    &["container_upload", "document", "image", "search_result", "text", "tool_reference"];

/// Returns whether a line of this type is known.
pub(crate) fn line(kind: &str) -> bool {
    LINES.binary_search(&kind).is_ok()
}

/// Returns whether a line of this type is known, if it is in a session's log or stream.
pub(crate) fn logged(kind: &str) -> bool {
    line(kind) || STREAMED.binary_search(&kind).is_ok()
}

/// Returns whether the subtype of a line of this type is known.
pub(crate) fn subtype(kind: &str, subtype: &str) -> bool {
    let list = match kind {
        "system" => SYSTEM,
        "attachment" => ATTACHMENTS,
        "progress" => PROGRESS,
        "queue-operation" => QUEUE,
        _ => return true,
    };
    list.binary_search(&subtype).is_ok()
}

/// Returns whether a line of this type is known in a journal.
pub(crate) fn journal(kind: &str) -> bool {
    JOURNAL.binary_search(&kind).is_ok()
}

/// Returns whether a block of this type is content and nothing else.
pub(crate) fn plain_block(kind: &str) -> bool {
    PLAIN_BLOCKS.binary_search(&kind).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        for list in [LINES, STREAMED, SYSTEM, ATTACHMENTS, PROGRESS, QUEUE, JOURNAL, PLAIN_BLOCKS] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }
}
