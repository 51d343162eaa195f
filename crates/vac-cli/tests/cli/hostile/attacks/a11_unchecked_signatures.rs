//! A command that does not check a signature says so.
