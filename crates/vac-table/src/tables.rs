//! The definitions of the tables. Everything else about them is derived from here.

use arrow_array::RecordBatch;

use crate::column::{
    Boolean, ColumnType, Float, Integer, Json, KeyValueList, Optional, SourceList, Text, TextList,
    Time, field,
};
use crate::table::{Column, Definition, RowBuilder, SessionTable, column_name, table};

table! {
    /// One row for each session.
    Sessions "sessions" SESSIONS SessionRow SessionBuilder {
        /// Identifies the session in all tables: 32 hexadecimal digits, derived from the session's id and the SHA-256 of its sources. Ids of sessions alone are not unique.
        record_key: Text,
        /// The id that the agent gave the session; bytes are in base64url.
        session_id: Text,
        /// The agent that wrote the log.
        agent: Text,
        /// The format of the log, or the encoding of the record.
        variant: Text,
        /// The version of the agent's program.
        cli_version: Optional<Text>,
        /// The main model.
        model: Optional<Text>,
        /// All models, the main one first.
        models: TextList,
        /// The provider of the main model.
        provider: Optional<Text>,
        /// The folder that the agent worked in.
        working_dir: Optional<Text>,
        /// The version control system, such as `git`.
        vcs_type: Optional<Text>,
        /// The branch.
        vcs_branch: Optional<Text>,
        /// The revision.
        vcs_revision: Optional<Text>,
        /// The address of the repository.
        vcs_repository: Optional<Text>,
        /// The labels that the record states, such as `user` and `host`.
        labels: KeyValueList,
        /// When the session began.
        started_at: Optional<Time>,
        /// When the session ended.
        ended_at: Optional<Time>,
        /// The milliseconds between the two, unless the log states only one time.
        duration_ms: Optional<Integer>,
        /// How the session ended: `success`, `failure` or `interrupted`, as in `vac events`.
        status: Text,
        /// How it ended, apart from failures of tools: `normally`, `interrupted`, `failed` or `unknown`.
        ended: Text,
        /// The number of prompts of the user.
        prompts: Integer,
        /// The beginning of the first prompt, in the words of the user.
        first_prompt: Optional<Text>,
        /// The number of entries, with children.
        entries: Integer,
        /// The number of entries of type `user`.
        user_entries: Integer,
        /// The number of entries of type `assistant`.
        assistant_entries: Integer,
        /// The number of entries of type `tool-call`.
        tool_call_entries: Integer,
        /// The number of entries of type `tool-result`.
        tool_result_entries: Integer,
        /// The number of entries of type `reasoning`.
        reasoning_entries: Integer,
        /// The number of entries of type `system-event`.
        system_event_entries: Integer,
        /// The number of tool calls that are counted, as in `vac inspect`.
        tool_calls: Integer,
        /// The number of tool calls that failed.
        tool_errors: Integer,
        /// The number of entries that contain unparsed bytes.
        unparsed: Integer,
        /// The number of entries of types that the adapter does not know; unknown for records.
        unknown_types: Optional<Integer>,
        /// The id of the session that this one came from.
        parent_session_id: Optional<Text>,
        /// How it came from that session: `subagent`, `fork`, `resumed` or `continued`.
        relation: Optional<Text>,
        /// Tokens of input, neither read from a cache nor written to one.
        input_tokens: Optional<Integer>,
        /// Tokens of input that were read from a cache.
        cache_read_tokens: Optional<Integer>,
        /// Tokens of input that were written to a cache.
        cache_write_tokens: Optional<Integer>,
        /// Tokens of output, with reasoning.
        output_tokens: Optional<Integer>,
        /// The part of `output_tokens` that is reasoning.
        reasoning_tokens: Optional<Integer>,
        /// The sum of input, cache reads, cache writes and output.
        total_tokens: Optional<Integer>,
        /// The cost that the log states.
        cost: Optional<Float>,
        /// The files that the session was read from.
        sources: SourceList,
        /// The SHA-256 of the record's bytes in hexadecimal; unknown for logs.
        record_sha256: Optional<Text>,
        /// The version of the record's schema.
        schema_version: Text,
        /// The version of vac that made the record, or this table of a log.
        vac_version: Optional<Text>,
        /// The algorithm of the record's signature, which is not verified here.
        signature: Optional<Text>,
        /// The issuer that the signature states.
        issuer: Optional<Text>,
        /// The identifier of the key that the signature states, in hexadecimal if it is not text.
        key_thumbprint: Optional<Text>,
    }
}

table! {
    /// One row for each entry of a session, with those inside of other entries.
    Entries "entries" ENTRIES EntryRow EntryBuilder {
        /// The session.
        record_key: Text,
        /// The number of the entry in the session, from 0: an entry comes before its children.
        ordinal: Integer,
        /// The number of the parent, if the entry is a child.
        parent_ordinal: Optional<Integer>,
        /// The number of entries that contain it: 0 at the top level.
        depth: Integer,
        /// The JSON pointer of the entry in its record.
        path: Text,
        /// The entry's id.
        entry_id: Optional<Text>,
        /// The id of the entry that this one answers.
        parent_id: Optional<Text>,
        /// The type: `user`, `assistant`, `tool-call`, `tool-result`, `reasoning` or `system-event`.
        r#type: Text,
        /// The type of a system event.
        event_type: Optional<Text>,
        /// The author of a message: `user`, `program`, `other-agent`, `hook`, `unknown` or
        /// `unstated`; absent for the model, and for messages that consist of results of tools.
        author: Optional<Text>,
        /// When the entry happened; for an entry without a time, that of its parent.
        timestamp: Optional<Time>,
        /// The time as the entry itself states it.
        timestamp_text: Optional<Text>,
        /// The model that wrote a message.
        model: Optional<Text>,
        /// The native name of the tool of a call or a result.
        tool: Optional<Text>,
        /// The id of the call, which its result has too.
        call_id: Optional<Text>,
        /// Whether a result states that the call failed.
        is_error: Optional<Boolean>,
        /// The text of a message or of reasoning; for a prompt, what the user typed. The text of a
        /// result is in `tool_calls`.
        text: Optional<Text>,
        /// The content of a message or of reasoning, the input of a call, the output of a result, the data of an event.
        content: Optional<Json>,
        /// The members that the schema does not name, with the annotations of vac.
        extensions: Optional<Json>,
        /// How the entry stopped being part of the conversation: `updated`, `rewound`, `compacted`, `rolled-back`, `retracted` or `other`.
        superseded: Optional<Text>,
        /// The id of the entry that this one repeats; for a result of a call or an event about one,
        /// the id of the call.
        duplicate_of: Optional<Text>,
        /// The id of the session whose history the entry is, or `unknown`.
        inherited: Optional<Text>,
        /// The id of the subagent that the entry belongs to, or `unknown`.
        subagent: Optional<Text>,
        /// Whether the entry counts: it does not repeat another one, is not an earlier version of another one and was not inherited.
        is_counted: Boolean,
        /// The name of the file that it was read from; unknown for records.
        source_file: Optional<Text>,
        /// The line in that file, from 1.
        source_line: Optional<Integer>,
        /// Whether a value was changed to be readable by every parser: lone surrogates are U+FFFD,
        /// numbers beyond a double and integers of more than 38 digits are text, and values that
        /// JSON cannot express are absent. The record is exact.
        is_lossy: Boolean,
    }
}

table! {
    /// One row for each tool call with its result, for each call without a result and for each result without a call.
    ToolCalls "tool_calls" TOOL_CALLS ToolCallRow ToolCallBuilder {
        /// The session.
        record_key: Text,
        /// The number of the call in the session, from 0, in the order in which calls, and results without a call, appear.
        call_index: Integer,
        /// The entry of the call.
        call_ordinal: Optional<Integer>,
        /// The entry of the result.
        result_ordinal: Optional<Integer>,
        /// The id of the call in the log, which its result has too.
        call_id: Optional<Text>,
        /// The native name of the tool.
        tool: Optional<Text>,
        /// The canonical name of the tool, such as `shell_exec`.
        canonical: Optional<Text>,
        /// The category of the tool: `Execute`, `Edit`, `Read`, `Search`, `Fetch`, `Think`, `Plan`,
        /// `Delegate` or `Other`.
        category: Optional<Text>,
        /// The MCP server that provides the tool.
        mcp_server: Optional<Text>,
        /// When the tool was called.
        called_at: Optional<Time>,
        /// When the result was recorded.
        answered_at: Optional<Time>,
        /// The milliseconds between the two.
        duration_ms: Optional<Integer>,
        /// How the call ended: `success`, `error`, `cancelled` or `unknown`; absent for a call without a result.
        outcome: Optional<Text>,
        /// The decision about the call: `allowed`, `denied`, `asked` (without a known decision) or
        /// `unknown`; absent if the log states none.
        permission: Optional<Text>,
        /// Who decided: `user`, `policy`, `program` or `hook`.
        permission_by: Optional<Text>,
        /// The exit code of a command.
        exit_code: Optional<Integer>,
        /// The command line.
        command: Optional<Text>,
        /// The paths that the call acts on.
        paths: TextList,
        /// The host that the call reaches.
        host: Optional<Text>,
        /// The input of the call.
        input: Optional<Json>,
        /// The text of the output.
        output_text: Optional<Text>,
        /// The bytes of `output_text`, or of the output as JSON if it has no text.
        output_size: Optional<Integer>,
        /// The id of the subagent that called the tool, or `unknown`.
        subagent: Optional<Text>,
        /// The id of the session or subagent that the call started.
        child_session_id: Optional<Text>,
        /// Whether the call counts, as in `entries`.
        is_counted: Boolean,
        /// Whether a value was changed, as in `entries`.
        is_lossy: Boolean,
    }
}

table! {
    /// One row for each entry that states tokens or a cost. Sums of the rows where `is_counted` is true are those of `vac inspect`.
    Usage "usage" USAGE UsageRow UsageBuilder {
        /// The session.
        record_key: Text,
        /// The entry.
        ordinal: Integer,
        /// When it happened.
        timestamp: Optional<Time>,
        /// The model; if the entry does not name one, that of the session.
        model: Optional<Text>,
        /// The provider of the model.
        provider: Optional<Text>,
        /// The tokens as the entry states them, in the terms of its agent. Its numbers can overlap:
        /// add up the columns instead.
        statement: Optional<Json>,
        /// Tokens of input, neither read from a cache nor written to one.
        input_tokens: Optional<Integer>,
        /// Tokens of input that were read from a cache.
        cache_read_tokens: Optional<Integer>,
        /// Tokens of input that were written to a cache.
        cache_write_tokens: Optional<Integer>,
        /// Tokens of output, with reasoning.
        output_tokens: Optional<Integer>,
        /// The part of `output_tokens` that is reasoning.
        reasoning_tokens: Optional<Integer>,
        /// The sum of input, cache reads, cache writes and output.
        total_tokens: Optional<Integer>,
        /// The cost.
        cost: Optional<Float>,
        /// The source of the cost: `log`.
        cost_source: Optional<Text>,
        /// Whether the statement counts, as in `entries`.
        is_counted: Boolean,
    }
}

table! {
    /// One row for each file that a tool call reads, searches or changes, as far as the input of the call states it. Files that commands change are not known.
    Files "files" FILES FileRow FileBuilder {
        /// The session.
        record_key: Text,
        /// The call in `tool_calls`.
        call_index: Integer,
        /// The path as the call states it.
        path: Text,
        /// The path below the working directory of the session; absent for paths elsewhere.
        path_in_repo: Optional<Text>,
        /// The operation: `read`, `search`, `edit` (parts of the file), `write` (all of it) or
        /// `delete`.
        operation: Text,
        /// The number of lines that are added, if the call states them.
        lines_added: Optional<Integer>,
        /// The number of lines that are removed, if the call states them.
        lines_removed: Optional<Integer>,
        /// How the call ended, as in `tool_calls`.
        outcome: Optional<Text>,
        /// When the tool was called.
        at: Optional<Time>,
        /// Whether the call counts, as in `entries`.
        is_counted: Boolean,
    }
}
