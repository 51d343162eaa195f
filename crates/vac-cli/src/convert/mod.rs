//! What `vac convert` reads from its arguments and prints.

pub mod messages;
pub mod output;
pub mod report_file;
pub mod selection;
pub mod summary;
pub mod unknown;
