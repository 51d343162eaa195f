//! Lists the known types of lines, response items, events and others.

/// A type, and the name of an event of this type.
type Named = (&'static str, &'static str);

/// Builds a table of types inside lines of a type, with the names of their events.
macro_rules! inside {
    ($line:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, concat!($line, "/", $name))),+]
    };
}

/// Types of lines with a payload.
pub(crate) const LINES: &[&str] = &[
    "event_msg",
    "response_item",
    "turn_context",
    "token_usage_record",
    "session_meta",
    "compacted",
    "world_state",
    "retained_context",
    "security_risk_score",
    "inter_agent_communication",
    "inter_agent_communication_metadata",
    "realtime_item",
    "dynamic_tools_updated",
];

/// Types of response items.
pub(crate) const ITEMS: &[Named] = inside![
    "response_item":
    "function_call_output",
    "function_call",
    "reasoning",
    "message",
    "custom_tool_call_output",
    "custom_tool_call",
    "local_shell_call",
    "local_shell_call_output",
    "web_search_call",
    "tool_search_call",
    "tool_search_output",
    "image_generation_call",
    "agent_message",
    "ghost_snapshot",
    "compaction",
    "compaction_summary",
    "context_compaction",
    "additional_tools",
    "configuration_update",
];

/// Types of events.
pub(crate) const EVENTS: &[Named] = inside![
    "event_msg":
    "token_count",
    "agent_reasoning",
    "agent_message",
    "user_message",
    "item_completed",
    "exec_command_end",
    "task_started",
    "turn_started",
    "task_complete",
    "turn_complete",
    "turn_aborted",
    "agent_reasoning_raw_content",
    "patch_apply_end",
    "mcp_tool_call_end",
    "web_search_end",
    "view_image_tool_call",
    "image_generation_end",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "collab_agent_spawn_end",
    "collab_agent_interaction_end",
    "collab_waiting_end",
    "collab_close_end",
    "collab_resume_end",
    "sub_agent_activity",
    "entered_review_mode",
    "exited_review_mode",
    "undo_completed",
    "context_compacted",
    "thread_rolled_back",
    "thread_goal_updated",
    "thread_name_updated",
    "thread_settings_applied",
    "guardian_assessment",
    "error",
    // These are only printed, and never in a rollout.
    "session_configured",
    "exec_command_begin",
    "exec_command_output_delta",
    "patch_apply_begin",
    "mcp_tool_call_begin",
    "web_search_begin",
    "exec_approval_request",
    "apply_patch_approval_request",
    "agent_message_delta",
    "agent_reasoning_delta",
    "agent_reasoning_section_break",
    "agent_reasoning_raw_content_delta",
    "plan_update",
    "turn_diff",
    "background_event",
    "stream_error",
    "conversation_history",
    "get_history_entry_response",
    "mcp_list_tools_response",
    "list_custom_prompts_response",
    "shutdown_complete",
];

/// Types of the items of `item_completed`, and whether the id of one is that of a call.
pub(crate) const COMPLETED: &[(&str, bool)] = &[
    ("CommandExecution", true),
    ("Reasoning", false),
    ("AgentMessage", false),
    ("UserMessage", false),
    ("FileChange", true),
    ("McpToolCall", true),
    ("DynamicToolCall", true),
    ("CollabAgentToolCall", true),
    ("FunctionCallOutput", true),
    ("WebSearch", true),
    ("ImageView", true),
    ("ImageGeneration", true),
    ("Extension", true),
    ("SubAgentActivity", false),
    ("Plan", false),
    ("HookPrompt", false),
    ("EnteredReviewMode", false),
    ("ExitedReviewMode", false),
    ("ContextCompaction", false),
    ("Sleep", false),
];

/// Types of the lines that `codex exec --json` prints.
pub(crate) const PRINTED: &[&str] = &[
    "item.completed",
    "item.started",
    "item.updated",
    "turn.started",
    "turn.completed",
    "turn.failed",
    "thread.started",
    "session.created",
    "error",
];

/// Returns the name of an event of this type. `None` if the type is unknown.
pub(crate) fn known(types: &[Named], native: &str) -> Option<&'static str> {
    types.iter().find(|(name, _)| *name == native).map(|(_, event_type)| *event_type)
}
