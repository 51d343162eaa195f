//! Rust names for CDDL names.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};

/// Hands out names, each once.
#[derive(Default)]
pub struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A type's name: `tool-call-entry` becomes `ToolCallEntry`. The second
    /// rule with the same Rust name gets a 2.
    pub fn type_name(&mut self, cddl: &str) -> Ident {
        self.unused(&camel_case(cddl))
    }

    /// A constant's name: `date-time-regexp` becomes `DATE_TIME_REGEXP`.
    pub fn constant_name(&mut self, cddl: &str) -> Ident {
        self.unused(&snake_case(cddl).to_uppercase())
    }

    /// A field's name.
    pub fn field_name(&mut self, cddl: &str) -> Ident {
        self.unused(&snake_case(cddl))
    }

    fn unused(&mut self, name: &str) -> Ident {
        let mut candidate = name.to_owned();
        let mut number = 2;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{name}{number}");
            number += 1;
        }
        identifier(&candidate)
    }
}

/// An identifier, escaped if it is a keyword.
fn identifier(name: &str) -> Ident {
    if syn::parse_str::<Ident>(name).is_ok() {
        return Ident::new(name, Span::call_site());
    }
    match name {
        // These cannot be raw identifiers.
        "self" | "Self" | "super" | "crate" | "_" => {
            Ident::new(&format!("{name}_"), Span::call_site())
        }
        _ => Ident::new_raw(name, Span::call_site()),
    }
}

/// `tool-call` and `tool_call` and `toolCall` become `ToolCall`.
pub fn camel_case(cddl: &str) -> String {
    let mut name = String::new();
    for word in words(cddl) {
        let mut characters = word.chars();
        if let Some(first) = characters.next() {
            name.extend(first.to_uppercase());
            let rest = characters.as_str();
            let shouted = rest.chars().all(|c| !c.is_lowercase()) && word.len() > 1;
            if shouted {
                name.push_str(&rest.to_lowercase());
            } else {
                name.push_str(rest);
            }
        }
    }
    begin_with_letter(name, "T")
}

/// `tool-call` and `ToolCall` and `toolCall` become `tool_call`.
pub fn snake_case(cddl: &str) -> String {
    let name = words(cddl).map(|word| word.to_lowercase()).collect::<Vec<_>>().join("_");
    begin_with_letter(name, "n")
}

/// Splits at everything that is no letter or digit, and where a capital follows
/// a small letter or digit.
fn words(cddl: &str) -> impl Iterator<Item = String> {
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
    words.into_iter().filter(|word| !word.is_empty())
}

fn begin_with_letter(name: String, letter: &str) -> String {
    match name.chars().next() {
        Some(first) if first.is_alphabetic() => name,
        Some(_) => format!("{letter}{name}"),
        None => format!("{letter}_"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_like_rust() {
        assert_eq!(camel_case("verifiable-agent-record"), "VerifiableAgentRecord");
        assert_eq!(camel_case("COSE_Sign1"), "CoseSign1");
        assert_eq!(camel_case("COSE_X509"), "CoseX509");
        assert_eq!(camel_case("CWT_Claims"), "CwtClaims");
        assert_eq!(camel_case("$msg"), "Msg");
        assert_eq!(camel_case("3d"), "T3d");
        assert_eq!(snake_case("hashAlg"), "hash_alg");
        assert_eq!(snake_case("CWT_Claims"), "cwt_claims");
        assert_eq!(snake_case("session-id"), "session_id");
    }

    #[test]
    fn collisions_and_keywords_stay_names() {
        let mut names = Names::default();
        assert_eq!(names.type_name("protected-header").to_string(), "ProtectedHeader");
        assert_eq!(names.type_name("Protected_Header").to_string(), "ProtectedHeader2");
        assert_eq!(names.field_name("type").to_string(), "r#type");
        assert_eq!(names.field_name("self").to_string(), "self_");
        assert_eq!(names.type_name("Self").to_string(), "Self_");
    }
}
