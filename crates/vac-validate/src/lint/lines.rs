//! Lints ranges of lines that start at 0 or end before they start.

use vac_record::keys::{
    conversation, file, file_attribution_record, range, verifiable_agent_record,
};
use vac_value::Node;

use super::Findings;

pub(super) fn lint(record: Node<'_, '_>, findings: &mut Findings) {
    let attribution = record.member(verifiable_agent_record::FILE_ATTRIBUTION);
    let path = format!("/{}", verifiable_agent_record::FILE_ATTRIBUTION);
    for (path, file) in attribution
        .into_iter()
        .flat_map(|attribution| elements(attribution, path.clone(), file_attribution_record::FILES))
    {
        for (path, conversation) in elements(file, path, file::CONVERSATIONS) {
            for (path, range) in elements(conversation, path, conversation::RANGES) {
                if let Some(message) = problem(range) {
                    findings.add(range, "line-range", path, message);
                }
            }
        }
    }
}

/// Returns a description of what is wrong with a range.
fn problem(range: Node<'_, '_>) -> Option<String> {
    let line = |key: &str| range.member(key).and_then(Node::uint);
    let (start, end) = (line(range::START_LINE)?, line(range::END_LINE)?);
    if end < start {
        Some(format!("{} {end} is before {} {start}", range::END_LINE, range::START_LINE))
    } else if start == 0 {
        Some(format!("{} is 0, and lines count from 1", range::START_LINE))
    } else {
        None
    }
}

/// Returns the elements of the list in a member of a map, with their paths.
fn elements<'d, 'a>(
    map: Node<'d, 'a>,
    path: String,
    key: &'static str,
) -> impl Iterator<Item = (String, Node<'d, 'a>)> {
    let elements = map.member(key).into_iter().flat_map(Node::elements).enumerate();
    elements.map(move |(at, element)| (format!("{path}/{key}/{at}"), element))
}
