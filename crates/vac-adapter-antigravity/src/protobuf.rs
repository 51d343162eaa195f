//! Reads messages in the wire format of Protocol Buffers, for which no schema is published.
//!
//! Only valid messages are read: all fields are checked first. A field is read only with the number
//! and kind that the caller gives, so nothing is guessed from bytes. Nested messages are opened one
//! by one, without recursion.

/// The maximum number of bytes of a varint.
const MAX_VARINT: usize = 10;

/// The maximum number of a field.
const MAX_FIELD: u64 = (1 << 29) - 1;

/// A valid message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Message<'b>(&'b [u8]);

/// The value of a field. Values of numbers of fixed length are not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value<'b> {
    Varint(u64),
    Bytes(&'b [u8]),
    Fixed,
}

impl<'b> Message<'b> {
    /// Returns the message that bytes contain. Groups, which are obsolete, are not valid.
    pub fn parse(bytes: &'b [u8]) -> Option<Self> {
        let mut rest = bytes;
        while !rest.is_empty() {
            read_field(&mut rest)?;
        }
        Some(Self(bytes))
    }

    /// Returns the number in a field.
    pub fn number(self, field: u64) -> Option<u64> {
        let number = |value| if let Value::Varint(number) = value { Some(number) } else { None };
        self.values(field).filter_map(number).last()
    }

    /// Returns the text in a field.
    pub fn text(self, field: u64) -> Option<&'b str> {
        std::str::from_utf8(self.bytes(field)?).ok()
    }

    /// Returns the message in a field.
    pub fn message(self, field: u64) -> Option<Self> {
        Self::parse(self.bytes(field)?)
    }

    /// Returns up to `max` numbers of a list, which may be packed.
    pub fn numbers(self, field: u64, max: usize) -> Vec<u64> {
        let mut numbers = Vec::new();
        for value in self.values(field) {
            match value {
                Value::Varint(number) => numbers.push(number),
                Value::Bytes(mut packed) => {
                    while numbers.len() < max
                        && let Some(number) = read_varint(&mut packed)
                    {
                        numbers.push(number);
                    }
                }
                Value::Fixed => {}
            }
            if numbers.len() >= max {
                break;
            }
        }
        numbers
    }

    /// Returns the bytes in a field. If a field occurs several times, its last value counts.
    fn bytes(self, field: u64) -> Option<&'b [u8]> {
        let bytes = |value| if let Value::Bytes(bytes) = value { Some(bytes) } else { None };
        self.values(field).filter_map(bytes).last()
    }

    fn values(self, field: u64) -> impl Iterator<Item = Value<'b>> {
        let mut rest = self.0;
        let fields = std::iter::from_fn(move || read_field(&mut rest));
        fields.filter(move |(number, _)| *number == field).map(|(_, value)| value)
    }
}

/// Reads a field: its number and its value.
fn read_field<'b>(rest: &mut &'b [u8]) -> Option<(u64, Value<'b>)> {
    let tag = read_varint(rest)?;
    let number = tag >> 3;
    if number == 0 || number > MAX_FIELD {
        return None;
    }
    let value = match tag & 7 {
        0 => Value::Varint(read_varint(rest)?),
        1 => take(rest, 8).map(|_| Value::Fixed)?,
        2 => {
            let length = usize::try_from(read_varint(rest)?).ok()?;
            Value::Bytes(take(rest, length)?)
        }
        5 => take(rest, 4).map(|_| Value::Fixed)?,
        _ => return None,
    };
    Some((number, value))
}

fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for position in 0..MAX_VARINT {
        let byte = *take(rest, 1)?.first()?;
        // The last byte contains only the last of the 64 bits.
        if position == MAX_VARINT - 1 && byte > 1 {
            return None;
        }
        number |= u64::from(byte & 0x7f) << (7 * position);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn take<'b>(rest: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_by_number_and_kind() {
        // 1: 300; 2: "hi"; 3: {1: 7}; 4: a double; 5: a float; 1: 301
        let bytes = b"\x08\xac\x02\x12\x02hi\x1a\x02\x08\x07\x21\0\0\0\0\0\0\xf0\x3f\x2d\0\0\x80\x3f\x08\xad\x02";
        let message = Message::parse(bytes).expect("a message");
        assert_eq!(message.number(1), Some(301), "the last value counts");
        assert_eq!(message.text(2), Some("hi"));
        assert_eq!(message.message(3).and_then(|inner| inner.number(1)), Some(7));
        assert_eq!((message.number(2), message.text(1), message.number(4)), (None, None, None));
        assert_eq!(message.number(9), None);
    }

    #[test]
    fn lists_are_packed_or_not_and_bounded() {
        let message = Message::parse(b"\x12\x03\x03\x87\x01\x10\x09").expect("a message");
        assert_eq!(message.numbers(2, 9), [3, 135, 9]);
        assert_eq!(message.numbers(2, 2), [3, 135]);
        let cut = Message::parse(b"\x12\x02\x03\x87").expect("a message");
        assert_eq!(cut.numbers(2, 9), [3], "a list that ends inside of a number");
        assert!(Message::parse(b"").expect("an empty message").numbers(2, 9).is_empty());
    }

    #[test]
    fn hostile_bytes_are_not_a_message() {
        let cases: &[(&str, &[u8])] = &[
            ("a tag without its end", b"\x88"),
            ("the field 0", b"\x00\x01"),
            ("a field beyond 2^29 - 1", b"\x80\x80\x80\x80\x10\x01"),
            ("a number without its end", b"\x08\xff"),
            ("a number of 11 bytes", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
            ("a number of more than 64 bits", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
            ("a length beyond the end", b"\x12\x05hi"),
            ("a length of 2^64 - 1", b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01hi"),
            ("a double without its end", b"\x21\0\0\0"),
            ("a float without its end", b"\x2d\0\0"),
            ("a group", b"\x0b\x0c"),
            ("wire type 7", b"\x0f\x01"),
            ("text", b"not a message"),
        ];
        for (name, bytes) in cases {
            assert!(Message::parse(bytes).is_none(), "{name}");
        }
        let greatest = Message::parse(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
        assert_eq!(greatest.and_then(|message| message.number(1)), Some(u64::MAX));
    }

    #[test]
    fn damaged_message_in_a_field_is_not_read() {
        let message = Message::parse(b"\x1a\x02\x12\x05\x22\x02\xff\xfe").expect("a message");
        assert!(message.message(3).is_none());
        assert_eq!(message.text(4), None, "not UTF-8");
    }

    #[test]
    fn any_beginning_and_any_changed_byte_is_read_without_panic() {
        let bytes = b"\x08\xac\x02\x12\x02hi\x1a\x02\x08\x07\x21\0\0\0\0\0\0\xf0\x3f";
        for end in 0..bytes.len() {
            for byte in 0..=u8::MAX {
                let mut changed = bytes.to_vec();
                changed[end] = byte;
                for bytes in [&changed[..], &bytes[..end]] {
                    if let Some(message) = Message::parse(bytes) {
                        let _ = (message.text(2), message.message(3), message.numbers(1, 4));
                    }
                }
            }
        }
    }
}
