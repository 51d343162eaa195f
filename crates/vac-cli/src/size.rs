//! Parses sizes and numbers as people write them.

/// Parses a number of things, of which there is at least one.
pub fn count(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected a number from 1".to_owned())
}

/// Parses a number of things; 0 means all of them.
pub fn count_or_all(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a number; 0 means no limit".to_owned())
}

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
    use super::{count, count_or_all, parse};

    #[test]
    fn counts_are_numbers() {
        assert_eq!((count("7"), count_or_all("0")), (Ok(7), Ok(0)));
        for text in ["0", "", "x", "-1", "1.5", "99999999999999999999"] {
            assert_eq!(count(text), Err("expected a number from 1".to_owned()), "{text}");
        }
        assert!(count_or_all("x").is_err_and(|error| error.starts_with("expected a number")));
    }

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
