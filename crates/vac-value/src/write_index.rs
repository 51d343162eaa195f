//! Builds the index of a document while the document is written, so that it can be validated
//! without scanning it. Every carried value is a null in it.

use crate::Limits;
use crate::document::{ESCAPED, Entry, Kind};

/// The index of the item that is being written.
#[derive(Debug, Default)]
pub(crate) struct WriteIndex {
    entries: Vec<Entry>,
    /// The open containers, from the outermost one on.
    open: Vec<u32>,
    /// Whether a value was written that cannot be indexed while writing: a tag, whose end is not
    /// known, or more levels or bytes than a document may have.
    unknown: bool,
    /// The number of nested carried values that are being written. Their content is not indexed.
    carried: usize,
}

impl WriteIndex {
    #[inline]
    pub fn leaf(&mut self, kind: Kind, start: usize, end: usize) {
        if self.carried == 0 {
            let next = self.next();
            self.push(kind, start, end, next + 1);
        }
    }

    /// Marks the last leaf as text with escapes.
    pub fn escaped(&mut self) {
        if self.carried == 0
            && let Some(leaf) = self.entries.last_mut()
        {
            leaf.flags |= ESCAPED;
        }
    }

    /// Begins a carried value.
    pub fn begin_carried(&mut self) {
        self.carried += 1;
    }

    /// Ends a carried value.
    pub fn end_carried(&mut self, start: usize, end: usize) {
        self.carried = self.carried.saturating_sub(1);
        self.leaf(Kind::Null, start, end);
    }

    #[inline]
    pub fn open(&mut self, kind: Kind, start: usize) {
        if self.carried > 0 {
            return;
        }
        let index = self.next();
        self.unknown |= self.open.len() == Limits::default().depth;
        self.open.push(index);
        self.push(kind, start, start, index + 1);
    }

    #[inline]
    pub fn close(&mut self, end: usize) {
        if self.carried > 0 {
            return;
        }
        let next = self.next();
        let Some(index) = self.open.pop() else { return };
        if let Some(entry) = self.entries.get_mut(index as usize) {
            match u32::try_from(end) {
                Ok(end) => (entry.end, entry.next) = (end, next),
                Err(_) => self.unknown = true,
            }
        }
    }

    /// Records that a value was written that is not in the index.
    pub fn unknown(&mut self) {
        self.unknown |= self.carried == 0;
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.open.clear();
        self.unknown = false;
        self.carried = 0;
    }

    /// Returns the offset of the first item, which a separator can precede.
    pub fn start(&self) -> usize {
        self.entries.first().map_or(0, |first| first.start as usize)
    }

    /// Returns the index if it is the complete index of one item.
    pub fn take(&mut self) -> Option<Vec<Entry>> {
        let complete = !self.unknown && self.open.is_empty();
        let whole = self.entries.first().is_some_and(|first| first.next == self.next());
        (complete && whole).then(|| std::mem::take(&mut self.entries))
    }

    /// Takes back an index, to reuse its memory.
    pub fn give_back(&mut self, entries: Vec<Entry>) {
        self.entries = entries;
    }

    #[inline]
    fn next(&self) -> u32 {
        u32::try_from(self.entries.len()).expect("entries begin at different 32-bit offsets")
    }

    #[inline]
    fn push(&mut self, kind: Kind, start: usize, end: usize, next: u32) {
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
            self.unknown = true;
            return;
        };
        self.entries.push(Entry { start, end, next, kind, flags: 0 });
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Any, Document, Encode, EncodeError, Encoder, Encoding, Key, Layout, MapEncoder, Node,
    };

    /// A map with a value of every kind and a number of extra members.
    struct Sample<'a>(&'a str, usize);

    impl Encode for Sample<'_> {
        fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
            let carried = Any::from_json(br#"{"deep": [1, {"x": "\u0041"}]}"#).unwrap();
            let list = vec![Any::from("in a list"), Any::from_json(b" [ ] ").unwrap()];
            let names: Vec<_> = (0..self.1).map(|number| format!("n{number}\n")).collect();
            let (yes, small, float) = (true, 7_u64, 0.5_f64);
            let mut map = MapEncoder::new(to);
            map.member(Key::Text("text"), &self.0)?;
            map.member(Key::Text("yes"), &yes)?;
            map.member(Key::Text("small"), &small)?;
            map.member(Key::Text("float"), &float)?;
            map.member(Key::Text("carried"), &carried)?;
            map.member(Key::Text("list"), &list)?;
            for name in &names {
                map.extension(Key::Text(name), &small)?;
            }
            map.end()
        }
    }

    /// Describes a node; carried values are nulls.
    fn shape(node: Node<'_, '_>, carried: &[&str], out: &mut String) {
        use std::fmt::Write as _;
        let _ = write!(out, "{:?}", node.kind());
        for (key, value) in node.members() {
            let name = key.text().unwrap();
            let _ = write!(out, " {name:?}: ");
            if carried.contains(&&*name) {
                out.push_str("Null");
            } else if name == "list" {
                let _ = write!(out, "{} nulls", value.elements().count());
            } else {
                shape(value, carried, out);
            }
        }
        let _ = write!(out, " {:?} {:?} {:?}", node.text(), node.number(), node.bool());
    }

    #[test]
    fn a_write_index_equals_a_scan_except_for_carried_values() {
        for (text, more) in [("plain", 0), ("quote \" and \u{1}", 3), ("many members", 40)] {
            for encoder in
                [Encoder::json(Layout::Compact), Encoder::json(Layout::Pretty), Encoder::cbor()]
            {
                let mut encoder = encoder.indexed();
                Sample(text, more).encode(&mut encoder).unwrap();
                let written = encoder.written().to_vec();
                let encoding = encoder.encoding();
                let scanned = Document::scan(&written, encoding).unwrap();
                let (mut one, mut other) = (String::new(), String::new());
                encoder
                    .read_index(|document| {
                        let carried = document.root().member("carried").unwrap();
                        assert_eq!(carried.kind(), crate::Kind::Null);
                        assert!(carried.raw().len() > 10, "the null has the range of the value");
                        assert_eq!(document.root().raw().len(), written.len());
                        shape(document.root(), &["carried"], &mut one);
                    })
                    .unwrap();
                shape(scanned.root(), &["carried"], &mut other);
                assert_eq!(one, other);
            }
        }
    }

    #[test]
    fn items_with_tags_are_scanned() {
        struct Tag;
        impl Encode for Tag {
            fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
                to.tag(1)?;
                to.integer(5);
                Ok(())
            }
        }
        let mut encoder = Encoder::cbor().indexed();
        Tag.encode(&mut encoder).unwrap();
        let seen = encoder.read_index(|document| {
            (document.root().tag().map(|(number, _)| number), document.encoding())
        });
        assert_eq!(seen, Ok((Some(1), Encoding::Cbor)));
    }

    #[test]
    fn a_separator_before_the_item_is_skipped() {
        let mut encoder = Encoder::json(Layout::Compact).indexed();
        encoder.begin_array(2);
        encoder.clear();
        encoder.element();
        encoder.integer(1);
        encoder.clear();
        encoder.element();
        Sample("second", 2).encode(&mut encoder).unwrap();
        assert!(encoder.written().starts_with(b","));
        for _ in 0..2 {
            let small = encoder.read_index(|it| it.root().member("small").and_then(Node::uint));
            assert_eq!(small, Ok(Some(7)), "the index can be read again");
        }
    }
}
