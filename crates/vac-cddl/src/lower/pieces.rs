//! A text in pieces for crate `cddl`'s parser, which takes quadratic time.
//!
//! A piece is a few rules, or some of the alternatives of a long one: `a = b / c` says the
//! same as `a = b` and `a /= c`.

use std::borrow::Cow;

use super::source::{Source, TokenKind};
use super::{limits, scan, syntax};
use crate::Error;

/// A part of a text that can be parsed alone.
pub(super) struct Piece<'a> {
    text: Cow<'a, str>,
    lines_before: usize,
    columns_before: isize,
}

impl Piece<'_> {
    /// Scans the piece for itself. Its locations are those of the whole text.
    pub(super) fn source(&self, file: &str) -> Result<Source<'_>, Error> {
        let source = scan::scan(file, &self.text)?;
        Ok(source.begins(self.lines_before, self.columns_before))
    }

    /// The parser's call limit for this piece, one of `pieces`.
    pub(super) fn calls(&self, pieces: usize) -> usize {
        let share = limits::PARSER_CALLS / pieces;
        share.max(limits::PIECE_CALLS + limits::PIECE_CALLS_FOR_EACH_BYTE * self.text.len())
    }
}

/// One rule of a text.
struct Span {
    /// After the line on which the previous rule ends, so that the comments above the rule
    /// belong to it.
    start: usize,
    /// Where its name begins.
    name: usize,
    /// After its `=`, `/=` or `//=`.
    body: usize,
    end: usize,
    /// Tokens of it.
    tokens: usize,
    /// Where its alternatives are separated, if it can only be a type.
    separators: Vec<usize>,
    is_type: bool,
}

/// The pieces of a text. Fails if a rule is too long and cannot be divided.
pub(super) fn pieces<'a>(source: &Source<'a>) -> Result<Vec<Piece<'a>>, Error> {
    let text = source.text;
    let mut spans = rules(source);
    if text.len() <= limits::PIECE_BYTES || spans.is_empty() {
        return Ok(vec![whole(source, 0, text.len())]);
    }
    spans[0].start = 0;

    let mut pieces = Vec::new();
    let mut start = 0;
    for span in &spans {
        if span.end - span.start > limits::PIECE_BYTES {
            if start < span.start {
                pieces.push(whole(source, start, span.start));
            }
            divide(source, span, &mut pieces)?;
            start = span.end;
        } else if span.end - start > limits::PIECE_BYTES {
            pieces.push(whole(source, start, span.end));
            start = span.end;
        }
    }
    if start < text.len() {
        pieces.push(whole(source, start, text.len()));
    }
    Ok(pieces)
}

/// A piece of the text as it is.
fn whole<'a>(source: &Source<'a>, start: usize, end: usize) -> Piece<'a> {
    piece(source, start, Cow::Borrowed(&source.text[start..end]), 0)
}

/// A piece that begins with `own` bytes that are not in the text, followed by the text from
/// `start` on.
fn piece<'a>(source: &Source<'a>, start: usize, text: Cow<'a, str>, own: usize) -> Piece<'a> {
    let location = source.location(start);
    Piece {
        text,
        lines_before: location.line - 1,
        columns_before: location.column.cast_signed() - 1 - own.cast_signed(),
    }
}

/// Divides a long rule between its alternatives.
fn divide<'a>(source: &Source<'a>, rule: &Span, pieces: &mut Vec<Piece<'a>>) -> Result<(), Error> {
    // In the mask there are no comments, which would hide what follows.
    let header = source.mask[rule.name..rule.body].split_whitespace().collect::<String>();
    let name = header.trim_end_matches(['/', '=']);
    if name.len() > limits::INSTANCE_NAME {
        let why = format!("this name is longer than {} bytes", limits::INSTANCE_NAME);
        return Err(source.error(rule.name, why));
    }
    let average = (rule.end - rule.start).div_ceil(rule.tokens.max(1));
    let mut push = |start: usize, end: usize| {
        let length = end - start;
        let tokens = if rule.separators.is_empty() { rule.tokens } else { length / average };
        if tokens.saturating_mul(length) > limits::PIECE_EFFORT {
            let why = format!("this part of rule `{name}` is too long ({} KiB)", length >> 10);
            return Err(source.error(source.skip_blanks(start), why));
        }
        if start == rule.start {
            pieces.push(whole(source, start, end));
        } else {
            let header = format!("{name} /=");
            let text = format!("{header}{}", &source.text[start..end]);
            pieces.push(piece(source, start, Cow::Owned(text), header.len()));
        }
        Ok(())
    };
    let mut start = rule.start;
    for &separator in &rule.separators {
        if separator - start > limits::PIECE_BYTES {
            push(start, separator)?;
            start = separator + 1;
        }
    }
    push(start, rule.end)
}

/// The rules of a text, in order and without gaps.
fn rules(source: &Source) -> Vec<Span> {
    let mask = source.mask.as_bytes();
    let mut rules: Vec<Span> = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    let mut last = 0;
    while at < mask.len() {
        let token = source.tokens.get(&at);
        let mut next = token.map_or(at + 1, |token| token.end);
        match token.map(|token| &token.kind) {
            Some(TokenKind::Comment) => {}
            Some(TokenKind::Name) if depth == 0 => {
                if let Some((operator, length)) = syntax::assignment(&source.mask[next..]) {
                    let body = next + length;
                    let between = &source.text[last..at];
                    let start = between.find('\n').map_or(at, |line_end| last + line_end + 1);
                    if let Some(before) = rules.last_mut() {
                        before.end = start;
                    }
                    let (name, end) = (at, source.text.len());
                    rules.push(Span {
                        start,
                        name,
                        body,
                        end,
                        tokens: 0,
                        separators: Vec::new(),
                        is_type: operator != "//=",
                    });
                    next = body;
                }
                last = next;
            }
            Some(_) => last = next,
            None if mask[at].is_ascii_whitespace() => {}
            None => {
                match mask[at] {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    b'/' if mask.get(at + 1) == Some(&b'/') => next = at + 2,
                    b'/' if depth == 0 => {
                        if let Some(rule) = rules.last_mut() {
                            rule.separators.push(at);
                        }
                    }
                    // Occurrences and keys, which only entries of groups have.
                    b'*' | b'+' | b'?' | b':' | b'=' if depth == 0 => {
                        if let Some(rule) = rules.last_mut() {
                            rule.is_type = false;
                        }
                    }
                    _ => {}
                }
                last = next;
            }
        }
        if let Some(rule) = rules.last_mut() {
            rule.tokens += usize::from(last == next);
        }
        at = next;
    }
    for rule in rules.iter_mut().filter(|rule| !rule.is_type) {
        rule.separators.clear();
    }
    rules
}
