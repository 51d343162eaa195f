//! Writes rows as the documents of a storage tree.

use vac_adapter::container::{Cell, Documents, ObjectWriter, Row};
use vac_value::Kind;

/// The source of a member of the document.
enum From {
    /// The value of a column.
    Column(&'static str),
    /// The JSON in a column.
    Json(&'static str),
    /// An object with these members.
    Object(&'static [(&'static str, From)]),
}

use From::{Column as C, Json as J, Object as O};

/// The members of a session.
const SESSION: &[(&str, From)] = &[
    ("id", C("id")),
    ("slug", C("slug")),
    ("projectID", C("project_id")),
    ("workspaceID", C("workspace_id")),
    ("directory", C("directory")),
    ("path", C("path")),
    ("parentID", C("parent_id")),
    ("forkSessionID", C("fork_session_id")),
    ("forkBoundary", C("fork_boundary")),
    ("title", C("title")),
    ("agent", C("agent")),
    ("model", J("model")),
    ("version", C("version")),
    ("share", O(&[("url", C("share_url"))])),
    (
        "summary",
        O(&[
            ("additions", C("summary_additions")),
            ("deletions", C("summary_deletions")),
            ("files", C("summary_files")),
            ("diffs", J("summary_diffs")),
        ]),
    ),
    ("cost", C("cost")),
    (
        "tokens",
        O(&[
            ("input", C("tokens_input")),
            ("output", C("tokens_output")),
            ("reasoning", C("tokens_reasoning")),
            ("cache", O(&[("read", C("tokens_cache_read")), ("write", C("tokens_cache_write"))])),
        ]),
    ),
    ("metadata", J("metadata")),
    ("revert", J("revert")),
    ("permission", J("permission")),
    (
        "time",
        O(&[
            ("created", C("time_created")),
            ("updated", C("time_updated")),
            ("compacting", C("time_compacting")),
            ("archived", C("time_archived")),
            ("suspended", C("time_suspended")),
        ]),
    ),
];

/// A project.
const PROJECT: &[(&str, From)] = &[
    ("id", C("id")),
    ("worktree", C("worktree")),
    ("vcs", C("vcs")),
    ("name", C("name")),
    (
        "icon",
        O(&[
            ("url", C("icon_url")),
            ("override", C("icon_url_override")),
            ("color", C("icon_color")),
        ]),
    ),
    ("sandboxes", J("sandboxes")),
    ("commands", J("commands")),
    (
        "time",
        O(&[
            ("created", C("time_created")),
            ("updated", C("time_updated")),
            ("initialized", C("time_initialized")),
        ]),
    ),
];

/// The columns of messages and parts other than their data.
const NAMED: &[(&str, &str)] =
    &[("id", "id"), ("session_id", "sessionID"), ("message_id", "messageID")];

/// Writes a session.
pub(super) fn session(row: &Row, documents: &mut Documents) {
    whole(SESSION, row, documents);
}

/// Writes a project.
pub(super) fn project(row: &Row, documents: &mut Documents) {
    whole(PROJECT, row, documents);
}

fn whole(members: &'static [(&str, From)], row: &Row, documents: &mut Documents) {
    let mut used = Vec::new();
    columns_of(members, &mut used);
    documents.object(|object| {
        add(members, row, object);
        // Columns outside the list keep their names.
        for (name, cell) in row.iter().filter(|(name, _)| !used.contains(name)) {
            let is_taken = members.iter().any(|(member, _)| *member == name);
            if is_taken {
                value(object, &format!("column:{name}"), cell);
            } else {
                value(object, name, cell);
            }
        }
    });
}

/// Adds the value of a cell, unless it is NULL.
fn value(object: &mut ObjectWriter<'_>, name: &str, cell: &Cell) {
    if !cell.is_null() {
        object.member(name).cell(cell);
    }
}

/// Adds the JSON that a cell contains.
fn json(object: &mut ObjectWriter<'_>, name: &str, cell: &Cell) {
    match cell.json() {
        Some(document) => object.member(name).json(&document),
        None => value(object, name, cell),
    }
}

fn add(members: &'static [(&str, From)], row: &Row, object: &mut ObjectWriter<'_>) {
    for (name, from) in members {
        match from {
            C(column) => value(object, name, row.cell(column)),
            J(column) => json(object, name, row.cell(column)),
            O(inside) => {
                let mut columns = Vec::new();
                columns_of(inside, &mut columns);
                if columns.iter().any(|column| !row.cell(column).is_null()) {
                    object.member(name).object(|object| add(inside, row, object));
                }
            }
        }
    }
}

fn columns_of(members: &'static [(&str, From)], columns: &mut Vec<&'static str>) {
    for (_, from) in members {
        match from {
            C(column) | J(column) => columns.push(column),
            O(inside) => columns_of(inside, columns),
        }
    }
}

/// The columns that contain the members of an object.
const DATA: &[&str] = &["data", "payload"];

/// Writes a message or a part: its columns, and next to them the members of its data. Data that is
/// not an object is one member.
pub(super) fn data(row: &Row, documents: &mut Documents) {
    let column = DATA.iter().copied().find(|column| row.get(column).is_some());
    let column = column.unwrap_or("data");
    let data = row.cell(column);
    let inside = data.json_object();
    let has =
        |name: &str| inside.as_ref().is_some_and(|inside| inside.root().member(name).is_some());
    documents.object(|object| {
        for (column, cell) in row.iter().filter(|(name, _)| *name != column) {
            let known = NAMED.iter().find(|(name, _)| *name == column);
            let name = known.map_or(column, |(_, member)| member);
            if has(name) {
                value(object, &format!("column:{name}"), cell);
            } else {
                value(object, name, cell);
            }
        }
        match (&inside, data.json()) {
            (Some(inside), _) => object.members(inside.root()),
            // A JSON string is malformed here, like text that is not JSON.
            (None, Some(document)) if document.root().kind() != Kind::Text => {
                object.member(column).json(&document);
            }
            (None, _) => value(object, column, data),
        }
    });
}

/// Writes the list of tasks of a session, in one document.
pub(super) fn todos(rows: &[Row], documents: &mut Documents) {
    documents.array(rows, |row, object| {
        for (column, cell) in row.iter().filter(|(column, _)| *column != "session_id") {
            value(object, column, cell);
        }
    });
}
