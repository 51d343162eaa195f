//! Collects the entries of a record, children included, in document order.

use std::borrow::Cow;

use vac_record::keys::{message_entry, session_trace, verifiable_agent_record};
use vac_value::Node;

/// A check at compile time: all types of entries have the members that lints read, under the same
/// keys.
const _: fn(&vac_record::Entry<'_>) = |entry| {
    let _ = (entry.kind(), entry.id(), entry.timestamp(), entry.children());
};

/// All entries of a record.
pub(super) struct Entries<'d, 'a>(Vec<Entry<'d, 'a>>);

/// One entry.
pub(super) struct Entry<'d, 'a> {
    /// The entry itself.
    pub node: Node<'d, 'a>,
    /// The index of the entry whose child it is, among all entries.
    pub parent: Option<usize>,
    /// The index of the entry in its array.
    pub index: usize,
}

impl<'d, 'a> Entries<'d, 'a> {
    /// Collects the entries of a record. A document that is not a record has none.
    pub fn new(record: Node<'d, 'a>) -> Self {
        let mut all = Vec::new();
        let top = crate::entries(record);
        let mut open: Vec<_> =
            top.map(|array| (None, array.elements().enumerate())).into_iter().collect();
        while let Some((parent, elements)) = open.last_mut() {
            let Some((index, node)) = elements.next() else {
                open.pop();
                continue;
            };
            let entry = Entry { node, parent: *parent, index };
            if let Some(children) = node.member(message_entry::CHILDREN) {
                open.push((Some(all.len()), children.elements().enumerate()));
            }
            all.push(entry);
        }
        Self(all)
    }

    /// Iterates over the entries with their indexes.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Entry<'d, 'a>)> {
        self.0.iter().enumerate()
    }

    /// Returns the JSON pointer of a member of an entry.
    pub fn path(&self, place: usize, member: &str) -> String {
        let mut indexes = Vec::new();
        let mut next = Some(place);
        while let Some(entry) = next.and_then(|place| self.0.get(place)) {
            indexes.push(entry.index);
            next = entry.parent;
        }
        let mut path = format!("/{}/{}", verifiable_agent_record::SESSION, session_trace::ENTRIES);
        for (level, index) in indexes.iter().rev().enumerate() {
            if level > 0 {
                path += "/";
                path += message_entry::CHILDREN;
            }
            path += "/";
            path += &index.to_string();
        }
        path + "/" + member
    }
}

impl<'a> Entry<'_, 'a> {
    /// Returns whether the entry has this type.
    pub fn is(&self, kind: &str) -> bool {
        self.node.member(message_entry::TYPE).is_some_and(|found| found.is_text(kind))
    }

    /// Returns the text of a member.
    pub fn text(&self, member: &str) -> Option<Cow<'a, str>> {
        self.node.member(member)?.text()
    }
}
