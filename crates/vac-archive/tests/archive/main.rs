//! Tests of whole archives.

mod crashes;
mod histories;
mod tampering;
mod world;
