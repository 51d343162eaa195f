//! The grammar of CDDL: RFC 8610 appendix B as updated by RFC 9682.
//!
//! [`parse`] reads a text into the rules of a syntax tree ([`ast`]) and keeps
//! the tokens and comments it consists of. It checks the notation only, not whether names are
//! defined and operators are known.
//!
//! # Decisions
//!
//! * **Recursive descent without backtracking.** The one ambiguity of the grammar is `(`, which
//!   opens a type or a group. Inside a group, parentheses are parsed as a group, which is turned
//!   into a type if an operator follows that only a type can have. Time is linear in the length of
//!   the text, and recursion is limited to 40 nested brackets.
//! * **Several errors in one run.** After an error, parsing continues at the next rule: a name
//!   followed by `=`, `/=` or `//=`, which no other construct contains.
//! * **A little more than the grammar allows.** Tabs are spaces, spaces may
//!   separate a name from `<` and a tag from `(`, `\'` is an escape in texts too, and a
//!   byte order mark at the start gives a warning.

pub mod ast;
mod literal;
mod parse;
mod token;

#[cfg(test)]
mod tests;

use self::ast::{Rule, TextSpan};
pub(crate) use self::token::is_name;
pub use self::token::{HeadToken, Symbol, Token, TokenKind};

/// An error or a warning about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxProblem {
    /// The range in the text that it is about.
    pub span: TextSpan,
    /// A description of the problem.
    pub message: String,
}

/// A text and the syntax that was parsed from it.
#[derive(Debug)]
pub struct Tree<'a> {
    /// The text.
    pub text: &'a str,
    /// The rules that could be read, in the order of the text.
    pub rules: Vec<Rule<'a>>,
    /// All tokens, in the order of the text.
    pub tokens: Vec<Token>,
    /// All comments, each from its `;` to the end of the line.
    pub comments: Vec<TextSpan>,
    /// Errors, in the order of the text. Empty if the text is CDDL.
    pub problems: Vec<SyntaxProblem>,
    /// Warnings about notation that this parser accepts, although the RFC does not allow it.
    pub warnings: Vec<SyntaxProblem>,
}

/// Returns the comments of a text, each from its `;` to the end of the line.
pub(crate) fn comments(text: &str) -> Vec<TextSpan> {
    token::tokenize(text).comments
}

/// Reads the text of a specification.
#[must_use]
pub fn parse(text: &str) -> Tree<'_> {
    parse::parse(text)
}
