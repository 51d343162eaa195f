//! Manages hooks, through which an agent adds a session to an archive when the session ends.
//!
//! The agent calls `vac hook --run`, which starts a process in the background ([`HookRun`]) and does
//! not wait for it, so that the agent neither waits nor fails. That process calls `vac archive add`
//! and keeps its result, which `vac doctor` prints. The settings of an agent are changed as text: what
//! `vac` does not add or remove stays byte for byte.

mod command;
mod edit;
mod installed;
mod run;
mod timer;

pub use command::HookCommand;
pub use edit::{Removal, commands, insert, remove};
pub use installed::{InstalledHook, check_key, installed, settings_file};
pub use run::HookRun;
pub use timer::timer;
