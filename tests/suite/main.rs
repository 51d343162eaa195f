//! The workspace's own tests, in one binary.

mod golden;
mod goldens;
mod numbers;
mod oracle;
mod properties;
mod records;
mod spec_change;
mod strict;
mod vectors;
