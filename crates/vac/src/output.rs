//! Converts many logs: to a folder with a file for each session, to one file, or to a stream.
//!
//! [`update_folder`] brings a folder of records up to date, as `vac convert LOGS -o RECORDS/` does:
//!
//! * Only sessions that are new or have changed are converted: a record names its sources with size
//!   and SHA-256. An index next to many records saves opening them, and reading logs whose files
//!   have not changed.
//! * A record is replaced only by one that contains it. Otherwise it is kept, and the new record
//!   gets another name ([`RecordChange::KeptEarlier`]). A file that is not a record of the same
//!   session is never replaced, and neither is a record with another value of a label.
//! * Labels stay: a new record has those of the one that it replaces, too. A record without a label
//!   that is asked for, and a canonical one where a full one is asked for, are made again.
//! * Records are written once, in their final folder, and get their names when they are complete.
//!   The users who can read all sources can read them.
//! * Processes that write to one folder take turns, and folders where agents keep sessions are not
//!   written to.
//!
//! [`convert_logs`] does the same for logs of [`Search::find`](crate::Search::find), and for other
//! outputs: a stream, and a [`RecordFile`] with all records, from which the bytes of a log that
//! fails are removed.

mod earlier_labels;
mod event;
pub mod existing_record;
mod existing_records;
mod finished_record;
mod found_log;
mod index;
mod options;
mod record_file;
mod record_folder;
mod record_names;
mod record_writer;
mod report;
mod run;
mod workers;

pub(crate) use earlier_labels::EarlierLabels;
pub use event::{OutputEvent, OutputObserver, OutputStage};
pub use found_log::{FoundLog, readers_of_found};
pub use options::{OutputOptions, UnchangedLogs};
pub use record_file::RecordFile;
pub use record_folder::RecordFolder;
pub use report::{FolderChanges, KeptBecause, OutputReport, OutputSession, RecordChange};
pub use run::{RecordOutput, convert_logs, update_folder};
