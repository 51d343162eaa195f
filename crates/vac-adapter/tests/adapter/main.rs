//! What every adapter relies on.

mod cursor;
mod frames;
mod held_and_streamed;
mod writing;
