//! Scans CBOR in one pass, which checks every byte and fills the index.

use super::head::{Head, double_to_half, double_to_single, float_at};
use crate::document::{CHUNKED, Kind, LOOSE};
use crate::scan::Index;
use crate::{Problem, SyntaxError};

/// The maximum number of nested keys that are containers. Comparing such keys takes time for every
/// level.
const KEY_DEPTH: usize = 4;

/// Scans the item at the beginning of the input and returns the offset of its end.
pub(crate) fn scan(source: &[u8], index: &mut Index<'_>) -> Result<usize, SyntaxError> {
    let mut scan = Scan { source, at: 0, index, open: Vec::new() };
    if source.is_empty() {
        return Err(scan.error(Problem::Empty));
    }
    loop {
        scan.item()?;
        if scan.after_item() {
            return Ok(scan.at);
        }
    }
}

struct Scan<'s, 'i, 'a> {
    source: &'s [u8],
    at: usize,
    index: &'i mut Index<'a>,
    open: Vec<Open>,
}

struct Open {
    node: u32,
    /// The number of items that follow; `None` if a break ends them.
    left: Option<u64>,
    /// The number of items so far.
    seen: u64,
    loose: bool,
    /// The number of keys around it that are containers or tags.
    in_keys: usize,
}

impl Scan<'_, '_, '_> {
    /// Scans a scalar, or the head of a container or tag.
    fn item(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let head = Head::read(self.source, start)?;
        let indefinite = head.info == 31;
        let loose = if head.is_shortest() && !indefinite { 0 } else { LOOSE };
        match head.major {
            0 | 1 | 6 if indefinite => return Err(self.bad_initial()),
            0 | 1 => {
                self.at += head.length;
                self.index.leaf(Kind::Integer, start, self.at, loose);
            }
            2 | 3 => {
                let kind = if head.major == 2 { Kind::Bytes } else { Kind::Text };
                let flags = if indefinite {
                    self.chunks(head.major)?;
                    LOOSE | CHUNKED
                } else {
                    self.string(&head)?;
                    loose
                };
                self.index.leaf(kind, start, self.at, flags);
            }
            4 | 5 => {
                let (kind, each) = if head.major == 4 { (Kind::Array, 1) } else { (Kind::Map, 2) };
                let left = if indefinite { None } else { Some(self.count(&head, each)?) };
                self.open(kind, &head, left, loose)?;
            }
            6 => self.open(Kind::Tag, &head, Some(1), loose)?,
            _ => self.simple_or_float(&head)?,
        }
        Ok(())
    }

    /// Closes containers and tags that are complete. Returns true at the end of the whole item.
    fn after_item(&mut self) -> bool {
        let mut last = self.index.here() - 1;
        loop {
            let Some(open) = self.open.last_mut() else { return true };
            // The last node is the container itself when it was just opened.
            if open.node != last {
                open.seen += 1;
                open.left = open.left.map(|left| left - 1);
                open.loose |= self.index.is_loose(last);
            }
            let done = match open.left {
                Some(left) => left == 0,
                None => self.source.get(self.at) == Some(&0xff) && self.at_break(),
            };
            if !done {
                return false;
            }
            last = self.close();
        }
    }

    /// Skips a break that ends a container of indefinite length. After a key it is left for
    /// [`Scan::item`], which refuses it.
    fn at_break(&mut self) -> bool {
        let Some(open) = self.open.last() else { return false };
        let is_map = self.index.kind(open.node) == Kind::Map;
        if is_map && open.seen % 2 == 1 {
            return false;
        }
        self.at += 1;
        true
    }

    fn close(&mut self) -> u32 {
        let open = self.open.pop().expect("a container is only closed if it is open");
        let is_loose = open.loose || self.index.is_long_bignum(open.node);
        let flags = if is_loose { LOOSE } else { 0 };
        self.index.close(open.node, self.at, flags);
        open.node
    }

    fn open(
        &mut self,
        kind: Kind,
        head: &Head,
        left: Option<u64>,
        loose: u8,
    ) -> Result<(), SyntaxError> {
        if self.open.len() == self.index.depth {
            return Err(self.error(Problem::Depth(self.index.depth)));
        }
        let in_keys = self.open.last().map_or(0, |around| {
            let is_key = self.index.kind(around.node) == Kind::Map && around.seen % 2 == 0;
            around.in_keys + usize::from(is_key)
        });
        if in_keys > KEY_DEPTH {
            return Err(self.error(Problem::KeyDepth(KEY_DEPTH)));
        }
        let node = self.index.open(kind, self.at);
        self.at += head.length;
        self.open.push(Open { node, left, seen: 0, loose: loose != 0, in_keys });
        Ok(())
    }

    /// Returns the number of items of a container. Every item takes at least a byte.
    fn count(&self, head: &Head, each: u64) -> Result<u64, SyntaxError> {
        let rest = (self.source.len() - self.at - head.length) as u64;
        match head.argument.checked_mul(each) {
            Some(count) if count <= rest => Ok(count),
            _ => Err(self.error(Problem::Length(head.argument))),
        }
    }

    fn string(&mut self, head: &Head) -> Result<(), SyntaxError> {
        let start = self.at + head.length;
        let content = usize::try_from(head.argument)
            .ok()
            .and_then(|length| self.source.get(start..start.checked_add(length)?));
        let Some(content) = content else {
            return Err(self.error(Problem::Length(head.argument)));
        };
        if head.major == 3
            && let Err(error) = crate::known_text(content)
        {
            self.at = start + error.valid_up_to();
            return Err(self.error(Problem::Utf8));
        }
        self.at = start + content.len();
        Ok(())
    }

    fn chunks(&mut self, major: u8) -> Result<(), SyntaxError> {
        self.at += 1;
        loop {
            if self.source.get(self.at) == Some(&0xff) {
                self.at += 1;
                return Ok(());
            }
            let head = Head::read(self.source, self.at)?;
            if head.major != major || head.info == 31 {
                return Err(self.error(Problem::Chunk));
            }
            self.string(&head)?;
        }
    }

    fn simple_or_float(&mut self, head: &Head) -> Result<(), SyntaxError> {
        let start = self.at;
        let (kind, flags) = match (head.info, head.argument) {
            (31, _) if self.open.last().is_some_and(|open| open.left.is_none()) => {
                return Err(self.error(Problem::OddMap));
            }
            (31, _) => return Err(self.bad_initial()),
            (24, 0..32) => {
                let value = u8::try_from(head.argument).expect("below 32");
                return Err(self.error(Problem::SimpleValue(value)));
            }
            (25..=27, _) => {
                let value = float_at(self.source, start).expect("the head is that of a float");
                let shortest = match head.info {
                    25 => true,
                    26 => double_to_half(value).is_none(),
                    _ => double_to_single(value).is_none(),
                };
                (Kind::Float, if shortest { 0 } else { LOOSE })
            }
            (_, 20 | 21) => (Kind::Bool, 0),
            (_, 22) => (Kind::Null, 0),
            (_, 23) => (Kind::Undefined, 0),
            _ => (Kind::Simple, 0),
        };
        self.at += head.length;
        self.index.leaf(kind, start, self.at, flags);
        Ok(())
    }

    fn bad_initial(&self) -> SyntaxError {
        self.error(Problem::InitialByte(self.source[self.at]))
    }

    fn error(&self, problem: Problem) -> SyntaxError {
        SyntaxError { offset: self.at, problem }
    }
}
