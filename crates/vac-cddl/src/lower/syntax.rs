//! The parser of crate `cddl`.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use cddl::ast::CDDL;
use cddl::parser::Error as ParserError;
use cddl::pest_bridge::cddl_from_pest_str;

use super::source::{Source, TokenKind};
use crate::Error;

/// Parses the mask of a text. Fails if the parser needs more than `calls` calls.
pub(super) fn parse<'a>(source: &'a Source<'_>, calls: usize) -> Result<CDDL<'a>, Error> {
    // A setting for the whole process, but nothing else in it uses `pest`.
    pest::set_call_limit(NonZeroUsize::new(calls));
    cddl_from_pest_str(&source.mask).map_err(|error| match error {
        ParserError::PARSER { msg, .. } if msg.short.ends_with("limit reached") => {
            source.error(0, "this text is too long, or its arrays are nested too deeply")
        }
        ParserError::PARSER { position, msg } => {
            let known = known_gap(source, position.index);
            source.error(position.index, known.map_or(msg.short, str::to_owned))
        }
        other => source.error(0, other.to_string()),
    })
}

/// The parser refuses a second definition with `=`, too, but does not say where.
pub(super) fn refuse_duplicates(source: &Source) -> Result<(), Error> {
    let mut defined = HashMap::new();
    for (&at, token) in &source.tokens {
        if !matches!(token.kind, TokenKind::Name) || !is_assigned(&source.mask[token.end..]) {
            continue;
        }
        let name = &source.text[at..token.end];
        if let Some(first) = defined.insert(name, at) {
            let first = source.location(first);
            return Err(source.error(at, format!("`{name}` is already defined at {first}")));
        }
    }
    Ok(())
}

/// Whether `=` follows, perhaps behind generic parameters.
fn is_assigned(behind_name: &str) -> bool {
    assignment(behind_name).is_some_and(|(operator, _)| operator == "=")
}

/// The `=`, `/=` or `//=` that follows a name and its generic parameters, and where it ends.
pub(super) fn assignment(behind_name: &str) -> Option<(&'static str, usize)> {
    let behind = behind_name.trim_start();
    let behind = match behind.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((_, behind)) => behind.trim_start(),
        None => behind,
    };
    let operator = ["//=", "/=", "="].into_iter().find(|it| behind.starts_with(it))?;
    let end = behind_name.len() - behind.len() + operator.len();
    (!behind.starts_with("=>")).then_some((operator, end))
}

/// What is right in CDDL, and wrong for the parser at this place.
fn known_gap(source: &Source, at: usize) -> Option<&'static str> {
    let (before, behind) = source.mask.split_at_checked(at)?;
    if before.trim_end().ends_with(')') && behind.starts_with(['/', '.']) {
        // It takes the parenthesis in `[(a / b) / c]` for a group.
        return Some("a type in parentheses has to come last in a choice within a group");
    }
    let is_key = behind.starts_with(':') || behind.starts_with("=>");
    let depth = |brackets: [char; 3]| before.matches(brackets).count();
    if is_key && depth(['(', '[', '{']) == depth([')', ']', '}']) {
        // It takes the key in `a = b: int` for the whole rule.
        return Some("a group with a key needs parentheses");
    }
    None
}
