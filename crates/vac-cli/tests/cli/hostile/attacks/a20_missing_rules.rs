//! A missing schema rule is an error, never a valid document.
