//! Formats numbers, sizes, durations and long texts for people.

use vac::record::time::utc;

/// Formats a count with its noun: `1 file`, `2,000 files`.
pub fn pluralize(count: impl TryInto<u64>, thing: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {thing}"),
        count => format!("{} {thing}s", group_digits(count)),
    }
}

/// Formats a number with a comma between each three digits.
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Formats a time that a signer claims, in seconds since 1970, in UTC.
pub fn format_time(seconds: f64) -> String {
    #[allow(clippy::cast_possible_truncation)] // a fraction of a second does not matter
    let nanoseconds = i128::from(seconds as i64) * 1_000_000_000;
    utc(nanoseconds).unwrap_or_else(|| format!("{seconds} seconds since 1970"))
}

/// Formats a number of bytes with two or three digits: `12.3 kB`.
pub fn format_size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut unit = 0;
    // In tenths of the unit.
    let mut tenths = u128::from(bytes) / 100;
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths /= 1000;
        unit += 1;
    }
    let name = UNITS[unit];
    match tenths {
        ..1000 => format!("{}.{} {name}", tenths / 10, tenths % 10),
        _ => format!("{} {name}", tenths / 10),
    }
}

/// Formats a duration in one to three units: `1 h 2 min 3 s`.
pub fn format_duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let (minutes, rest) = (seconds / 60 % 60, seconds % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{rest}.{:03} s", milliseconds % 1000),
        (0, 0, _) => format!("{minutes} min {rest} s"),
        (0, _, _) => format!("{hours} h {minutes} min {rest} s"),
        _ => format!("{days} d {hours} h {minutes} min"),
    }
}

/// Returns at most this many characters of a text, with `...` if there are more.
pub fn truncate(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_of_counts_are_singular_or_plural() {
        assert_eq!(pluralize(0_usize, "file"), "0 files");
        assert_eq!(pluralize(1_u64, "file"), "1 file");
        assert_eq!(pluralize(2_000_u64, "file"), "2,000 files");
    }

    #[test]
    fn numbers_are_grouped_by_three_digits() {
        for (number, expected) in
            [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(group_digits(number), expected);
        }
    }

    #[test]
    fn sizes_have_the_unit_that_fits() {
        for (bytes, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (12_345, "12.3 kB"),
            (99_999, "99.9 kB"),
            (123_456, "123 kB"),
            (999_999, "999 kB"),
            (1_000_000, "1.0 MB"),
            (4_700_000_000, "4.7 GB"),
            (u64::MAX, "18.4 EB"),
        ] {
            assert_eq!(format_size(bytes), expected);
        }
    }

    #[test]
    fn durations_have_one_to_three_units() {
        for (milliseconds, expected) in [
            (5, "0.005 s"),
            (61_000, "1 min 1 s"),
            (3_600_000, "1 h 0 min 0 s"),
            (90_061_000, "1 d 1 h 1 min"),
        ] {
            assert_eq!(format_duration(milliseconds), expected);
        }
    }

    #[test]
    fn truncated_text_ends_between_characters() {
        assert_eq!(truncate("éèê", 2), "éè...");
        assert_eq!(truncate("éèê", 3), "éèê");
    }
}
