//! Two runs into one folder take turns.
