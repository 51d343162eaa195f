//! Tests that work grows linearly with the input.

mod schema;
mod stores;
