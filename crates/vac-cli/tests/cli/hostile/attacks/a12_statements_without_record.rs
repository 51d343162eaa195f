//! A statement whose record was not examined is not verified.
