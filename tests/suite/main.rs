//! The workspace's own tests, in one binary.

mod golden;
mod goldens;
mod numbers;
mod spec_change;
mod strict;
mod vectors;
