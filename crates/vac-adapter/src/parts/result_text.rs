//! Extracts the text of a tool's output.

use vac_value::{Any, Kind, Node};

/// Returns the text of an output: parts with a `functionResponse`, or a response itself. A response
/// has its text in `output`, `error` or `content`.
pub fn result_text(output: &Any<'_>) -> Option<String> {
    let document = output.document().ok()?;
    let root = document.root();
    let texts: Vec<_> = match root.kind() {
        Kind::Array => root.elements().filter_map(part_text).collect(),
        _ => part_text(root).into_iter().collect(),
    };
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn part_text(part: Node<'_, '_>) -> Option<String> {
    let response = part.member("functionResponse").and_then(|it| it.member("response"));
    let response = response.unwrap_or(part);
    let text = member_text(response);
    let text = text.or_else(|| response.member("content").and_then(member_text));
    text.filter(|text| !text.is_empty())
}

fn member_text(node: Node<'_, '_>) -> Option<String> {
    let member = |key: &&str| node.member(key).and_then(Node::text);
    ["output", "error", "content"].iter().find_map(member).map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_have_their_text_in_several_places() {
        for (output, expected) in [
            (r#"{"output": "lamp.py"}"#, Some("lamp.py")),
            (r#"{"error": "no such file"}"#, Some("no such file")),
            (r#"{"name": "glob", "content": "lamp.py"}"#, Some("lamp.py")),
            (r#"{"name": "run", "content": {"error": "not found"}}"#, Some("not found")),
            (r#"[{"functionResponse": {"response": {"output": "ON"}}}]"#, Some("ON")),
            (r#"[{"functionResponse": {"response": {"pots": 3}}}]"#, None),
            (r#"{"output": ""}"#, None),
            ("7", None),
        ] {
            let output = Any::from_json(output.as_bytes()).expect("JSON");
            assert_eq!(result_text(&output).as_deref(), expected);
        }
    }
}
