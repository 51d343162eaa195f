//! The document of `vac timestamp attach`.

use serde::Serialize;

/// The result of `vac timestamp attach`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AttachTokenOutput {
    /// The file that was written.
    pub output: String,
    /// The time that the token states, in seconds since 1970.
    pub stamped_at: u64,
    /// Whether the authority's certificate leads to a trust root.
    pub checked: bool,
}
