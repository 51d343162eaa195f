//! vac-validate
