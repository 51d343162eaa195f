//! Describes `state.db` as tables.

use vac_adapter::container::{
    Cell, DatabaseTables, Row, RowDocument, RowTable, Rows, Stores, Table,
};
use vac_adapter::time::from_seconds;
use vac_adapter::{Parent, Preview};
use vac_value::Document;

use crate::lines::relation;

const fn table(
    name: &'static str,
    key: &'static str,
    columns: &'static [&'static str],
    order: &'static [&'static str],
) -> Table {
    Table { name, columns, rows: Rows::By(key), order, compressed: &[] }
}

/// The table of sessions, without the columns that name chats and persons.
const SESSIONS: Table = table(
    "sessions",
    "id",
    &[
        "id",
        "source",
        "created_source",
        "model",
        "model_config",
        "system_prompt",
        "system_prompt_hash",
        "parent_session_id",
        "started_at",
        "ended_at",
        "end_reason",
        "message_count",
        "tool_call_count",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "reasoning_tokens",
        "cwd",
        "git_branch",
        "git_repo_root",
        "billing_provider",
        "billing_mode",
        "estimated_cost_usd",
        "actual_cost_usd",
        "cost_status",
        "cost_source",
        "pricing_version",
        "title",
        "title_source",
        "api_call_count",
        "rewind_count",
        "archived",
        "hidden",
        "tool_names",
    ],
    &[],
);
const PROMPTS: Table = table("system_prompts", "hash", &["hash", "prompt"], &[]);
const MESSAGES: Table = table("messages", "session_id", &[], &["id"]);
const USAGE: Table = table("session_model_usage", "session_id", &[], &["model", "task"]);

static DATABASE: DatabaseTables = DatabaseTables {
    variant: "database",
    signs: &[
        ("sessions", &["id", "source", "started_at", "end_reason"]),
        ("messages", &["session_id", "role", "content", "tool_calls"]),
    ],
    sessions: RowTable {
        table: SESSIONS,
        named_by: None,
        document: RowDocument::Members(&["model_config", "tool_names"]),
    },
    rows: &[
        RowTable {
            table: PROMPTS,
            named_by: Some("system_prompt_hash"),
            document: RowDocument::Members(&[]),
        },
        RowTable {
            table: MESSAGES,
            named_by: None,
            document: RowDocument::Members(&[
                "tool_calls",
                "reasoning_details",
                "codex_reasoning_items",
                "codex_message_items",
                "display_metadata",
            ]),
        },
        RowTable { table: USAGE, named_by: None, document: RowDocument::Members(&[]) },
    ],
    listed: &["cwd", "started_at", "parent_session_id", "model_config"],
    preview,
    is_replaced: false,
};

/// The databases of the agent.
pub(crate) const STORES: Stores = Stores {
    tables: &[SESSIONS, PROMPTS, MESSAGES, USAGE],
    open_database: |database| DATABASE.open(database),
    ..Stores::NONE
};

fn preview(row: &Row, preview: &mut Preview) {
    if let Cell::Text(folder) = row.cell("cwd") {
        preview.project = Some(folder.clone());
    }
    preview.start = match row.cell("started_at") {
        Cell::Real(seconds) => from_seconds(*seconds),
        Cell::Integer(seconds) => {
            u32::try_from(*seconds).ok().map(f64::from).and_then(from_seconds)
        }
        _ => None,
    };
    if let Cell::Text(parent) = row.cell("parent_session_id")
        && !parent.is_empty()
    {
        let config = match row.cell("model_config") {
            Cell::Text(config) => Document::json(config.as_bytes()).ok(),
            _ => None,
        };
        let relation = relation(config.as_ref().map(Document::root));
        preview.parent = Some(Parent { session_id: parent.clone(), relation });
    }
}
