//! Stores: the logs in them, and what is wrong with them.

// Tests write and read files of their own.
#![allow(clippy::disallowed_methods)]

mod cursor;
mod find;
mod in_use;
mod opencode;
mod swapped;
mod untouched;

use vac_adapter::Adapter;

/// The agents whose stores are tested.
const AGENTS: &[&dyn Adapter] =
    &[&vac_adapter_cursor::Cursor, &vac_adapter_gemini::Gemini, &vac_adapter_opencode::OpenCode];
