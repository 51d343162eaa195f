//! Converting logs to records: which files, by which adapter, to where.

pub mod contains;
pub mod destination;
pub mod earlier;
mod label;
pub mod lock;
pub mod report_file;
pub mod selection;
pub mod summary;
pub mod unknown;
mod version;
pub mod when;
pub mod work;

use vac_adapter::adapter::Adapter;

/// Every adapter there is. Of two that are equally sure the first is asked.
pub const ADAPTERS: &[&dyn Adapter] = &[
    &vac_adapter_claude::Claude,
    &vac_adapter_codex::Codex,
    &vac_adapter_gemini::Gemini,
    &vac_adapter_opencode::OpenCode,
    &vac_adapter_cursor::Cursor,
];
