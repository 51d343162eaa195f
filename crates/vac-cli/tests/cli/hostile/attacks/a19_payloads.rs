//! The payload comes out of an envelope only after verification.
