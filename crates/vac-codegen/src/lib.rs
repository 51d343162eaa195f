//! vac-codegen
