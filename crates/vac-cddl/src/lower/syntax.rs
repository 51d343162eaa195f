//! The parser of crate `cddl`.

use std::num::NonZeroUsize;

use cddl::ast::CDDL;
use cddl::parser::Error as ParserError;
use cddl::pest_bridge::cddl_from_pest_str;

use super::limits;
use super::source::Source;
use crate::Error;

/// Parses the mask of a text.
pub(super) fn parse<'a>(source: &'a Source<'_>) -> Result<CDDL<'a>, Error> {
    // A setting for the whole process, but nothing else in it uses `pest`.
    pest::set_call_limit(NonZeroUsize::new(limits::PARSER_CALLS));
    cddl_from_pest_str(&source.mask).map_err(|error| match error {
        ParserError::PARSER { msg, .. } if msg.short.ends_with("limit reached") => {
            source.error(0, "this text is too long, or its arrays are nested too deeply")
        }
        ParserError::PARSER { position, .. } if follows_parenthesis(source, position.index) => {
            let why = "a type in parentheses has to come last in a choice within a group";
            source.error(position.index, why)
        }
        ParserError::PARSER { position, msg } => source.error(position.index, msg.short),
        other => source.error(0, other.to_string()),
    })
}

/// Whether the parser gave up on `[(a / b) / c]`, where it takes the parenthesis
/// for a group and does not try again.
fn follows_parenthesis(source: &Source, at: usize) -> bool {
    let Some((before, behind)) = source.mask.split_at_checked(at) else { return false };
    before.trim_end().ends_with(')') && behind.starts_with(['/', '.'])
}
