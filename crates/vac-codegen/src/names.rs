//! Chooses Rust names for CDDL names.
//!
//! Two CDDL names can have the same Rust name. The second one then gets a longer name: the
//! rule that uses it in front, its symbols spelled out, or a word after it. Names never
//! contain a counter, so that a new rule does not change the name of another.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};

/// Names that generated modules use as they are.
const RESERVED: [&str; 33] = [
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deref",
    "Display",
    "Drop",
    "Eq",
    "Err",
    "Extend",
    "From",
    "FromIterator",
    "FromStr",
    "Hash",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Some",
    "String",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Vec",
];

/// Separates the parts of a path: a rule, a member of it, a member of that.
const SEPARATOR: char = '\u{1f}';

/// Returns the path of a part of something. Its type is called after the whole path.
pub fn part_path(around: &str, title: &str) -> String {
    format!("{around}{SEPARATOR}{title}")
}

/// Returns names, each of them once.
#[derive(Default)]
pub struct Names {
    taken: HashSet<String>,
    /// Names that no type may have.
    reserved: HashSet<&'static str>,
    /// Whether a key is called `kind`, so that `type` cannot be.
    has_kind: bool,
}

impl Names {
    /// Creates the names of the types in a module. `Root` is the type of the start rule.
    pub fn for_module() -> Self {
        let reserved = RESERVED.into_iter().chain(["Root"]).collect();
        Self { reserved, ..Self::default() }
    }

    /// Creates the names of the fields of a type, whose keys are known beforehand.
    pub fn for_fields<'k>(mut keys: impl Iterator<Item = &'k str>) -> Self {
        Self { has_kind: keys.any(|key| snake_case(key) == "kind"), ..Self::default() }
    }

    /// Returns a type's name: `tool-call-entry` becomes `ToolCallEntry`.
    pub fn type_name(&mut self, cddl: &str) -> Ident {
        self.type_name_in(cddl, &[])
    }

    /// Returns a type's name, which begins with one of the contexts if it is taken without.
    /// The words that a part has in common with what it is part of are in the name once, if
    /// that name is not taken.
    pub fn type_name_in(&mut self, cddl: &str, contexts: &[String]) -> Ident {
        let short = without_repetition(cddl);
        let mut base = camel_case(cddl);
        if self.reserved.contains(&*base) {
            base.push_str("Type");
        }
        let in_context = contexts.iter().map(|context| camel_case(context) + &base);
        let socket = cddl.starts_with('$').then(|| format!("{base}Socket"));
        let spelled = [split_into_words(cddl, false), split_into_words(cddl, true)]
            .map(|name| camel_case(&name));
        let others = [format!("{base}Type")];
        let all = short.into_iter().chain([base.clone()]);
        let all = all.chain(socket).chain(in_context).chain(spelled);
        let all = all.chain(others);
        self.first_unused(all.collect())
    }

    /// Returns whether a type is called like a rule.
    pub fn is_type_name(&self, cddl: &str) -> bool {
        let name = camel_case(cddl);
        self.taken.contains(&name) || self.reserved.contains(&*name)
    }

    /// Reserves a name for a type. Returns whether it was free.
    pub fn claim_type_name(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// Returns a constant's name: `date-time-regexp` becomes `DATE_TIME_REGEXP`.
    pub fn constant_name(&mut self, cddl: &str) -> Ident {
        self.constant_name_in(cddl, &[])
    }

    /// Returns a constant's name, which begins with one of the contexts if it is taken
    /// without.
    pub fn constant_name_in(&mut self, cddl: &str, contexts: &[String]) -> Ident {
        let base = snake_case(cddl);
        let in_context = contexts.iter().map(|context| format!("{}_{base}", snake_case(context)));
        let spelled = [split_into_words(cddl, false), split_into_words(cddl, true)]
            .map(|name| snake_case(&name));
        let all = [base.clone()].into_iter().chain(in_context).chain(spelled);
        let all = all.chain([format!("{base}_rule")]);
        self.first_unused(all.map(|name| name.to_uppercase()).collect())
    }

    /// Returns a field's name.
    pub fn field_name(&mut self, cddl: &str) -> Ident {
        let base = match snake_case(cddl) {
            name if name == "type" && !self.has_kind => "kind".to_owned(),
            name => name,
        };
        let [symbols, capitals] = [split_into_words(cddl, false), split_into_words(cddl, true)]
            .map(|name| snake_case(&name));
        let all = [base.clone(), symbols, capitals, format!("{base}_member")];
        self.first_unused(all.into())
    }

    /// Returns the first candidate that is not taken, or else the first with underscores after it.
    fn first_unused(&mut self, candidates: Vec<String>) -> Ident {
        let candidates: Vec<String> = candidates.into_iter().map(without_keyword).collect();
        let mut last = candidates.first().expect("a name has a candidate").clone();
        let unused = candidates.into_iter().find(|name| !self.taken.contains(name));
        let name = unused.unwrap_or_else(|| {
            while self.taken.contains(&last) {
                last.push('_');
            }
            last
        });
        let identifier = Ident::new(&name, Span::call_site());
        self.taken.insert(name);
        identifier
    }
}

/// Returns the name, or the name with an underscore after it if it is a keyword of the 2024
/// edition.
fn without_keyword(mut name: String) -> String {
    if name == "gen" || syn::parse_str::<Ident>(&name).is_err() {
        name.push('_');
    }
    name
}

/// Returns the type name of a path, in which words at the beginning of a part are left out that are
/// also at the end or at the beginning of what is before it: many specifications begin all names
/// with the same word. `None` if there are none.
fn without_repetition(path: &str) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    let mut is_shorter = false;
    for part in path.split(SEPARATOR) {
        let words = words(part);
        // Keep at least one word of a part.
        let most = all.len().min(words.len().saturating_sub(1));
        let begins_with = |before: &[String]| {
            before.iter().zip(&words).all(|(one, other)| one.eq_ignore_ascii_case(other))
        };
        let is_repeated =
            |count: &usize| begins_with(&all[all.len() - count..]) || begins_with(&all[..*count]);
        let repeated = (1..=most).rev().find(is_repeated).unwrap_or(0);
        is_shorter |= repeated > 0;
        all.extend(words.into_iter().skip(repeated));
    }
    is_shorter.then(|| camel_case(&all.join("-")))
}

/// Returns a name in camel case: `tool-call`, `tool_call` and `toolCall` become `ToolCall`.
pub fn camel_case(cddl: &str) -> String {
    let mut name = String::new();
    for word in words(cddl) {
        let mut characters = word.chars();
        if let Some(first) = characters.next() {
            name.extend(first.to_uppercase());
            let rest = characters.as_str();
            let is_upper = rest.chars().all(|c| !c.is_lowercase()) && word.len() > 1;
            if is_upper {
                name.push_str(&rest.to_lowercase());
            } else {
                name.push_str(rest);
            }
        }
    }
    begin_with_letter(name, "T")
}

/// Returns a name in snake case: `tool-call`, `ToolCall` and `toolCall` become `tool_call`.
pub fn snake_case(cddl: &str) -> String {
    let words: Vec<_> = words(cddl).iter().map(|word| word.to_lowercase()).collect();
    begin_with_letter(words.join("_"), "n")
}

/// Returns the words of a name: it is split at everything that is not a letter or digit, and where
/// a capital follows a small letter or digit. A name without letters and digits is spelled.
fn words(cddl: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in cddl.chars() {
        let usable = character.is_ascii_alphanumeric();
        if !usable
            || (character.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()))
        {
            words.push(String::new());
        }
        if usable && let Some(word) = words.last_mut() {
            word.push(character);
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    if words.is_empty() { self::words(&split_into_words(cddl, false)) } else { words }
}

/// Returns a name with its symbols in words, and with its capitals in words as well if asked. A `-`
/// inside a name only separates words.
fn split_into_words(cddl: &str, with_capitals: bool) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut characters = cddl.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek();
        if character.is_ascii_alphanumeric() {
            let is_upper = |c: char| c.is_ascii_uppercase();
            if with_capitals && is_upper(character) && !word.ends_with(is_upper) {
                words.push(std::mem::take(&mut word));
                let is_capital = next.is_some_and(char::is_ascii_lowercase);
                words.push(if is_capital { "capital" } else { "upper" }.to_owned());
            }
            word.push(character);
        } else {
            let is_inside = !word.is_empty() && next.is_some_and(char::is_ascii_alphanumeric);
            words.push(std::mem::take(&mut word));
            if character != SEPARATOR && (character != '-' || !is_inside) {
                words.push(symbol_name(character));
            }
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    if words.is_empty() { "empty".to_owned() } else { words.join("-") }
}

fn symbol_name(symbol: char) -> String {
    let name = match symbol {
        ' ' => "space",
        '!' => "not",
        '"' => "quote",
        '#' => "hash",
        '$' => "dollar",
        '%' => "percent",
        '&' => "and",
        '\'' => "apostrophe",
        '(' | ')' => "parenthesis",
        '*' => "star",
        '+' => "plus",
        ',' => "comma",
        '-' => "minus",
        '.' => "dot",
        '/' => "slash",
        ':' => "colon",
        ';' => "semicolon",
        '<' => "less",
        '=' => "equal",
        '>' => "greater",
        '?' => "question",
        '@' => "at",
        '[' | ']' => "bracket",
        '\\' => "backslash",
        '^' => "caret",
        '_' => "underscore",
        '`' => "backquote",
        '{' | '}' => "brace",
        '|' => "or",
        '~' => "tilde",
        other => return format!("u{:x}", u32::from(other)),
    };
    name.to_owned()
}

fn begin_with_letter(name: String, letter: &str) -> String {
    match name.chars().next() {
        Some(first) if first.is_alphabetic() => name,
        _ => format!("{letter}{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_rust_conventions() {
        assert_eq!(camel_case("verifiable-agent-record"), "VerifiableAgentRecord");
        assert_eq!(camel_case("COSE_Sign1"), "CoseSign1");
        assert_eq!(camel_case("COSE_X509"), "CoseX509");
        assert_eq!(camel_case("CWT_Claims"), "CwtClaims");
        assert_eq!(camel_case("$msg"), "Msg");
        assert_eq!(camel_case("3d"), "T3d");
        assert_eq!(camel_case("<="), "LessEqual");
        assert_eq!(camel_case(""), "Empty");
        assert_eq!(camel_case("日"), "U65e5");
        assert_eq!(snake_case("hashAlg"), "hash_alg");
        assert_eq!(snake_case("CWT_Claims"), "cwt_claims");
        assert_eq!(snake_case("session-id"), "session_id");
    }

    #[test]
    fn colliding_names_differ_by_words() {
        let mut names = Names::for_module();
        let contexts = ["receipt".to_owned()];
        assert_eq!(names.type_name_in("protected-header", &[]).to_string(), "ProtectedHeader");
        assert_eq!(
            names.type_name_in("Protected_Header", &contexts).to_string(),
            "ReceiptProtectedHeader",
        );
        assert_eq!(names.type_name("entry").to_string(), "Entry");
        assert_eq!(names.type_name("$entry").to_string(), "EntrySocket");
        assert_eq!(names.type_name("string").to_string(), "StringType");
        assert_eq!(names.type_name("Self").to_string(), "Self_");
        assert_eq!(names.field_name("foo-bar").to_string(), "foo_bar");
        assert_eq!(names.field_name("foo_bar").to_string(), "foo_underscore_bar");
        assert_eq!(names.field_name("fooBar").to_string(), "foo_capital_bar");
    }

    #[test]
    fn repeated_words_are_left_out() {
        let mut names = Names::for_module();
        let path = part_path("SUIT_Condition", "suit-condition-abort");
        assert_eq!(names.type_name(&path).to_string(), "SuitConditionAbort");
        // The short name is already taken.
        assert_eq!(names.type_name(&path).to_string(), "SuitConditionSuitConditionAbort");
        let path = part_path("SUIT_Manifest", "suit-text");
        assert_eq!(names.type_name(&path).to_string(), "SuitManifestText");
        assert_eq!(names.type_name(&part_path("a", "a")).to_string(), "AA");
        assert_eq!(names.type_name(&part_path("entry", "kind")).to_string(), "EntryKind");
    }

    #[test]
    fn keywords_are_not_names() {
        let mut names = Names::for_fields(["type", "self"].into_iter());
        assert_eq!(names.field_name("type").to_string(), "kind");
        assert_eq!(names.field_name("self").to_string(), "self_");
        assert_eq!(names.field_name("gen").to_string(), "gen_");
        let mut names = Names::for_fields(["type", "kind"].into_iter());
        assert_eq!(names.field_name("type").to_string(), "type_");
        assert_eq!(names.field_name("kind").to_string(), "kind");
    }
}
