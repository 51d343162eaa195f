//! Parses the wire format of protocol buffers, to find references in a message whose schema is not
//! published. All of the bytes have to be one message.

/// One field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// The number of the field.
    pub number: u64,
    /// The value of the field.
    pub content: Content<'a>,
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content<'a> {
    /// A number.
    Number(u64),
    /// Bytes: text, a nested message, or anything else.
    Bytes(&'a [u8]),
}

/// The reason for which bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// The bytes end inside a field.
    Truncated,
    /// A number has more than 64 bits.
    LongNumber,
    /// Field 0, or one beyond 2^29 - 1.
    FieldNumber,
    /// A kind of field that does not exist or is a group.
    WireType,
}

impl Problem {
    /// Returns a description for messages.
    pub fn text(self) -> &'static str {
        match self {
            Self::Truncated => "it ends inside a field",
            Self::LongNumber => "a number has more than 64 bits",
            Self::FieldNumber => "a field has a number that none can have",
            Self::WireType => "a field is of a kind that is not in use",
        }
    }
}

const LAST_FIELD: u64 = (1 << 29) - 1;

/// Returns the fields of a message, in order.
pub(super) fn fields(message: &[u8]) -> Result<Vec<Field<'_>>, Problem> {
    let mut fields = Vec::new();
    let mut rest = message;
    while !rest.is_empty() {
        fields.push(field(&mut rest)?);
    }
    Ok(fields)
}

fn field<'a>(rest: &mut &'a [u8]) -> Result<Field<'a>, Problem> {
    let tag = number(rest)?;
    let number_of_field = tag >> 3;
    if number_of_field == 0 || number_of_field > LAST_FIELD {
        return Err(Problem::FieldNumber);
    }
    let content = match tag & 7 {
        0 => Content::Number(number(rest)?),
        1 => Content::Bytes(bytes(rest, 8)?),
        2 => {
            let length = number(rest)?;
            Content::Bytes(bytes(rest, length)?)
        }
        5 => Content::Bytes(bytes(rest, 4)?),
        _ => return Err(Problem::WireType),
    };
    Ok(Field { number: number_of_field, content })
}

fn number(rest: &mut &[u8]) -> Result<u64, Problem> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first().ok_or(Problem::Truncated)?;
        *rest = after;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return Err(Problem::LongNumber);
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Problem::LongNumber)
}

fn bytes<'a>(rest: &mut &'a [u8], length: u64) -> Result<&'a [u8], Problem> {
    let length = usize::try_from(length).map_err(|_| Problem::Truncated)?;
    let (bytes, after) = rest.split_at_checked(length).ok_or(Problem::Truncated)?;
    *rest = after;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_its_fields_in_order() {
        let message = b"\x0a\x03abc\x10\x96\x01\x1d\x01\x02\x03\x04\x21\x01\x02\x03\x04\x05\x06\x07\x08\x0a\0";
        let expected = [
            (1, Content::Bytes(b"abc")),
            (2, Content::Number(150)),
            (3, Content::Bytes(&[1, 2, 3, 4])),
            (4, Content::Bytes(&[1, 2, 3, 4, 5, 6, 7, 8])),
            (1, Content::Bytes(b"")),
        ];
        let expected = expected.map(|(number, content)| Field { number, content });
        assert_eq!(fields(message).as_deref(), Ok(&expected[..]));
        assert_eq!(fields(b""), Ok(Vec::new()));
    }

    #[test]
    fn invalid_bytes_are_not_a_message() {
        let cases: &[(&[u8], Problem)] = &[
            (b"\x0a\x20short", Problem::Truncated),
            (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", Problem::Truncated),
            (b"\x0a", Problem::Truncated),
            (b"\x80", Problem::Truncated),
            (b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", Problem::LongNumber),
            (b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", Problem::LongNumber),
            (b"\x02\0", Problem::FieldNumber),
            (b"\x80\x80\x80\x80\x10\0", Problem::FieldNumber),
            (b"\x0b", Problem::WireType),
            (b"\x0c", Problem::WireType),
            (b"{\"role\"", Problem::WireType),
            (b"\x1d\x01\x02\x03", Problem::Truncated),
        ];
        for (message, problem) in cases {
            assert_eq!(fields(message), Err(*problem), "{message:x?}");
        }
    }

    #[test]
    fn any_bytes_are_parsed_without_panic() {
        // Every sequence of two bytes, and every beginning of a valid message.
        for bytes in 0..=u16::MAX {
            let _ = fields(&bytes.to_be_bytes());
        }
        let good = b"\x0a\x03abc\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x1d\x01\x02\x03\x04";
        for end in 0..good.len() {
            let is_whole = [0, 5, 16].contains(&end);
            assert_eq!(fields(&good[..end]).is_ok(), is_whole, "{end}");
        }
    }
}
