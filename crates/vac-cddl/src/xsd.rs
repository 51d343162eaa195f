//! Translates the regular expressions of XML Schema (XSD), which `.regexp` takes, to the syntax of
//! crate `regex`.
//!
//! XSD patterns always match the whole text; `^` and `$` are ordinary
//! characters; classes can be subtracted from each other. There are no lazy
//! quantifiers, flags, look-around assertions or backreferences: constructs that XSD does not have
//! are refused, even if crate `regex` has them.

mod class;

use std::iter::Peekable;
use std::str::Chars;

use crate::compile::Compiler;

/// The maximum number of characters of a pattern that a message contains.
const SHOWN: usize = 60;

/// Translates a pattern and makes sure that it compiles.
pub(crate) fn translate(xsd: &str, compiler: &mut Compiler) -> Result<String, String> {
    let shown = shorten(xsd);
    compiler.admit(xsd)?;
    let translated = Translation::run(xsd).map_err(|why| format!("pattern `{shown}`: {why}"))?;
    let regex = format!(r"\A(?:{translated})\z");
    match compiler.compile(&regex) {
        Ok(()) => Ok(regex),
        Err(why) => Err(format!("pattern `{shown}` does not compile: {why}")),
    }
}

/// Shortens a pattern to its beginning, for messages.
fn shorten(xsd: &str) -> String {
    match xsd.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &xsd[..end]),
        None => xsd.to_owned(),
    }
}

/// A pattern that is being translated.
struct Translation<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
}

impl<'a> Translation<'a> {
    fn run(xsd: &'a str) -> Result<String, String> {
        let mut translation = Self { rest: xsd.chars().peekable(), out: String::new() };
        translation.pattern()?;
        Ok(translation.out)
    }

    fn pattern(&mut self) -> Result<(), String> {
        let mut open = 0_usize;
        // Whether there is something that a quantifier can repeat.
        let mut repeatable = false;
        while let Some(next) = self.rest.next() {
            repeatable = match next {
                '(' if self.rest.peek() == Some(&'?') => {
                    return Err("groups with `(?` are not part of XSD".into());
                }
                '(' => {
                    open += 1;
                    self.out.push_str("(?:");
                    false
                }
                ')' => {
                    open = open.checked_sub(1).ok_or("`)` closes nothing")?;
                    self.out.push(')');
                    true
                }
                '|' => {
                    self.out.push('|');
                    false
                }
                '?' | '*' | '+' | '{' if !repeatable => {
                    return Err(format!("there is nothing that `{next}` could repeat"));
                }
                '?' | '*' | '+' => {
                    self.out.push(next);
                    false
                }
                '{' => {
                    self.quantity()?;
                    false
                }
                '}' | ']' => return Err(format!("`{next}` has to be escaped")),
                '[' => {
                    self.class()?;
                    true
                }
                '\\' => {
                    let escape = self.escape()?;
                    self.out.push_str(&escape.as_class_item());
                    true
                }
                '.' => {
                    self.out.push_str(r"[^\n\r]");
                    true
                }
                _ => {
                    self.literal(next);
                    true
                }
            };
        }
        if open > 0 { Err("`(` is never closed".into()) } else { Ok(()) }
    }

    /// Translates `{2}`, `{2,}` or `{2,3}`, from after the brace.
    fn quantity(&mut self) -> Result<(), String> {
        let quantity = self.parse_braced()?;
        let (min, max) = quantity.split_once(',').unwrap_or((&quantity, &quantity));
        let number = |digits: &str| {
            let all_digits = digits.chars().all(|c| c.is_ascii_digit());
            all_digits.then(|| digits.parse::<u32>().ok()).flatten()
        };
        let valid = match (number(min), number(max)) {
            (Some(_), None) => max.is_empty(),
            (Some(min), Some(max)) => min <= max,
            _ => false,
        };
        if !valid {
            return Err(format!("`{{{quantity}}}` is not a quantity"));
        }
        self.out.push('{');
        self.out.push_str(&quantity);
        self.out.push('}');
        Ok(())
    }

    fn literal(&mut self, c: char) {
        self.out.push_str(&literal(c));
    }

    /// Parses an escape, from after its backslash.
    fn escape(&mut self) -> Result<Escape, String> {
        let c = self.rest.next().ok_or("it ends with a backslash")?;
        Ok(match c {
            'n' => Escape::Character('\n'),
            'r' => Escape::Character('\r'),
            't' => Escape::Character('\t'),
            's' => Escape::Class(r"[ \t\n\r]".into()),
            'S' => Escape::Class(r"[^ \t\n\r]".into()),
            'd' => Escape::Class(r"\p{Nd}".into()),
            'D' => Escape::Class(r"\P{Nd}".into()),
            'w' => Escape::Class(r"[^\p{P}\p{Z}\p{C}]".into()),
            'W' => Escape::Class(r"[\p{P}\p{Z}\p{C}]".into()),
            'i' => Escape::Class(format!("[{NAME_START}]")),
            'I' => Escape::Class(format!("[^{NAME_START}]")),
            'c' => Escape::Class(format!("[{NAME_START}{NAME_INNER}]")),
            'C' => Escape::Class(format!("[^{NAME_START}{NAME_INNER}]")),
            'p' | 'P' => Escape::Class(format!(r"\{c}{{{}}}", self.category()?)),
            _ if c.is_ascii_punctuation() => Escape::Character(c),
            _ => return Err(format!(r"`\{c}` is not part of XSD")),
        })
    }

    /// Returns the text before the closing brace.
    fn parse_braced(&mut self) -> Result<String, String> {
        let mut content = String::new();
        loop {
            match self.rest.next().ok_or("`{` is never closed")? {
                '}' => return Ok(content),
                c => content.push(c),
            }
        }
    }

    /// Returns the name of a category in braces.
    fn category(&mut self) -> Result<String, String> {
        if self.rest.next() != Some('{') {
            return Err(r"a category in braces has to follow `\p`".into());
        }
        let name = self.parse_braced()?;
        if name.starts_with("Is") {
            return Err(format!(r"Unicode blocks (`\p{{{name}}}`) are not supported"));
        }
        let unknown = || format!("`{name}` is not a category");
        let (major, minor) = name.split_at_checked(1).ok_or_else(unknown)?;
        let minors = match major {
            "L" => "ultmo",
            "M" => "nce",
            "N" => "dlo",
            "P" => "cdseifo",
            "Z" => "slp",
            "S" => "mcko",
            "C" => "cfon",
            _ => return Err(unknown()),
        };
        if minor.len() > 1 || !minors.contains(minor) {
            return Err(unknown());
        }
        Ok(name)
    }
}

/// The meaning of an escape.
enum Escape {
    Character(char),
    Class(String),
}

impl Escape {
    /// Returns the escape in a form that is valid inside and outside of a class.
    fn as_class_item(&self) -> String {
        match self {
            Self::Character(c) => literal(*c),
            Self::Class(class) => class.clone(),
        }
    }
}

/// Returns a character that matches itself.
fn literal(c: char) -> String {
    regex::escape(c.encode_utf8(&mut [0; 4]))
}

/// The characters that can start a name in XML, `\i`.
const NAME_START: &str = concat!(
    r":A-Z_a-z\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{2FF}\u{370}-\u{37D}\u{37F}-\u{1FFF}",
    r"\u{200C}-\u{200D}\u{2070}-\u{218F}\u{2C00}-\u{2FEF}\u{3001}-\u{D7FF}",
    r"\u{F900}-\u{FDCF}\u{FDF0}-\u{FFFD}\u{10000}-\u{EFFFF}",
);

/// The further characters that a name in XML can contain, `\c`.
const NAME_INNER: &str = r"\-.0-9\u{B7}\u{300}-\u{36F}\u{203F}-\u{2040}";
