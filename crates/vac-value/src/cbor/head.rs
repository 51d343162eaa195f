//! The head of an item: major type, additional information, argument.

use std::borrow::Cow;

use crate::{Problem, SyntaxError};

/// A well-formed head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// Major type, 0 to 7.
    pub major: u8,
    /// Additional information, 0 to 27, or 31 for indefinite length and break.
    pub info: u8,
    /// The argument: value, length, count, tag number, or the bits of a float.
    pub argument: u64,
    /// Bytes of the head itself.
    pub length: usize,
}

impl Head {
    /// Reads the head at an offset.
    #[inline]
    pub fn read(source: &[u8], at: usize) -> Result<Self, SyntaxError> {
        let error = |problem| SyntaxError { offset: at, problem };
        let Some(&initial) = source.get(at) else {
            return Err(error(Problem::Truncated));
        };
        let (major, info) = (initial >> 5, initial & 0x1f);
        let following = match info {
            0..=23 | 31 => 0,
            24..=27 => 1 << (info - 24),
            _ => return Err(error(Problem::InitialByte(initial))),
        };
        let Some(bytes) = source.get(at + 1..at + 1 + following) else {
            return Err(error(Problem::Truncated));
        };
        let argument = match following {
            0 => u64::from(info),
            _ => bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        };
        Ok(Self { major, info, argument, length: 1 + following })
    }

    /// Returns whether the argument cannot be written in fewer bytes.
    pub fn is_shortest(&self) -> bool {
        match self.info {
            24 => self.argument >= 24,
            25 => self.argument > 0xff,
            26 => self.argument > 0xffff,
            27 => self.argument > 0xffff_ffff,
            _ => true,
        }
    }
}

/// Returns the length of the well-formed head at an offset.
#[inline]
pub(crate) fn head_length(source: &[u8], at: usize) -> usize {
    match source.get(at).map(|initial| initial & 0x1f) {
        Some(info @ 24..=27) => 1 + (1 << (info - 24)),
        _ => 1,
    }
}

/// Returns the argument of the head at an offset.
pub(crate) fn argument_at(source: &[u8], at: usize) -> Option<u64> {
    Head::read(source, at).ok().map(|head| head.argument)
}

/// Returns the integer at an offset.
pub(crate) fn integer_at(source: &[u8], at: usize) -> Option<i128> {
    let head = Head::read(source, at).ok()?;
    match head.major {
        0 => Some(i128::from(head.argument)),
        1 => Some(-1 - i128::from(head.argument)),
        _ => None,
    }
}

/// Returns the float at an offset.
pub(crate) fn float_at(source: &[u8], at: usize) -> Option<f64> {
    let head = Head::read(source, at).ok()?;
    match (head.major, head.info) {
        (7, 25) => u16::try_from(head.argument).ok().map(half_to_double),
        (7, 26) => {
            u32::try_from(head.argument).ok().map(|bits| single_to_double(f32::from_bits(bits)))
        }
        (7, 27) => Some(f64::from_bits(head.argument)),
        _ => None,
    }
}

/// Widens a single without changing the payload of a NaN.
fn single_to_double(value: f32) -> f64 {
    if value.is_nan() {
        let bits = value.to_bits();
        let sign = u64::from(bits >> 31) << 63;
        return f64::from_bits(sign | 0x7ff0 << 48 | u64::from(bits & 0x7f_ffff) << 29);
    }
    f64::from(value)
}

/// Returns the content of the string at an offset.
pub(crate) fn string_at(source: &[u8], at: usize, chunked: bool) -> Cow<'_, [u8]> {
    let content = |at: usize| {
        let head = Head::read(source, at).ok()?;
        let start = at + head.length;
        let length = usize::try_from(head.argument).ok()?;
        source.get(start..start.checked_add(length)?)
    };
    if !chunked {
        return Cow::Borrowed(content(at).expect("the scanner has checked the length"));
    }
    let mut whole = Vec::new();
    let mut at = at + 1;
    while source.get(at).is_some_and(|byte| *byte != 0xff) {
        let chunk = content(at).expect("the scanner has checked every chunk");
        whole.extend_from_slice(chunk);
        at += chunk.len() + head_length(source, at);
    }
    Cow::Owned(whole)
}

/// Writes a head in its shortest form.
#[allow(clippy::cast_possible_truncation)] // each arm has checked the range
pub(crate) fn push_head(major: u8, argument: u64, out: &mut Vec<u8>) {
    let major = major << 5;
    match argument {
        0..=23 => out.push(major | argument as u8),
        24..=0xff => out.extend_from_slice(&[major | 0x18, argument as u8]),
        0x100..=0xffff => {
            out.push(major | 0x19);
            out.extend_from_slice(&(argument as u16).to_be_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            out.push(major | 0x1a);
            out.extend_from_slice(&(argument as u32).to_be_bytes());
        }
        _ => {
            out.push(major | 0x1b);
            out.extend_from_slice(&argument.to_be_bytes());
        }
    }
}

/// Writes a float in the shortest form that holds it bit for bit.
pub(crate) fn push_float(value: f64, out: &mut Vec<u8>) {
    if let Some(half) = double_to_half(value) {
        out.push(0xf9);
        out.extend_from_slice(&half.to_be_bytes());
    } else if let Some(single) = double_to_single(value) {
        out.push(0xfa);
        out.extend_from_slice(&single.to_be_bytes());
    } else {
        out.push(0xfb);
        out.extend_from_slice(&value.to_bits().to_be_bytes());
    }
}

/// Returns the bits of the single that widens to exactly this double.
#[allow(clippy::cast_possible_truncation)] // checked by widening again
pub(crate) fn double_to_single(value: f64) -> Option<u32> {
    let bits = value.to_bits();
    let single = if value.is_nan() {
        (bits >> 32 & 0x8000_0000) as u32 | 0x7f80_0000 | (bits >> 29 & 0x7f_ffff) as u32
    } else {
        (value as f32).to_bits()
    };
    (single_to_double(f32::from_bits(single)).to_bits() == bits).then_some(single)
}

/// Returns the bits of the half that widens to exactly this double.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked by widening again
pub(crate) fn double_to_half(value: f64) -> Option<u16> {
    let bits = value.to_bits();
    let sign = (bits >> 48 & 0x8000) as u16;
    let exponent = i32::from((bits >> 52 & 0x7ff) as u16) - 1023;
    let fraction = bits & 0xf_ffff_ffff_ffff;
    let half = match exponent {
        1024 => sign | 0x7c00 | (fraction >> 42) as u16,
        -14..=15 => sign | ((exponent + 15) as u16) << 10 | (fraction >> 42) as u16,
        // Subnormal halves: the hidden bit moves into the fraction.
        -24..=-15 => sign | ((fraction | 1 << 52) >> (28 - exponent)) as u16,
        _ => sign,
    };
    (half_to_double(half).to_bits() == bits).then_some(half)
}

fn half_to_double(half: u16) -> f64 {
    let sign = u64::from(half >> 15) << 63;
    let exponent = u64::from(half >> 10 & 0x1f);
    let fraction = u64::from(half & 0x3ff);
    match exponent {
        0 => {
            let magnitude = f64::from(half & 0x3ff) / f64::from(1 << 24);
            f64::from_bits(magnitude.to_bits() | sign)
        }
        31 => f64::from_bits(sign | 0x7ff << 52 | fraction << 42),
        _ => f64::from_bits(sign | (exponent + 1008) << 52 | fraction << 42),
    }
}
