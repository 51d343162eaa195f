//! Duplicate keys are invalid at every depth, in every command.
