//! Codex CLI session logs as agent records.
