//! A text with its syntax tree, which locates constructs and finds their comments.

use std::sync::Arc;

use crate::ir::Location;
use crate::lower::limits;
use crate::syntax::ast::TextSpan;
use crate::syntax::{self, SyntaxProblem, Token, Tree};
use crate::{Error, Errors};

/// The number of bytes between two positions whose column is stored.
const STEP: usize = 64;

pub(crate) struct Source<'a> {
    file: Arc<str>,
    /// The place among the texts of a specification.
    pub(crate) number: usize,
    pub(crate) tree: Tree<'a>,
    line_starts: Vec<usize>,
    /// For each line, the offset of its first non-blank character, or of its end.
    contents: Vec<usize>,
    /// For each comment, the offset of the blanks and commas directly before it.
    adjacent: Vec<usize>,
    /// The number of characters before every `STEP`th byte, so that finding a column
    /// does not depend on the length of the line. Empty if all text is ASCII.
    characters: Vec<usize>,
}

impl<'a> Source<'a> {
    /// Reads a text that has to be CDDL.
    pub(crate) fn read(number: usize, file: &str, text: &'a str) -> Result<Self, Errors> {
        let whole_file = Location { file: file.into(), line: 1, column: 1 };
        if text.len() > limits::TEXT_BYTES {
            let why = format!("this text is longer than {} MiB", limits::TEXT_BYTES >> 20);
            return Err(Error::new(whole_file, why).into());
        }
        let source = Self::new(number, file, syntax::parse(text));
        let problems = source.tree.problems.iter();
        let errors =
            problems.map(|SyntaxProblem { span, message }| source.error(span.start, message));
        let errors: Vec<Error> = errors.collect();
        if errors.is_empty() {
            return Ok(source);
        }
        Err(Errors::sorted(errors, &[&source]))
    }

    /// Returns whether a location is one of this text.
    pub(crate) fn contains(&self, location: &Location) -> bool {
        // Compare addresses, because several texts may have the same name.
        Arc::ptr_eq(&self.file, &location.file)
    }

    /// Returns a line, counted from 1, without its line end.
    pub(crate) fn line_text(&self, line: usize) -> Option<&'a str> {
        let start = *self.line_starts.get(line.checked_sub(1)?)?;
        let end = self.line_starts.get(line).copied().unwrap_or(self.tree.text.len());
        Some(self.tree.text[start..end].trim_end())
    }

    fn new(number: usize, file: &str, tree: Tree<'a>) -> Self {
        let after_newlines = tree.text.match_indices('\n').map(|(at, _)| at + 1);
        let line_starts: Vec<usize> = std::iter::once(0).chain(after_newlines).collect();
        let ends = line_starts.iter().skip(1).copied().chain([tree.text.len()]);
        let content = |(&start, end): (&usize, usize)| {
            let is_blank = |c: char| c.is_ascii_whitespace() && c != '\n';
            end - tree.text[start..end].trim_start_matches(is_blank).len()
        };
        let contents = line_starts.iter().zip(ends).map(content).collect();
        let comments = tree.comments.iter();
        let adjacent = comments
            .map(|comment| tree.text[..comment.start].trim_end_matches([' ', '\t', ',']).len())
            .collect();
        let counted = if tree.text.is_ascii() { "" } else { tree.text };
        let counts = counted.as_bytes().chunks(STEP).scan(0, |count, chunk| {
            let before = *count;
            *count += character_count(chunk);
            Some(before)
        });
        let characters = counts.collect();
        Self { file: file.into(), number, tree, line_starts, contents, adjacent, characters }
    }

    pub(crate) fn text(&self, span: TextSpan) -> &'a str {
        &self.tree.text[span.start..span.end]
    }

    pub(crate) fn location(&self, offset: usize) -> Location {
        let line = self.line(offset);
        let column =
            self.characters_before(offset) - self.characters_before(self.line_starts[line]) + 1;
        Location { file: Arc::clone(&self.file), line: line + 1, column }
    }

    fn characters_before(&self, offset: usize) -> usize {
        if self.characters.is_empty() {
            return offset;
        }
        let step = (offset / STEP).min(self.characters.len() - 1);
        self.characters[step] + character_count(&self.tree.text.as_bytes()[step * STEP..offset])
    }

    pub(crate) fn error(&self, offset: usize, message: impl Into<String>) -> Error {
        Error::new(self.location(offset), message)
    }

    /// Returns the tokens within a range of bytes.
    pub(crate) fn tokens(&self, span: TextSpan) -> &[Token] {
        let tokens = &self.tree.tokens;
        let first = tokens.partition_point(|token| token.span.start < span.start);
        let end = tokens.partition_point(|token| token.span.end <= span.end);
        &tokens[first..end.max(first)]
    }

    /// Returns the tokens within a range of bytes, as they are written.
    pub(crate) fn written(&self, span: TextSpan) -> impl Iterator<Item = &'a str> {
        self.tokens(span).iter().map(|token| self.text(token.span))
    }

    /// Returns the comments directly above the construct that starts here.
    pub(crate) fn docs_above(&self, start: usize) -> Vec<String> {
        let line = self.line(start);
        if self.contents[line] < start {
            return Vec::new();
        }
        let above = (0..line).rev().map_while(|line| self.comment_line(line));
        let mut docs: Vec<String> = above.map(content).collect();
        docs.reverse();
        docs
    }

    /// Returns the comment after a construct that ends here, on the same line.
    pub(crate) fn docs_after(&self, end: usize) -> Option<String> {
        let index = self.first_comment_from(end);
        let comment = self.tree.comments.get(index)?;
        (self.adjacent[index] <= end).then(|| content(self.text(*comment)))
    }

    /// Returns the comment on a line that contains nothing else.
    fn comment_line(&self, line: usize) -> Option<&'a str> {
        let start = self.contents[line];
        let comment = self.tree.comments.get(self.first_comment_from(start))?;
        (comment.start == start).then(|| self.text(*comment))
    }

    fn first_comment_from(&self, offset: usize) -> usize {
        self.tree.comments.partition_point(|comment| comment.start < offset)
    }

    fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }
}

/// Returns the characters that begin in these bytes of UTF-8.
fn character_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte).cast_signed() >= -0x40).count()
}

/// Returns the text of a comment without `;` and one space.
fn content(comment: &str) -> String {
    let content = comment.strip_prefix(';').unwrap_or(comment);
    content.strip_prefix(' ').unwrap_or(content).trim_end().to_owned()
}
