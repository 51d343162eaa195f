//! Parses the notation of ABNF (RFC 5234 section 4, RFC 7405 section 2.2).

use super::GrammarError;

/// Maximum nesting of groups.
const MAX_NESTING: usize = 100;

/// A grammar text: the element to match, and the rules.
#[derive(Debug)]
pub(super) struct Syntax {
    pub(super) start: Repetition,
    pub(super) rules: Vec<Rule>,
}

/// A rule. Alternatives that are added with `=/` are part of it.
#[derive(Debug)]
pub(super) struct Rule {
    /// The name in lower case: names are not case-sensitive.
    pub(super) name: String,
    pub(super) alternatives: Vec<Vec<Repetition>>,
}

/// An element and how often it occurs.
#[derive(Debug)]
pub(super) struct Repetition {
    pub(super) min: u32,
    /// `u32::MAX` is unlimited.
    pub(super) max: u32,
    pub(super) element: Element,
}

#[derive(Debug)]
pub(super) enum Element {
    /// A reference to a rule, as the text spells it, and its offset.
    Reference { name: String, at: usize },
    /// `( ... )`, and `[ ... ]` as a group that occurs at most once.
    Group(Vec<Vec<Repetition>>),
    /// Characters one after the other, each any of some ranges.
    Characters(Vec<Vec<(u32, u32)>>),
}

/// Reads a grammar text.
pub(super) fn parse(text: &str) -> Result<Syntax, GrammarError> {
    Parser { bytes: text.as_bytes(), text, at: 0, nesting: 0 }.grammar()
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    nesting: usize,
}

type Parsed<T> = Result<T, GrammarError>;

impl Parser<'_> {
    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(GrammarError::new(self.text, self.at, message))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips space, comments and line ends.
    fn space(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n') => self.at += 1,
                Some(b'\r') if self.bytes.get(self.at + 1) == Some(&b'\n') => self.at += 1,
                Some(b';') => {
                    while self.peek().is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Returns whether only white space is before the current position on its line, and the line is
    /// not the first.
    fn is_at_line_start(&self) -> bool {
        let before = self.bytes[..self.at].iter().rev();
        before.copied().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(b'\n')
    }

    fn grammar(mut self) -> Parsed<Syntax> {
        self.space();
        if self.peek().is_some_and(|byte| byte.is_ascii_digit() || byte == b'*') {
            return self.error("a grammar begins with one element: put `(` and `)` around it");
        }
        let start = self.repetition()?;
        self.space();
        let mut rules: Vec<Rule> = Vec::new();
        let mut places = std::collections::HashMap::new();
        while self.at < self.bytes.len() {
            if !self.is_at_line_start() {
                return self.error(
                    "the first line is one element (perhaps in parentheses), and each rule begins \
                     on a line of its own",
                );
            }
            let name = self.name();
            self.space();
            if name.is_empty() || !self.eat(b'=') {
                return self.error("a rule is needed here (`name = ...`)");
            }
            let is_addition = self.eat(b'/');
            self.space();
            let alternatives = self.alternation()?;
            let name = name.to_ascii_lowercase();
            match places.get(&name) {
                Some(&place) if is_addition => {
                    let rule: &mut Rule = &mut rules[place];
                    rule.alternatives.extend(alternatives);
                }
                Some(_) => {
                    return self
                        .error(format!("rule `{name}` is defined twice (`=/` adds alternatives)"));
                }
                None => {
                    places.insert(name.clone(), rules.len());
                    rules.push(Rule { name, alternatives });
                }
            }
        }
        Ok(Syntax { start, rules })
    }

    /// Parses a rule name; empty if it is missing.
    fn name(&mut self) -> String {
        let start = self.at;
        if self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
            while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
                self.at += 1;
            }
        }
        self.text[start..self.at].to_owned()
    }

    /// Parses alternatives, up to something that does not belong to them, and the space after them.
    fn alternation(&mut self) -> Parsed<Vec<Vec<Repetition>>> {
        if self.nesting == MAX_NESTING {
            return self.error(format!("groups are nested more than {MAX_NESTING} deep"));
        }
        self.nesting += 1;
        let mut alternatives = vec![self.concatenation()?];
        while self.eat(b'/') {
            self.space();
            alternatives.push(self.concatenation()?);
        }
        self.nesting -= 1;
        Ok(alternatives)
    }

    fn concatenation(&mut self) -> Parsed<Vec<Repetition>> {
        let mut repetitions = vec![self.repetition()?];
        loop {
            self.space();
            let Some(next) = self.peek() else { break };
            if matches!(next, b'/' | b')' | b']') || self.is_rule() {
                break;
            }
            if self.bytes[self.at - 1] == b'\n' {
                return self.error("a rule is needed at the start of a line (`name = ...`)");
            }
            repetitions.push(self.repetition()?);
        }
        Ok(repetitions)
    }

    /// Returns whether a rule begins here: only a rule has a name before `=`.
    fn is_rule(&mut self) -> bool {
        let start = self.at;
        let is_rule = !self.name().is_empty() && {
            self.space();
            self.peek() == Some(b'=')
        };
        self.at = start;
        is_rule
    }

    fn repetition(&mut self) -> Parsed<Repetition> {
        let digits = self.at;
        let min = self.number(10)?;
        let (min, max) = match min {
            min if self.eat(b'*') => (min.unwrap_or(0), self.number(10)?.unwrap_or(u32::MAX)),
            Some(exactly) => (exactly, exactly),
            None => (1, 1),
        };
        if min > max {
            self.at = digits;
            return self.error(format!("{min}*{max} is not a number of repetitions"));
        }
        let is_option = self.peek() == Some(b'[');
        let element = self.element()?;
        // `2[a]` is `*2a`.
        Ok(Repetition { min: if is_option { 0 } else { min }, max, element })
    }

    fn element(&mut self) -> Parsed<Element> {
        let (at, Some(next)) = (self.at, self.peek()) else {
            return self.error("an element is needed here");
        };
        match next {
            b'(' | b'[' => {
                self.at += 1;
                self.space();
                let alternatives = self.alternation()?;
                let close = if next == b'(' { b')' } else { b']' };
                if !self.eat(close) {
                    return self.error(format!("`{}` is needed here", char::from(close)));
                }
                Ok(Element::Group(alternatives))
            }
            b'"' => self.parse_string(false),
            b'%' => self.percent(),
            b'<' => self.error(
                "`<...>` describes in prose what a program cannot match: write it as a rule",
            ),
            _ => {
                let name = self.name();
                if name.is_empty() {
                    let found = self.text[at..].chars().next().expect("a byte is there");
                    return self.error(format!("an element is needed here, not {found:?}"));
                }
                Ok(Element::Reference { name, at })
            }
        }
    }

    fn parse_string(&mut self, is_case_sensitive: bool) -> Parsed<Element> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b' '..=b'~') => self.at += 1,
                Some(_) => return self.error("a quoted string consists of printable ASCII"),
                None => return self.error("a quoted string does not end"),
            }
        }
        let characters = self.bytes[start..self.at].iter().map(|byte| {
            let same = (u32::from(*byte), u32::from(*byte));
            if is_case_sensitive || !byte.is_ascii_alphabetic() {
                return vec![same];
            }
            let [upper, lower] =
                [byte.to_ascii_uppercase(), byte.to_ascii_lowercase()].map(u32::from);
            vec![(upper, upper), (lower, lower)]
        });
        let characters = characters.collect();
        self.at += 1;
        Ok(Element::Characters(characters))
    }

    /// Parses `%x41`, `%d13.10`, `%b0-1`, `%s"..."` or `%i"..."`.
    fn percent(&mut self) -> Parsed<Element> {
        self.at += 1;
        let kind = self.peek().map(|byte| byte.to_ascii_lowercase());
        self.at += 1;
        let base = match kind {
            Some(b's' | b'i') if self.peek() == Some(b'"') => {
                return self.parse_string(kind == Some(b's'));
            }
            Some(b'x') => 16,
            Some(b'd') => 10,
            Some(b'b') => 2,
            _ => {
                self.at -= 1;
                return self.error("`%` is followed by b, d or x, or by s or i and a string");
            }
        };
        let first = self.character(base)?;
        if self.eat(b'-') {
            let last = self.character(base)?;
            if last < first {
                return self.error("the end of this range is before its beginning");
            }
            return Ok(Element::Characters(vec![vec![(first, last)]]));
        }
        let mut characters = vec![vec![(first, first)]];
        while self.eat(b'.') {
            let next = self.character(base)?;
            characters.push(vec![(next, next)]);
        }
        Ok(Element::Characters(characters))
    }

    fn character(&mut self, base: u32) -> Parsed<u32> {
        match self.number(base)? {
            Some(character) => Ok(character),
            None => self.error("digits are needed here"),
        }
    }

    /// Parses a number; `None` if it is missing.
    fn number(&mut self, base: u32) -> Parsed<Option<u32>> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(base)) {
            let next = value.unwrap_or(0u32).checked_mul(base).and_then(|it| it.checked_add(digit));
            if next.is_none_or(|next| next == u32::MAX) {
                return self.error("this number is too large");
            }
            value = next;
            self.at += 1;
        }
        Ok(value)
    }
}
