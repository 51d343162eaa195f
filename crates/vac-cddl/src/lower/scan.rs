//! The one place that makes up for the parser of crate `cddl` 0.10.7.
//!
//! What it gets wrong, and what is done about it here:
//!
//! | text                         | the parser                        | here |
//! |------------------------------|-----------------------------------|------|
//! | `b64'...'`                   | a name and a byte string          | read, masked as a text |
//! | `'...'` with escapes         | keeps the backslashes             | read, masked as a text |
//! | byte strings before `:`      | refuses                           | read, masked as a text |
//! | half a surrogate pair        | drops it                          | refused |
//! | integers below -2^63         | refuses                           | read, masked as `1` |
//! | `.cborseq`                   | `.cbor` and a name `seq`          | read, masked as `.eq` |
//! | unknown control operators    | a syntax error without their name | refused by name |
//! | `042`, `0x`, `1a`            | two entries of a group            | refused |
//! | `#` and `1` on the next line | `#1`                              | refused |
//! | `a..b`, one name in RFC 8610 | a range                           | refused |
//! | `a--b`                       | a syntax error                    | refused by name |
//! | `[[[[...`                    | time grows as 3^depth             | depth and effort are limited |
//! | comments                     | loses some                        | read, masked as blanks |
//!
//! Two more gaps are named where the parser fails, in the module `syntax`.
//!
//! The mask has the same length as the text, so that every offset in the
//! parser's tree is an offset in the text.

use std::iter::repeat_n;

use super::controls::Operator;
use super::limits;
use super::literal;
use super::source::{Source, Token, TokenKind};
use crate::Error;
use crate::ir::Value;

/// Reads the tokens of a text and makes its mask.
pub(super) fn scan<'a>(file: &str, text: &'a str) -> Result<Source<'a>, Error> {
    let mut scanner = Scanner { source: Source::new(file, text), open: Vec::new(), at: 0 };
    while let Some(next) = scanner.rest().chars().next() {
        scanner.token(next)?;
    }
    match scanner.open.pop() {
        Some((bracket, at)) => {
            Err(scanner.source.error(at, format!("`{bracket}` is never closed")))
        }
        None => Ok(scanner.source.complete()),
    }
}

struct Scanner<'a> {
    source: Source<'a>,
    /// The brackets that are open, and where.
    open: Vec<(char, usize)>,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn token(&mut self, next: char) -> Result<(), Error> {
        match next {
            ';' => self.comment(),
            '"' => self.text()?,
            '\'' => self.bytes(0)?,
            '#' => self.head()?,
            '.' => self.dot()?,
            '=' if self.rest().starts_with("=>") => self.copy(2),
            '(' | '[' | '{' | '<' => self.opening(next)?,
            ')' | ']' | '}' | '>' => self.closing(next)?,
            '-' if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number()?,
            '0'..='9' => self.number()?,
            _ if is_name_start(next) => self.name()?,
            _ if next.is_ascii() => self.copy(1),
            _ => return Err(self.error(format!("unexpected character `{next}`"))),
        }
        Ok(())
    }

    fn comment(&mut self) {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        self.hide(length, TokenKind::Comment, "");
    }

    fn text(&mut self) -> Result<(), Error> {
        let length = literal::quoted_length(self.rest(), '"')
            .filter(|&length| !self.rest()[..length].contains('\n'))
            .ok_or_else(|| self.error("this text is not closed on its line"))?;
        let value = literal::text(&self.rest()[1..length - 1]).map_err(|why| self.error(why))?;
        self.hide_quoted(length, Value::Text(value));
        Ok(())
    }

    /// A byte string behind a prefix of this length.
    fn bytes(&mut self, prefix: usize) -> Result<(), Error> {
        let quoted = literal::quoted_length(&self.rest()[prefix..], '\'')
            .ok_or_else(|| self.error("this byte string is never closed"))?;
        let length = prefix + quoted;
        let content = &self.rest()[prefix + 1..length - 1];
        let value = literal::bytes(&self.rest()[..prefix], content);
        let value = value.map_err(|why| self.error(why))?;
        self.hide_quoted(length, Value::Bytes(value));
        Ok(())
    }

    fn number(&mut self) -> Result<(), Error> {
        let (value, length) = literal::number(self.rest()).map_err(|why| self.error(why))?;
        if self.rest()[length..].starts_with(|c: char| is_name_start(c) || c.is_ascii_digit()) {
            return Err(self.error("a blank or a comma is missing behind this number"));
        }
        // A plain unsigned integer may be part of an occurrence: it stays.
        let plain = matches!(value, Value::Integer(0..)) && !self.rest().starts_with('-');
        let mask = if plain { &self.rest()[..length] } else { "1" };
        self.hide(length, TokenKind::Literal(value), mask);
        Ok(())
    }

    /// `#`, `#6`, `#6.18`, `#6.` before `<`: its numbers are no literals.
    fn head(&mut self) -> Result<(), Error> {
        let is_digit = |c: char| c.is_ascii_digit();
        let rest = &self.rest()[1..];
        let major = usize::from(rest.starts_with(is_digit));
        if major == 0 && behind_blanks(rest).starts_with(is_digit) {
            return Err(self.error("a comma is missing behind this `#`"));
        }
        let info = match rest[major..].strip_prefix('.') {
            Some(info) if info.starts_with('<') => 1,
            Some(info) if info.starts_with(is_digit) => {
                1 + info.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(info.len())
            }
            _ => 0,
        };
        self.copy(1 + major + info);
        Ok(())
    }

    /// A range or a control operator.
    fn dot(&mut self) -> Result<(), Error> {
        if self.rest().starts_with("..") {
            let dots = self.rest().chars().take_while(|&c| c == '.').count();
            self.copy(dots);
            return Ok(());
        }
        let behind = &self.rest()[1..];
        let name = &behind[..name_length(behind)];
        let operator = Operator::named(name)
            .ok_or_else(|| self.error(format!("control operator .{name} is not supported")))?;
        self.hide(1 + name.len(), TokenKind::Control(operator), ".eq");
        Ok(())
    }

    fn name(&mut self) -> Result<(), Error> {
        let name = &self.rest()[..name_length(self.rest())];
        if self.rest()[name.len()..].starts_with('\'') {
            return self.bytes(name.len());
        }
        if name.contains("..") {
            let why = "is one name: a range needs blanks around its dots";
            return Err(self.error(format!("`{name}` {why}")));
        }
        if ["--", "-.", ".-"].iter().any(|pair| name.contains(pair)) {
            return Err(self.error(format!("names such as `{name}` are not supported")));
        }
        self.hide(name.len(), TokenKind::Name, name);
        Ok(())
    }

    fn opening(&mut self, bracket: char) -> Result<(), Error> {
        if self.open.len() == limits::NESTING {
            return Err(self.error(format!("nested deeper than {} levels", limits::NESTING)));
        }
        self.open.push((bracket, self.at));
        self.copy(1);
        Ok(())
    }

    fn closing(&mut self, bracket: char) -> Result<(), Error> {
        let opposite = match bracket {
            ')' => '(',
            ']' => '[',
            '}' => '{',
            _ => '<',
        };
        match self.open.pop() {
            Some((open, _)) if open == opposite => self.copy(1),
            Some((open, _)) => {
                return Err(self.error(format!("`{bracket}` cannot close `{open}`")));
            }
            None => return Err(self.error(format!("`{bracket}` closes nothing"))),
        }
        Ok(())
    }

    fn copy(&mut self, length: usize) {
        let part = &self.source.text[self.at..self.at + length];
        self.source.mask.push_str(part);
        self.at += length;
    }

    /// Shows the parser a text of the same length.
    fn hide_quoted(&mut self, length: usize, value: Value) {
        let mask = format!("\"{}\"", "a".repeat(length - 2));
        self.hide(length, TokenKind::Literal(value), &mask);
    }

    /// Keeps a token, and shows the parser `mask` and blanks.
    fn hide(&mut self, length: usize, kind: TokenKind, mask: &str) {
        let end = self.at + length;
        self.source.tokens.insert(self.at, Token { end, kind });
        self.source.mask.push_str(mask);
        self.source.mask.extend(repeat_n(' ', length - mask.len()));
        self.at = end;
    }

    fn rest(&self) -> &'a str {
        &self.source.text[self.at..]
    }

    fn error(&self, message: impl Into<String>) -> Error {
        self.source.error(self.at, message)
    }
}

/// The text from its first character on that is no blank and in no comment.
fn behind_blanks(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix(';') {
        rest = comment.split_once('\n').map_or("", |(_, behind)| behind.trim_start());
    }
    rest
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '@' | '_' | '$')
}

/// The length of the name at the start of the text: letters, digits, `@`, `_`
/// and `$`, and between them `-` and `.`.
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
