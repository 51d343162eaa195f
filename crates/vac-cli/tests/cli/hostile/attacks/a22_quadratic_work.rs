//! Work grows linearly with the input.

mod schema;
mod stores;
