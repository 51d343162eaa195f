//! Tests the program as a process: its output and exit codes for arguments and files.

#![allow(clippy::disallowed_macros, reason = "a test says why it was skipped")]

mod archive;
mod archive_messages;
mod archive_records;
mod batch;
mod colours;
mod completions;
mod convert;
mod discover;
#[cfg(unix)]
mod docs;
mod doctor;
mod events;
#[cfg(feature = "parquet")]
mod export;
mod export_again;
mod export_sessions;
mod harmless;
mod help;
mod home;
mod homes;
mod hook;
mod hostile;
mod incremental;
mod inputs;
mod inspect;
mod key_passwords;
mod keygen;
mod labels;
mod lints;
mod list;
mod man;
mod memory;
mod messages;
mod output;
mod receipts;
mod records;
mod run;
mod schemas;
mod search;
mod session_names;
mod several_sessions;
mod show;
mod sign;
mod signed;
mod terminal_views;
mod timestamp;
mod transcode;
mod tree;
mod usage;
mod vectors;
mod verbosity;
mod verify;
mod view;
mod wrong_input;
