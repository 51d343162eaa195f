//! vac-value
