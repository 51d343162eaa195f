//! JSON text: the only place that knows its grammar.

mod scan;
mod text;

pub(crate) use scan::{copy_between, end_of_plain, is_space, scan};
pub(crate) use text::{push_integer, push_text, unescape};
