//! Determines the author of a message in the user's name, and the text that the user typed.
//!
//! | the line states | author |
//! |---|---|
//! | `agentId`: it is part of a subagent; `source: agent-...` | the agent that started it |
//! | any other `source`, `isAutopilotContinuation` | the program |
//! | otherwise | by the [rules](RULES) |

use vac_adapter::members::Rest;
use vac_adapter::prompt::{PromptRule, Typed, author_of};
use vac_record::annotations::Author;
use vac_value::Any;

/// Texts in the user's name.
pub(crate) const RULES: &[PromptRule] = &[
    PromptRule::tag("current_datetime", Author::Program, "1.0.64"),
    PromptRule::tag("system_notification", Author::Program, "1.0.70"),
    PromptRule::tag("system_reminder", Author::Program, "1.0.64"),
    PromptRule::tag("reminder", Author::Program, "1.0.64"),
];

/// Returns the author of a message.
pub(crate) fn author(
    content: Option<&Any<'_>>,
    source: Option<&str>,
    is_continuation: bool,
    is_subagent: bool,
) -> Author {
    match source {
        _ if is_subagent => Author::OtherAgent,
        Some(source) if source.starts_with("agent-") => Author::OtherAgent,
        Some(source) if source != "user" => Author::Program,
        _ if is_continuation => Author::Program,
        _ => content.map_or(Author::User, |content| author_of(content, RULES)),
    }
}

/// Returns the prompt that the model received, if the log does not contain the text that was typed.
pub(crate) fn typed(text: &str, extensions: &Rest<'_>) -> Option<Typed> {
    if !text.trim().is_empty() {
        return None;
    }
    let sent = extensions.get("data")?.get("transformedContent")?.text()?;
    let mut rest = sent.trim();
    for rule in ["current_datetime", "system_reminder", "reminder"] {
        let (begin, end) = (format!("<{rule}>"), format!("</{rule}>"));
        while let Some((_, after)) = rest.strip_prefix(&*begin).and_then(|it| it.split_once(&*end))
        {
            rest = after.trim_start();
        }
        while let Some(before) =
            rest.strip_suffix(&*end).and_then(|it| Some(it.rsplit_once(&*begin)?.0))
        {
            rest = before.trim_end();
        }
    }
    (!rest.is_empty()).then(|| Typed { text: rest.to_owned(), left_out: "context" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn author_is_stated_by_fields_or_the_text() {
        for (text, source, is_continuation, is_subagent, expected) in [
            ("Hi", None, false, false, Author::User),
            ("Hi", Some("user"), false, false, Author::User),
            ("Hi", Some("skill-pdf"), false, false, Author::Program),
            ("Hi", Some("instruction-discovery"), false, false, Author::Program),
            ("Hi", Some("agent-77"), false, false, Author::OtherAgent),
            ("Hi", None, true, false, Author::Program),
            ("Hi", None, false, true, Author::OtherAgent),
            ("<system_notification>x</system_notification>", None, false, false, Author::Program),
        ] {
            let content = Any::from(text);
            let found = author(Some(&content), source, is_continuation, is_subagent);
            assert_eq!(found, expected, "{text} {source:?}");
        }
    }

    #[test]
    fn empty_prompt_is_what_the_model_received() {
        let sent =
            "<current_datetime>2026</current_datetime>\n\nFire the kiln\n<reminder>x</reminder>";
        let data = Any::members([("transformedContent", Any::from(sent))]);
        let extensions: Rest<'_> = [("data".into(), data)].into_iter().collect();
        let found = typed("", &extensions).expect("a prompt");
        assert_eq!(found.text, "Fire the kiln");
        assert_eq!(typed("Fire it", &extensions), None);
    }
}
