//! Output is not readable by more people than its sources.
