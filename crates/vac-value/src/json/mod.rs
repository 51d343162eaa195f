//! The grammar of JSON: scans and writes its text.

mod block;
mod scan;
mod text;

pub(crate) use block::{end_of_plain, first_backslash};
pub(crate) use scan::{copy_between, is_space, scan};
pub(crate) use text::{push_integer, push_text, unescape};
