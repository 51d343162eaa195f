//! Rows as the documents that a tree has instead.

use super::documents::{Column, Documents, Object};

/// A row: names of columns, and what it has in them.
pub(super) type Row = Vec<(String, Column)>;

/// What a member of a document is made of.
enum From {
    /// A column as it is.
    Column(&'static str),
    /// A column that holds JSON.
    Json(&'static str),
    /// Members of its own.
    Object(&'static [(&'static str, From)]),
}

use From::{Column as C, Json as J, Object as O};

/// A session, member by member.
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

/// What messages and parts have beside their data.
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

fn whole(members: &[(&str, From)], row: &Row, documents: &mut Documents) {
    let mut object = documents.object();
    let mut used = Vec::new();
    add(members, row, &mut object, &mut used);
    // Columns that nobody knows yet keep their names.
    for (name, value) in row.iter().filter(|(name, _)| !used.contains(&name.as_str())) {
        let is_taken = members.iter().any(|(member, _)| member == name);
        let name = if is_taken { format!("column:{name}") } else { name.clone() };
        object.value(&name, value);
    }
    object.end();
}

fn add(members: &[(&str, From)], row: &Row, object: &mut Object<'_>, used: &mut Vec<&'static str>) {
    for (name, from) in members {
        match from {
            C(column) | J(column) => {
                used.push(column);
                let Some(value) = column_of(row, column) else { continue };
                match from {
                    J(_) => object.json(name, value),
                    _ => object.value(name, value),
                }
            }
            O(inside) => {
                let mut columns = Vec::new();
                columns_of(inside, &mut columns);
                used.extend(&columns);
                let is_there =
                    |column: &&str| column_of(row, column).is_some_and(|value| !value.is_null());
                if columns.iter().any(is_there) {
                    let mut object = object.object(name);
                    add(inside, row, &mut object, used);
                    object.end();
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

/// What a row has in a column.
pub(super) fn column_of<'r>(row: &'r Row, name: &str) -> Option<&'r Column> {
    row.iter().find(|(column, _)| column == name).map(|(_, value)| value)
}

/// The columns that hold the members of an object.
const DATA: &[&str] = &["data", "payload"];

/// Writes a message or a part: the members of its data, and its other columns beside
/// them. Data that is no object is one member.
pub(super) fn data(row: &Row, documents: &mut Documents) {
    let column = DATA.iter().copied().find(|column| column_of(row, column).is_some());
    let column = column.unwrap_or("data");
    let data = column_of(row, column);
    let inside = data.and_then(Column::json_object);
    let has =
        |name: &str| inside.as_ref().is_some_and(|inside| inside.root().member(name).is_some());
    let mut object = documents.object();
    let others = row.iter().filter(|(name, _)| name != column);
    for (column, value) in others {
        let known = NAMED.iter().find(|(name, _)| name == column);
        let name = known.map_or(column.as_str(), |(_, member)| member);
        if has(name) {
            object.value(&format!("column:{name}"), value);
        } else {
            object.value(name, value);
        }
    }
    match (&inside, data) {
        (Some(inside), _) => object.members(inside.root()),
        (None, Some(data)) => match data.json() {
            // A JSON text is no less broken than a text that is no JSON.
            Some(document) if document.root().kind() != vac_value::Kind::Text => {
                object.json(column, data);
            }
            _ => object.value(column, data),
        },
        (None, None) => {}
    }
    object.end();
}

/// Writes what a session wants to do, in one document.
pub(super) fn todos(rows: &[Row], documents: &mut Documents) {
    let mut array = documents.array();
    for row in rows {
        let mut object = array.object();
        for (column, value) in row.iter().filter(|(column, _)| column != "session_id") {
            object.value(column, value);
        }
        object.end();
    }
    array.end();
}
