//! Work grows linearly with the input.

mod stores;
