//! Decompresses logs, with limits on memory and size.

use std::io::{self, BufRead, BufReader, Read};

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use vac_adapter::container::bad_data;

/// The first bytes of a compressed file.
pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first bytes of a skippable frame, whose last four bits vary.
const SKIPPABLE: u32 = 0x184d_2a50;

/// The number of bytes to which every file may decompress, regardless of its size.
const MIN_ALLOWED: u64 = 64 << 20;
/// The maximum ratio of decompressed bytes to the bytes of the data frames, beyond [`MIN_ALLOWED`].
/// Logs have ratios of 10 to 50.
const MAX_RATIO: u64 = 1000;
/// Binary logarithm of the maximum window, which is kept in memory: 128 MiB, the maximum of `zstd`
/// unless `--long` gives a larger number.
const MAX_WINDOW_LOG: u32 = 27;

/// Decompresses a file of one or more frames.
pub fn decompress<R: Read>(compressed: R) -> io::Result<impl Read> {
    let mut decoder = Decoder::new()?;
    decoder.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG))?;
    let input = BufReader::with_capacity(1 << 16, compressed);
    Ok(Decompressed { input, data: DataFrames { decoder, is_open: false, read: 0, written: 0 } })
}

/// Decompresses bytes of one or more frames.
pub fn decompress_all(compressed: &[u8]) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    decompress(compressed)?.read_to_end(&mut content)?;
    Ok(content)
}

struct Decompressed<R> {
    input: BufReader<R>,
    data: DataFrames,
}

/// Decodes the data frames. Skippable frames do not count for the limit, because they can be of any
/// length.
struct DataFrames {
    decoder: Decoder<'static>,
    /// Whether a frame has begun and is not complete.
    is_open: bool,
    read: u64,
    written: u64,
}

impl DataFrames {
    /// Decodes a part of a frame; returns the numbers of bytes read and written.
    fn decode(&mut self, input: &[u8], output: &mut [u8]) -> io::Result<(usize, usize)> {
        let mut input = InBuffer::around(input);
        let mut output = OutBuffer::around(output);
        let hint = self.decoder.run(&mut input, &mut output).map_err(|error| explain(&error))?;
        // Zero means that the frame is complete and all of it has been written.
        self.is_open = hint > 0;
        let (read, written) = (input.pos(), output.pos());
        self.read += read as u64;
        self.written += written as u64;
        if self.written > MIN_ALLOWED.max(self.read.saturating_mul(MAX_RATIO)) {
            return Err(bad_data(format!(
                "it grows to more than {MAX_RATIO} times its size when it is decompressed"
            )));
        }
        Ok((read, written))
    }
}

impl<R: Read> Decompressed<R> {
    /// Begins the next data frame; false at the end of the file.
    fn begin_frame(&mut self) -> io::Result<bool> {
        loop {
            let mut magic = [0; 4];
            match self.read_up_to(&mut magic)? {
                0 => return Ok(false),
                4 => {}
                _ => return Err(truncated_error()),
            }
            if u32::from_le_bytes(magic) & !0xf == SKIPPABLE {
                self.skip_frame()?;
                continue;
            }
            self.data.decode(&magic, &mut [])?;
            return Ok(true);
        }
    }

    /// Skips the rest of a skippable frame: its length and its content.
    fn skip_frame(&mut self) -> io::Result<()> {
        let mut length = [0; 4];
        if self.read_up_to(&mut length)? < length.len() {
            return Err(truncated_error());
        }
        let length = u64::from(u32::from_le_bytes(length));
        let skipped = io::copy(&mut self.input.by_ref().take(length), &mut io::sink())?;
        if skipped == length { Ok(()) } else { Err(truncated_error()) }
    }

    /// Fills a small buffer with the available bytes.
    fn read_up_to(&mut self, buffer: &mut [u8; 4]) -> io::Result<usize> {
        let mut bytes = Vec::with_capacity(buffer.len());
        let count = self.input.by_ref().take(buffer.len() as u64).read_to_end(&mut bytes)?;
        buffer[..count].copy_from_slice(&bytes);
        Ok(count)
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.data.is_open && !self.begin_frame()? {
                return Ok(0);
            }
            let Self { input, data } = self;
            let chunk = input.fill_buf()?;
            let is_at_end = chunk.is_empty();
            let (read, written) = data.decode(chunk, buffer)?;
            input.consume(read);
            if written > 0 {
                return Ok(written);
            }
            if is_at_end && data.is_open {
                return Err(truncated_error());
            }
        }
    }
}

fn truncated_error() -> io::Error {
    bad_data("cannot be decompressed: it is cut short")
}

/// Converts an error of the decoder into one about the file.
fn explain(error: &io::Error) -> io::Error {
    let words = error.to_string();
    bad_data(match words.as_str() {
        "Dictionary mismatch" => "cannot be decompressed: it needs a dictionary".to_owned(),
        "Frame requires too much memory for decoding" => {
            let megabytes = (1 << MAX_WINDOW_LOG) >> 20;
            format!("cannot be decompressed: its window is larger than {megabytes} MiB")
        }
        _ => format!("cannot be decompressed: {words}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decompressed(file: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        decompress(file)?.read_to_end(&mut out)?;
        Ok(out)
    }

    #[track_caller]
    fn fails(file: &[u8], words: &str) {
        let error = decompressed(file).expect_err("an error").to_string();
        assert!(error.contains(words), "{error}");
    }

    fn skippable(length: usize) -> Vec<u8> {
        let head =
            [&(SKIPPABLE | 7).to_le_bytes()[..], &u32::try_from(length).unwrap().to_le_bytes()];
        [head.concat(), vec![b'x'; length]].concat()
    }

    fn bomb() -> Vec<u8> {
        zstd::encode_all(io::repeat(b' ').take(MIN_ALLOWED + 1), 3).unwrap()
    }

    #[test]
    fn decompressed_log_equals_the_original() {
        let log = b"{\"type\": \"session_meta\"}\n".repeat(1000);
        let small = zstd::encode_all(&log[..], 3).unwrap();
        assert!(small.starts_with(&MAGIC));
        assert_eq!(decompressed(&small).unwrap(), log);
        assert_eq!(decompressed(b"").unwrap(), b"");
    }

    #[test]
    fn frames_of_all_kinds_follow_each_other() {
        let (one, other) = (b"one ".repeat(100_000), b"other ".repeat(3));
        let frame = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
        let file = [
            skippable(0),
            frame(&one),
            skippable(100_000),
            frame(b""),
            frame(&other),
            skippable(3),
        ];
        assert_eq!(decompressed(&file.concat()).unwrap(), [one, other].concat());
        let many = frame(b"").repeat(10_000);
        assert_eq!(decompressed(&[many, frame(b"x")].concat()).unwrap(), b"x");
    }

    #[test]
    fn bomb_is_an_error_before_it_is_large() {
        assert!((bomb().len() as u64) < MIN_ALLOWED / MAX_RATIO);
        fails(&bomb(), "1000 times");
    }

    #[test]
    fn skippable_frames_do_not_raise_the_limit() {
        fails(&[skippable(400_000), bomb()].concat(), "1000 times");
        // Many small frames share one allowance.
        let small = zstd::encode_all(io::repeat(b' ').take(MIN_ALLOWED / 4), 3).unwrap();
        fails(&small.repeat(5), "1000 times");
    }

    #[test]
    fn truncated_file_is_an_error() {
        let file = zstd::encode_all(&b"text ".repeat(1000)[..], 3).unwrap();
        let file = [skippable(5), file].concat();
        for length in (1..file.len()).filter(|length| *length != 13) {
            assert!(decompressed(&file[..length]).is_err(), "{length}");
        }
        fails(&file[..file.len() - 3], "cut short");
        fails(&file[..7], "cut short");
    }

    #[test]
    fn window_that_is_too_large_is_an_error() {
        // A window of 2 GiB, and one raw block of one byte.
        let file = [&MAGIC[..], &[0x00, 21 << 3, 0x09, 0x00, 0x00, b'x']].concat();
        fails(&file, "window is larger than 128 MiB");
        let file = [&MAGIC[..], &[0x00, 0, 0x09, 0x00, 0x00, b'x']].concat();
        assert_eq!(decompressed(&file).unwrap(), b"x");
    }

    #[test]
    fn dictionary_that_is_needed_is_named() {
        let file = [&MAGIC[..], &[0x01, 0, 7, 0x09, 0x00, 0x00, b'x']].concat();
        fails(&file, "it needs a dictionary");
    }

    #[test]
    fn stated_size_that_is_wrong_is_an_error() {
        // One segment of a stated size of 200, and one raw block of one byte.
        let file = [&MAGIC[..], &[0x20, 200, 0x09, 0x00, 0x00, b'x']].concat();
        fails(&file, "cannot be decompressed");
        let file = [&MAGIC[..], &[0x20, 1, 0x09, 0x00, 0x00, b'x']].concat();
        assert_eq!(decompressed(&file).unwrap(), b"x");
    }
}
