//! The parts that all adapters share.

mod detection;
mod frames;
mod members;
mod pieces;
mod streaming;
mod writing;
