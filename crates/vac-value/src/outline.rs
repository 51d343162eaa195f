//! The index of what a writer writes, made while it writes: in it every carried value is
//! null.

use crate::Limits;
use crate::document::{ESCAPED, Entry, Kind};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    entries: Vec<Entry>,
    /// The containers around the next item.
    open: Vec<u32>,
    /// Whether something was written that only a scanner can tell: a tag, whose end is
    /// not announced, or more levels or bytes than a document may have.
    unknown: bool,
    /// How many carried values are being written, one inside the other: nothing of them
    /// is noted.
    carried: usize,
}

impl Outline {
    #[inline]
    pub fn leaf(&mut self, kind: Kind, start: usize, end: usize) {
        if self.carried == 0 {
            let next = self.next();
            self.push(kind, start, end, next + 1);
        }
    }

    /// The leaf noted last has escapes.
    pub fn escaped(&mut self) {
        if self.carried == 0
            && let Some(leaf) = self.entries.last_mut()
        {
            leaf.flags |= ESCAPED;
        }
    }

    /// A carried value begins.
    pub fn begin_carried(&mut self) {
        self.carried += 1;
    }

    /// It ends.
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
            (entry.end, entry.next) = (u32::try_from(end).unwrap_or_default(), next);
        }
    }

    /// Something was written whose place in the index is not known.
    pub fn unknown(&mut self) {
        self.unknown |= self.carried == 0;
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.open.clear();
        self.unknown = false;
        self.carried = 0;
    }

    /// Where the first item begins: a separator can stand before it.
    pub fn start(&self) -> usize {
        self.entries.first().map_or(0, |first| first.start as usize)
    }

    /// The index of one whole item, if this is one.
    pub fn take(&mut self) -> Option<Vec<Entry>> {
        let complete = !self.unknown && self.open.is_empty();
        let whole = self.entries.first().is_some_and(|first| first.next == self.next());
        (complete && whole).then(|| std::mem::take(&mut self.entries))
    }

    /// Takes its memory back.
    pub fn give_back(&mut self, entries: Vec<Entry>) {
        self.entries = entries;
    }

    #[inline]
    fn next(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
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

    /// A map with everything in it, and so many members more.
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

    /// What can be seen of a node, with null for what is carried.
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
    fn an_outline_is_what_a_scanner_finds_but_for_what_is_carried() {
        for (text, more) in [("plain", 0), ("quote \" and \u{1}", 3), ("many members", 40)] {
            for encoder in
                [Encoder::json(Layout::Compact), Encoder::json(Layout::Pretty), Encoder::cbor()]
            {
                let mut encoder = encoder.outlined();
                Sample(text, more).encode(&mut encoder).unwrap();
                let written = encoder.written().to_vec();
                let encoding = encoder.encoding();
                let scanned = Document::scan(&written, encoding).unwrap();
                let (mut one, mut other) = (String::new(), String::new());
                encoder
                    .outline(|outline| {
                        let carried = outline.root().member("carried").unwrap();
                        assert_eq!(carried.kind(), crate::Kind::Null);
                        assert!(carried.raw().len() > 10, "it stands where the value stands");
                        assert_eq!(outline.root().raw().len(), written.len());
                        shape(outline.root(), &["carried"], &mut one);
                    })
                    .unwrap();
                shape(scanned.root(), &["carried"], &mut other);
                assert_eq!(one, other);
            }
        }
    }

    #[test]
    fn what_the_outline_cannot_follow_is_scanned() {
        struct Tag;
        impl Encode for Tag {
            fn encode(&self, to: &mut Encoder) -> Result<(), EncodeError> {
                to.tag(1)?;
                to.integer(5);
                Ok(())
            }
        }
        let mut encoder = Encoder::cbor().outlined();
        Tag.encode(&mut encoder).unwrap();
        let seen = encoder.outline(|outline| {
            (outline.root().tag().map(|(number, _)| number), outline.encoding())
        });
        assert_eq!(seen, Ok((Some(1), Encoding::Cbor)));
    }

    #[test]
    fn a_separator_before_the_item_does_no_harm() {
        let mut encoder = Encoder::json(Layout::Compact).outlined();
        encoder.begin_array(2);
        encoder.clear();
        encoder.element();
        encoder.integer(1);
        encoder.clear();
        encoder.element();
        Sample("second", 2).encode(&mut encoder).unwrap();
        assert!(encoder.written().starts_with(b","));
        for _ in 0..2 {
            let small = encoder.outline(|it| it.root().member("small").and_then(Node::uint));
            assert_eq!(small, Ok(Some(7)), "as often as one likes");
        }
    }
}
