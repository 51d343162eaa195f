//! Writes a map, member by member.

use std::borrow::Cow;
use std::ops::Range;

use smallvec::SmallVec;

use crate::document::{Document, Encoding, Kind};
use crate::duplicates::mark;
use crate::encode::{Encode, EncodeError};
use crate::encoder::Encoder;
use crate::secrets::contains_secret;
use crate::{cbor, json};

/// Maps with at most this many members are checked for duplicate keys pairwise, without
/// allocating.
const FEW: usize = 20;

/// A key of a map that is being written.
#[derive(Clone, Copy)]
pub enum Key<'v> {
    /// Text without characters that JSON escapes, such as the names in a schema.
    Name(&'v str),
    /// Text.
    Text(&'v str),
    /// An integer label.
    Integer(i128),
    /// A key of any other kind.
    Other(&'v dyn Encode),
}

/// A map that is being written. JSON members are written immediately and in the given order; CBOR
/// members are sorted and written at the end. A duplicate key is reported at the end.
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
pub struct MapEncoder<'e, 's, 'v> {
    to: &'e mut Encoder<'s>,
    members: Members<'v>,
    /// The number of members, counted from the first one, whose keys are known to differ.
    known: usize,
    /// Whether some keys are written as in their source, so that equal keys can have different
    /// tokens.
    spelled: bool,
}

#[allow(clippy::large_enum_variant)] // so that nothing is allocated for small JSON maps
enum Members<'v> {
    /// The ranges of the keys that have been written. If the encoder passes values on to a
    /// serializer, its buffer contains only keys, as CBOR.
    Written(SmallVec<[Range<usize>; FEW]>),
    /// The members that are still to be written.
    Waiting(Vec<(Key<'v>, &'v dyn Encode)>),
}

impl<'e, 's, 'v> MapEncoder<'e, 's, 'v> {
    /// Begins a map.
    pub fn new(to: &'e mut Encoder<'s>) -> Self {
        if let Some(sink) = to.sink_mut() {
            sink.begin_map();
            return Self {
                to,
                members: Members::Written(SmallVec::new()),
                known: 0,
                spelled: false,
            };
        }
        let members = match to.encoding() {
            Encoding::Json => {
                to.begin(Kind::Map, b'{');
                Members::Written(SmallVec::new())
            }
            Encoding::Cbor => Members::Waiting(Vec::with_capacity(FEW)),
        };
        Self { to, members, known: 0, spelled: false }
    }

    /// Adds a member whose key is a name in the schema without characters that JSON escapes.
    pub fn field<T: Encode>(&mut self, name: &'v str, value: &'v T) -> Result<(), EncodeError> {
        self.member(Key::Name(name), value)
    }

    /// Adds a [`field`](Self::field) if there is a value.
    pub fn optional_field<T: Encode>(
        &mut self,
        name: &'v str,
        value: &'v Option<T>,
    ) -> Result<(), EncodeError> {
        self.optional(Key::Name(name), value.as_ref())
    }

    /// Adds a member whose key is in the schema. These members have to be added before extensions.
    pub fn member<T: Encode>(&mut self, key: Key<'v>, value: &'v T) -> Result<(), EncodeError> {
        self.known += 1;
        self.extension(key, value)
    }

    /// Adds a [`member`](Self::member) if there is a value.
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

    /// Adds a member whose key is data and may equal another key.
    pub fn extension<T: Encode>(&mut self, key: Key<'v>, value: &'v T) -> Result<(), EncodeError> {
        match &mut self.members {
            Members::Written(keys) => {
                self.spelled |= matches!(key, Key::Other(_));
                keys.push(self.to.member_key(&key)?);
                match self.to.sink_mut() {
                    Some(sink) => {
                        sink.member(&key, value);
                        Ok(())
                    }
                    None => value.encode(self.to),
                }
            }
            Members::Waiting(members) => {
                members.push((key, value));
                Ok(())
            }
        }
    }

    /// Ends the map.
    pub fn end(mut self) -> Result<(), EncodeError> {
        match &mut self.members {
            Members::Written(keys) => {
                if keys.len() > self.known {
                    let known = if self.spelled { None } else { Some(self.known) };
                    check_keys(self.to, keys, known)?;
                }
                match self.to.sink_mut() {
                    Some(sink) => sink.end_map(),
                    None => self.to.end(b'}'),
                }
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

/// Checks that the keys that have been written differ. The first `known` of them do; without
/// that number, the tokens of equal keys can differ.
fn check_keys(
    encoder: &mut Encoder<'_>,
    keys: &[Range<usize>],
    known: Option<usize>,
) -> Result<(), EncodeError> {
    let is_cbor = encoder.sink_mut().is_some();
    let written = encoder.written();
    let token = |key: &Range<usize>| &written[key.clone()];
    if let Some(known) = known
        && keys.len() <= FEW
    {
        let mut marks = [0; FEW];
        for (at, key) in keys.iter().enumerate() {
            marks[at] = mark(token(key));
        }
        if (known..keys.len()).all(|at| !marks[..at].contains(&marks[at])) {
            return Ok(());
        }
    }
    let unescaped = |token: &[u8]| {
        let token = str::from_utf8(token).expect("JSON is written as UTF-8");
        json::unescape(&token[1..token.len() - 1])
    };
    let mut tokens: Vec<Cow<'_, [u8]>> = match known {
        None if !is_cbor => keys.iter().map(|key| unescaped(token(key)).into()).collect(),
        _ => keys.iter().map(|key| token(key).into()).collect(),
    };
    tokens.sort_unstable();
    match tokens.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) if is_cbor => Err(EncodeError::DuplicateKey(describe_cbor(&pair[0]))),
        Some(pair) => {
            let text = if known.is_none() { pair[0].to_vec() } else { unescaped(&pair[0]) };
            Err(EncodeError::DuplicateKey(String::from_utf8_lossy(&text).into_owned()))
        }
    }
}

/// Sorts members if all their keys are text, and returns whether they are. A shorter text comes
/// first, because its head is smaller.
fn sort_texts(members: &mut [(Key<'_>, &dyn Encode)]) -> Result<bool, EncodeError> {
    if members.iter().any(|(key, _)| key.text().is_none()) {
        return Ok(false);
    }
    members.sort_unstable_by_key(|(key, _)| key.text().map(|text| (text.len(), text)));
    match members.windows(2).find(|pair| pair[0].0.text() == pair[1].0.text()) {
        None => Ok(true),
        Some(pair) => {
            let text = pair[0].0.text().expect("all keys are text");
            Err(EncodeError::DuplicateKey(text.to_owned()))
        }
    }
}

/// A member with its key as CBOR.
pub(crate) type WithKey<'v> = (Vec<u8>, &'v dyn Encode);

/// Encodes the keys of members and sorts the members by them.
fn with_keys<'v>(members: &[(Key<'v>, &'v dyn Encode)]) -> Result<Vec<WithKey<'v>>, EncodeError> {
    let mut sorted = Vec::with_capacity(members.len());
    for (key, value) in members {
        sorted.push((key.to_cbor()?, *value));
    }
    sorted.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(sorted),
        Some(pair) => Err(EncodeError::DuplicateKey(describe_cbor(&pair[0].0))),
    }
}

/// Describes a key that is written as CBOR.
fn describe_cbor(key: &[u8]) -> String {
    let document = Document::cbor(key).expect("an encoder writes well-formed CBOR");
    let node = document.root();
    match (node.text(), node.integer()) {
        (Some(text), _) if contains_secret(&text) => "(redacted)".to_owned(),
        (Some(text), _) => text.into_owned(),
        (_, Some(label)) => label.to_string(),
        _ => crate::found(node),
    }
}

impl<'v> Key<'v> {
    pub(crate) fn text(&self) -> Option<&'v str> {
        match self {
            Self::Name(text) | Self::Text(text) => Some(text),
            Self::Integer(_) | Self::Other(_) => None,
        }
    }

    pub(crate) fn to_cbor(self) -> Result<Vec<u8>, EncodeError> {
        let mut encoder = Encoder::cbor();
        encoder.key(&self)?;
        Ok(encoder.finish())
    }

    /// Writes the key as CBOR.
    pub(crate) fn push_cbor(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self.text() {
            Some(text) => {
                cbor::push_head(3, text.len() as u64, out);
                out.extend_from_slice(text.as_bytes());
            }
            None => out.extend_from_slice(&self.to_cbor()?),
        }
        Ok(())
    }
}
