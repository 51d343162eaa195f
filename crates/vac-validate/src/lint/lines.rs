//! Ranges of lines: from 1, and not backwards.

use vac_value::Node;

use super::Findings;

pub(super) fn lint(record: Node<'_, '_>, findings: &mut Findings) {
    let attribution = record.member("file-attribution");
    for (file_at, file) in elements(attribution.and_then(|node| node.member("files"))) {
        for (conversation_at, conversation) in elements(file.member("conversations")) {
            for (range_at, range) in elements(conversation.member("ranges")) {
                let line = |key: &str| range.member(key).and_then(Node::uint);
                let (Some(start), Some(end)) = (line("start-line"), line("end-line")) else {
                    continue;
                };
                let message = if end < start {
                    format!("end-line {end} is before start-line {start}")
                } else if start == 0 {
                    "start-line is 0, and lines count from 1".to_owned()
                } else {
                    continue;
                };
                let path = format!(
                    "/file-attribution/files/{file_at}/conversations/{conversation_at}/ranges/{range_at}"
                );
                findings.add(range, "line-range", path, message);
            }
        }
    }
}

fn elements<'d, 'a>(array: Option<Node<'d, 'a>>) -> impl Iterator<Item = (usize, Node<'d, 'a>)> {
    array.into_iter().flat_map(Node::elements).enumerate()
}
