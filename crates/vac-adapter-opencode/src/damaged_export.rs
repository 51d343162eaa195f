//! Exports and shared sessions that are damaged or cut short: what is whole in them is
//! taken out, and only the rest is carried as it is.
//!
//! This reader is not [`vac_adapter::broken::Broken`]. That one steps over damage to the
//! next element that brackets and quotes show, knows lists one level deep and gives what is
//! around them first. This one ends at the first thing that cannot be carried, goes into a
//! message that is not whole for its members and parts, and gives everything in the order
//! of the file, which numbers it. All from the damage on, with the comma before it, is one
//! piece, and is looked through for a secret as one.

use vac_value::{Document, Limits, Scanner};

use crate::classify::is_shared_element;

/// A value may be this deep: less than a record can carry.
const MAX_LEVELS: usize = 200;

/// Which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Export,
    Share,
}

/// A piece of a damaged export or shared session.
pub(crate) enum Piece<'p, 'a> {
    /// A member of the export itself, by its name.
    Member(&'p str, Document<'a>),
    /// A whole message with its parts.
    Message(Document<'a>),
    /// A member of a message that is not whole, by its name.
    OfMessage(&'p str, Document<'a>),
    /// A whole part of a message that is not whole.
    Part(Document<'a>),
    /// A whole element of a shared session.
    Shared(Document<'a>),
    /// What is left.
    Rest(&'a [u8]),
}

/// Takes a damaged export or shared session apart; `None` if it begins as neither does.
pub(crate) fn pieces<'a>(bytes: &'a [u8], show: &mut dyn FnMut(Piece<'_, 'a>)) -> Option<Cut> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    let scanner = Scanner::new(Limits { depth: MAX_LEVELS, ..Limits::default() });
    let mut walk = Walk { text, at: 0, whole: 0, scanner };
    let cut = walk.begins_as()?;
    let end = match cut {
        Cut::Export => walk.export(show),
        Cut::Share => walk.shared(show),
    };
    if end.is_none() || walk.whole < bytes.len() {
        show(Piece::Rest(&bytes[walk.whole..]));
    }
    Some(cut)
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
    /// Where the first thing begins that has not been shown.
    whole: usize,
    scanner: Scanner,
}

impl<'a> Walk<'a> {
    fn begins_as(&mut self) -> Option<Cut> {
        let cut = if self.take('[').is_some() {
            let first = self.value().filter(|first| is_shared_element(first.root()));
            first.map(|_| Cut::Share)
        } else {
            let name = self.take('{').and_then(|()| self.name());
            let inside = name.filter(|name| name == "info").and_then(|_| self.take('{'));
            inside.map(|()| Cut::Export)
        };
        self.at = 0;
        cut
    }

    /// The elements of a shared session. `None` where it is damaged.
    fn shared(&mut self, show: &mut dyn FnMut(Piece<'_, 'a>)) -> Option<()> {
        self.take('[')?;
        loop {
            let element = self.value()?;
            show(Piece::Shared(element));
            self.shown();
            if self.take(',').is_none() {
                break;
            }
        }
        self.take(']')?;
        self.shown();
        Some(())
    }

    /// The members of the export. `None` where it is damaged.
    fn export(&mut self, show: &mut dyn FnMut(Piece<'_, 'a>)) -> Option<()> {
        self.take('{')?;
        loop {
            let name = self.name()?;
            if name == "messages" && self.take('[').is_some() {
                self.messages(show)?;
            } else {
                let value = self.value()?;
                show(Piece::Member(&name, value));
            }
            self.shown();
            if self.take(',').is_none() {
                break;
            }
        }
        self.take('}')?;
        self.shown();
        Some(())
    }

    fn messages(&mut self, show: &mut dyn FnMut(Piece<'_, 'a>)) -> Option<()> {
        self.shown();
        if self.take(']').is_some() {
            return Some(());
        }
        loop {
            let start = self.at;
            match self.value() {
                Some(message) => show(Piece::Message(message)),
                None => {
                    self.at = start;
                    self.message(show)?;
                }
            }
            self.shown();
            if self.take(',').is_none() {
                return self.take(']');
            }
        }
    }

    /// A message that is not whole.
    fn message(&mut self, show: &mut dyn FnMut(Piece<'_, 'a>)) -> Option<()> {
        self.take('{')?;
        loop {
            let name = self.name()?;
            if name == "parts" && self.take('[').is_some() {
                self.parts(show)?;
            } else {
                let value = self.value()?;
                show(Piece::OfMessage(&name, value));
            }
            self.shown();
            if self.take(',').is_none() {
                return self.take('}');
            }
        }
    }

    fn parts(&mut self, show: &mut dyn FnMut(Piece<'_, 'a>)) -> Option<()> {
        self.shown();
        if self.take(']').is_some() {
            return Some(());
        }
        loop {
            let part = self.value()?;
            show(Piece::Part(part));
            self.shown();
            if self.take(',').is_none() {
                return self.take(']');
            }
        }
    }

    fn shown(&mut self) {
        self.skip_space();
        self.whole = self.at;
    }

    /// The name of a member, and the colon after it.
    fn name(&mut self) -> Option<String> {
        let name = self.value()?;
        let name = name.root().text()?.into_owned();
        self.take(':')?;
        Some(name)
    }

    /// A whole value that can be carried.
    fn value(&mut self) -> Option<Document<'a>> {
        self.skip_space();
        let (value, length) = self.scanner.json_text_prefix(self.text.get(self.at..)?).ok()?;
        if value.duplicate_keys().len() > 0 {
            return None;
        }
        self.at += length;
        Some(value)
    }

    fn take(&mut self, punctuation: char) -> Option<()> {
        self.skip_space();
        let rest = self.text.get(self.at..)?.strip_prefix(punctuation)?;
        self.at = self.text.len() - rest.len();
        Some(())
    }

    fn skip_space(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }
}
