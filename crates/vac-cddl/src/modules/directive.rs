//! Parses the directives `;# import` and `;# include`.

use crate::syntax::ast::TextSpan;
use crate::syntax::is_name;

/// The syntax of a directive, for messages.
const FORM: &str = "expected `import` or `include`, then [NAME, ... from] MODULE [as PREFIX]";

/// Maximum length of the name of a module, in bytes.
const MAX_MODULE_NAME: usize = 255;

/// A comment that is a directive of CDDL modules.
#[derive(Debug)]
pub(crate) struct Directive<'a> {
    /// The text of the directive without `;#`.
    pub text: &'a str,
    /// The offset of its `;`.
    pub start: usize,
    /// The content, or the reason why it cannot be read.
    pub content: Result<Content<'a>, String>,
}

/// The content of a directive.
#[derive(Debug, PartialEq)]
pub(crate) struct Content<'a> {
    pub verb: Verb,
    /// The rules before `from`; `None` without `from`.
    pub names: Option<Vec<&'a str>>,
    pub module: &'a str,
    /// The name after `as`.
    pub prefix: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Takes the rules that are named or referenced, and what these reference.
    Import,
    /// Takes exactly the rules that are named, or all.
    Include,
}

/// Returns the directives among the comments of a text, in its order.
pub(crate) fn directives<'a>(
    text: &'a str,
    comments: &'a [TextSpan],
) -> impl Iterator<Item = Directive<'a>> {
    comments.iter().filter_map(|comment| {
        let text_of = &text[comment.start..comment.end];
        let said = text_of.strip_prefix(";#")?;
        // A comment may follow, as everywhere.
        let said = said.split(';').next().unwrap_or(said).trim();
        let mut words = said.split_whitespace();
        let verb = match words.next()? {
            "import" => Verb::Import,
            "include" => Verb::Include,
            _ => return None,
        };
        let line_start = text[..comment.start].rfind('\n').map_or(0, |newline| newline + 1);
        let content = if text[line_start..comment.start].trim().is_empty() {
            content(verb, &words.collect::<Vec<_>>())
        } else {
            Err("a directive needs a line of its own".to_owned())
        };
        Some(Directive { text: said, start: comment.start, content })
    })
}

fn content<'a>(verb: Verb, words: &[&'a str]) -> Result<Content<'a>, String> {
    let (names, rest) = match words.iter().position(|word| *word == "from") {
        Some(at) if at > 0 => (Some(names(&words[..at])?), &words[at + 1..]),
        _ => (None, words),
    };
    let (module, prefix) = match rest {
        [module] => (*module, None),
        [module, "as", prefix] => (*module, Some(*prefix)),
        _ => return Err(format!("cannot read this directive: {FORM}")),
    };
    if !is_module_name(module) {
        return Err(format!(
            "`{module}` is not the name of a module: letters, digits, `-`, `_` and `.` only, and \
             not `.` first"
        ));
    }
    if let Some(prefix) = prefix.filter(|prefix| !is_name(prefix) || prefix.contains('$')) {
        return Err(format!("`{prefix}` cannot be a prefix: it is not a name"));
    }
    Ok(Content { verb, names, module, prefix })
}

fn names<'a>(words: &[&'a str]) -> Result<Vec<&'a str>, String> {
    let names = words.iter().flat_map(|word| word.split(',')).filter(|name| !name.is_empty());
    let names: Vec<&str> = names.collect();
    match names.iter().find(|name| **name != "*" && !is_name(name)) {
        Some(other) => Err(format!("`{other}` is not a name")),
        None => Ok(names),
    }
}

/// Returns whether a name can be that of a module: one plain component of a path.
pub(crate) fn is_module_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty()
        && name.len() <= MAX_MODULE_NAME
        && !name.starts_with('.')
        && name.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::{Content, Directive, Verb, directives};

    fn read(text: &str) -> Vec<(usize, Result<String, String>)> {
        let comments = crate::syntax::comments(text);
        let shown = |directive: Directive| {
            let content = directive.content.map(|content| {
                let Content { verb, names, module, prefix } = content;
                let verb = if verb == Verb::Import { "import" } else { "include" };
                let names = names.map_or("*".to_owned(), |names| names.join("+"));
                format!("{verb} {names} of {module} as {}", prefix.unwrap_or("-"))
            });
            (directive.start, content)
        };
        directives(text, &comments).map(shown).collect()
    }

    #[test]
    fn every_form_is_read() {
        let cases = [
            (";# import rfc9052", "import * of rfc9052 as -"),
            (";# include rfc9052", "include * of rfc9052 as -"),
            (";#import rfc9052 as cose", "import * of rfc9052 as cose"),
            ("  ;#  import  a, b c,d from m.x as y.z", "import a+b+c+d of m.x as y.z"),
            (";# include $$a-b from m\r", "include $$a-b of m as -"),
            (";# import * from m", "import * of m as -"),
            (";# import from", "import * of from as -"),
            (";# import m as p ; why", "import * of m as p"),
        ];
        for (text, wanted) in cases {
            let found = read(text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].1.as_deref(), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn other_comments_are_not_directives() {
        for text in ["; import a", ";# important", ";#", ";### import a", "a = '\n;# import b\n'"] {
            assert!(read(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn malformed_directives_are_refused() {
        let cases = [
            (";# import", "cannot read this directive"),
            (";# import a b", "cannot read this directive"),
            (";# import a as", "cannot read this directive"),
            (";# import a as b c", "cannot read this directive"),
            (";# import ../a", "`../a` is not the name of a module"),
            (";# import /etc/passwd", "`/etc/passwd` is not the name of a module"),
            (";# import ..", "`..` is not the name of a module"),
            (";# import .hidden", "`.hidden` is not the name of a module"),
            (";# import a\\b", "`a\\b` is not the name of a module"),
            (";# import a as $b", "`$b` cannot be a prefix"),
            (";# import 1a from b", "`1a` is not a name"),
            ("a = int ;# import b", "a directive needs a line of its own"),
        ];
        for (text, wanted) in cases {
            let found = read(text);
            let error = found[0].1.as_ref().expect_err(text);
            assert!(error.starts_with(wanted), "{text}: {error}");
        }
        let long = format!(";# import {}", "a".repeat(256));
        assert!(read(&long)[0].1.is_err());
    }
}
