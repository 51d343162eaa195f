//! The parts of a page: bytes in elements that a browser neither shows nor runs.

use std::io::{Read as _, Write as _};

use data_encoding::{BASE64, Encoding as Base64, Specification};
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

use crate::error::PageError;

/// The number of characters of base64 in a line, so that editors and other tools can open pages.
const LINE: usize = 120;

/// Writes a part whose content is text without markup.
pub(crate) fn write_text(page: &mut String, id: &str, text: &str) {
    page.push_str(&opening(id));
    page.push('\n');
    page.push_str(text.trim_end());
    page.push_str("\n</template>\n");
}

/// Writes a part: gzip, then base64.
pub(crate) fn write(page: &mut String, id: &str, bytes: &[u8]) {
    write_text(page, id, &lines().encode(&gzip(bytes)));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    // The header states neither a time nor a name, so the same bytes give the same part.
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::default());
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    packed.expect("writing to memory cannot fail")
}

/// Returns the text of a part, if the page has it.
///
/// # Errors
/// If the page contains the part twice, because browsers could use either.
pub(crate) fn text<'p>(page: &'p str, id: &str) -> Result<Option<&'p str>, PageError> {
    let opening = opening(id);
    let Some((_, rest)) = page.split_once(&opening) else { return Ok(None) };
    if rest.contains(&opening) {
        return Err(PageError::NotAPage(format!("it contains `{id}` twice")));
    }
    match rest.split_once("</template>") {
        Some((text, _)) => Ok(Some(text.trim())),
        None => Err(PageError::NotAPage(format!("`{id}` does not end"))),
    }
}

/// Returns the bytes of a part, if the page has it. `max` limits their number.
pub(crate) fn bytes(page: &str, id: &str, max: usize) -> Result<Option<Vec<u8>>, PageError> {
    let Some(text) = text(page, id)? else { return Ok(None) };
    let damaged = |reason: &dyn std::fmt::Display| {
        PageError::NotAPage(format!("`{id}` is damaged: {reason}"))
    };
    let packed: String = text.split_ascii_whitespace().collect();
    let packed = BASE64.decode(packed.as_bytes()).map_err(|error| damaged(&error))?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    let mut decoder = GzDecoder::new(&*packed);
    (&mut decoder).take(limit).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
    if bytes.len() > max {
        return Err(PageError::TooLarge { size: bytes.len() });
    }
    // Refuse bytes after the end, as browsers do.
    if !decoder.into_inner().is_empty() {
        return Err(damaged(&"bytes after its end"));
    }
    Ok(Some(bytes))
}

fn opening(id: &str) -> String {
    format!("<template id=\"{id}\">")
}

/// Returns base64 in lines.
fn lines() -> Base64 {
    let mut specification: Specification = BASE64.specification();
    specification.wrap.width = LINE;
    specification.wrap.separator.push('\n');
    specification.encoding().expect("base64 in lines is an encoding")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_were_written() {
        for bytes in [&b""[..], b"x", &[0, 255, 10, 13, 60].repeat(1000)] {
            let mut page = String::from("<p>before</p>");
            write(&mut page, "vac-document", bytes);
            let read = super::bytes(&page, "vac-document", 10_000).expect("a part");
            assert_eq!(read.as_deref(), Some(bytes));
            assert!(page.lines().all(|line| line.len() <= LINE), "lines are short");
        }
    }

    #[test]
    fn missing_part_is_absent() {
        assert!(super::bytes("<p>", "vac-document", 10).expect("no part").is_none());
    }

    #[test]
    fn damaged_parts_are_refused() {
        let mut page = String::new();
        write(&mut page, "vac-document", b"the bytes of a record");
        let twice = format!("{page}{page}");
        let endless = page.replace("</template>", "");
        let cut = page.replace("\n</template>", "A\n</template>");
        let packed = gzip(b"the bytes of a record");
        let joined = [packed.clone(), gzip(b" and more")].concat();
        let trailing = [packed, b"more".to_vec()].concat();
        let [joined, trailing] = [joined, trailing].map(|packed| {
            let mut page = String::new();
            write_text(&mut page, "vac-document", &BASE64.encode(&packed));
            page
        });
        for damaged in [twice, endless, cut, joined, trailing] {
            assert!(super::bytes(&damaged, "vac-document", 100).is_err(), "{damaged}");
        }
    }

    #[test]
    fn parts_above_the_limit_are_refused() {
        let mut page = String::new();
        write(&mut page, "vac-document", &[7; 1000]);
        assert!(super::bytes(&page, "vac-document", 1000).is_ok());
        let error = super::bytes(&page, "vac-document", 999).expect_err("too large");
        assert!(matches!(error, PageError::TooLarge { .. }), "{error}");
    }
}
