//! Splits a text into tokens.
//!
//! Text that cannot be read becomes a [`TokenKind::Invalid`] and a problem with the reason, and
//! tokenizing continues after it.

use super::SyntaxProblem;
use super::ast::TextSpan;
use super::literal;
use crate::ir::LiteralValue;
use crate::lower::limits;

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// The range of the token in the text.
    pub span: TextSpan,
}

/// The kind of a [`Token`].
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// A name, with its `$` or `$$`.
    Name,
    /// A literal.
    Value(LiteralValue),
    /// `.name`
    Control,
    /// `#`, `#6`, `#6.18`, `#6.<`
    Head(HeadToken),
    /// Punctuation.
    Symbol(Symbol),
    /// Text that cannot be read. A problem states the reason.
    Invalid,
}

/// The beginning of a head: `#`, and what follows it without a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadToken {
    /// The digit.
    pub major: Option<u8>,
    /// The number after the dot.
    pub number: Option<u64>,
    /// Whether it ends with `.<`, after which a type follows.
    pub is_open: bool,
}

macro_rules! symbols {
    ($($name:ident $text:literal,)*) => {
        /// Punctuation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Symbol {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Symbol {
            /// All symbols. A symbol that begins with another one comes before it.
            const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the characters that it is written with.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

symbols! {
    AssignGroup "//=",
    GroupChoice "//",
    AssignType "/=",
    Choice "/",
    Arrow "=>",
    Assign "=",
    RangeExclusive "...",
    RangeInclusive "..",
    Cut "^",
    Colon ":",
    Comma ",",
    Question "?",
    Star "*",
    Plus "+",
    Tilde "~",
    Ampersand "&",
    ParenOpen "(",
    ParenClose ")",
    BracketOpen "[",
    BracketClose "]",
    BraceOpen "{",
    BraceClose "}",
    AngleOpen "<",
    AngleClose ">",
}

/// The tokens and comments of a text.
#[derive(Debug, Default)]
pub(super) struct Tokenized {
    /// The tokens, in the order of the text.
    pub tokens: Vec<Token>,
    /// Comments, each from its `;` to the end of the line.
    pub comments: Vec<TextSpan>,
    /// Errors: text that cannot be read.
    pub problems: Vec<SyntaxProblem>,
    /// Warnings about notation that the RFC does not allow.
    pub warnings: Vec<SyntaxProblem>,
}

/// Reads a whole text.
pub(super) fn tokenize(text: &str) -> Tokenized {
    let mut tokenizer = Tokenizer { text, at: 0, out: Tokenized::default() };
    while let Some(next) = tokenizer.rest().chars().next() {
        tokenizer.token(next);
        // Stop, because more problems would not be reported, and each may take a scan of the rest
        // of the text.
        if tokenizer.out.problems.len() == limits::ERRORS {
            break;
        }
    }
    tokenizer.out
}

struct Tokenizer<'a> {
    text: &'a str,
    at: usize,
    out: Tokenized,
}

impl<'a> Tokenizer<'a> {
    fn token(&mut self, next: char) {
        match next {
            ' ' | '\t' | '\n' => self.at += 1,
            '\r' if self.rest().starts_with("\r\n") => self.at += 2,
            ';' => self.comment(),
            '"' => self.text(),
            '\'' => self.bytes(0),
            '#' => self.head(),
            '-' if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number(),
            '0'..='9' => self.number(),
            '.' if self.rest()[1..].starts_with(is_name_start) => {
                let length = 1 + name_length(&self.rest()[1..]);
                self.push(TokenKind::Control, length);
            }
            _ if is_name_start(next) => self.name(),
            _ => self.symbol(next),
        }
    }

    fn comment(&mut self) {
        let rest = self.rest();
        let length = rest.find('\n').unwrap_or(rest.len());
        let comment = rest[..length].trim_end_matches('\r');
        self.out.comments.push(TextSpan { start: self.at, end: self.at + comment.len() });
        if let Some((offset, c)) = comment.char_indices().find(|(_, c)| is_forbidden(*c)) {
            let why = format!("control character {} in a comment", code(c));
            self.problem(self.at + offset, offset + self.at + c.len_utf8(), why);
        }
        self.at += length;
    }

    fn text(&mut self) {
        let rest = self.rest();
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        match literal::quoted_length(line, '"') {
            Some(length) => {
                let written = &line[1..length - 1];
                self.literal(length, literal::text(written).map(LiteralValue::Text));
            }
            None => self.invalid(line.trim_end().len(), "this text is not closed on its line"),
        }
    }

    /// Reads a byte string with a prefix of this length.
    fn bytes(&mut self, prefix: usize) {
        let rest = self.rest();
        match literal::quoted_length(&rest[prefix..], '\'') {
            Some(quoted) => {
                let written = &rest[prefix + 1..prefix + quoted - 1];
                let value = literal::bytes(&rest[..prefix], written).map(LiteralValue::Bytes);
                self.literal(prefix + quoted, value);
            }
            None => {
                let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
                self.invalid(line.trim_end().len(), "this byte string is never closed");
            }
        }
    }

    fn number(&mut self) {
        let rest = self.rest();
        match literal::number(rest) {
            Ok((value, length)) => {
                let is_inner = |c: char| is_name_start(c) || c.is_ascii_digit();
                if rest[length..].starts_with(is_inner) {
                    let length = length + name_length(&rest[length..]);
                    self.invalid(length, "a space or a comma is missing after this number");
                } else {
                    self.push(TokenKind::Value(value), length);
                }
            }
            Err(why) => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
                self.invalid(end.unwrap_or(rest.len()), why);
            }
        }
    }

    fn head(&mut self) {
        let rest = &self.rest()[1..];
        let mut head = HeadToken { major: None, number: None, is_open: false };
        let Some(digit) = rest.chars().next().and_then(|c| c.to_digit(10)) else {
            return self.push(TokenKind::Head(head), 1);
        };
        head.major = u8::try_from(digit).ok();
        let mut length = 2;
        let after = &rest[1..];
        if let Some(number) = after.strip_prefix('.') {
            if number.starts_with('<') {
                head.is_open = true;
                length += 2;
            } else if number.starts_with(|c: char| c.is_ascii_digit()) {
                match literal::unsigned(number) {
                    Ok((number, digits)) => {
                        head.number = Some(number);
                        length += 1 + digits;
                    }
                    Err(why) => {
                        let end = number.find(|c: char| !c.is_ascii_alphanumeric());
                        let end = end.unwrap_or(number.len());
                        return self.invalid(length + 1 + end, why);
                    }
                }
            }
        }
        if digit > 7 {
            return self.invalid(length, format!("major type {digit} does not exist"));
        }
        let is_inner = |c: char| is_name_start(c) || c.is_ascii_digit();
        if !head.is_open && self.rest()[length..].starts_with(is_inner) {
            return self.invalid(length, "a space or a comma is missing after this number");
        }
        self.push(TokenKind::Head(head), length);
    }

    fn name(&mut self) {
        let length = name_length(self.rest());
        if self.rest()[length..].starts_with('\'') {
            self.bytes(length);
        } else {
            self.push(TokenKind::Name, length);
        }
    }

    fn symbol(&mut self, next: char) {
        let is_next = |symbol: &&Symbol| self.rest().starts_with(symbol.text());
        if let Some(&symbol) = Symbol::ALL.iter().find(is_next) {
            return self.push(TokenKind::Symbol(symbol), symbol.text().len());
        }
        match next {
            '\u{feff}' if self.at == 0 => {
                let span = TextSpan { start: 0, end: next.len_utf8() };
                let message = "a byte order mark (U+FEFF) is not part of CDDL: remove it".into();
                self.out.warnings.push(SyntaxProblem { span, message });
                self.at = span.end;
            }
            '\r' => self.invalid(1, "a carriage return without a line feed"),
            _ if next.is_control() => {
                let why = format!("control character {}", code(next));
                self.invalid(next.len_utf8(), why);
            }
            _ if next.is_ascii() => self.invalid(1, format!("unexpected character `{next}`")),
            _ => {
                // Report one problem for a whole name in another script.
                let end = self.rest().find(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
                let length = end.unwrap_or(self.rest().len());
                let why = format!("unexpected character `{next}`: names are ASCII");
                self.invalid(length, why);
            }
        }
    }

    /// Adds a literal of this length, unless it cannot be read.
    fn literal(&mut self, length: usize, value: Result<LiteralValue, String>) {
        let written = &self.rest()[..length];
        let is_line_end = |c: char| matches!(c, '\n' | '\r');
        let forbidden = written.chars().find(|&c| is_forbidden(c) && !is_line_end(c));
        match (forbidden, value) {
            (Some(c), _) => {
                let why = format!("control character {}: write it as an escape", code(c));
                self.invalid(length, why);
            }
            (None, Ok(value)) => self.push(TokenKind::Value(value), length),
            (None, Err(why)) => self.invalid(length, why),
        }
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let span = TextSpan { start: self.at, end: self.at + length };
        self.out.tokens.push(Token { kind, span });
        self.at = span.end;
    }

    fn invalid(&mut self, length: usize, why: impl Into<String>) {
        self.problem(self.at, self.at + length, why);
        self.push(TokenKind::Invalid, length);
    }

    fn problem(&mut self, start: usize, end: usize, why: impl Into<String>) {
        self.out
            .problems
            .push(SyntaxProblem { span: TextSpan { start, end }, message: why.into() });
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
}

/// Returns whether RFC 8610 forbids a character in comments and strings. Tabs are allowed here,
/// because editors write them.
fn is_forbidden(c: char) -> bool {
    c.is_control() && c != '\t'
}

fn code(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '@' | '_' | '$')
}

/// Returns whether a text is one name.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(is_name_start) && name_length(text) == text.len()
}

/// Returns the length of the name at the start of the text: letters, digits, `@`, `_` and `$`, and
/// between them any number of `-` and `.`.
fn name_length(text: &str) -> usize {
    let is_inner = |c: char| is_name_start(c) || c.is_ascii_digit();
    let mut length = 0;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_inner(c) => length = at + 1,
            '-' | '.' if at > 0 => {}
            _ => break,
        }
    }
    length
}
