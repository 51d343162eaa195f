//! What every adapter relies on.

mod beginnings;
mod cursor;
mod frames;
mod held_and_streamed;
mod pieces;
mod writing;
