//! Troubles: facts about documents of a container that the documents do not state.

/// A fact about a document of a container that the document does not state, such as a missing row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The offset in the log of the document that it is about, as in
    /// [`Place::offset`](crate::frame::Place::offset). For [`RowProblem::Unreadable`], the offset
    /// at which the document would have been.
    pub offset: u64,
    /// The kind of the trouble.
    pub problem: RowProblem,
}

/// The kind of a [`Trouble`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowProblem {
    /// Another row names the row, and it is not in the database.
    RowMissing,
    /// The row is NULL.
    RowNull,
    /// The value of the row is not JSON.
    RowNotJson,
    /// The conversation lists the row again.
    RowRepeated {
        /// The number of times that it has been listed, including this one.
        time: u64,
        /// Whether its value is left out, because a short list can repeat a long row very often.
        is_left_out: bool,
    },
    /// The row is no longer part of the conversation.
    RowUnlisted,
    /// Other rows of the conversation refer to the row, but the conversation does not list it.
    RowLinked,
    /// The row lists the conversation.
    RowLists,
    /// A table or a file could not be read, or only parts of it.
    Unreadable {
        /// The table or the file.
        what: String,
        /// The reason.
        reason: String,
    },
}

impl RowProblem {
    /// Returns its code in records and reports.
    pub fn code(&self) -> &'static str {
        match self {
            Self::RowMissing => "row-missing",
            Self::RowNull => "row-null",
            Self::RowNotJson => "row-not-json",
            Self::RowRepeated { .. } => "row-repeated",
            Self::RowUnlisted => "row-unlisted",
            Self::RowLinked => "row-linked",
            Self::RowLists => "row-lists",
            Self::Unreadable { .. } => "unreadable",
        }
    }
}

/// Returns the troubles of the document at an offset. `troubles` are all troubles of an input, in
/// the order of its documents.
pub fn troubles_at(troubles: &[Trouble], offset: u64) -> &[Trouble] {
    let from = troubles.partition_point(|trouble| trouble.offset < offset);
    let count = troubles[from..].partition_point(|trouble| trouble.offset == offset);
    &troubles[from..from + count]
}
