//! Converts logs to records: selects files, runs adapters, writes the output.

pub mod containment;
pub mod destination;
pub mod existing_record;
pub mod existing_records;
mod index;
pub mod lock;
pub mod output;
pub mod record_writer;
pub mod report_file;
pub mod selection;
pub mod summary;
pub mod unknown;
pub mod workers;
