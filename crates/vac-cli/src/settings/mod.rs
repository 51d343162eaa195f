//! Settings files of agents: read for what they state, and edited without changing anything else.

pub mod edited_file;
pub mod jsonc;
pub mod retention;
