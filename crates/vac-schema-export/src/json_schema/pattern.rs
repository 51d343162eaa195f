//! Translates regular expressions for JSON Schema, which uses those of ECMA-262.

use std::fmt::Write as _;

use regex_syntax::hir::{Class, Hir, HirKind};

/// The maximum number of bytes in a pattern.
const MAX_BYTES: usize = 64 << 10;

/// A pattern in both notations.
pub(super) struct Pattern {
    /// The body in ECMA-262, without anchors. Classes are spelled out as ranges of characters, so
    /// that it does not depend on the Unicode version of an engine.
    body: String,
    regex: regex::Regex,
}

impl Pattern {
    /// Translates a pattern of crate `regex` that matches whole texts. `None` if it is too large, or
    /// contains what has no translation.
    pub fn new(regex: &str) -> Option<Self> {
        let hir = regex_syntax::parse(regex).ok()?;
        let mut body = String::new();
        write(&hir, &mut body)?;
        Some(Self { body, regex: regex::Regex::new(regex).ok()? })
    }

    /// Returns the pattern with anchors.
    pub fn ecma(&self) -> String {
        format!("^(?:{})$", self.body)
    }

    /// Returns the pattern with anchors, for all texts but some.
    pub fn ecma_except(&self, texts: &[&str]) -> String {
        if texts.is_empty() {
            return self.ecma();
        }
        let mut excluded = String::new();
        for (index, text) in texts.iter().enumerate() {
            if index > 0 {
                excluded.push('|');
            }
            text.chars().for_each(|c| write_literal(c, &mut excluded));
        }
        format!("^(?!(?:{excluded})$)(?:{})$", self.body)
    }

    /// Returns whether the pattern matches a text.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// Writes an expression without the anchors at both ends: `vac_cddl` writes no others.
fn write(hir: &Hir, out: &mut String) -> Option<()> {
    if out.len() > MAX_BYTES {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => {
            for c in std::str::from_utf8(&literal.0).ok()?.chars() {
                write_literal(c, out);
            }
        }
        HirKind::Class(Class::Unicode(class)) => {
            // A class without characters matches nothing.
            out.push('[');
            for range in class.iter() {
                write_in_class(range.start(), out);
                if range.start() < range.end() {
                    if u32::from(range.start()) + 1 < u32::from(range.end()) {
                        out.push('-');
                    }
                    write_in_class(range.end(), out);
                }
            }
            out.push(']');
        }
        HirKind::Class(Class::Bytes(_)) => return None,
        HirKind::Repetition(repetition) => {
            let is_one = match repetition.sub.kind() {
                HirKind::Class(_) => true,
                HirKind::Literal(literal) => {
                    std::str::from_utf8(&literal.0).is_ok_and(|text| text.chars().count() == 1)
                }
                _ => false,
            };
            out.push_str(if is_one { "" } else { "(?:" });
            write(&repetition.sub, out)?;
            out.push_str(if is_one { "" } else { ")" });
            match (repetition.min, repetition.max) {
                (0, None) => out.push('*'),
                (1, None) => out.push('+'),
                (0, Some(1)) => out.push('?'),
                (min, None) => write!(out, "{{{min},}}").ok()?,
                (min, Some(max)) if min == max => write!(out, "{{{min}}}").ok()?,
                (min, Some(max)) => write!(out, "{{{min},{max}}}").ok()?,
            }
        }
        HirKind::Capture(capture) => {
            out.push_str("(?:");
            write(&capture.sub, out)?;
            out.push(')');
        }
        HirKind::Concat(parts) => {
            for part in parts {
                write(part, out)?;
            }
        }
        HirKind::Alternation(parts) => {
            out.push_str("(?:");
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                write(part, out)?;
            }
            out.push(')');
        }
    }
    Some(())
}

fn write_literal(c: char, out: &mut String) {
    if r"\^$.*+?()[]{}|".contains(c) {
        out.push('\\');
    }
    write_character(c, out);
}

fn write_in_class(c: char, out: &mut String) {
    if r"\]^-[".contains(c) {
        out.push('\\');
    }
    write_character(c, out);
}

/// Writes a character. Control characters are escaped in a way that all engines support.
fn write_character(c: char, out: &mut String) {
    if u32::from(c) < 0x20
        || ('\u{7f}'..='\u{9f}').contains(&c)
        || matches!(c, '\u{2028}' | '\u{2029}')
    {
        write!(out, "\\u{:04x}", u32::from(c)).expect("a text can be written to");
    } else {
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_are_translated() {
        let cases = [
            (r"\A(?:[0-9]{4}-(?:0[1-9]|1[0-2]))\z", "^(?:[0-9]{4}-(?:0[1-9]|1[0-2]))$"),
            (r"\A(?:[a-z--[aeiou]]+)\z", "^(?:[b-df-hj-np-tv-z]+)$"),
            (r"\A(?:a\.b/c|d)\z", r"^(?:(?:a\.b/c|d))$"),
            (r"\A(?:[^\n\r])\z", "^(?:[\\u0000-\\u0009\\u000b\\u000c\\u000e-\u{10ffff}])$"),
        ];
        for (regex, expected) in cases {
            assert_eq!(
                Pattern::new(regex).map(|pattern| pattern.ecma()).as_deref(),
                Some(expected)
            );
        }
    }

    #[test]
    fn texts_can_be_excluded() {
        let pattern = Pattern::new(r"\A(?:x-.*)\z").expect("it is a pattern");
        assert_eq!(
            pattern.ecma_except(&["x-a", "x.b"]),
            r"^(?!(?:x-a|x\.b)$)(?:x-[\u0000-\u0009\u000b-􏿿]*)$"
        );
        assert!(pattern.is_match("x-a") && !pattern.is_match("y"));
    }
}
