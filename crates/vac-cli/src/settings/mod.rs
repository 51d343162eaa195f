//! Reads settings files of agents, and edits them without changing anything else.

pub mod edited_file;
pub mod jsonc;
pub mod retention;
