//! Changes the specification, and makes the edits that each change needs until the build passes.
//!
//! A change needs no edit, or the compiler names every place that needs one. Mechanical edits (a
//! new field is `None`, a renamed field is renamed) are made from the errors of the compiler;
//! decisions are listed with the change.
//!
//! Checking the copy takes most of the time, so changes of different rules are made together, in
//! batches. Edits are counted for each change.

use std::collections::BTreeMap;

use super::spec;
use super::workspace_copy::{Diagnostic, WorkspaceCopy};

/// Maximum number of rounds; no batch needs as many. Each round reaches the crates that depend on
/// those of the previous round.
const MAX_ROUNDS: usize = 8;

/// A change of the specification.
struct Change {
    /// The name of the change in `spec/README.md`.
    name: &'static str,
    /// The passages of the specification and their replacements.
    spec: &'static [(&'static str, &'static str)],
    /// Returns the edit for an error of the compiler.
    fix: fn(&Diagnostic, &str) -> Option<Edit>,
    /// The decisions that only a person can make: file, passage, replacement.
    decisions: &'static [(&'static str, &'static str, &'static str)],
}

/// A replacement of bytes in a file.
struct Edit {
    span: std::ops::Range<usize>,
    text: String,
}

const BATCHES: [&[Change]; 2] = [
    &[OPTIONAL_KEY, REQUIRED_KEY, RENAMED_KEY, NEW_ENTRY_TYPE, ENUM_VALUE],
    &[ENTRY_SOCKET, INTEGER_LABELS],
];

const OPTIONAL_KEY: Change = Change {
    name: "optional key",
    spec: &[("  ? subject: tstr\n", "  ? subject: tstr\n  ? effort: uint\n")],
    fix: |error, text| missing_field(error, text, "effort", "None"),
    decisions: &[],
};

const REQUIRED_KEY: Change = Change {
    name: "key made required",
    spec: &[("  ? cli-name: tstr\n", "  cli-name: tstr\n")],
    fix: without_some,
    decisions: &[
        (
            "crates/vac-adapter/src/bare_record.rs",
            "cli_name: Option<Text<'static>>",
            "cli_name: Text<'static>",
        ),
        // A trajectory need not name its agent.
        (
            "crates/vac-adapter-atif/src/session.rs",
            "let cli_name = agent.clone().map(Into::into);",
            "let cli_name = agent.as_deref().unwrap_or(\"unknown\").to_owned().into();",
        ),
    ],
};

const RENAMED_KEY: Change = Change {
    name: "renamed key",
    spec: &[("  input: any\n  ? call-id: tstr ", "  input: any\n  ? tool-use-id: tstr ")],
    fix: |error, text| rename_at(error, text, "call_id", "tool_use_id"),
    decisions: &[],
};

const NEW_ENTRY_TYPE: Change = Change {
    name: "new entry type",
    spec: &[(
        "/ reasoning-entry / event-entry",
        "/ reasoning-entry / event-entry / plan-entry\n\nplan-entry = {\n  type: \"plan\"\n  \
         steps: [+ tstr]\n  ? timestamp: abstract-timestamp\n  ? id: entry-id\n  \
         ? children: [* entry]\n  * tstr => any\n}",
    )],
    fix: |_, _| None,
    decisions: &[
        (
            "crates/vac-view/src/entry_reader.rs",
            "            Entry::Reasoning(reasoning) => reading.reasoning(reasoning)?,\n",
            "            Entry::Reasoning(reasoning) => reading.reasoning(reasoning)?,\n            \
             Entry::Plan(_) => {}\n",
        ),
        (
            "crates/vac-table/src/session_rows.rs",
            "            Entry::Reasoning(it) => Some(&it.content),\n",
            "            Entry::Reasoning(it) => Some(&it.content),\n            \
             Entry::Plan(it) => Some(&it.steps),\n",
        ),
    ],
};

const ENUM_VALUE: Change = Change {
    name: "enum value",
    spec: &[("type: \"user\" / \"assistant\"", "type: \"user\" / \"assistant\" / \"developer\"")],
    fix: |_, _| None,
    decisions: &[
        (
            "crates/vac-adapter-claude/src/message.rs",
            "        MessageEntryType::Assistant => \"assistant\",\n",
            "        MessageEntryType::Assistant => \"assistant\",\n        \
             MessageEntryType::Developer => \"developer\",\n",
        ),
        (
            "crates/vac-adapter-claude/src/message.rs",
            "        MessageEntryType::Assistant => {}\n",
            "        MessageEntryType::Assistant => {}\n        \
             MessageEntryType::Developer => it.author = Some(Author::Program),\n",
        ),
        (
            "crates/vac-adapter-codex/src/item.rs",
            "            model = knowledge.model;\n        }\n",
            "            model = knowledge.model;\n        }\n        \
             MessageEntryType::Developer => around.annotations.author = Some(Author::Program),\n",
        ),
        (
            "crates/vac-adapter-cursor/src/text/turn.rs",
            "            MessageEntryType::Assistant => (\"assistant:\\n\", children(said)),\n",
            "            MessageEntryType::Assistant => (\"assistant:\\n\", children(said)),\n            \
             MessageEntryType::Developer => (\"developer:\\n\", Vec::new()),\n",
        ),
        (
            "crates/vac-view/src/entry_reader.rs",
            "                MessageEntryType::Assistant => reading.assistant_message(message)?,\n",
            "                MessageEntryType::Assistant => reading.assistant_message(message)?,\n                \
             MessageEntryType::Developer => {}\n",
        ),
    ],
};

const ENTRY_SOCKET: Change = Change {
    name: "entry as a socket",
    spec: &[
        (
            "entry = message-entry / tool-call-entry / tool-result-entry / reasoning-entry / \
             event-entry",
            "$entry /= message-entry / tool-call-entry / tool-result-entry / reasoning-entry / \
             event-entry",
        ),
        ("[* entry]", "[* $entry]"),
    ],
    fix: |_, _| None,
    decisions: &[],
};

const INTEGER_LABELS: Change = Change {
    name: "integer labels",
    spec: &[
        ("  ? reasoning: uint", "  ? reasoning => uint"),
        ("; --- file attribution", "reasoning = 4\n\n; --- file attribution"),
    ],
    fix: text_keys,
    decisions: &[],
};

/// Returns the maximum number of edits for each change, as `spec/README.md` states them.
fn stated_edits() -> BTreeMap<String, usize> {
    let path = vac_tests::root().join("spec/README.md");
    let text = std::fs::read_to_string(path).expect("the README of the specification");
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let (name, edits) = (cells.next()?, cells.next()?.parse().ok()?);
        Some((name.to_owned(), edits))
    });
    rows.collect()
}

#[test]
fn changes_are_followed_to_a_build_that_passes() {
    let stated = stated_edits();
    let copy = WorkspaceCopy::new();
    assert!(copy.check().is_empty(), "the copy compiles as it is");
    let mut wrong = Vec::new();
    for batch in BATCHES {
        copy.reset();
        let mut text = spec();
        for change in batch {
            for (from, to) in change.spec {
                assert!(text.contains(from), "{}: the specification has {from:?}", change.name);
                text = text.replace(from, to);
            }
        }
        copy.write_spec(&text);
        for (change, edits) in batch.iter().zip(follow(batch, &copy)) {
            println!("{}: {edits} edits", change.name);
            if stated.get(change.name).is_none_or(|stated| edits > *stated) {
                wrong.push(format!("{}: {edits} edits", change.name));
            }
        }
    }
    copy.reset();
    losses_do_not_compile(&copy);
    copy.reset();
    assert!(wrong.is_empty(), "more than spec/README.md states: {wrong:?}");
}

/// Checks that a specification without the rule for entries, or without the key of a lint, does not
/// compile.
fn losses_do_not_compile(copy: &WorkspaceCopy) {
    let losses = [
        ("entry", "log-entry", "crates/vac-validate/src/stream.rs", "`ENTRY` in module `rules`"),
        ("parent-id", "answers", "crates/vac-validate/src/lint/ids.rs", "PARENT_ID"),
    ];
    let mut text = spec();
    for (from, to, ..) in losses {
        text = rename(&text, from, to);
    }
    copy.write_spec(&text);
    let errors = copy.check();
    for (from, _, file, message) in losses {
        let is_it = |error: &Diagnostic| error.file == file && error.message.contains(message);
        assert!(errors.iter().any(is_it), "{from}: {errors:#?}");
    }
}

/// Renames a rule or a key in a specification.
fn rename(text: &str, from: &str, to: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '$' | '@' | '.');
    let mut renamed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        let is_whole = !before.ends_with(is_name) && !after.starts_with(is_name);
        renamed.extend([before, if is_whole { to } else { from }]);
        rest = after;
    }
    renamed + rest
}

/// Edits the copy until it compiles. Returns the number of edits for each change.
fn follow(batch: &[Change], copy: &WorkspaceCopy) -> Vec<usize> {
    let mut edits = vec![0; batch.len()];
    for round in 0..MAX_ROUNDS {
        let errors = copy.check();
        if errors.is_empty() {
            return edits;
        }
        let before: usize = edits.iter().sum();
        repair(batch, copy, &errors, &mut edits);
        if round == 0 {
            for (change, edits) in batch.iter().zip(&mut edits) {
                *edits += decide(change, copy);
            }
        }
        let after: usize = edits.iter().sum();
        assert!(after > before, "nothing to do about {errors:#?}");
    }
    panic!("more than {MAX_ROUNDS} rounds");
}

/// Makes the decisions. Returns their number.
fn decide(change: &Change, copy: &WorkspaceCopy) -> usize {
    for (file, from, to) in change.decisions {
        let text = copy.read(file);
        assert_eq!(text.matches(from).count(), 1, "{}: {file} has {from:?} once", change.name);
        copy.write(file, &text.replace(from, to));
    }
    change.decisions.len()
}

/// Makes the edits that the compiler's errors require, and counts them for each change.
fn repair(batch: &[Change], copy: &WorkspaceCopy, errors: &[Diagnostic], counts: &mut [usize]) {
    let mut by_file: BTreeMap<&str, Vec<(usize, Edit)>> = BTreeMap::new();
    for error in errors {
        let text = copy.read(&error.file);
        let edit = batch.iter().enumerate().find_map(|(at, change)| {
            let edit = (change.fix)(error, &text)?;
            Some((at, edit))
        });
        by_file.entry(&error.file).or_default().extend(edit);
    }
    for (file, mut edits) in by_file {
        edits.sort_by_key(|(_, edit)| edit.span.start);
        edits.dedup_by_key(|(_, edit)| edit.span.start);
        let mut text = copy.read(file);
        for (at, edit) in edits.into_iter().rev() {
            counts[at] += 1;
            text.replace_range(edit.span, &edit.text);
        }
        copy.write(file, &text);
    }
}

/// Adds a field to a literal that lacks it.
fn missing_field(error: &Diagnostic, text: &str, field: &str, value: &str) -> Option<Edit> {
    let is_it = error.code == "E0063" && error.message.contains(&format!("`{field}`"));
    let at = error.span.end + text.get(error.span.end..).filter(|_| is_it)?.find('{')? + 1;
    Some(Edit { span: at..at, text: format!(" {field}: {value},") })
}

/// Removes `Some` around a value, or adds it where an `Option` was read.
fn without_some(error: &Diagnostic, text: &str) -> Option<Edit> {
    if error.code == "E0599" && text.get(error.span.clone()) == Some("as_deref") {
        let before = text[..error.span.start].strip_suffix('.')?;
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let start = before.trim_end_matches(is_path).len();
        let span = start..error.span.end + "()".len();
        return Some(Edit { span, text: format!("Some(&*{})", &before[start..]) });
    }
    let found = text.get(error.span.clone()).filter(|_| error.code == "E0308")?;
    let inside = found.strip_prefix("Some(")?.strip_suffix(')')?;
    Some(Edit { span: error.span.clone(), text: inside.to_owned() })
}

/// Renames a field or the constant of a key.
fn rename_at(error: &Diagnostic, text: &str, from: &str, to: &str) -> Option<Edit> {
    let found = text.get(error.span.clone())?;
    let text = match (found, error.code.as_str()) {
        (found, "E0425") if found == from.to_uppercase() => to.to_uppercase(),
        (found, "E0609") if found == from => to.to_owned(),
        (found, "E0560" | "E0026") if found == from => {
            let is_short = !text[error.span.end..].trim_start().starts_with(':');
            if is_short { format!("{to}: {from}") } else { to.to_owned() }
        }
        _ => return None,
    };
    Some(Edit { span: error.span.clone(), text })
}

/// Lists the keys that are texts, where those of a map are not all texts any more.
fn text_keys(error: &Diagnostic, text: &str) -> Option<Edit> {
    let found = text.get(error.span.clone()).filter(|_| error.code == "E0308")?;
    let keys = r#"&["input", "output", "cached", "total", "cost"]"#;
    (found == "&TokenUsage::KEYS").then(|| Edit { span: error.span.clone(), text: keys.to_owned() })
}
