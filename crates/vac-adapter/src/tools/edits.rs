//! Reads the changes of an edit from the input of its call.
//!
//! A tool states which members of its input contain the change ([`ChangeKeys`]): the old and the
//! new text, the whole new content, or a patch in the format of `apply_patch` or of `diff -u`.

use vac_value::{Kind, Node};

use super::{Tool, ToolTable};

/// The maximum number of edits of one call that are returned.
const MAX_EDITS: usize = 1000;

/// The members of an edit's input that state its changes, most specific first.
#[derive(Clone, Copy, Debug)]
pub struct ChangeKeys {
    /// The text to replace.
    pub old: &'static [&'static str],
    /// The text that replaces it.
    pub new: &'static [&'static str],
    /// The new content of the whole file.
    pub content: &'static [&'static str],
    /// A list of objects with the members above.
    pub list: &'static [&'static str],
    /// A patch: text, or an object with a change for each path.
    pub patch: &'static [&'static str],
}

impl ChangeKeys {
    /// No members: the input does not state the changes.
    pub const NONE: Self = Self { old: &[], new: &[], content: &[], list: &[], patch: &[] };
}

/// The edit of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// The path, if the input states it.
    pub path: Option<String>,
    /// The change of the file.
    pub change: Change,
}

/// The change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A text is replaced.
    Replace {
        /// The text before.
        old: String,
        /// The text after.
        new: String,
    },
    /// The file gets this content.
    Write(String),
    /// Lines that begin with `+`, `-` or a blank, and lines that begin with `@@`.
    Patch(String),
    /// The file is deleted.
    Delete,
    /// The input does not state the change.
    Unknown,
}

impl ToolTable {
    /// Returns the edits of a call, with one for each path of which the change is unknown. Tools
    /// that are not in the table have none.
    pub fn edits(&self, name: &str, input: Node<'_, '_>) -> Vec<FileEdit> {
        let Some(tool) = self.find(name) else { return Vec::new() };
        let paths = self.target(name, input).paths;
        let mut edits = Edits { keys: tool.changes, first: paths.first(), found: Vec::new() };
        edits.read(tool, input);
        let mut edits = edits.found;
        if edits.is_empty() {
            let unknown = |path| FileEdit { path: Some(path), change: Change::Unknown };
            edits.extend(paths.into_iter().map(unknown));
        }
        edits
    }
}

/// The edits of one call, while its input is read.
struct Edits<'t> {
    keys: ChangeKeys,
    /// The path of edits that do not state their own.
    first: Option<&'t String>,
    found: Vec<FileEdit>,
}

impl Edits<'_> {
    fn read(&mut self, tool: &Tool, input: Node<'_, '_>) {
        if tool.has_path_keys {
            self.by_path(input);
        } else if input.kind() != Kind::Map {
            if !self.keys.patch.is_empty() {
                self.patch(input);
            }
        } else {
            self.object(input, None);
            let member =
                |keys: &'static [&'static str]| keys.iter().find_map(|key| input.member(key));
            for element in member(self.keys.list).into_iter().flat_map(Node::elements) {
                self.object(element, path(element));
            }
            if let Some(patch) = member(self.keys.patch) {
                self.patch(patch);
            }
        }
    }

    fn push(&mut self, path: Option<String>, change: Change) {
        if self.found.len() < MAX_EDITS {
            self.found.push(FileEdit { path: path.or_else(|| self.first.cloned()), change });
        }
    }

    /// Reads an object with the old and the new text, or with the content.
    fn object(&mut self, object: Node<'_, '_>, path: Option<String>) {
        let text = |keys: &'static [&'static str]| {
            let text = |key| object.member(key).and_then(Node::text);
            keys.iter().copied().find_map(text).map(std::borrow::Cow::into_owned)
        };
        match (text(self.keys.old), text(self.keys.new), text(self.keys.content)) {
            (None, None, None) => {}
            (None, None, Some(content)) => self.push(path, Change::Write(content)),
            (old, new, _) => {
                let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
                self.push(path, Change::Replace { old, new });
            }
        }
    }

    fn patch(&mut self, patch: Node<'_, '_>) {
        match patch.kind() {
            Kind::Map => self.by_path(patch),
            Kind::Array => patch.elements().for_each(|it| self.patch_element(it)),
            _ => {
                if let Some(text) = patch.text() {
                    self.patch_text(&text);
                }
            }
        }
    }

    /// Reads an element such as `{"path": "a.rs", "diff": "..."}`.
    fn patch_element(&mut self, element: Node<'_, '_>) {
        if let Some(path) = path(element) {
            let change = change_of_path(element);
            self.push(Some(path), change);
        }
    }

    /// Reads an object with a member for each path.
    fn by_path(&mut self, changes: Node<'_, '_>) {
        for (key, value) in changes.members() {
            if let Some(path) = key.text() {
                self.push(Some(path.into_owned()), change_of_path(value));
            }
        }
    }

    fn patch_text(&mut self, patch: &str) {
        if !patch.trim_start().starts_with("*** Begin Patch") {
            let file = patch.lines().find_map(|line| line.strip_prefix("+++ "));
            let file = file.map(|file| file.strip_prefix("b/").unwrap_or(file).trim().to_owned());
            let file = file.filter(|_| self.first.is_none());
            return self.push(file, Change::Patch(without_file_names(patch)));
        }
        let mut current: Option<(String, Option<String>)> = None;
        for line in patch.lines() {
            let head = |name: &str| line.strip_prefix("*** ")?.strip_prefix(name);
            if let Some(path) = head("Add File: ").or_else(|| head("Update File: ")) {
                self.finish_patch(current.replace((path.trim().to_owned(), Some(String::new()))));
            } else if let Some(path) = head("Delete File: ") {
                self.finish_patch(current.replace((path.trim().to_owned(), None)));
            } else if !line.starts_with("*** ")
                && let Some((_, Some(text))) = &mut current
            {
                text.push_str(line);
                text.push('\n');
            }
        }
        self.finish_patch(current);
    }

    fn finish_patch(&mut self, file: Option<(String, Option<String>)>) {
        match file {
            Some((path, Some(text))) => self.push(Some(path), Change::Patch(text)),
            Some((path, None)) => self.push(Some(path), Change::Delete),
            None => {}
        }
    }
}

fn path(element: Node<'_, '_>) -> Option<String> {
    let path = ["path", "file_path", "filePath"].iter().find_map(|key| element.member(key));
    path.and_then(Node::text).map(std::borrow::Cow::into_owned)
}

/// Returns the change that an object about one path states, such as `{"unified_diff": "..."}` or
/// `{"add": {"content": "..."}}`.
fn change_of_path(value: Node<'_, '_>) -> Change {
    let inner = ["add", "update", "delete"].iter().find_map(|key| value.member(key));
    let value = inner.filter(|inner| inner.kind() == Kind::Map).unwrap_or(value);
    let text = |key: &str| value.member(key).and_then(Node::text);
    let is_deleted = ["type", "kind"].iter().any(|key| text(key).as_deref() == Some("delete"));
    if is_deleted {
        Change::Delete
    } else if let Some(diff) = text("unified_diff").or_else(|| text("diff")) {
        Change::Patch(without_file_names(&diff))
    } else if let Some(content) = text("content") {
        Change::Write(content.into_owned())
    } else {
        Change::Unknown
    }
}

/// Returns a patch without the lines before its first hunk.
fn without_file_names(patch: &str) -> String {
    let start = if patch.starts_with("@@") { Some(0) } else { patch.find("\n@@").map(|at| at + 1) };
    start.and_then(|start| patch.get(start..)).unwrap_or(patch).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::no_server;
    use vac_record::annotations::Category;
    use vac_value::Document;

    const TOOLS: ToolTable = ToolTable {
        tools: &[
            Tool::new("file_edit", Category::Edit, &["edit"]).paths(&["path", "patch"]).changes(
                ChangeKeys {
                    old: &["old"],
                    new: &["new"],
                    content: &["content"],
                    list: &["edits"],
                    patch: &["patch"],
                },
            ),
            Tool::new("file_edit", Category::Edit, &["change"]).path_keys(),
            Tool::new("file_edit", Category::Edit, &["touch"]).paths(&["path"]),
        ],
        server: no_server,
    };

    fn edits(name: &str, input: &str) -> Vec<(Option<String>, Change)> {
        let input = Document::json(input.as_bytes()).expect("JSON");
        let edits = TOOLS.edits(name, input.root());
        edits.into_iter().map(|edit| (edit.path, edit.change)).collect()
    }

    fn replace(old: &str, new: &str) -> Change {
        Change::Replace { old: old.to_owned(), new: new.to_owned() }
    }

    #[test]
    fn texts_contents_and_lists_are_edits_of_the_path() {
        let a = || Some("a".to_owned());
        for (input, expected) in [
            (r#"{"path": "a", "old": "x", "new": "y"}"#, vec![(a(), replace("x", "y"))]),
            (r#"{"path": "a", "content": "x"}"#, vec![(a(), Change::Write("x".to_owned()))]),
            (
                r#"{"path": "a", "edits": [{"old": "x", "new": ""}, {"path": "b", "new": "y"}, 7]}"#,
                vec![(a(), replace("x", "")), (Some("b".to_owned()), replace("", "y"))],
            ),
            (r#"{"path": "a", "old": 7}"#, vec![(a(), Change::Unknown)]),
            (r#"{"old": "x"}"#, vec![(None, replace("x", ""))]),
            ("{}", vec![]),
        ] {
            assert_eq!(edits("edit", input), expected, "{input}");
        }
        assert_eq!(edits("touch", r#"{"path": "a"}"#), [(a(), Change::Unknown)]);
        assert_eq!(edits("other", r#"{"path": "a"}"#), []);
    }

    #[test]
    fn patches_are_an_edit_for_each_file() {
        let patch = r#""*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Delete File: b\n*** Add File: c d\n+z\n*** End Patch""#;
        let expected = [
            (Some("a.rs".to_owned()), Change::Patch("@@\n-x\n+y\n".to_owned())),
            (Some("b".to_owned()), Change::Delete),
            (Some("c d".to_owned()), Change::Patch("+z\n".to_owned())),
        ];
        assert_eq!(edits("edit", patch), expected);
        assert_eq!(edits("edit", &format!(r#"{{"patch": {patch}}}"#)), expected);
        let diff = r#"{"patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}"#;
        let change = Change::Patch("@@ -1 +1 @@\n-a\n+b\n".to_owned());
        assert_eq!(edits("edit", diff)[0].1, change);
        assert_eq!(edits("edit", r#"{"patch": "*** Begin Patch"}"#), []);
    }

    #[test]
    fn changes_by_path_are_edits() {
        let changes = r#"{
            "a": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n"},
            "b": {"add": {"content": "x"}}, "c": {"type": "delete"}, "d": 7}"#;
        let found = edits("change", changes);
        let changes: Vec<_> = found.iter().map(|(_, change)| change.clone()).collect();
        assert_eq!(
            changes,
            [
                Change::Patch("@@ -1 +1 @@\n-a\n+b\n".to_owned()),
                Change::Write("x".to_owned()),
                Change::Delete,
                Change::Unknown
            ]
        );
    }
}
