//! The SHA-256 of a source is that of the bytes that were converted.
