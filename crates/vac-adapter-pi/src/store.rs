//! Describes `openclaw-agent.sqlite` of `OpenClaw` since 2026.7.2 as tables.
//!
//! The events of a session are lines of Pi, some of them compressed. The database also contains
//! credentials (`auth_profile_store`), which are never read. Sessions that were moved to an archive have
//! no events any more: the row of the archive is an event that names it.

use vac_adapter::container::{
    Cell, DatabaseTables, Row, RowDocument, RowTable, Rows, Stores, Table, row_of,
};
use vac_adapter::{Parent, Preview};
use vac_record::AbstractTimestamp;
use vac_record::annotations::Relation;
use vac_value::Node;

const WINDOWS: Table = table("session_windows", "session_id", &[], &[]);
const NODES: Table = table("session_nodes", "session_key", &[], &[]);
/// The table of archives, without their content.
const ARCHIVES: Table = table(
    "session_transcript_cold_archives",
    "session_id",
    &["session_id", "archive_name", "archive_sha256", "event_count", "raw_bytes", "storage"],
    &[],
);
const EVENTS: Table = Table {
    compressed: &["event_zstd"],
    ..table(
        "transcript_events",
        "session_id",
        &["session_id", "seq", "event_json", "event_zstd"],
        &["seq"],
    )
};

const fn table(
    name: &'static str,
    key: &'static str,
    columns: &'static [&'static str],
    order: &'static [&'static str],
) -> Table {
    Table { name, columns, rows: Rows::By(key), order, compressed: &[] }
}

static DATABASE: DatabaseTables = DatabaseTables {
    variant: "database",
    signs: &[
        ("session_windows", &["session_id", "session_key"]),
        ("transcript_events", &["session_id", "seq", "event_json"]),
    ],
    sessions: RowTable { table: WINDOWS, named_by: None, document: RowDocument::Members(&[]) },
    rows: &[
        RowTable {
            table: NODES,
            named_by: Some("session_key"),
            document: RowDocument::Members(&["entry_json"]),
        },
        RowTable { table: ARCHIVES, named_by: None, document: RowDocument::Members(&[]) },
        RowTable {
            table: EVENTS,
            named_by: None,
            document: RowDocument::Cell(&["event_json", "event_zstd"]),
        },
    ],
    listed: &["started_at", "created_at", "previous_session_id", "reason"],
    preview,
    is_replaced: false,
};

/// The databases of the agent.
pub(crate) const STORES: Stores = Stores {
    tables: &[WINDOWS, NODES, ARCHIVES, EVENTS],
    open_database: |database| DATABASE.open(database),
    database_agent: Some("openclaw"),
    ..Stores::NONE
};

/// Returns the table that a document is a row of, and the row. Events are not rows, unless they could
/// not be read.
pub(crate) fn row<'d, 'a>(document: Node<'d, 'a>) -> Option<(&'static str, Node<'d, 'a>)> {
    let tables = [WINDOWS, NODES, ARCHIVES, EVENTS];
    tables.into_iter().find_map(|table| Some((table.name, row_of(document, table.name)?)))
}

/// Returns the session that a window came from.
pub(crate) fn parent(previous: Option<String>, reason: Option<&str>) -> Option<Parent> {
    let relation = if reason == Some("fork") { Relation::Fork } else { Relation::Continued };
    previous.map(|session_id| Parent { session_id, relation })
}

fn preview(row: &Row, preview: &mut Preview) {
    let text = |column: &str| match row.cell(column) {
        Cell::Text(text) => Some(text.clone()),
        _ => None,
    };
    let time = |column: &str| match row.cell(column) {
        Cell::Integer(time) => u64::try_from(*time).ok().map(AbstractTimestamp::Uint),
        _ => None,
    };
    preview.start = time("started_at").or_else(|| time("created_at"));
    preview.parent = parent(text("previous_session_id"), text("reason").as_deref());
}
