//! Stores: the logs in them, and what is wrong with them.

mod cursor;
mod find;
mod opencode;
mod untouched;
