//! Checks every specification with a second parser, that of crate `cddl`.
//!
//! Two parsers that were written independently rarely make the same mistake. This
//! module checks whether the second parser accepts a text and finds the same rules.
//! [`KNOWN_MISTAKES`] lists the constructs that it is known to misread, each with the section of
//! the RFC that decides.
//!
//! The other parser is limited: it runs in a thread with a stack of its
//! own, because it takes more than 20 KiB per nested bracket in builds without optimisation, and
//! with a limit of calls, because it takes exponential time for nested arrays.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::thread;

use cddl::ast::{Identifier, Rule};
use cddl::parser::Error as ParserError;
use cddl::pest_bridge::cddl_from_pest_str;
use cddl::token::SocketPlug;
use vac_cddl::ir::{LiteralValue, Warning, WarningKind};
use vac_cddl::syntax::ast::{Assignment, Body, EntryKind};
use vac_cddl::syntax::{Symbol, Token, TokenKind, Tree};

/// Maximum size of a text that the other parser is asked to read, in bytes.
const MAX_TEXT: usize = 1 << 20;

/// The stack of its thread: enough for 40 brackets, the limit of our own parser.
const STACK: usize = 16 << 20;

/// Maximum number of calls within the other parser, which take some seconds without optimisation.
const MAX_CALLS: usize = 5_000_000;

/// A construct of CDDL that crate `cddl` 0.10.7 refuses or misreads.
pub struct Mistake {
    /// The name of the construct.
    pub construct: &'static str,
    /// The section of the RFC that allows it.
    pub section: &'static str,
    /// A text that contains it.
    pub example: &'static str,
    is_in: fn(&Tree<'_>) -> bool,
}

/// The known mistakes of crate `cddl`.
pub const KNOWN_MISTAKES: &[Mistake] = &[
    Mistake {
        construct: "`.cborseq`, and operators that are not on its own list",
        section: "RFC 8610 section 3.8 and RFC 9165: operators are names that can be registered",
        example: "a = bstr .cborseq [* int]",
        is_in: has_unknown_operator,
    },
    Mistake {
        construct: "byte strings with the prefix `b64`, or `H` in capitals",
        section: "RFC 8610 appendix B, `bsqual`; literals of ABNF have no case",
        example: "a = b64'AA'",
        is_in: |tree| byte_strings(tree).any(|written| !written.starts_with(['\'', 'h'])),
    },
    Mistake {
        construct: "lower-case digits in `h''`",
        section: "RFC 8610 section 3.1; literals of ABNF have no case",
        example: "a = h'fb'",
        is_in: |tree| {
            let mut hex = byte_strings(tree).filter(|written| written.starts_with('h'));
            hex.any(|written| written.bytes().skip(1).any(|byte| matches!(byte, b'a'..=b'f')))
        },
    },
    Mistake {
        construct: "`\\'` in byte strings",
        section: "RFC 9682 section 2.1.2, `BCHAR`",
        example: r"a = '\''",
        is_in: |tree| byte_strings(tree).any(|written| written.contains(r"\'")),
    },
    Mistake {
        construct: "byte strings as keys before `:`",
        section: "RFC 8610 appendix B, `memberkey`",
        example: "a = {h'00': int}",
        is_in: |tree| {
            tree.tokens.windows(2).any(|pair| {
                matches!(pair[0].kind, TokenKind::Value(LiteralValue::Bytes(_)))
                    && is_symbol(&pair[1], Symbol::Colon)
            })
        },
    },
    Mistake {
        construct: "integers below -2^63",
        section: "RFC 8610 section 3.1: nint is major type 1, down to -2^64",
        example: "a = -18446744073709551616",
        is_in: |tree| {
            tree.tokens.iter().any(|token| {
                matches!(token.kind, TokenKind::Value(LiteralValue::Integer(value))
                    if value < i128::from(i64::MIN))
            })
        },
    },
    Mistake {
        construct: "names with several `-` or `.` in a row",
        section: "RFC 8610 appendix B, `id`",
        example: "a = b--c\nb--c = int",
        is_in: |tree| {
            let names = tree.tokens.iter().filter(|token| token.kind == TokenKind::Name);
            names
                .map(|token| token_text(tree, token))
                .any(|name| ["--", "-.", ".-", ".."].iter().any(|pair| name.contains(pair)))
        },
    },
    Mistake {
        construct: "names with `$` as generic parameters, and `$$` as generic arguments",
        section: "RFC 8610 appendix B, `genericparm` and `genericarg`",
        example: "a = b<$$c>\nb<T> = {T}",
        is_in: has_socket_in_angles,
    },
    Mistake {
        construct: "types in parentheses with an operator after them, in a group",
        section: "RFC 8610 appendix B, `grpent`: a type comes before a group",
        example: "a = [(int / tstr) / bool]",
        is_in: has_operator_after_parentheses,
    },
    Mistake {
        construct: "rules that are one member with a key",
        section: "RFC 8610 appendix B, `rule`: a group rule takes any `grpent`",
        example: "a = {b}\nb = c: int",
        is_in: |tree| {
            tree.rules.iter().any(|rule| match &rule.body {
                Body::Group(entry) => matches!(entry.kind, EntryKind::Member { key: Some(_), .. }),
                Body::Type(_) => false,
            })
        },
    },
    Mistake {
        construct: "definitions that are repeated as they are",
        section: "RFC 8610 appendix B, `cddl`: any sequence of rules",
        example: "a = int\na = int",
        is_in: |tree| {
            let mut names = HashSet::new();
            let defined = tree.rules.iter().filter(|rule| rule.assignment == Assignment::Define);
            defined.map(|rule| rule.name.text).any(|name| !names.insert(name))
        },
    },
];

/// The control operators of its grammar.
const OPERATORS: &[&str] = &[
    "size",
    "bits",
    "regexp",
    "pcre",
    "iregexp",
    "cbor",
    "within",
    "and",
    "lt",
    "le",
    "gt",
    "ge",
    "eq",
    "ne",
    "default",
    "cat",
    "det",
    "plus",
    "abnfb",
    "abnf",
    "feature",
    "b64u-sloppy",
    "b64c-sloppy",
    "b64u",
    "b64c",
    "hexuc",
    "hexlc",
    "hex",
    "base10",
    "printf",
    "json",
    "join",
    "b32",
    "h32",
    "b45",
    "bitfield",
];

fn has_unknown_operator(tree: &Tree<'_>) -> bool {
    let operators = tree.tokens.iter().filter(|token| token.kind == TokenKind::Control);
    operators.map(|token| &token_text(tree, token)[1..]).any(|name| !OPERATORS.contains(&name))
}

fn byte_strings<'t>(tree: &'t Tree<'_>) -> impl Iterator<Item = &'t str> {
    let is_bytes = |token: &&Token| matches!(token.kind, TokenKind::Value(LiteralValue::Bytes(_)));
    tree.tokens.iter().filter(is_bytes).map(|token| token_text(tree, token))
}

fn has_socket_in_angles(tree: &Tree<'_>) -> bool {
    let mut parameters = tree.rules.iter().flat_map(|rule| &rule.parameters);
    if parameters.any(|parameter| parameter.text.starts_with('$')) {
        return true;
    }
    let mut open = Vec::new();
    for token in &tree.tokens {
        match &token.kind {
            TokenKind::Symbol(symbol) if is_opening(*symbol) => open.push(*symbol),
            TokenKind::Head(head) if head.is_open => open.push(Symbol::AngleOpen),
            TokenKind::Symbol(symbol) if is_closing(*symbol) => drop(open.pop()),
            TokenKind::Name
                if open.last() == Some(&Symbol::AngleOpen)
                    && token_text(tree, token).starts_with("$$") =>
            {
                return true;
            }
            _ => {}
        }
    }
    false
}

fn has_operator_after_parentheses(tree: &Tree<'_>) -> bool {
    let mut open = Vec::new();
    for (at, token) in tree.tokens.iter().enumerate() {
        match &token.kind {
            TokenKind::Symbol(symbol) if is_opening(*symbol) => {
                let before = at.checked_sub(1).map(|before| &tree.tokens[before].kind);
                open.push(*symbol == Symbol::ParenOpen && !is_before_type(before));
            }
            TokenKind::Head(head) if head.is_open => open.push(false),
            TokenKind::Symbol(symbol) if is_closing(*symbol) => {
                let is_entry = open.pop().unwrap_or(false);
                let after = tree.tokens.get(at + 1).map(|after| &after.kind);
                if is_entry && !open.is_empty() && after.is_some_and(is_operator) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Returns whether only a type can follow.
fn is_before_type(before: Option<&TokenKind>) -> bool {
    use Symbol::{Arrow, Assign, AssignType, Choice, Colon, RangeExclusive, RangeInclusive};
    matches!(
        before,
        Some(
            TokenKind::Control
                | TokenKind::Head(_)
                | TokenKind::Symbol(
                    Arrow | Assign | AssignType | Choice | Colon | RangeExclusive | RangeInclusive
                )
        )
    )
}

fn is_operator(kind: &TokenKind) -> bool {
    use Symbol::{Choice, RangeExclusive, RangeInclusive};
    matches!(kind, TokenKind::Control | TokenKind::Symbol(Choice | RangeExclusive | RangeInclusive))
}

fn is_opening(symbol: Symbol) -> bool {
    use Symbol::{AngleOpen, BraceOpen, BracketOpen, ParenOpen};
    matches!(symbol, AngleOpen | BraceOpen | BracketOpen | ParenOpen)
}

fn is_closing(symbol: Symbol) -> bool {
    use Symbol::{AngleClose, BraceClose, BracketClose, ParenClose};
    matches!(symbol, AngleClose | BraceClose | BracketClose | ParenClose)
}

fn is_symbol(token: &Token, symbol: Symbol) -> bool {
    token.kind == TokenKind::Symbol(symbol)
}

fn token_text<'t>(tree: &'t Tree<'_>, token: &Token) -> &'t str {
    &tree.text[token.span.start..token.span.end]
}

/// The result of the other parser for a text that ours accepts.
#[derive(Debug, PartialEq, Eq)]
pub enum Reading {
    /// The names that the rules define or extend, in the order of the text.
    Rules(Vec<String>),
    /// The other parser does not accept the text.
    Refused {
        /// The offset of the byte at which it stopped.
        offset: usize,
        /// The message of the parser.
        message: String,
    },
    /// The parser was not run, was stopped, or failed.
    Unknown(&'static str),
}

/// Returns warnings about the second reading of a text.
pub(crate) fn warnings(file: &str, text: &str) -> Vec<Warning> {
    let tree = vac_cddl::syntax::parse(text);
    disagreement(&tree, &read(text))
        .into_iter()
        .map(|(offset, message)| Warning {
            kind: WarningKind::SecondReader,
            location: vac_cddl::location(file, text, offset),
            message,
        })
        .collect()
}

/// Returns the place and description of a disagreement between the parsers that is not a known
/// mistake of the other one.
pub fn disagreement(tree: &Tree<'_>, reading: &Reading) -> Option<(usize, String)> {
    if KNOWN_MISTAKES.iter().any(|mistake| (mistake.is_in)(tree)) {
        return None;
    }
    let (offset, what) = match reading {
        Reading::Unknown(why) => {
            return Some((0, format!("the second reader (crate `cddl`) was no help: {why}")));
        }
        Reading::Refused { offset, message } => (*offset, format!("refuses this: {message}")),
        Reading::Rules(names) => {
            let ours = tree.rules.iter().map(|rule| (rule.name.text, rule.span.start));
            let theirs =
                names.iter().map(String::as_str).map(Some).chain([None].into_iter().cycle());
            let mut pairs = ours.zip(theirs);
            match pairs.find(|((ours, _), theirs)| *theirs != Some(*ours)) {
                Some(((ours, at), Some(theirs))) => {
                    (at, format!("reads rule `{ours}` as `{theirs}`"))
                }
                Some(((ours, at), None)) => (at, format!("does not find rule `{ours}`")),
                None if names.len() > tree.rules.len() => {
                    (tree.text.len(), format!("finds another rule `{}`", names[tree.rules.len()]))
                }
                None => return None,
            }
        }
    };
    let hint = "if RFC 8610 is on this text's side, go on, and report the construct for the list \
                of its known mistakes (`second_reader.rs`)";
    Some((offset, format!("the second reader (crate `cddl`) {what}; {hint}")))
}

/// Parses a text with crate `cddl`. The text has to be one that our own parser accepts, which
/// limits its depth.
pub fn read(text: &str) -> Reading {
    if text.len() > MAX_TEXT {
        return Reading::Unknown("the text is longer than 1 MiB");
    }
    // A setting for the whole process, in which nothing else uses `pest`.
    pest::set_call_limit(NonZeroUsize::new(MAX_CALLS));
    thread::scope(|scope| {
        let reader = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || names(text));
        match reader.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(reading)) => reading,
            Ok(Err(_)) => Reading::Unknown("it panicked"),
            Err(_) => Reading::Unknown("no thread could be started for it"),
        }
    })
}

fn names(text: &str) -> Reading {
    match cddl_from_pest_str(text) {
        Ok(tree) => Reading::Rules(tree.rules.iter().map(rule_name).collect()),
        Err(ParserError::PARSER { msg, .. }) if msg.short.ends_with("limit reached") => {
            Reading::Unknown("its arrays are nested too deeply")
        }
        Err(ParserError::PARSER { position, msg }) => {
            Reading::Refused { offset: position.index, message: msg.short }
        }
        Err(other) => Reading::Refused { offset: 0, message: other.to_string() },
    }
}

fn rule_name(rule: &Rule<'_>) -> String {
    let Identifier { ident, socket, .. } = match rule {
        Rule::Type { rule, .. } => &rule.name,
        Rule::Group { rule, .. } => &rule.name,
    };
    let socket = match socket {
        Some(SocketPlug::TYPE) => "$",
        Some(SocketPlug::GROUP) => "$$",
        None => "",
    };
    format!("{socket}{ident}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the texts of the table that our own grammar is tested with.
    fn texts() -> Vec<String> {
        let table = include_str!("../../vac-cddl/src/syntax/grammar.txt").lines();
        table
            .filter(|line| !["# ", "    "].iter().any(|start| line.starts_with(start)))
            .map(|line| line.replace('⏎', "\n"))
            .collect()
    }

    fn unknown(text: &str) -> Option<(usize, String)> {
        let tree = vac_cddl::syntax::parse(text);
        assert!(tree.problems.is_empty(), "{text}: {:?}", tree.problems);
        disagreement(&tree, &read(text))
    }

    #[test]
    fn every_disagreement_over_the_table_is_known() {
        let accepted = |text: &String| vac_cddl::syntax::parse(text).problems.is_empty();
        let texts = texts().into_iter().filter(accepted);
        let unknown: Vec<String> =
            texts.filter_map(|text| Some(format!("{text}\n  {:?}", unknown(&text)?))).collect();
        assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    }

    #[test]
    fn every_known_mistake_still_exists() {
        for mistake in KNOWN_MISTAKES {
            let tree = vac_cddl::syntax::parse(mistake.example);
            assert!(tree.problems.is_empty(), "{}", mistake.example);
            assert!((mistake.is_in)(&tree), "{}", mistake.construct);
            let reading = read(mistake.example);
            assert!(
                matches!(reading, Reading::Refused { .. }),
                "{}: {reading:?}",
                mistake.construct
            );
        }
    }

    #[test]
    fn texts_without_a_known_mistake_are_not_excused() {
        let text = "a = {b: (int / tstr) / bool, * c<$d>, ? (e), k: 'x' / h'00' .size 3}\n\
                    c<T> = (T)\n$$g //= (f-g.h: -1)";
        let tree = vac_cddl::syntax::parse(text);
        for mistake in KNOWN_MISTAKES {
            assert!(!(mistake.is_in)(&tree), "{}", mistake.construct);
        }
    }

    #[test]
    fn other_rule_names_are_a_disagreement() {
        let tree = vac_cddl::syntax::parse("a = int\nb = int");
        let with = |names: &[&str]| {
            let names = names.iter().map(ToString::to_string).collect();
            disagreement(&tree, &Reading::Rules(names)).map(|(offset, _)| offset)
        };
        assert_eq!(with(&["a", "b"]), None);
        assert_eq!(with(&["a", "c"]), Some(8));
        assert_eq!(with(&["a"]), Some(8));
        assert_eq!(with(&["a", "b", "c"]), Some(15));
    }

    #[test]
    fn deep_and_long_texts_are_read_without_panic() {
        for (open, close) in [("[", "]"), ("(", ")"), ("{a: ", "}"), ("#6.1(", ")")] {
            let text = format!("a = {}int{}", open.repeat(40), close.repeat(40));
            let _ = unknown(&text);
        }
        let long = format!("a = int{}", " ".repeat(MAX_TEXT));
        assert_eq!(read(&long), Reading::Unknown("the text is longer than 1 MiB"));
    }
}
