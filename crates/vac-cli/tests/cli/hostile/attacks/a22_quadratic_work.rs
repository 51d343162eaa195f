//! Work grows linearly with the input.
