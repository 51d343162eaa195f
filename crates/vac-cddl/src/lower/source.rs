//! A text with what the scanner found in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::controls::Operator;
use crate::Error;
use crate::ir::{Location, Value};

/// A text, the mask of it that the parser gets, and the tokens that the mask
/// hides. Text and mask have the same length: offsets are valid in both.
pub(super) struct Source<'a> {
    pub(super) file: Arc<str>,
    pub(super) text: &'a str,
    /// Pure ASCII, without comments.
    pub(super) mask: String,
    /// By the offset of their first byte.
    pub(super) tokens: BTreeMap<usize, Token>,
    pub(super) line_starts: Vec<usize>,
    /// Offsets of the bytes of the text that continue a character.
    continuations: Vec<u32>,
    /// For each line the offset of its first character in the mask that is not blank, or of
    /// its end. Known when the mask is complete.
    contents: Vec<usize>,
    /// Where the text begins in its file: lines before it, and characters before it on its
    /// first line (fewer than none if it has more of its own).
    lines_before: usize,
    columns_before: isize,
}

pub(super) struct Token {
    pub(super) end: usize,
    pub(super) kind: TokenKind,
}

pub(super) enum TokenKind {
    Literal(Value),
    Control(Operator),
    Name,
    Comment,
}

impl<'a> Source<'a> {
    pub(super) fn new(file: &str, text: &'a str) -> Self {
        let after_newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            file: file.into(),
            text,
            mask: String::with_capacity(text.len()),
            tokens: BTreeMap::new(),
            line_starts: std::iter::once(0).chain(after_newlines).collect(),
            continuations: (0..)
                .zip(text.bytes())
                .filter(|(_, byte)| byte & 0xc0 == 0x80)
                .map(|(at, _)| at)
                .collect(),
            contents: Vec::new(),
            lines_before: 0,
            columns_before: 0,
        }
    }

    /// Says where in its file the text begins.
    pub(super) fn begins(mut self, lines_before: usize, columns_before: isize) -> Self {
        (self.lines_before, self.columns_before) = (lines_before, columns_before);
        self
    }

    /// To be called when the mask is complete.
    pub(super) fn complete(mut self) -> Self {
        let ends = self.line_starts.iter().skip(1).copied().chain([self.text.len()]);
        let lines = self.line_starts.iter().copied().zip(ends);
        let content = |(start, end): (usize, usize)| {
            let blanks = self.mask[start..end].bytes().take_while(u8::is_ascii_whitespace);
            start + blanks.count()
        };
        self.contents = lines.map(content).collect();
        self
    }

    /// Takes logarithmic time: lines can be long, and every construct has a location.
    pub(super) fn location(&self, offset: usize) -> Location {
        let line = self.line(offset);
        let start = self.line_starts[line];
        let continued = |end: usize| self.continuations.partition_point(|&at| (at as usize) < end);
        let before = offset.saturating_sub(start) - (continued(offset) - continued(start));
        let shift = if line == 0 { self.columns_before } else { 0 };
        Location {
            file: Arc::clone(&self.file),
            line: self.lines_before + line + 1,
            column: before.saturating_add_signed(shift) + 1,
        }
    }

    pub(super) fn error(&self, offset: usize, message: impl Into<String>) -> Error {
        Error::at(self.location(offset), message)
    }

    pub(super) fn literal(&self, offset: usize) -> Result<Value, Error> {
        match self.tokens.get(&offset).map(|token| &token.kind) {
            Some(TokenKind::Literal(value)) => Ok(value.clone()),
            _ => Err(self.error(offset, "this literal is not supported")),
        }
    }

    pub(super) fn operator(&self, offset: usize) -> Result<Operator, Error> {
        match self.tokens.get(&offset).map(|token| &token.kind) {
            Some(&TokenKind::Control(operator)) => Ok(operator),
            _ => Err(self.error(offset, "this control operator is not supported")),
        }
    }

    /// The first offset at or after `offset` where the mask is not blank.
    pub(super) fn skip_blanks(&self, offset: usize) -> usize {
        let rest = self.mask.get(offset..).unwrap_or_default();
        offset + (rest.len() - rest.trim_start().len())
    }

    /// The text of a construct, without the blanks and comments behind it that
    /// the parser counts in.
    pub(super) fn tight(&self, start: usize, end: usize) -> &'a str {
        let length = self.mask.get(start..end).unwrap_or_default().trim_end().len();
        self.text.get(start..start + length).unwrap_or_default()
    }

    /// The comments directly above the construct.
    pub(super) fn docs_above(&self, start: usize) -> Vec<String> {
        let line = self.line(start);
        if self.contents[line] < start {
            return Vec::new();
        }
        let above = (0..line).rev().map_while(|line| self.comment_line(line));
        let mut docs: Vec<String> = above.map(content).collect();
        docs.reverse();
        docs
    }

    /// The comment behind a construct that ends at `end`, on the same line.
    pub(super) fn docs_behind(&self, end: usize) -> Option<String> {
        let (&start, token) = self.tokens.range(end..).next()?;
        let between = self.mask.get(end..start)?;
        let adjacent = between.chars().all(|c| matches!(c, ' ' | '\t' | ','));
        (adjacent && matches!(token.kind, TokenKind::Comment))
            .then(|| content(&self.text[start..token.end]))
    }

    /// The comment on a line that holds nothing else.
    fn comment_line(&self, line: usize) -> Option<&'a str> {
        let start = self.line_starts[line];
        let end = self.line_starts.get(line + 1).copied().unwrap_or(self.text.len());
        if self.contents[line] < end {
            return None;
        }
        let (&at, token) = self.tokens.range(start..end).next()?;
        matches!(token.kind, TokenKind::Comment).then(|| &self.text[at..token.end])
    }

    fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }
}

/// What a comment says, without `;` and one blank.
fn content(comment: &str) -> String {
    let content = comment.strip_prefix(';').unwrap_or(comment);
    content.strip_prefix(' ').unwrap_or(content).trim_end().to_owned()
}
