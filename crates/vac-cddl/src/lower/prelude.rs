//! The standard prelude, read once.

use std::sync::LazyLock;

use cddl::ast::CDDL;

use super::limits;
use super::scan;
use super::source::Source;
use super::syntax;
use crate::Error;

static SOURCE: LazyLock<Result<Source<'static>, Error>> =
    LazyLock::new(|| scan::scan("prelude", include_str!("../prelude.cddl")));

static TREE: LazyLock<Result<CDDL<'static>, Error>> = LazyLock::new(|| {
    let source = SOURCE.as_ref().map_err(Clone::clone)?;
    syntax::parse(source, limits::PARSER_CALLS)
});

/// The prelude's text and its syntax tree.
pub(super) fn load() -> Result<(&'static Source<'static>, &'static CDDL<'static>), Error> {
    let source = SOURCE.as_ref().map_err(Clone::clone)?;
    let tree = TREE.as_ref().map_err(Clone::clone)?;
    Ok((source, tree))
}
