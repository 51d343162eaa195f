//! Converting logs to records: which files, by which adapter, to where.

pub mod contains;
pub mod destination;
pub mod earlier;
mod label;
pub mod lock;
pub mod output;
pub mod report_file;
pub mod selection;
pub mod summary;
pub mod unknown;
pub mod when;
pub mod work;
