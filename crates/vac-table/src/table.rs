//! Tables and their columns, and the macro that defines them.

use std::fmt;
use std::sync::{Arc, LazyLock};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::tables;

/// A table of sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionTable {
    /// The table `sessions`: one row for each session.
    Sessions,
    /// The table `entries`: one row for each entry.
    Entries,
    /// The table `tool_calls`: one row for each tool call.
    ToolCalls,
    /// The table `usage`: one row for each entry that states tokens or a cost.
    Usage,
    /// The table `files`: one row for each file that a tool call acts on.
    Files,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name of the column.
    pub name: &'static str,
    /// A description of the column's content.
    pub doc: &'static str,
    /// Whether rows can have no value.
    pub is_nullable: bool,
    /// Whether its texts are JSON.
    pub is_json: bool,
    /// The function that returns the column's field in Arrow.
    pub field: fn() -> Field,
}

/// The definition of a table.
pub(crate) struct Definition {
    pub name: &'static str,
    pub doc: &'static str,
    pub columns: &'static [Column],
}

impl SessionTable {
    /// All tables.
    pub const ALL: [Self; 5] =
        [Self::Sessions, Self::Entries, Self::ToolCalls, Self::Usage, Self::Files];

    fn definition(self) -> &'static Definition {
        match self {
            Self::Sessions => &tables::SESSIONS,
            Self::Entries => &tables::ENTRIES,
            Self::ToolCalls => &tables::TOOL_CALLS,
            Self::Usage => &tables::USAGE,
            Self::Files => &tables::FILES,
        }
    }

    /// Returns its name: `tool_calls`.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// Returns the table of this name, or `None` if there is no such table.
    ///
    /// ```
    /// use vac_table::SessionTable;
    ///
    /// assert_eq!(SessionTable::parse("tool_calls"), Some(SessionTable::ToolCalls));
    /// assert_eq!(SessionTable::parse("tools"), None);
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    /// Returns a description of the table's content.
    pub fn doc(self) -> &'static str {
        self.definition().doc.trim()
    }

    /// Returns its columns, in order.
    pub fn columns(self) -> &'static [Column] {
        self.definition().columns
    }

    /// Returns its schema in Arrow.
    pub fn schema(self) -> SchemaRef {
        static SCHEMAS: LazyLock<[SchemaRef; 5]> = LazyLock::new(|| {
            SessionTable::ALL.map(|table| {
                let fields: Vec<_> = table.columns().iter().map(|it| (it.field)()).collect();
                Arc::new(Schema::new(fields))
            })
        });
        SCHEMAS[self as usize].clone()
    }
}

impl fmt::Display for SessionTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Column {
    /// Returns the name of its type in documents: `text`, `list of text`.
    pub fn type_name(&self) -> String {
        if self.is_json { "JSON".to_owned() } else { type_name((self.field)().data_type()) }
    }
}

fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Utf8 => "text".to_owned(),
        DataType::Int64 => "integer".to_owned(),
        DataType::Float64 => "float".to_owned(),
        DataType::Boolean => "boolean".to_owned(),
        DataType::Timestamp(..) => "timestamp".to_owned(),
        DataType::List(item) => format!("list of {}", type_name(item.data_type())),
        DataType::Struct(fields) => {
            let names: Vec<_> = fields.iter().map(|field| field.name().as_str()).collect();
            format!("({})", names.join(", "))
        }
        other => other.to_string(),
    }
}

/// A set of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSet(u8);

impl TableSet {
    /// No table.
    pub const NONE: Self = Self(0);
    /// Every table.
    pub const ALL: Self = Self(0b1_1111);

    /// Adds a table.
    #[must_use]
    pub const fn with(self, table: SessionTable) -> Self {
        Self(self.0 | 1 << table as u8)
    }

    /// Returns whether a table is in the set.
    pub const fn contains(self, table: SessionTable) -> bool {
        self.0 & 1 << table as u8 != 0
    }

    /// Returns the tables, in order.
    pub fn iter(self) -> impl Iterator<Item = SessionTable> {
        SessionTable::ALL.into_iter().filter(move |table| self.contains(*table))
    }
}

impl FromIterator<SessionTable> for TableSet {
    fn from_iter<T: IntoIterator<Item = SessionTable>>(tables: T) -> Self {
        tables.into_iter().fold(Self::NONE, Self::with)
    }
}

/// Collects the rows of one table.
pub(crate) trait RowBuilder {
    /// Returns the number of bytes of the rows so far.
    fn size(&self) -> usize;
    /// Returns the rows so far, and starts again. `None` without any.
    fn finish(&mut self) -> Option<RecordBatch>;
}

/// Returns a name without the prefix of a Rust keyword.
pub(crate) const fn column_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// Defines a table: its columns, the type of its rows, and their builder.
macro_rules! table {
    (
        $(#[doc = $doc:literal])*
        $table:ident $name:literal $definition:ident $row:ident $builder:ident {
            $($(#[doc = $column_doc:literal])* $column:ident: $kind:ty,)*
        }
    ) => {
        pub(crate) const $definition: Definition = Definition {
            name: $name,
            doc: concat!($($doc, "\n"),*),
            columns: &[$(Column {
                name: column_name(stringify!($column)),
                doc: concat!($($column_doc),*),
                is_nullable: <$kind as ColumnType>::IS_NULLABLE,
                is_json: <$kind as ColumnType>::IS_JSON,
                field: || field::<$kind>(column_name(stringify!($column))),
            },)*],
        };

        pub(crate) struct $row<'v> {
            $(pub $column: <$kind as ColumnType>::Value<'v>,)*
        }

        pub(crate) struct $builder {
            $($column: <$kind as ColumnType>::Builder,)*
            rows: usize,
            size: usize,
        }

        impl $builder {
            pub fn new() -> Self {
                Self { $($column: <$kind as ColumnType>::builder(),)* rows: 0, size: 0 }
            }

            pub fn push(&mut self, row: $row<'_>) {
                $(self.size += <$kind as ColumnType>::append(&mut self.$column, row.$column);)*
                self.rows += 1;
            }
        }

        impl RowBuilder for $builder {
            fn size(&self) -> usize {
                self.size
            }

            fn finish(&mut self) -> Option<RecordBatch> {
                if std::mem::take(&mut self.rows) == 0 {
                    return None;
                }
                self.size = 0;
                let columns = vec![$(<$kind as ColumnType>::finish(&mut self.$column),)*];
                let batch = RecordBatch::try_new(SessionTable::$table.schema(), columns);
                Some(batch.expect("columns are built with the types of the schema"))
            }
        }
    };
}

pub(crate) use table;
