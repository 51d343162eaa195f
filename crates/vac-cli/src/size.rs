//! Parses sizes as people write them.

/// Parses a number of bytes: `1000`, `64K`, `64M`, `64MiB`, `1GiB`.
pub fn parse(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: usize = match &text[digits.len()..] {
        "" | "B" => 1,
        "K" | "KiB" => 1 << 10,
        "M" | "MiB" => 1 << 20,
        "G" | "GiB" => 1 << 30,
        unit => return Err(format!("unknown unit `{unit}` (use KiB, MiB or GiB)")),
    };
    let number: usize = digits.parse().map_err(|_| "expected a size such as 64MiB".to_owned())?;
    let size = number.checked_mul(factor).filter(|size| RANGE.contains(size));
    size.ok_or_else(|| "expected 1KiB to 2GiB".to_owned())
}

/// The range of sizes for an event.
const RANGE: std::ops::RangeInclusive<usize> = 1 << 10..=2 << 30;

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes_are_parsed_with_and_without_units() {
        for (text, size) in [
            ("1024", 1024),
            ("2048B", 2048),
            ("64K", 64 << 10),
            ("64KiB", 64 << 10),
            ("3M", 3 << 20),
            ("256MiB", 256 << 20),
            ("2GiB", 2 << 30),
        ] {
            assert_eq!(parse(text), Ok(size), "{text}");
        }
        for text in
            ["", "M", "1.5M", "-1", "64MB", "1k", "64 MiB", "1023", "3GiB", "99999999999999999999G"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
