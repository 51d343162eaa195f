//! vac-record
