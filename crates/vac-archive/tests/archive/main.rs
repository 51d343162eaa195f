//! Tests of whole archives.

mod continuity;
mod crashes;
mod histories;
mod tampering;
mod world;
