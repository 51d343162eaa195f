//! Compares versions of agents.

/// Returns whether a version is newer than another one. A version that does not begin with numbers
/// is not newer.
pub fn is_newer(version: &str, tested: &str) -> bool {
    match (numbers(version), numbers(tested)) {
        (Some(version), Some(tested)) => version > tested,
        _ => false,
    }
}

/// Returns the numbers that a version begins with, such as `[2, 1]` of `2.1.0-alpha.1`. A
/// pre-release has the numbers of its release, and is therefore not newer.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let release = version.trim().trim_start_matches('v');
    let release = release.split(['-', '+', ' ']).next().unwrap_or_default();
    let mut numbers = Vec::new();
    for number in release.split('.') {
        numbers.push(number.parse().ok()?);
    }
    // 2.1 is 2.1.0.
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::is_newer;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, tested, expected) in [
            ("2.1.231", "2.1.231", false),
            ("2.1.232", "2.1.231", true),
            ("2.1.9", "2.1.231", false),
            ("2.2", "2.1.231", true),
            ("2.1.231.0", "2.1.231", false),
            ("v3", "2.1.231", true),
            ("0.160.0-alpha.2", "0.160.0", false),
            ("0.161.0-alpha.2", "0.160.0", true),
            ("1.0.0+build", "1.0.0", false),
            ("local", "1.0.0", false),
            ("", "1.0.0", false),
            ("1.x", "1.0.0", false),
            ("99999999999999999999999.0", "1.0.0", false),
        ] {
            assert_eq!(is_newer(version, tested), expected, "{version} {tested}");
        }
    }
}
