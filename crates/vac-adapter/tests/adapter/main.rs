//! What every adapter relies on.

mod beginnings;
mod frames;
mod held_and_streamed;
mod members;
mod pieces;
mod writing;
