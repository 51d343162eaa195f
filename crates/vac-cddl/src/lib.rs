//! CDDL
pub mod ir;
