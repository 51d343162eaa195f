//! Describes the tables as Markdown.

use std::fmt::Write as _;

use crate::table::SessionTable;

/// Returns a description of all tables and columns in Markdown: the content of `TABLES.md`.
///
/// # Panics
/// Never: text can always be written to memory.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Tables\n\n\
         The tables that `vac export` writes. `record_key` joins them. This page is generated from \
         `src/tables.rs`.\n\n\
         Types are those of Arrow: text is Utf8, integers are Int64, floats are Float64, timestamps \
         are in microseconds and UTC. JSON is Utf8 that is tagged `arrow.json`. Columns marked with \
         `?` can be null: what is not known is null. Integers of 2^63 and more are 2^63 - 1, and \
         timestamps outside of the years 1 to 9999 are null.\n\n\
         Text in CSV is not changed. A spreadsheet may run text that begins with `=`, `+`, `-` or `@` \
         as a formula, and text of a session can come from anyone: import all columns as text.\n\n\
         With `--partition-by`, the values of a column are in the names of folders (`agent=claude`), and files \
         do not have the column: engines add it from the folders. Names have `%XX` for other characters \
         than letters, digits, `-`, `_` and `.`, and end after 180 characters.\n",
    );
    for table in SessionTable::ALL {
        write!(
            page,
            "\n## {table}\n\n{}\n\n| column | type | content |\n|---|---|---|\n",
            table.doc()
        )
        .expect("memory can be written to");
        for column in table.columns() {
            let mark = if column.is_nullable { "?" } else { "" };
            let (name, kind, doc) = (column.name, column.type_name(), column.doc.trim());
            writeln!(page, "| `{name}` | {kind}{mark} | {doc} |")
                .expect("memory can be written to");
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_lists_all_columns() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/TABLES.md");
        if std::env::var_os("VAC_BLESS").is_some() {
            std::fs::write(path, markdown()).expect("the page can be written");
        }
        let page = std::fs::read_to_string(path).expect("the page exists");
        assert!(
            page == markdown(),
            "run VAC_BLESS=1 cargo test -p vac-table page_lists_all_columns"
        );
    }
}
