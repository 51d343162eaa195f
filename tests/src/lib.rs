//! Integration tests and benchmarks of the whole workspace; see `tests/`.
