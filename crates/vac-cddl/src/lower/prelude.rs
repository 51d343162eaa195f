//! The standard prelude, read once.

use std::sync::LazyLock;

use crate::Errors;
use crate::source::Source;

static SOURCE: LazyLock<Result<Source<'static>, Errors>> =
    LazyLock::new(|| Source::read(0, "prelude", include_str!("../prelude.cddl")));

/// Returns the prelude's text and its syntax tree.
pub(super) fn load() -> Result<&'static Source<'static>, Errors> {
    SOURCE.as_ref().map_err(Clone::clone)
}
