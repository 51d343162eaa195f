//! Describes `sessions.db` as tables.

use vac_adapter::container::{
    Cell, DatabaseTables, Row, RowDocument, RowTable, Rows, Stores, Table,
};
use vac_adapter::{Preview, time};

const fn table(name: &'static str, key: &'static str, order: &'static [&'static str]) -> Table {
    Table { name, columns: &[], rows: Rows::By(key), order, compressed: &[] }
}

const fn rows(table: Table, json: &'static [&'static str]) -> RowTable {
    RowTable { table, named_by: None, document: RowDocument::Members(json) }
}

const SESSIONS: Table = table("sessions", "id", &[]);
const MESSAGES: Table = table("messages", "session_id", &["id"]);
const LEDGER: Table = table("usage_ledger", "session_id", &["id"]);

static DATABASE: DatabaseTables = DatabaseTables {
    variant: "database",
    signs: &[
        ("sessions", &["id", "working_dir", "extension_data"]),
        ("messages", &["session_id", "role", "content_json"]),
    ],
    sessions: rows(
        SESSIONS,
        &["extension_data", "recipe_json", "user_recipe_values_json", "model_config_json"],
    ),
    rows: &[rows(MESSAGES, &["content_json", "metadata_json"]), rows(LEDGER, &[])],
    listed: &["working_dir", "created_at"],
    preview,
    is_replaced: false,
};

/// The databases of the agent.
pub(crate) const STORES: Stores = Stores {
    tables: &[SESSIONS, MESSAGES, LEDGER],
    open_database: |database| DATABASE.open(database),
    ..Stores::NONE
};

fn preview(row: &Row, preview: &mut Preview) {
    if let Cell::Text(folder) = row.cell("working_dir") {
        preview.project = Some(folder.clone());
    }
    if let Cell::Text(time) = row.cell("created_at") {
        preview.start = time::from_sql(time);
    }
}
