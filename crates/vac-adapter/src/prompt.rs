//! Determines the author of a message in the user's name, by its text.
//!
//! Agents add messages in the user's name: files, environment, reminders,
//! notifications. Where the log states the author by a field, an adapter reads the field. Where
//! it does not, the text decides, by a table of [`PromptRule`]s in the agent's crate. Each rule
//! names the version of the agent in which the text was seen.
//!
//! ```
//! use vac_adapter::prompt::{PromptRule, author_of};
//! use vac_record::annotations::Author;
//! use vac_value::Any;
//!
//! const RULES: &[PromptRule] = &[
//!     PromptRule::tag("system-reminder", Author::Program, "1.0"),
//!     PromptRule::prefix("Stop hook feedback:", Author::Hook, "2.1"),
//! ];
//! let author = |text: &str| author_of(&Any::from(text), RULES);
//! assert_eq!(author("Fix <b>this</b>"), Author::User);
//! assert_eq!(author("<system-reminder>Be brief.</system-reminder>"), Author::Program);
//! assert_eq!(author("Stop hook feedback: tests failed"), Author::Hook);
//! assert_eq!(author("<new-notification>3</new-notification>"), Author::Unknown);
//! ```
//!
//! # Decisions
//!
//! * A block counts as context only if a tag encloses all of it. A prompt that quotes a tag is
//!   still a prompt.
//! * A block that begins with a tag that no rule names, and ends with the end of that tag, is
//!   `unknown`: a newer version of the agent may have written it. Tags are lower-case words
//!   with `-` or `_`, as agents write them, and not elements of HTML.
//! * A message is the user's if one of its blocks is.

use vac_record::annotations::Author;
use vac_value::{Any, Map, Text};

use crate::message_text::{Block, LeftOut, MessageText, blocks, join, leave_out};

/// A text that an agent writes in the user's name.
#[derive(Clone, Copy, Debug)]
pub struct PromptRule {
    /// The pattern by which such a text is recognised.
    pub pattern: PromptPattern,
    /// The author of the text.
    pub author: Author,
    /// The version of the agent in which it was seen.
    pub seen_in: &'static str,
}

/// A pattern by which a text is recognised.
#[derive(Clone, Copy, Debug)]
pub enum PromptPattern {
    /// An element with this name encloses the whole text.
    Tag(&'static str),
    /// The text begins with this.
    Prefix(&'static str),
}

impl PromptRule {
    /// Creates a rule for texts that one element encloses.
    pub const fn tag(name: &'static str, author: Author, seen_in: &'static str) -> Self {
        Self { pattern: PromptPattern::Tag(name), author, seen_in }
    }

    /// Creates a rule for texts with this beginning.
    pub const fn prefix(text: &'static str, author: Author, seen_in: &'static str) -> Self {
        Self { pattern: PromptPattern::Prefix(text), author, seen_in }
    }

    fn matches(&self, text: &str) -> bool {
        match self.pattern {
            PromptPattern::Tag(name) => is_element(text, name),
            PromptPattern::Prefix(prefix) => text.starts_with(prefix),
        }
    }
}

/// Returns the author of a content. A content without text is the user's.
pub fn author_of(content: &Any<'_>, rules: &[PromptRule]) -> Author {
    author_of_blocks(&blocks(content, &mut LeftOut::default()), rules)
}

fn author_of_blocks(blocks: &[Block], rules: &[PromptRule]) -> Author {
    let mut others = None;
    for block in blocks {
        match block_author(block.text.trim(), rules) {
            Author::User => return Author::User,
            author => others = others.or(Some(author)),
        }
    }
    others.unwrap_or(Author::User)
}

/// Returns the author of one block.
pub fn block_author(text: &str, rules: &[PromptRule]) -> Author {
    if let Some(rule) = rules.iter().find(|rule| rule.matches(text)) {
        return rule.author;
    }
    elements_author(text, rules).unwrap_or(Author::User)
}

/// Returns the author of a text that consists of elements and nothing else: of the first one, or
/// `Unknown` if no rule names one of them.
fn elements_author(text: &str, rules: &[PromptRule]) -> Option<Author> {
    let mut rest = text;
    let mut found = None;
    while !rest.is_empty() {
        let name = element_name(rest)?;
        let end = format!("</{name}>");
        let (_, after) = rest.split_once(&end)?;
        let is_named =
            |rule: &&PromptRule| matches!(rule.pattern, PromptPattern::Tag(tag) if tag == name);
        match rules.iter().find(is_named) {
            Some(rule) => found = found.or(Some(rule.author)),
            None => found = Some(Author::Unknown),
        }
        rest = after.trim_start();
    }
    found
}

/// The names of elements that users write into prompts.
const HTML: &str = "a article b blockquote body br button canvas code dd details div dl dt em footer form h1 \
    h2 h3 h4 h5 h6 head header hr html i iframe img input kbd label li link main meta nav ol \
    option p path pre script section select small span strong style sub summary sup svg table \
    tbody td template textarea th thead title tr u ul video";

/// Returns the name of the element that a text begins with, if its form is that of elements that
/// agents write.
fn element_name(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('<')?;
    let end = inside.find(['>', ' ', '\n'])?;
    let name = &inside[..end];
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c));
    (is_name && !HTML.split(' ').any(|html| html == name)).then_some(name)
}

/// Returns whether an element with this name encloses a text. Names may contain spaces.
pub fn is_element(text: &str, name: &str) -> bool {
    inside_element(text, name).is_some()
}

/// Returns the content of the element that encloses a text.
pub fn inside_element<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let inside = text.strip_prefix('<')?.strip_prefix(name)?;
    let start = inside.starts_with(['>', ' ', '\n']).then(|| inside.find('>'))??;
    let inside = inside.get(start + 1..)?;
    inside.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")
}

/// Returns the text before two marks, between them and after them.
pub fn between<'t>(text: &'t str, begin: &str, end: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let (before, rest) = text.split_once(begin)?;
    let (inside, after) = rest.split_once(end)?;
    Some((before, inside, after))
}

/// A text that the user typed, without what the agent added around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The text that the user typed.
    pub text: String,
    /// The kind of text around it that was removed: `context`, `referenced files`. Empty if only
    /// markup was removed.
    pub left_out: &'static str,
}

/// A function that removes the text that an agent adds around the words of the user, or returns
/// `None` if it added nothing. Receives the text and the extensions of the message.
pub type Reduce<'r> = dyn Fn(&str, &Map<Text<'_>, Any<'_>>) -> Option<Typed> + 'r;

/// Returns the user's words of a content whose author is the user.
pub fn own_words(
    content: &Any<'_>,
    extensions: &Map<Text<'_>, Any<'_>>,
    rules: &[PromptRule],
    reduce: &Reduce<'_>,
) -> MessageText {
    let mut left_out = LeftOut::default();
    let all = blocks(content, &mut left_out);
    let is_own = |block: &&Block| block_author(block.text.trim(), rules) == Author::User;
    let own: Vec<_> = all.iter().filter(is_own).cloned().collect();
    // If the log states the author, the rules do not apply.
    let own = if own.is_empty() { all.clone() } else { own };
    for _ in own.len()..all.len() {
        leave_out(&mut left_out, "context");
    }
    let text = join(&own);
    match reduce(&text, extensions) {
        Some(typed) => {
            if !typed.left_out.is_empty() {
                leave_out(&mut left_out, typed.left_out);
            }
            MessageText { text: typed.text, left_out }
        }
        None => MessageText { text, left_out },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[PromptRule] = &[
        PromptRule::tag("env", Author::Program, "1"),
        PromptRule::tag("permissions instructions", Author::Program, "1"),
        PromptRule::prefix("# AGENTS.md", Author::Program, "1"),
    ];

    #[test]
    fn only_whole_blocks_are_context() {
        for (text, author) in [
            ("<env>x</env>", Author::Program),
            ("<env a=\"1\">x</env>", Author::Program),
            ("<env>x</env>\n\n<env>y</env>", Author::Program),
            ("<permissions instructions>x</permissions instructions>", Author::Program),
            ("<env>x</env> and now?", Author::User),
            ("Why <env>x</env>", Author::User),
            ("<environment>x</environment>", Author::Unknown),
            ("<env>x</env><ping>y</ping>", Author::Unknown),
            ("<div>x</div>", Author::User),
            ("<Component>x</Component>", Author::User),
            ("<env>", Author::User),
            ("# AGENTS.md of this", Author::Program),
            ("", Author::User),
        ] {
            assert_eq!(block_author(text, RULES), author, "{text}");
        }
    }

    #[test]
    fn message_with_one_block_of_the_user_is_the_users() {
        let content =
            br#"[{"type": "text", "text": "<env>x</env>"}, {"type": "text", "text": "Go"}]"#;
        let content = Any::from_json(content).expect("JSON");
        assert_eq!(author_of(&content, RULES), Author::User);
        let words = own_words(&content, &Map::default(), RULES, &|_, _| None);
        assert_eq!((words.text.as_str(), words.left_out["context"]), ("Go", 1));
    }

    #[test]
    fn repeated_elements_are_read_in_linear_time() {
        let text = "<env>x</env>".repeat(200_000);
        assert_eq!(block_author(&text, RULES), Author::Program);
    }
}
