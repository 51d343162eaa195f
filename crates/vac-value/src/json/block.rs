//! Finds the bytes that are special in JSON text, a block at a time.

use wide::u8x16;

/// The number of bytes in a block.
const WIDTH: usize = 16;

/// A block of the source, and which of its bytes are special in a text: quotes, backslashes and
/// control characters.
pub(super) struct Block {
    pub start: usize,
    /// A bit for each special byte that has not been handled.
    pub special: u32,
}

impl Block {
    #[inline]
    pub fn at(source: &[u8], start: usize) -> Self {
        // A text can be at the end of the source.
        let rest = source.get(start..).unwrap_or(&[]);
        let special = match rest.first_chunk() {
            Some(bytes) => special(*bytes),
            None => {
                let mut bytes = [b' '; WIDTH];
                bytes[..rest.len()].copy_from_slice(rest);
                // Mark the end of the source as special.
                special(bytes) | 1 << rest.len()
            }
        };
        Self { start, special }
    }

    /// Returns the offset of the next special byte, or the end of the source.
    #[inline]
    pub fn next(&mut self, source: &[u8]) -> usize {
        while self.special == 0 {
            *self = Self::at(source, self.start + WIDTH);
        }
        self.start + self.special.trailing_zeros() as usize
    }

    /// Continues at an offset after the one that was found.
    #[inline]
    pub fn skip(&mut self, source: &[u8], to: usize) {
        let places = to - self.start;
        if places < WIDTH {
            self.special &= u32::MAX << places;
        } else {
            *self = Self::at(source, to);
        }
    }
}

/// Returns a bit for each byte that is a quote, a backslash or a control character.
#[inline]
fn special(bytes: [u8; WIDTH]) -> u32 {
    let bytes = u8x16::new(bytes);
    let control = bytes.min(u8x16::splat(0x1f)).simd_eq(bytes);
    let quote = bytes.simd_eq(u8x16::splat(b'"'));
    let backslash = bytes.simd_eq(u8x16::splat(b'\\'));
    (control | quote | backslash).to_bitmask()
}

/// Returns the offset of the first backslash in a block; the length of the block if it contains
/// none.
#[inline]
pub(crate) fn first_backslash(bytes: [u8; WIDTH]) -> usize {
    let backslash = u8x16::new(bytes).simd_eq(u8x16::splat(b'\\'));
    (backslash.to_bitmask() | 1 << WIDTH).trailing_zeros() as usize
}

/// Returns the offset of the first quote, backslash or control character from `at` on, or the
/// end.
#[inline]
pub(crate) fn end_of_plain(source: &[u8], mut at: usize) -> usize {
    while let Some(bytes) = source.get(at..).and_then(|rest| rest.first_chunk()) {
        let special = special(*bytes);
        if special != 0 {
            return at + special.trailing_zeros() as usize;
        }
        at += WIDTH;
    }
    if at >= source.len() {
        return source.len();
    }
    // Fewer bytes than a block are left: use the last block, which overlaps the one before.
    if let Some(last) = source.last_chunk::<WIDTH>() {
        let start = source.len() - WIDTH;
        let special = special(*last) & u32::MAX << (at - start);
        return if special == 0 { source.len() } else { start + special.trailing_zeros() as usize };
    }
    if let (Some(first), Some(last)) = (source.first_chunk(), source.last_chunk())
        && at == 0
        && is_plain(*first)
        && is_plain(*last)
    {
        return source.len();
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    source[at..].iter().position(is_special).map_or(source.len(), |length| at + length)
}

/// Returns whether none of eight bytes is a quote, a backslash or a control character.
#[inline]
fn is_plain(bytes: [u8; 8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let word = u64::from_ne_bytes(bytes);
    let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES * 0x20);
    // A borrow can only come from a special byte.
    (quote | backslash | control) & !word & HIGH == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches byte by byte.
    fn slow(source: &[u8], at: usize) -> usize {
        let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
        source[at..].iter().position(is_special).map_or(source.len(), |length| at + length)
    }

    #[test]
    fn plain_text_ends_at_the_first_special_byte() {
        for length in 0..50 {
            let plain = vec![b'a'; length];
            assert_eq!(end_of_plain(&plain, 0), length);
            for place in 0..length {
                for special in
                    [b'"', b'\\', 0, 0x1f, b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xff]
                {
                    let mut text = plain.clone();
                    text[place] = special;
                    // Another special byte after it must not hide it.
                    if let Some(next) = text.get_mut(place + 1) {
                        *next = b'"';
                    }
                    for at in [0, 1, length / 2, length] {
                        let at = at.min(length);
                        assert_eq!(end_of_plain(&text, at), slow(&text, at), "{text:?} {at}");
                    }
                }
            }
        }
    }
}
