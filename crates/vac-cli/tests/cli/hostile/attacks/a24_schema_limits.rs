//! Schemas are bounded as a whole.
