//! Describes `conversations/<id>.db` as tables. A database is one conversation.

use vac_adapter::container::{DatabaseTables, RowDocument, RowTable, Rows, Stores, Table, row_of};
use vac_value::Node;

/// The tables, in the order of the documents.
pub(crate) const TABLES: &[&str] = &[
    TRAJECTORY.name,
    ABOUT.name,
    PARENTS.name,
    STEPS.name,
    REQUESTS.name,
    EXECUTORS.name,
    BATTLES.name,
];

/// Returns a table whose rows do not name the conversation.
const fn table(name: &'static str) -> Table {
    Table { name, columns: &[], rows: Rows::All, order: &["idx"], compressed: &[] }
}

const fn rows(table: Table) -> RowTable {
    RowTable { table, named_by: None, document: RowDocument::Members(&[]) }
}

pub(crate) const TRAJECTORY: Table =
    Table { rows: Rows::By("cascade_id"), order: &[], ..table("trajectory_meta") };
const ABOUT: Table = Table { order: &["id"], ..table("trajectory_metadata_blob") };
const PARENTS: Table = table("parent_references");
pub(crate) const STEPS: Table = table("steps");
pub(crate) const REQUESTS: Table = table("gen_metadata");
const EXECUTORS: Table = table("executor_metadata");
const BATTLES: Table = table("battle_mode_infos");

static DATABASE: DatabaseTables = DatabaseTables {
    variant: "database",
    signs: &[
        ("trajectory_meta", &["trajectory_id", "cascade_id"]),
        ("steps", &["idx", "step_type", "metadata", "step_payload"]),
    ],
    sessions: rows(TRAJECTORY),
    rows: &[
        rows(ABOUT),
        rows(PARENTS),
        rows(STEPS),
        rows(REQUESTS),
        rows(EXECUTORS),
        rows(BATTLES),
    ],
    listed: &[],
    preview: |_, _| (),
    // A transcript replaces it, because the format of its calls and results is known.
    is_replaced: true,
};

/// The databases of the agent.
pub(crate) const STORES: Stores = Stores {
    tables: &[TRAJECTORY, ABOUT, PARENTS, STEPS, REQUESTS, EXECUTORS, BATTLES],
    open_database: |database| DATABASE.open(database),
    ..Stores::NONE
};

/// Returns the table that a document is a row of, and the row.
pub(crate) fn row<'d, 'a>(document: Node<'d, 'a>) -> Option<(&'static str, Node<'d, 'a>)> {
    let name = document.members().next()?.0.text()?;
    let table = TABLES.iter().find(|table| **table == name)?;
    Some((table, row_of(document, table)?))
}
