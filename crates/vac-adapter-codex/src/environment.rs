//! Finds the working directory in the CLI's context message.

use vac_value::Node;

/// Returns the working directory in the CLI's context message, for logs that state it nowhere
/// else.
pub(crate) fn context_working_dir(item: Node<'_, '_>) -> Option<String> {
    const OLDER: &str = "Current working directory: ";
    if !item.member("role")?.is_text("user") {
        return None;
    }
    item.member("content")?.elements().find_map(|part| {
        let text = part.member("text")?.text()?;
        let text = text.trim_start();
        if !text.starts_with("<environment_context>") && !text.starts_with(OLDER) {
            return None;
        }
        let between = |before: &str, after: &str| {
            let (_, rest) = text.split_once(before)?;
            let found = rest.split_once(after).map_or(rest, |(found, _)| found).trim();
            Some(found.to_owned()).filter(|found| !found.is_empty())
        };
        between("<cwd>", "</cwd>").or_else(|| between(OLDER, "\n"))
    })
}
