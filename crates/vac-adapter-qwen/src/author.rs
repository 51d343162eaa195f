//! Determines the author of a message in the user's name.
//!
//! | the line states | author |
//! |---|---|
//! | `isSidechain` | the agent that started the subagent |
//! | `subtype` `agent_mention` or `agent_message` (0.24) | another agent |
//! | `provenance: real_user` | the user |
//! | any other `provenance` | the program |
//! | `subtype` `mid_turn_user_message` or `realtime_message`, or none | by the [rules](RULES) |
//! | `subtype` `cron` or `notification` | the program |
//! | any other `subtype` | unknown |

use vac_adapter::members::Rest;
use vac_adapter::prompt::{PromptRule, Typed, author_of};
use vac_record::annotations::Author;
use vac_value::Any;

/// Texts in the user's name.
pub(crate) const RULES: &[PromptRule] = &[
    PromptRule::tag("qwen:user-prompt-submit-context", Author::Hook, "0.21"),
    PromptRule::tag("system-reminder", Author::Program, "0.5"),
    PromptRule::tag("task-notification", Author::Program, "0.18"),
    PromptRule::prefix("<state_snapshot>", Author::Program, "0.5"),
    PromptRule::prefix(
        "This is the Qwen Code. We are setting up the context for our chat.",
        Author::Program,
        "0.5",
    ),
];

/// The facts that a line states about the author of its message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stated<'s> {
    pub provenance: Option<&'s str>,
    pub subtype: Option<&'s str>,
    pub is_sidechain: bool,
}

/// Returns the author of a message.
pub(crate) fn author(content: Option<&Any<'_>>, stated: Stated<'_>) -> Author {
    match (stated.provenance, stated.subtype) {
        _ if stated.is_sidechain => Author::OtherAgent,
        (_, Some("agent_mention" | "agent_message")) => Author::OtherAgent,
        (Some("real_user"), _) => Author::User,
        (Some(_), _) | (None, Some("cron" | "notification")) => Author::Program,
        (None, None | Some("mid_turn_user_message" | "realtime_message")) => {
            content.map_or(Author::User, |content| author_of(content, RULES))
        }
        (None, Some(_)) => Author::Unknown,
    }
}

/// Returns the text that the user typed, if the line states it without the files and the context of
/// hooks that were added.
pub(crate) fn typed(text: &str, extensions: &Rest<'_>) -> Option<Typed> {
    let shown = extensions.get("systemPayload")?.get("displayText")?.text()?;
    let is_other = !shown.is_empty() && shown != text;
    is_other.then_some(Typed { text: shown, left_out: "context" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn author_is_stated_by_provenance_subtype_or_text() {
        let hook = "<qwen:user-prompt-submit-context>\nx\n</qwen:user-prompt-submit-context>";
        for (text, provenance, subtype, is_sidechain, expected) in [
            ("Hi", None, None, false, Author::User),
            ("Hi", Some("real_user"), Some("mid_turn_user_message"), false, Author::User),
            ("Hi", Some("goal_control"), None, false, Author::Program),
            ("Hi", Some("system"), Some("notification"), false, Author::Program),
            ("Hi", None, Some("mid_turn_user_message"), false, Author::User),
            ("Hi", None, Some("cron"), false, Author::Program),
            ("Hi", None, Some("new_kind"), false, Author::Unknown),
            ("Hi", None, Some("agent_message"), false, Author::OtherAgent),
            ("Hi", Some("real_user"), None, true, Author::OtherAgent),
            (hook, None, None, false, Author::Hook),
        ] {
            let content = Any::from(text);
            let found = author(Some(&content), Stated { provenance, subtype, is_sidechain });
            assert_eq!(found, expected, "{text} {provenance:?} {subtype:?}");
        }
    }
}
