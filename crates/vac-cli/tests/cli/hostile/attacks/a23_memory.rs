//! Memory is bounded, whatever a log contains.
