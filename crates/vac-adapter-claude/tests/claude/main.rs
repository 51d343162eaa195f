//! Claude Code logs: golden files, and properties over every log there is.

mod files;
mod golden;
mod leaves;
mod no_drop;
mod properties;
mod rules;
