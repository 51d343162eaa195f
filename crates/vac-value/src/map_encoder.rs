//! Writing a map, member by member.

use std::ops::Range;

use smallvec::SmallVec;

use crate::document::{Encoding, Kind};
use crate::duplicates::mark;
use crate::encode::{Encode, EncodeError, Encoder};
use crate::json;

/// So many members most maps do not have: these need no memory of their own, and their
/// keys are compared each with each.
const FEW: usize = 20;

/// A key as a map's writer takes it.
#[derive(Clone, Copy)]
pub enum Key<'v> {
    /// Text that JSON has nothing to escape in, as the schema's names are.
    Name(&'v str),
    /// Text.
    Text(&'v str),
    /// An integer label.
    Integer(i128),
    /// Anything else.
    Other(&'v dyn Encode),
}

/// A map that is being written: JSON at once and in the order of the members, CBOR at
/// the end and sorted. Its keys must differ, which is found out at the end.
///
/// ```
/// use vac_value::{Encoder, Key, Layout, MapEncoder};
///
/// let mut encoder = Encoder::json(Layout::Compact);
/// let mut map = MapEncoder::new(&mut encoder);
/// map.member(Key::Name("b"), &1_u64)?;
/// map.extension(Key::Text("a \"quote\""), &true)?;
/// map.end()?;
/// assert_eq!(encoder.finish(), br#"{"b":1,"a \"quote\"":true}"#);
/// # Ok::<(), vac_value::EncodeError>(())
/// ```
#[must_use = "a map has to be ended"]
pub struct MapEncoder<'e, 'v> {
    to: &'e mut Encoder,
    members: Members<'v>,
    /// How many of them have keys that are known to differ.
    known: usize,
}

#[allow(clippy::large_enum_variant)] // so that JSON needs no memory for it
enum Members<'v> {
    /// Where the keys are that have been written.
    Written(SmallVec<[Range<usize>; FEW]>),
    /// What is to be written.
    Waiting(Vec<(Key<'v>, &'v dyn Encode)>),
}

impl<'e, 'v> MapEncoder<'e, 'v> {
    /// Begins a map.
    pub fn new(to: &'e mut Encoder) -> Self {
        let members = match to.encoding() {
            Encoding::Json => {
                to.begin(Kind::Map, b'{');
                Members::Written(SmallVec::new())
            }
            Encoding::Cbor => Members::Waiting(Vec::with_capacity(FEW)),
        };
        Self { to, members, known: 0 }
    }

    /// Adds a member whose key the schema names. JSON has nothing to escape in the name.
    pub fn field<T: Encode>(&mut self, name: &'v str, value: &'v T) -> Result<(), EncodeError> {
        self.member(Key::Name(name), value)
    }

    /// Adds such a member if there is a value.
    pub fn optional_field<T: Encode>(
        &mut self,
        name: &'v str,
        value: &'v Option<T>,
    ) -> Result<(), EncodeError> {
        self.optional(Key::Name(name), value.as_ref())
    }

    /// Adds a member whose key the schema names. These come first.
    pub fn member<T: Encode>(&mut self, key: Key<'v>, value: &'v T) -> Result<(), EncodeError> {
        self.known += 1;
        self.extension(key, value)
    }

    /// Adds such a member if there is a value.
    pub fn optional<T: Encode>(
        &mut self,
        key: Key<'v>,
        value: Option<&'v T>,
    ) -> Result<(), EncodeError> {
        match value {
            Some(value) => self.member(key, value),
            None => Ok(()),
        }
    }

    /// Adds a member whose key is data.
    pub fn extension<T: Encode>(&mut self, key: Key<'v>, value: &'v T) -> Result<(), EncodeError> {
        match &mut self.members {
            Members::Written(keys) => {
                keys.push(self.to.member_key(&key)?);
                value.encode(self.to)
            }
            Members::Waiting(members) => {
                members.push((key, value));
                Ok(())
            }
        }
    }

    /// Ends it.
    pub fn end(mut self) -> Result<(), EncodeError> {
        match &mut self.members {
            Members::Written(keys) => {
                if keys.len() > self.known {
                    differ(self.to.written(), keys, self.known)?;
                }
                self.to.end(b'}');
                Ok(())
            }
            Members::Waiting(members) => {
                if sort_texts(members)? {
                    self.to.sorted_map(members)
                } else {
                    self.to.map_with_keys(with_keys(members)?)
                }
            }
        }
    }
}

/// Whether all keys that have been written differ; the first of them are known to.
fn differ(written: &[u8], keys: &[Range<usize>], known: usize) -> Result<(), EncodeError> {
    let token = |key: &Range<usize>| &written[key.clone()];
    if keys.len() <= FEW {
        let mut marks = [0; FEW];
        for (at, key) in keys.iter().enumerate() {
            marks[at] = mark(token(key));
        }
        if (known..keys.len()).all(|at| !marks[..at].contains(&marks[at])) {
            return Ok(());
        }
    }
    let mut tokens: Vec<&[u8]> = keys.iter().map(token).collect();
    tokens.sort_unstable();
    match tokens.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let token = String::from_utf8_lossy(pair[0]);
            let text = json::unescape(token.trim_matches('"'));
            Err(EncodeError::DuplicateKey(String::from_utf8_lossy(&text).into_owned()))
        }
    }
}

/// Sorts members if all their keys are text, and says whether that is so: of texts the
/// shorter comes first, because its head does.
fn sort_texts(members: &mut [(Key<'_>, &dyn Encode)]) -> Result<bool, EncodeError> {
    if members.iter().any(|(key, _)| key.text().is_none()) {
        return Ok(false);
    }
    members.sort_unstable_by_key(|(key, _)| key.text().map(|text| (text.len(), text)));
    match members.windows(2).find(|pair| pair[0].0.text() == pair[1].0.text()) {
        None => Ok(true),
        Some(pair) => Err(EncodeError::DuplicateKey(pair[0].0.shown())),
    }
}

/// A member whose key is written already.
pub(crate) type WithKey<'v> = (Vec<u8>, &'v dyn Encode);

/// Members with their keys as CBOR, sorted by these.
fn with_keys<'v>(members: &[(Key<'v>, &'v dyn Encode)]) -> Result<Vec<WithKey<'v>>, EncodeError> {
    let mut sorted = Vec::with_capacity(members.len());
    for (key, value) in members {
        sorted.push((key.to_cbor()?, *value));
    }
    sorted.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    let Some(twice) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) else {
        return Ok(sorted);
    };
    let is_it = |(key, _): &&(Key<'v>, _)| key.to_cbor().is_ok_and(|it| it == twice[0].0);
    let name = members.iter().find(is_it).map(|(key, _)| key.shown());
    Err(EncodeError::DuplicateKey(name.unwrap_or_default()))
}

impl<'v> Key<'v> {
    pub(crate) fn text(&self) -> Option<&'v str> {
        match self {
            Self::Name(text) | Self::Text(text) => Some(text),
            Self::Integer(_) | Self::Other(_) => None,
        }
    }

    fn to_cbor(self) -> Result<Vec<u8>, EncodeError> {
        let mut encoder = Encoder::cbor();
        encoder.key(&self)?;
        Ok(encoder.finish())
    }

    /// What a message calls it.
    fn shown(&self) -> String {
        match self {
            Self::Name(text) | Self::Text(text) => (*text).to_owned(),
            Self::Integer(label) => label.to_string(),
            Self::Other(_) => {
                String::from_utf8_lossy(&self.to_cbor().unwrap_or_default()).into_owned()
            }
        }
    }
}
