//! Contains the tests of the workspace, in one binary.

mod adapters;
mod compactions;
mod detection;
mod docs;
mod explicit_mappings;
mod fuzz;
mod golden;
mod goldens;
mod keys;
mod mapping;
mod new_agent;
mod numbers;
mod oracle;
mod others;
mod properties;
mod public_types;
mod records;
mod round_trip;
mod samples;
mod sign;
mod spec_change;
mod style;
mod vectors;
