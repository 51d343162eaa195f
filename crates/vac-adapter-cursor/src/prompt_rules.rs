//! Determines the author of a message in the user's name, and the part of it that the user typed.
//!
//! Cursor puts the typed text into an element `<user_query>`, next to elements with context and a
//! `<timestamp>`. Its own follow-ups are in such an element, too.

use memchr::memmem;
use vac_adapter::prompt::{PromptRule, Typed, block_author};
use vac_record::annotations::Author;
use vac_value::{Kind, Node};

/// The rules for texts in the user's name. Cursor logs do not state a version: the dates are those
/// of the first log in which a text was seen.
pub(crate) const RULES: &[PromptRule] = &[
    PromptRule::tag(QUERY, Author::User, "2025-10"),
    PromptRule::tag("user_info", Author::Program, "2025-10"),
    PromptRule::tag("rules", Author::Program, "2025-10"),
    PromptRule::tag("always_applied_workspace_rules", Author::Program, "2025-10"),
    PromptRule::tag("agent_requestable_workspace_rules", Author::Program, "2025-10"),
    PromptRule::tag("user_rules", Author::Program, "2025-10"),
    PromptRule::tag("git_status", Author::Program, "2025-10"),
    PromptRule::tag("project_layout", Author::Program, "2025-10"),
    PromptRule::tag("open_and_recently_viewed_files", Author::Program, "2025-10"),
    PromptRule::tag("attached_files", Author::Program, "2025-10"),
    PromptRule::tag("additional_data", Author::Program, "2025-10"),
    PromptRule::tag("image_files", Author::Program, "2026-01"),
    PromptRule::tag("external_links", Author::Program, "2026-01"),
    PromptRule::tag("agent_skills", Author::Program, "2026-01"),
    PromptRule::tag("manually_attached_skills", Author::Program, "2026-05"),
    PromptRule::tag("agent_transcripts", Author::Program, "2026-01"),
    PromptRule::tag("mcp_file_system", Author::Program, "2026-01"),
    PromptRule::tag("dynamic_tools", Author::Program, "2026-08"),
    PromptRule::tag("terminal_files_information", Author::Program, "2026-01"),
    PromptRule::tag("system_reminder", Author::Program, "2026-01"),
    PromptRule::tag("system-reminder", Author::Program, "2026-01"),
    PromptRule::tag("system_notification", Author::Program, "2026-05"),
    PromptRule::tag("task_notification", Author::Program, "2026-05"),
    PromptRule::tag(TIMESTAMP, Author::Program, "2026-04"),
    // Written after a task in the background or a subagent has ended.
    PromptRule::prefix("Briefly inform the user about the task result", Author::Program, "2026-05"),
    PromptRule::prefix(
        "Perform any necessary follow-up actions in response",
        Author::Program,
        "2026-08",
    ),
    PromptRule::prefix("The above subagent result is already visible", Author::Program, "2026-05"),
    PromptRule::prefix(
        "The beginning of the above subagent result is already visible",
        Author::Program,
        "2026-06",
    ),
    // Written when the user clicks a button.
    PromptRule::prefix("Execute the selected diff-tab", Author::Program, "2026-05"),
    PromptRule::prefix(
        "Implement the plan as specified, it is attached for your reference.",
        Author::Program,
        "2026-03",
    ),
    // Notes of the program about tools.
    PromptRule::prefix("Available subagent_types", Author::Program, "2026-08"),
    PromptRule::prefix(
        "If the available MCP tools do not fully support what the user asked you to do",
        Author::Program,
        "2026-05",
    ),
];

const QUERY: &str = "user_query";
const QUERY_BEGIN: &str = "<user_query>";
const QUERY_END: &str = "</user_query>";
const TIMESTAMP: &str = "timestamp";
/// The beginning of an element that precedes a query by Cursor, in all logs seen so far.
const NOTIFICATION: &str = "<system_notification";

/// Returns the author of a content: the user if one of its texts is the user's.
pub(crate) fn author(content: Node<'_, '_>) -> Author {
    let is_list = content.kind() == Kind::Array;
    let blocks = content.elements().filter(|_| is_list).map(|block| match block.kind() {
        Kind::Map => block.member("text").unwrap_or(block),
        _ => block,
    });
    let texts = blocks.chain((!is_list).then_some(content)).filter_map(Node::text);
    let mut others = None;
    for text in texts {
        match text_author(&text) {
            Author::User => return Author::User,
            author => others = others.or(Some(author)),
        }
    }
    others.unwrap_or(Author::User)
}

/// Returns the author of a text.
pub(crate) fn text_author(text: &str) -> Author {
    let queries = queries(text);
    if queries.is_empty() {
        return block_author(without_timestamps(text).trim(), RULES);
    }
    let authors = queries.iter().map(Query::author);
    // The user ranks before unknown authors, and those before all others.
    let rank = |author: &Author| match author {
        Author::User => 0,
        Author::Unknown => 1,
        _ => 2,
    };
    authors.min_by_key(rank).unwrap_or(Author::User)
}

/// Returns the text that the user typed, if there is other text around it.
pub(crate) fn typed(text: &str) -> Option<Typed> {
    let queries = queries(text);
    let (mut rest, typed) = if queries.is_empty() {
        (String::new(), without_timestamps(text))
    } else {
        let texts = |is_kept: fn(&Query<'_>) -> bool| -> Vec<_> {
            queries.iter().filter(|query| is_kept(query)).map(|query| query.text).collect()
        };
        let mut own = texts(|query| query.author() == Author::User);
        if own.is_empty() {
            own = texts(|_| true);
        }
        let mut rest = text.to_owned();
        if let (Some(begin), Some(end)) = (rest.find(QUERY_BEGIN), rest.rfind(QUERY_END)) {
            rest.replace_range(begin..(end + QUERY_END.len()).max(begin), "");
        }
        (rest, own.join("\n\n"))
    };
    let typed = typed.trim();
    if typed == text {
        return None;
    }
    rest = without_timestamps(&rest);
    let left_out = if rest.trim().is_empty() { "" } else { "context" };
    Some(Typed { text: typed.to_owned(), left_out })
}

/// The content of an element `<user_query>`.
struct Query<'t> {
    text: &'t str,
    /// Whether a notification of Cursor precedes it.
    is_notified: bool,
}

impl Query<'_> {
    fn author(&self) -> Author {
        match block_author(self.text, RULES) {
            Author::Program => Author::Program,
            _ if self.text.is_empty() => Author::Program,
            _ if self.is_notified => Author::Unknown,
            // The user may type elements, too.
            _ => Author::User,
        }
    }
}

/// Returns the elements `<user_query>`. An element ends at the last end tag before the next
/// element, because the user may type anything.
fn queries(text: &str) -> Vec<Query<'_>> {
    let mut queries = Vec::new();
    let mut rest = text;
    let mut between = "";
    while let Some(at) = find(rest, QUERY_BEGIN) {
        let (before, inside) = (&rest[..at], &rest[at + QUERY_BEGIN.len()..]);
        let next = find(inside, "\n<user_query>").map_or(inside.len(), |at| at + 1);
        let element = &inside[..next];
        let end = memmem::rfind(element.as_bytes(), QUERY_END.as_bytes());
        let is_notified = [before, between].iter().any(|it| find(it, NOTIFICATION).is_some());
        queries.push(Query { text: element[..end.unwrap_or(next)].trim(), is_notified });
        between = end.map_or("", |end| &element[end..]);
        rest = &inside[next..];
    }
    queries
}

/// Returns the offset of the first occurrence of a pattern. It is fast, because prompts can be long.
fn find(text: &str, pattern: &str) -> Option<usize> {
    memmem::find(text.as_bytes(), pattern.as_bytes())
}

/// Returns a text without the elements `<timestamp>` that begin a line or follow another element.
fn without_timestamps(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once("<timestamp>") {
        kept.push_str(before);
        let is_element =
            kept.trim().is_empty() || kept.trim_end_matches([' ', '\t']).ends_with(['\n', '>']);
        match inside.split_once("</timestamp>") {
            Some((_, after)) if is_element => rest = after,
            _ => {
                kept.push_str("<timestamp>");
                rest = inside;
            }
        }
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: &str = "<timestamp>Monday, Aug 3, 2026, 11:03 AM (UTC+2)</timestamp>";

    fn words(text: &str) -> (Author, String, &'static str) {
        let typed = typed(text).unwrap_or(Typed { text: text.to_owned(), left_out: "" });
        (text_author(text), typed.text, typed.left_out)
    }

    #[test]
    fn query_is_all_that_the_user_typed() {
        for (text, typed, left_out) in [
            ("Why?".to_owned(), "Why?", ""),
            (format!("{TIME}\n<user_query>\nWhy <b>?\n</user_query>"), "Why <b>?", ""),
            (format!("<user_query>\nWhy?\n</user_query>\n{TIME}"), "Why?", ""),
            (format!("{TIME}\nWhy?"), "Why?", ""),
            (format!("Why?\n{TIME}"), "Why?", ""),
            ("<rules>x</rules>\n<user_query>Why?</user_query>".to_owned(), "Why?", "context"),
            ("Notes\n<user_query>\nWhy?\n</user_query>".to_owned(), "Why?", "context"),
            (
                "<user_query>the end </user_query> of</user_query>".to_owned(),
                "the end </user_query> of",
                "",
            ),
            ("<user_query>a</user_query>\n<user_query>b</user_query>".to_owned(), "a\n\nb", ""),
            (
                "<user_query><context>x</context></user_query>".to_owned(),
                "<context>x</context>",
                "",
            ),
            (
                "the tag <timestamp> in a sentence".to_owned(),
                "the tag <timestamp> in a sentence",
                "",
            ),
        ] {
            assert_eq!(words(&text), (Author::User, typed.to_owned(), left_out), "{text}");
        }
    }

    #[test]
    fn follow_ups_and_context_are_the_programs() {
        let follow_up = "Briefly inform the user about the task result and perform x.";
        for text in [
            follow_up.to_owned(),
            format!("{TIME}\n\n<user_query>{follow_up}</user_query>"),
            format!("{TIME}\n<system_notification>\nx\n</system_notification>\n<user_query>{follow_up}</user_query>"),
            "Look.\n- Base branch: main.\n<user_query>\nExecute the selected diff-tab commit action.\n</user_query>".to_owned(),
            "<user_info>\nOS: linux\n</user_info>".to_owned(),
            "Implement the plan as specified, it is attached for your reference. Go.".to_owned(),
            "<system_notification source=\"goal\">Continue.</system_notification>".to_owned(),
            format!("{TIME}\n<system_notification>x</system_notification>"),
        ] {
            assert_eq!(text_author(&text), Author::Program, "{text}");
        }
        assert_eq!(text_author("<new_thing>x</new_thing>"), Author::Unknown);
        let notified = "<system_notification>x</system_notification>\n<user_query>New</user_query>";
        assert_eq!(text_author(notified), Author::Unknown, "a wording that no rule names");
        let both = format!("{notified}\n<user_query>Go on</user_query>");
        assert_eq!(text_author(&both), Author::User);
        assert_eq!(typed(&both).map(|typed| typed.text).as_deref(), Some("Go on"));
    }

    #[test]
    fn many_elements_are_read_in_linear_time() {
        let text = format!("{TIME}\n<user_query>a</user_query>\n").repeat(20_000);
        assert_eq!(text_author(&text), Author::User);
        assert!(typed(&text).is_some());
    }
}
