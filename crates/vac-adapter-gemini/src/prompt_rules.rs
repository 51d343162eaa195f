//! Recognizes texts that the CLI writes in the name of the user or the model, and text that it adds
//! to that of the user.

use vac_adapter::members::Rest;
use vac_adapter::message_text::MessageText;
use vac_adapter::prompt::{PromptRule, Typed, between};
use vac_record::annotations::Author;

/// The rules for texts in the user's name. The versions are those of the first release in which a
/// text was seen.
pub(crate) const RULES: &[PromptRule] = &[
    PromptRule::prefix(
        "This is the Gemini CLI. We are setting up the context for our chat.",
        Author::Program,
        "0.1",
    ),
    PromptRule::tag(SESSION_CONTEXT, Author::Program, "0.28"),
    PromptRule::tag("hook_context", Author::Hook, "0.21"),
    // Written by the compressor: its summary, which follows its notes since 0.40.
    PromptRule::prefix("<state_snapshot>", Author::Program, "0.1"),
    PromptRule::prefix("<scratchpad>", Author::Program, "0.40"),
    PromptRule::prefix("System: Please continue.", Author::Program, "0.9"),
    PromptRule::prefix("System: Potential loop detected.", Author::Program, "0.30"),
    PromptRule::prefix(
        "Here is the user's editor context as a JSON object",
        Author::Program,
        "0.2",
    ),
    PromptRule::prefix(
        "Here is a summary of changes in the user's editor context",
        Author::Program,
        "0.2",
    ),
    PromptRule::prefix(
        "Background execution update:\n<background_output>",
        Author::Program,
        "0.34",
    ),
];

const SESSION_CONTEXT: &str = "session_context";

/// Returns whether a text is a truncated session context.
pub(crate) fn is_cut_context(text: &str) -> bool {
    text.starts_with("<session_context>") && !text.contains("</session_context>")
}

/// The prompt that the CLI writes after the model stopped too early. A user may also type it.
pub(crate) const CONTINUE: &str = "Please continue.";

/// The answers in the model's name to the set-up message and to the summary of a compaction.
pub(crate) const CANNED_ANSWERS: &[&str] =
    &["Got it. Thanks for the context!", "Got it. Thanks for the additional context!"];

/// The beginning of the text that the CLI writes after a command that the user ran with `!`.
pub(crate) const SHELL_COMMAND: &str = "I ran the following shell command:";
const COMMAND: (&str, &str) = ("```sh\n", "\n```\n\nThis produced the following result:");
/// The beginning of the result of such a command if the command failed.
const EXITED: &str = "Command exited with code ";

/// The text between a prompt and the files that it names.
const REFERENCED_FILES: &str = "--- Content from referenced files ---";
/// The beginnings of texts that contain what the user typed while the model worked.
const STEERING: &[&str] = &["User steering update:", "User hints:"];

/// Returns the command that the user ran, and its exit code if the text states one.
pub(crate) fn user_command(text: &str) -> Option<(&str, Option<i128>)> {
    let rest = text.strip_prefix(SHELL_COMMAND)?;
    let (_, command, result) = between(rest, COMMAND.0, COMMAND.1)?;
    let result = result.trim_start().trim_start_matches("```").trim_start();
    let code = result.strip_prefix(EXITED).and_then(|rest| {
        let end = rest.find(|char: char| !char.is_ascii_digit() && char != '-')?;
        rest[..end].parse::<i64>().ok().map(i128::from)
    });
    Some((command, code))
}

/// Returns the text that the user typed, if the CLI added to it or replaced it.
pub(crate) fn typed(text: &str, extensions: &Rest<'_>) -> Option<Typed> {
    if let Some((command, _)) = user_command(text.trim_start()) {
        return Some(Typed { text: format!("!{command}"), left_out: "output" });
    }
    let shown = extensions.get("displayContent").map(MessageText::new);
    if let Some(shown) = shown.filter(|shown| !shown.text.trim().is_empty() && shown.text != text) {
        return Some(Typed { text: shown.text, left_out: "expansion" });
    }
    if STEERING.iter().any(|head| text.starts_with(head))
        && let Some((_, typed, _)) = between(text, "<user_input>", "</user_input>")
    {
        return Some(Typed { text: typed.trim().to_owned(), left_out: "context" });
    }
    let (typed, _) = text.split_once(REFERENCED_FILES)?;
    Some(Typed { text: typed.trim().to_owned(), left_out: "referenced files" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use vac_value::Any;

    fn typed_text(text: &str, shown: Option<&str>) -> Option<(String, &'static str)> {
        let mut extensions = Rest::default();
        if let Some(shown) = shown {
            let shown = Any::from_json(shown.as_bytes()).expect("JSON");
            extensions.push(("displayContent".into(), shown));
        }
        typed(text, &extensions).map(|typed| (typed.text, typed.left_out))
    }

    #[test]
    fn referenced_files_are_not_typed() {
        let text = "See @a.md\n--- Content from referenced files ---\nContent from @a.md:\nlong";
        assert_eq!(typed_text(text, None), Some(("See @a.md".to_owned(), "referenced files")));
        assert_eq!(typed_text("See @a.md", None), None);
    }

    #[test]
    fn shown_text_is_typed() {
        let shown = Some(r#"[{"text": "/init"}]"#);
        assert_eq!(typed_text("Analyze it", shown), Some(("/init".to_owned(), "expansion")));
        assert_eq!(typed_text("/init", shown), None);
        let response = Some(r#"[{"functionResponse": {}}]"#);
        assert_eq!(typed_text("Go", response), None);
    }

    #[test]
    fn steering_is_typed_without_its_instructions() {
        let text = "User steering update:\n<user_input>\nuse tabs\n</user_input>\nInternal: x";
        assert_eq!(typed_text(text, None), Some(("use tabs".to_owned(), "context")));
    }

    #[test]
    fn user_command_is_typed_without_its_output() {
        let ran = |result: &str| {
            format!(
                "{SHELL_COMMAND}\n```sh\nls -l\n```\n\nThis produced the following result:\n```\n{result}\n```"
            )
        };
        assert_eq!(typed_text(&ran("a"), None), Some(("!ls -l".to_owned(), "output")));
        assert_eq!(user_command(&ran("a")), Some(("ls -l", None)));
        let failed = ran("Command exited with code 2.\nno such file");
        assert_eq!(user_command(&failed), Some(("ls -l", Some(2))));
        assert_eq!(user_command("I ran the following shell command: ls"), None);
    }
}
