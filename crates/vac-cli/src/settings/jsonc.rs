//! Edits JSON with comments and trailing commas, as agents accept it in their settings. It is
//! edited as text: all other bytes stay the same.
//!
//! Only the places of values are kept in memory. The text of a value is parsed on request.

use std::ops::Range;

/// Maximum depth of a document. Deeper documents are refused.
const MAX_DEPTH: usize = 64;

/// A syntax error in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsoncError {
    /// The offset of the byte.
    offset: usize,
    reason: &'static str,
}

impl JsoncError {
    /// Returns the line, the column and the reason.
    pub fn describe(&self, text: &str) -> String {
        let before = text.get(..self.offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        format!("line {line}, column {column}: {}", self.reason)
    }
}

/// A value in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The range of its bytes.
    pub span: Range<usize>,
    /// The kind of the value.
    pub kind: ValueKind,
}

/// The kind of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// An object, with the places of keys.
    Object(Vec<Member>),
    /// An array.
    Array(Vec<Value>),
    /// A text.
    Text(String),
    /// A number, `true`, `false` or `null`.
    Other,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The key.
    pub key: String,
    /// The offset of the key.
    start: usize,
    /// The value.
    pub value: Value,
}

impl Value {
    /// Returns the member with a key. `None` if it does not exist, or exists twice.
    pub fn member(&self, key: &str) -> Option<&Self> {
        let ValueKind::Object(members) = &self.kind else { return None };
        let mut found = members.iter().filter(|member| member.key == key);
        let first = found.next();
        first.filter(|_| found.next().is_none()).map(|member| &member.value)
    }

    /// Returns the value that a path of keys leads to.
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| value.member(key))
    }

    /// Returns whether a key exists twice in the object, so that readers disagree about its value.
    pub fn has_twice(&self, key: &str) -> bool {
        let ValueKind::Object(members) = &self.kind else { return false };
        members.iter().filter(|member| member.key == key).count() > 1
    }

    /// Returns the elements of an array.
    pub fn elements(&self) -> &[Self] {
        match &self.kind {
            ValueKind::Array(elements) => elements,
            _ => &[],
        }
    }

    /// Returns the text.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            ValueKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the places of its members or elements, keys included.
    fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            ValueKind::Object(members) => {
                members.iter().map(|it| it.start..it.value.span.end).collect()
            }
            ValueKind::Array(elements) => elements.iter().map(|it| it.span.clone()).collect(),
            _ => Vec::new(),
        }
    }
}

/// Parses a text.
///
/// # Errors
/// If it is not one JSON value, with or without comments, or is too deep.
pub fn parse(text: &str) -> Result<Value, JsoncError> {
    let mut parser = Parser { bytes: text.as_bytes(), text, at: 0 };
    if text.starts_with('\u{feff}') {
        parser.at = 3;
    }
    parser.skip_space()?;
    let value = parser.value(0)?;
    parser.skip_space()?;
    if parser.at < text.len() { Err(parser.error("text after the end")) } else { Ok(value) }
}

struct Parser<'t> {
    bytes: &'t [u8],
    text: &'t str,
    at: usize,
}

impl Parser<'_> {
    fn error(&self, reason: &'static str) -> JsoncError {
        JsoncError { offset: self.at, reason }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) -> Result<(), JsoncError> {
        loop {
            match self.bytes.get(self.at..) {
                Some([b' ' | b'\t' | b'\r' | b'\n', ..]) => self.at += 1,
                Some([b'/', b'/', rest @ ..]) => {
                    let length = rest.iter().position(|byte| *byte == b'\n');
                    self.at += 2 + length.unwrap_or(rest.len());
                }
                Some([b'/', b'*', rest @ ..]) => {
                    let end = rest.windows(2).position(|pair| pair == b"*/");
                    self.at += 4 + end.ok_or_else(|| self.error("a comment that does not end"))?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, JsoncError> {
        if depth > MAX_DEPTH {
            return Err(self.error("nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => ValueKind::Object(self.list(b'}', |parser| {
                let start = parser.at;
                let key = parser.string()?;
                parser.skip_space()?;
                if parser.peek() != Some(b':') {
                    return Err(parser.error("expected `:`"));
                }
                parser.at += 1;
                parser.skip_space()?;
                Ok(Member { key, start, value: parser.value(depth + 1)? })
            })?),
            Some(b'[') => ValueKind::Array(self.list(b']', |parser| parser.value(depth + 1))?),
            Some(b'"') => ValueKind::Text(self.string()?),
            _ => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                self.at += self.bytes[start..].iter().take_while(|byte| is_part(byte)).count();
                let literal = &self.text[start..self.at];
                if serde_json::from_str::<serde::de::IgnoredAny>(literal).is_err() {
                    self.at = start;
                    return Err(self.error("expected a JSON value"));
                }
                ValueKind::Other
            }
        };
        Ok(Value { span: start..self.at, kind })
    }

    /// Parses a list of members or elements, up to and with its closing bracket.
    fn list<T>(
        &mut self,
        end: u8,
        mut item: impl FnMut(&mut Self) -> Result<T, JsoncError>,
    ) -> Result<Vec<T>, JsoncError> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_space()?;
            if self.peek() == Some(end) {
                self.at += 1;
                return Ok(items);
            }
            items.push(item(self)?);
            self.skip_space()?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == end => {}
                _ => return Err(self.error("expected `,` or the end of the list")),
            }
        }
    }

    fn string(&mut self) -> Result<String, JsoncError> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.error("expected a text in quotes"));
        }
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => {
                    return Err(JsoncError { offset: start, reason: "a text that does not end" });
                }
            }
        }
        self.at += 1;
        let text = self.text.get(start..self.at);
        let parsed = text.and_then(|text| serde_json::from_str(text).ok());
        parsed.ok_or(JsoncError { offset: start, reason: "not a JSON text" })
    }
}

/// Returns the text with an element added at the end of the array that a path of keys leads to.
/// Objects and the array are added if they do not exist. `None` if something else is in their place,
/// or a key exists twice.
pub fn append(
    text: &str,
    root: &Value,
    path: &[&str],
    element: &serde_json::Value,
) -> Option<String> {
    let mut container = root;
    let mut depth = 0;
    for key in path {
        if !matches!(container.kind, ValueKind::Object(_)) || container.has_twice(key) {
            return None;
        }
        match container.member(key) {
            Some(value) => container = value,
            None => break,
        }
        depth += 1;
    }
    let missing = &path[depth..];
    let is_right = matches!(
        (&container.kind, missing),
        (ValueKind::Array(_), []) | (ValueKind::Object(_), [_, ..])
    );
    if !is_right {
        return None;
    }
    let style = Style::of(text);
    let item = match missing {
        [] => style.print(element, depth + 1),
        [first, rest @ ..] => {
            let array = serde_json::Value::Array(vec![element.clone()]);
            let wrap = |value, key: &&str| serde_json::json!({ *key: value });
            let value = rest.iter().rev().fold(array, wrap);
            format!("{}: {}", serde_json::Value::from(*first), style.print(&value, depth + 1))
        }
    };
    Some(insert_item(text, container, &item, depth, &style))
}

/// Inserts an item at the end of a list.
fn insert_item(
    text: &str,
    container: &Value,
    item: &str,
    depth: usize,
    style: &Style<'_>,
) -> String {
    let close = container.span.end - 1;
    let children = container.children();
    let last_end = children.last().map(|child| child.end);
    // What is after the last item: a comma, comments, space.
    let tail_start = last_end.unwrap_or(container.span.start + 1);
    let tail = &text[tail_start..close];
    let has_comma = has_comma(tail);
    let comma = if last_end.is_some() && !has_comma { "," } else { "" };
    // If all items of a list end in a comma, the new item does, too.
    let item = &format!("{item}{}", if has_comma { "," } else { "" });
    let content = tail.trim_end();
    let is_on_one_line = !text[container.span.clone()].contains('\n');
    let has_text = last_end.is_some() || !content.is_empty();
    if is_on_one_line && has_text {
        // A list on one line stays on one line.
        let item = one_line(item);
        let space = &tail[content.len()..];
        return format!("{}{comma}{content} {item}{space}{}", &text[..tail_start], &text[close..]);
    }
    let indent = style.indent(depth + 1);
    let end = if is_on_one_line { style.indent(depth) } else { String::new() };
    // The space before the closing bracket stays as it is, if there are several lines.
    let space = if is_on_one_line {
        format!("{}{end}", style.line_end)
    } else {
        tail[content.len()..].to_owned()
    };
    format!(
        "{}{comma}{content}{}{indent}{item}{space}{}",
        &text[..tail_start],
        style.line_end,
        &text[close..]
    )
}

/// Returns whether there is a comma among comments and space.
fn has_comma(tail: &str) -> bool {
    comma(tail).is_some()
}

/// Returns the offset of the comma among comments and space.
fn comma(tail: &str) -> Option<usize> {
    let mut parser = Parser { bytes: tail.as_bytes(), text: tail, at: 0 };
    parser.skip_space().ok()?;
    (parser.peek() == Some(b',')).then_some(parser.at)
}

/// Returns an item that was printed on several lines on one. Texts have no line ends.
fn one_line(item: &str) -> String {
    let lines: Vec<_> = item.lines().map(str::trim_start).collect();
    lines.join(" ")
}

/// Returns the text without the items of an array for which `is_removed` is true. An array that
/// becomes empty is removed as well, and so are the objects around it that become empty.
pub fn remove(
    text: &str,
    path: &[&str],
    is_removed: &dyn Fn(&Value) -> bool,
) -> Result<String, JsoncError> {
    let mut text = text.to_owned();
    loop {
        let root = parse(&text)?;
        let Some(array) = root.at(path) else { return Ok(text) };
        let found = array.elements().iter().position(is_removed);
        let Some(at) = found else { return Ok(text) };
        let is_last = array.elements().len() == 1;
        if !is_last {
            text = remove_item(&text, array, at);
            continue;
        }
        // The array, and what is around it, has nothing else.
        let mut depth = path.len();
        while depth > 1 && root.at(&path[..depth - 1]).is_some_and(|it| it.children().len() == 1) {
            depth -= 1;
        }
        let around = root.at(&path[..depth - 1]).unwrap_or(&root);
        let ValueKind::Object(members) = &around.kind else { return Ok(text) };
        let at = members.iter().position(|member| member.key == path[depth - 1]);
        let Some(at) = at else { return Ok(text) };
        return Ok(remove_item(&text, around, at));
    }
}

/// Removes an item of a list, with its comma and its line.
fn remove_item(text: &str, container: &Value, at: usize) -> String {
    let children = container.children();
    let item = &children[at];
    let previous = at.checked_sub(1).map(|at| children[at].end);
    let next_start = children.get(at + 1).map_or(container.span.end - 1, |next| next.start);
    let own_comma = comma(&text[item.end..next_start]).map(|offset| item.end + offset);
    let is_last = at + 1 == children.len();
    let mut cut = item.clone();
    let mut result = text.to_owned();
    match (own_comma, previous) {
        (Some(comma), _) => cut.end = comma + 1,
        // The comma of the item before it is not needed any more.
        (None, Some(previous)) if is_last => {
            if let Some(offset) = comma(&text[previous..item.start]) {
                let comma = previous + offset;
                result.replace_range(item.clone(), "");
                let start = line_start(text, item.start, comma + 1);
                result.replace_range(start..item.start, "");
                result.replace_range(comma..=comma, "");
                return result;
            }
        }
        _ => {}
    }
    let start = line_start(text, cut.start, previous.unwrap_or(container.span.start + 1));
    result.replace_range(start..cut.end, "");
    result
}

/// Returns where the space before an item begins: with the line end before it.
fn line_start(text: &str, item: usize, min: usize) -> usize {
    let before = &text[min.min(item)..item];
    let space = before.len() - before.trim_end_matches([' ', '\t', '\r', '\n']).len();
    let space = &before[before.len() - space..];
    // Only the last line of it.
    let from_line =
        space.rfind('\n').map(|at| if space[..at].ends_with('\r') { at - 1 } else { at });
    item - (space.len() - from_line.unwrap_or(0))
}

/// The layout of a text.
struct Style<'t> {
    unit: &'t str,
    line_end: &'static str,
}

impl<'t> Style<'t> {
    fn of(text: &'t str) -> Self {
        let indent = |line: &'t str| {
            let rest = line.trim_start_matches([' ', '\t']);
            let indent = &line[..line.len() - rest.len()];
            let is_item = rest.starts_with(['"', '{', '[']);
            Some(indent).filter(|indent| is_item && !indent.is_empty() && indent.len() <= 16)
        };
        let unit = text.lines().find_map(indent).unwrap_or("  ");
        Self { unit, line_end: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    fn indent(&self, depth: usize) -> String {
        self.unit.repeat(depth)
    }

    /// Prints a value on several lines, of which all but the first are indented.
    fn print(&self, value: &serde_json::Value, depth: usize) -> String {
        let mut out = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut printer = serde_json::Serializer::with_formatter(&mut out, formatter);
        serde::Serialize::serialize(value, &mut printer).expect("a value is written to memory");
        let text = String::from_utf8(out).expect("JSON is text");
        text.replace('\n', &format!("{}{}", self.line_end, self.indent(depth)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn appended(text: &str, path: &[&str]) -> Option<String> {
        let root = parse(text).unwrap();
        let new = append(text, &root, path, &json!({"run": "x"}))?;
        // Only the comma, the space and the item are new.
        let mut old = text.chars().peekable();
        new.chars().for_each(|c| {
            old.next_if_eq(&c);
        });
        assert_eq!(old.next(), None, "{new}");
        parse(&new).unwrap_or_else(|error| panic!("{}\n{new}", error.describe(&new)));
        Some(new)
    }

    #[test]
    fn items_are_added_in_the_layout_of_the_text() {
        for (text, expected) in [
            ("{}", "{\n  \"a\": [\n    {\n      \"run\": \"x\"\n    }\n  ]\n}"),
            ("{\"a\": []}", "{\"a\": [\n    {\n      \"run\": \"x\"\n    }\n  ]}"),
            ("{\"a\": [1]}", "{\"a\": [1, { \"run\": \"x\" }]}"),
            ("{\"b\": 1}", "{\"b\": 1, \"a\": [ { \"run\": \"x\" } ]}"),
            (
                "{\n\t\"b\": 1, // why\n\t/* more */\n}\n",
                "{\n\t\"b\": 1, // why\n\t/* more */\n\t\"a\": [\n\t\t{\n\t\t\t\"run\": \"x\"\n\t\t}\n\t],\n}\n",
            ),
            (
                "{\r\n    \"a\": [\r\n        1 // one\r\n    ]\r\n}",
                "{\r\n    \"a\": [\r\n        1, // one\r\n        {\r\n            \"run\": \"x\"\r\n        }\r\n    ]\r\n}",
            ),
        ] {
            assert_eq!(appended(text, &["a"]).as_deref(), Some(expected), "{text}");
        }
        for text in ["{\"a\": 1}", "[]", "1", "{\"a\": {}}", "{\"a\": [], \"a\": []}", "null"] {
            assert_eq!(appended(text, &["a"]), None, "{text}");
        }
        assert!(appended("{\"a\": {\"b\": [2,],},}", &["a", "b"]).is_some());
        assert!(appended("\u{feff}{\"\\u0061\": [],}", &["a"]).is_some());
    }

    #[test]
    fn removed_items_leave_everything_else() {
        let is_x = |value: &Value| value.member("run").and_then(Value::text) == Some("x");
        let x = "{\"run\": \"x\"}";
        for (text, expected) in [
            (format!("{{\"a\": [{x}]}}"), "{}".to_owned()),
            (format!("{{\"b\": 1, \"a\": [{x}]}}"), "{\"b\": 1}".to_owned()),
            (format!("{{\"a\": [1, {x}]}}"), "{\"a\": [1]}".to_owned()),
            (format!("{{\"a\": [{x}, 1]}}"), "{\"a\": [ 1]}".to_owned()),
            (format!("{{\"a\": [{x}, {x},]}}"), "{}".to_owned()),
            (
                format!("{{\n  \"a\": [\n    1, // one\n    {x}, // gone\n    2\n  ]\n}}"),
                "{\n  \"a\": [\n    1, // one // gone\n    2\n  ]\n}".to_owned(),
            ),
        ] {
            let removed = remove(&text, &["a"], &is_x).unwrap();
            assert_eq!(removed, expected, "{text}");
            parse(&removed).unwrap();
        }
        let same = "{\"a\": [1], \"b\": {}}";
        assert_eq!(remove(same, &["a"], &is_x).unwrap(), same);
        assert_eq!(remove(same, &["c", "d"], &is_x).unwrap(), same);
    }

    #[test]
    fn text_that_is_not_json_is_an_error_with_its_place() {
        for (text, place) in [
            ("", "line 1, column 1"),
            ("{\n  \"a\" 1}", "line 2, column 7"),
            ("{\"a\": tru}", "line 1, column 7"),
            ("{\"a\": 1} x", "line 1, column 10"),
            ("{\"a\": \"x", "line 1, column 7"),
            ("{ /* x", "line 1, column 3"),
            ("{\"a\": \"\\q\"}", "line 1, column 7"),
            ("{\"a\": 01}", "line 1, column 7"),
            ("[1 2]", "line 1, column 4"),
            ("{,}", "line 1, column 2"),
            ("\"\\", "line 1, column 1"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.describe(text).starts_with(place), "{text}: {}", error.describe(text));
        }
        let deep = "[".repeat(100_000);
        assert!(parse(&deep).unwrap_err().describe(&deep).ends_with("nested too deeply"));
    }
}
