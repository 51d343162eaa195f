//! The rows of tool calls, and of the files that they act on.

use vac_adapter::Adapter;
use vac_adapter::tools::ToolTable;
use vac_adapter::tools::edits::Change;
use vac_record::Any;
use vac_record::annotations::{Category, Decider, Outcome};
use vac_view::diff::{Extent, FileDiff};
use vac_view::{Context, EventKind};

use crate::calls::{CallAction, CallFile, CallResult, ToolCall};
use crate::column::integer;
use crate::json_text::ColumnJson;
use crate::session_rows::SessionRows;
use crate::table::SessionTable;
use crate::tables::{FileRow, ToolCallRow};
use crate::values::{bounded, microseconds, path_below, subagent};

impl SessionRows<'_, '_> {
    /// Adds a call that waits for its result. Returns a call that has waited for too long.
    pub fn tool_use(&mut self, kind: EventKind<'_>, context: &Context<'_>) -> Option<ToolCall> {
        let EventKind::ToolUse {
            tool,
            action,
            call_id,
            target,
            delegated_to,
            input,
            outcome,
            exit_code,
        } = kind
        else {
            return None;
        };
        let index = self.index(context);
        self.found[index].tool = Some(tool.to_owned());
        if !self.selects(SessionTable::ToolCalls) && !self.selects(SessionTable::Files) {
            return None;
        }
        let files = if self.selects(SessionTable::Files) {
            self.files(tool, action.category, input, &target.paths)
        } else {
            Vec::new()
        };
        let json = if self.selects(SessionTable::ToolCalls) {
            self.json.write(input)
        } else {
            ColumnJson::ABSENT
        };
        let (input, is_lossy) = (json.text.map(str::to_owned), json.is_lossy);
        let call = ToolCall {
            index: self.calls.next_index(),
            ordinal: Some(self.ordinal(index)),
            id: call_id.map(str::to_owned),
            tool: Some(tool.to_owned()),
            action: Some(CallAction::from(action)),
            called_at: microseconds(context.timestamp),
            outcome: outcome.map(Outcome::as_str),
            exit_code: exit_code.and_then(|code| i64::try_from(code).ok()),
            command: target.command,
            paths: target.paths,
            host: target.host,
            input,
            subagent: context.subagent.map(subagent),
            child_session_id: delegated_to.map(str::to_owned),
            permission: None,
            is_counted: context.skip_reason().is_none(),
            is_lossy,
            files,
        };
        self.calls.insert(call)
    }

    /// Adds the rows of a call that has a result.
    pub fn tool_result(&mut self, kind: EventKind<'_>, context: &Context<'_>) {
        let EventKind::ToolResult { tool, action, call_id, outcome, exit_code, text, output } =
            kind
        else {
            return;
        };
        let index = self.index(context);
        self.found[index].tool = tool.map(str::to_owned);
        if self.selects(SessionTable::ToolCalls) || self.selects(SessionTable::Files) {
            let is_counted = context.skip_reason().is_none();
            let mut call = self.calls.answer(call_id, is_counted).unwrap_or_else(|| ToolCall {
                index: self.calls.next_index(),
                id: call_id.map(str::to_owned),
                tool: tool.map(str::to_owned),
                action: action.map(CallAction::from),
                subagent: context.subagent.map(subagent),
                is_counted,
                ..ToolCall::default()
            });
            // Keep the outcome that the call states, if the result states none.
            if outcome != Outcome::Unknown || call.outcome.is_none() {
                call.outcome = Some(outcome.as_str());
            }
            let exit_code = exit_code.and_then(|code| i64::try_from(code).ok());
            call.exit_code = exit_code.or(call.exit_code);
            let size = match &text {
                Some(text) => {
                    // U+FFFD can be a replaced lone surrogate.
                    if text.contains(char::REPLACEMENT_CHARACTER) {
                        call.is_lossy |= self.json.write(output).is_lossy;
                    }
                    Some(text.len())
                }
                None if self.selects(SessionTable::ToolCalls) => {
                    let json = self.json.write(output);
                    call.is_lossy |= json.is_lossy;
                    json.text.map(str::len)
                }
                None => None,
            };
            let result = CallResult {
                ordinal: Some(self.ordinal(index)),
                answered_at: microseconds(context.timestamp),
                output_text: text,
                output_size: size.map(|size| integer(size as u64)),
            };
            self.call(&call, &result);
        }
    }

    /// Adds the rows of a call that has ended, or of which no result is known.
    pub fn call(&mut self, call: &ToolCall, result: &CallResult) {
        if self.selects(SessionTable::Files) {
            for file in &call.files {
                self.tables.builders.files.push(FileRow {
                    record_key: &self.key,
                    call_index: call.index,
                    path: &file.path,
                    path_in_repo: path_below(&file.path, self.working_dir.as_deref()),
                    operation: file.operation,
                    lines_added: file.lines_added,
                    lines_removed: file.lines_removed,
                    outcome: call.outcome,
                    at: call.called_at,
                    is_counted: call.is_counted,
                });
            }
        }
        if !self.selects(SessionTable::ToolCalls) {
            return;
        }
        let (output_text, is_cut) = bounded(result.output_text.as_deref());
        let duration = match (call.called_at, result.answered_at) {
            (Some(called), Some(answered)) if answered >= called => {
                Some((answered - called) / 1000)
            }
            _ => None,
        };
        let action = call.action.as_ref();
        self.tables.builders.tool_calls.push(ToolCallRow {
            record_key: &self.key,
            call_index: call.index,
            call_ordinal: call.ordinal,
            result_ordinal: result.ordinal,
            call_id: call.id.as_deref(),
            tool: call.tool.as_deref(),
            canonical: action.map(|action| action.canonical.as_str()),
            category: action.map(|action| action.category.as_str()),
            mcp_server: action.and_then(|action| action.server.as_deref()),
            called_at: call.called_at,
            answered_at: result.answered_at,
            duration_ms: duration,
            outcome: call.outcome,
            permission: call.permission.map(|it| it.decision.as_str()),
            permission_by: call.permission.and_then(|it| it.by).map(Decider::as_str),
            exit_code: call.exit_code,
            command: call.command.as_deref(),
            paths: &call.paths,
            host: call.host.as_deref(),
            input: call.input.as_deref(),
            output_text,
            output_size: result.output_size,
            subagent: call.subagent.as_deref(),
            child_session_id: call.child_session_id.as_deref(),
            is_counted: call.is_counted,
            is_lossy: call.is_lossy || is_cut,
        });
    }

    /// Returns the files that a call acts on.
    fn files(
        &self,
        tool: &str,
        category: Category,
        input: &Any<'_>,
        paths: &[String],
    ) -> Vec<CallFile> {
        let operation = match category {
            Category::Edit => return self.edits(tool, input),
            Category::Read => "read",
            Category::Search => "search",
            _ => return Vec::new(),
        };
        let file = |path: &String| CallFile {
            path: path.clone(),
            operation,
            lines_added: None,
            lines_removed: None,
        };
        paths.iter().map(file).collect()
    }

    fn edits(&self, tool: &str, input: &Any<'_>) -> Vec<CallFile> {
        let tools = self.adapter.map_or(&ToolTable::EMPTY, Adapter::tools);
        let Ok(document) = input.document() else { return Vec::new() };
        let edits = tools.edits(tool, document.root()).into_iter().filter_map(|edit| {
            let path = edit.path.clone()?;
            let operation = match edit.change {
                Change::Write(_) => "write",
                Change::Delete => "delete",
                Change::Replace { .. } | Change::Patch(_) | Change::Unknown => "edit",
            };
            let (lines_added, lines_removed) = match FileDiff::new(edit).extent {
                Extent::Lines { added, removed } => (Some(integer(added)), Some(integer(removed))),
                Extent::Written(lines) => (Some(integer(lines)), None),
                Extent::Deleted | Extent::Unknown => (None, None),
            };
            Some(CallFile { path, operation, lines_added, lines_removed })
        });
        edits.collect()
    }
}
