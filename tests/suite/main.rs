//! The workspace's own tests, in one binary.

mod golden;
mod goldens;
mod spec_change;
mod vectors;
