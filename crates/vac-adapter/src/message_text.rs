//! Extracts the text of a message's content.
//!
//! Content is a text or a list of blocks. Blocks with a type are paragraphs, which are joined by
//! line ends. Blocks without one (the parts of Gemini's API) are pieces of one text. Tool calls,
//! their results and reasoning are entries of their own. Everything else is left out and counted by
//! its type.

use std::borrow::Cow;
use std::collections::BTreeMap;

use vac_value::{Any, Document, Kind, Node};

/// The number of blocks that are not in a text, by their type.
pub type LeftOut = BTreeMap<String, u64>;

/// The maximum number of types that are counted separately.
const MAX_KINDS: usize = 16;
/// The maximum length of the name of a type, in characters.
const MAX_KIND_LENGTH: usize = 64;

/// The text of a content, and the number of blocks that are not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageText {
    /// The text.
    pub text: String,
    /// The blocks that are not in the text.
    pub left_out: LeftOut,
}

impl MessageText {
    /// Returns the text of a content.
    ///
    /// ```
    /// use vac_value::Any;
    /// use vac_adapter::message_text::MessageText;
    ///
    /// let content = br#"[{"type": "text", "text": "Look:"}, {"type": "image", "source": {}}]"#;
    /// let text = MessageText::new(&Any::from_json(content)?);
    /// assert_eq!(text.text, "Look:");
    /// assert_eq!(text.left_out["image"], 1);
    /// # Ok::<(), vac_value::SyntaxError>(())
    /// ```
    pub fn new(content: &Any<'_>) -> Self {
        let mut left_out = LeftOut::default();
        let blocks = blocks(content, &mut left_out);
        Self { text: join(&blocks), left_out }
    }

    /// Returns whether the text is empty and nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.left_out.is_empty()
    }
}

/// Counts a block that is left out.
pub fn leave_out(left_out: &mut LeftOut, kind: &str) {
    let kind: String = kind.chars().take(MAX_KIND_LENGTH).collect();
    let kind = if left_out.len() < MAX_KINDS || left_out.contains_key(&kind) {
        kind
    } else {
        "others".to_owned()
    };
    *left_out.entry(kind).or_default() += 1;
}

/// One text of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The text of the block.
    pub text: String,
    /// Whether it is a piece of a text rather than a paragraph.
    pub is_piece: bool,
}

/// Returns the texts of a content, in order.
pub fn blocks(content: &Any<'_>, left_out: &mut LeftOut) -> Vec<Block> {
    let Ok(document) = content.document() else { return Vec::new() };
    let root = document.root();
    match root.kind() {
        Kind::Array => root.elements().filter_map(|block| block_text(block, left_out)).collect(),
        _ => block_text(root, left_out).into_iter().collect(),
    }
}

/// Joins texts, with a line end before each text that is not a piece.
pub fn join(blocks: &[Block]) -> String {
    let mut all = String::new();
    for block in blocks {
        if !all.is_empty() && !block.is_piece {
            all.push('\n');
        }
        all.push_str(&block.text);
    }
    all
}

fn block_text(block: Node<'_, '_>, left_out: &mut LeftOut) -> Option<Block> {
    match block.kind() {
        Kind::Text => Some(Block { text: text(block, left_out), is_piece: false }),
        Kind::Map if is_entry(block) => None,
        Kind::Map => {
            let kind = block.member("type").and_then(Node::text);
            match block.member("text").filter(|text| text.kind() == Kind::Text) {
                Some(node) => Some(Block { text: text(node, left_out), is_piece: kind.is_none() }),
                None => {
                    let first = || block.members().find_map(|(key, _)| key.text());
                    let kind = kind.or_else(first).unwrap_or(Cow::Borrowed("map"));
                    leave_out(left_out, &kind);
                    None
                }
            }
        }
        Kind::Null => None,
        other => {
            leave_out(left_out, other.name());
            None
        }
    }
}

/// Returns whether a block is an entry of its own: a call, a result, reasoning.
fn is_entry(block: Node<'_, '_>) -> bool {
    if let Some(kind) = block.member("type").and_then(Node::text) {
        return matches!(&*kind, "thinking" | "redacted_thinking" | "reasoning")
            || kind.ends_with("tool_use")
            || kind.ends_with("tool_result")
            || matches!(&*kind, "tool-call" | "tool-result" | "toolCall")
            || matches!(&*kind, "toolRequest" | "toolResponse" | "redactedThinking");
    }
    let is_map = |key: &str| block.member(key).is_some_and(|value| value.kind() == Kind::Map);
    is_map("functionCall")
        || is_map("functionResponse")
        || block.member("thought").and_then(Node::bool) == Some(true)
}

/// Returns a text. Lone surrogates become U+FFFD and are counted.
fn text(node: Node<'_, '_>, left_out: &mut LeftOut) -> String {
    if let Some(text) = node.text() {
        return text.into_owned();
    }
    let Ok(token) = std::str::from_utf8(node.raw()) else { return String::new() };
    let (token, halves) = replace_lone_surrogates(token);
    for _ in 0..halves {
        leave_out(left_out, "lone surrogate");
    }
    let document = Document::json(token.as_bytes()).ok();
    document.and_then(|document| document.root().text().map(Cow::into_owned)).unwrap_or_default()
}

/// Replaces the lone surrogates in JSON. Returns the JSON and their number.
pub fn replace_lone_surrogates(token: &str) -> (String, usize) {
    const HIGH: std::ops::Range<u32> = 0xd800..0xdc00;
    const LOW: std::ops::Range<u32> = 0xdc00..0xe000;
    let unit = |at: usize| {
        let digits = token.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut whole = String::with_capacity(token.len());
    let mut halves = 0;
    let mut at = 0;
    while let Some(rest) = token.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = rest.find('\\').unwrap_or(rest.len());
        whole.push_str(&rest[..plain]);
        at += plain;
        let length = match unit(at) {
            Some(high)
                if HIGH.contains(&high) && unit(at + 6).is_some_and(|low| LOW.contains(&low)) =>
            {
                12
            }
            Some(half) if HIGH.contains(&half) || LOW.contains(&half) => {
                whole.push_str("\\ufffd");
                halves += 1;
                at += 6;
                continue;
            }
            Some(_) => 6,
            None => 2,
        };
        let end = token.len().min(at + length);
        whole.push_str(token.get(at..end).unwrap_or_default());
        at = end;
    }
    (whole, halves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(content: &str) -> MessageText {
        MessageText::new(&Any::from_json(content.as_bytes()).expect("JSON"))
    }

    #[test]
    fn paragraphs_are_joined_by_line_ends_and_pieces_are_not() {
        assert_eq!(text_of(r#""plain""#).text, "plain");
        assert_eq!(text_of(r#"["a", {"type": "input_text", "text": "b"}]"#).text, "a\nb");
        assert_eq!(text_of(r#"[{"text": "a"}, {"text": "b"}]"#).text, "ab");
        assert_eq!(text_of(r#"{"text": "single part"}"#).text, "single part");
    }

    #[test]
    fn blocks_that_are_entries_are_neither_text_nor_left_out() {
        for block in [
            r#"{"type": "tool_use", "text": "no"}"#,
            r#"{"type": "server_tool_use"}"#,
            r#"{"type": "toolCall", "name": "no"}"#,
            r#"{"type": "web_search_tool_result"}"#,
            r#"{"type": "thinking", "thinking": "no"}"#,
            r#"{"functionCall": {}}"#,
            r#"{"functionResponse": {}}"#,
            r#"{"thought": true, "text": "no"}"#,
        ] {
            assert!(text_of(&format!("[{block}]")).is_empty(), "{block}");
        }
    }

    #[test]
    fn other_blocks_are_counted_by_type() {
        let said =
            text_of(r#"[{"type": "image"}, {"type": "image"}, {"inlineData": {}}, 7, null]"#);
        assert_eq!(said.text, "");
        let left_out: Vec<_> = said.left_out.iter().map(|(kind, n)| (kind.as_str(), *n)).collect();
        assert_eq!(left_out, [("image", 2), ("inlineData", 1), ("integer", 1)]);
        assert!(!said.is_empty());
    }

    #[test]
    fn lone_surrogates_are_replaced_and_counted() {
        let said = text_of(r#""a\ud83d b \ude00 \\ud83d \ud83d\ude00 \u0041""#);
        assert_eq!(said.text, "a\u{fffd} b \u{fffd} \\ud83d \u{1f600} A");
        assert_eq!(said.left_out["lone surrogate"], 2);
    }
}
