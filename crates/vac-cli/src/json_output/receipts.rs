//! The document of `vac receipts attach`.

use serde::Serialize;

/// The result of `vac receipts attach`.
#[derive(Serialize)]
pub struct AttachOutput {
    /// The file that was written.
    pub output: String,
    /// Number of receipts that were attached.
    pub receipts: usize,
    /// Whether the receipts were verified with the keys of their logs.
    pub checked: bool,
}
