//! Hooks: what makes an agent add a session to an archive when it ends.
//!
//! The agent calls `vac hook --run`, which starts `vac archive add` and does not wait for it, so that
//! the agent neither waits nor fails. The settings of an agent are changed as text: what `vac` does
//! not add or remove stays byte for byte.

mod command;
mod edit;
mod timer;

pub use command::HookCommand;
pub use edit::{Removal, insert, remove};
pub use timer::timer;
