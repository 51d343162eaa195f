//! Computes values of columns from those of a record.

use vac_record::AbstractTimestamp;
use vac_record::annotations::Subagent;
use vac_record::time::instant;

use crate::json_text::MAX_VALUE;

/// The id of a subagent or session for which the log states none.
pub(crate) const WITHOUT_ID: &str = "unknown";
/// The range of microseconds since 1970 for the years 1 to 9999, which every program can display.
const TIMES: std::ops::Range<i128> = -62_135_596_800_000_000..253_402_300_800_000_000;

/// Returns the id of a subagent, or of the call that started it.
pub(crate) fn subagent(subagent: &Subagent<'_>) -> String {
    let id = subagent.id.as_deref().or(subagent.call_id.as_deref());
    id.unwrap_or(WITHOUT_ID).to_owned()
}

/// Returns a time in microseconds since 1970. `None` outside of the years 1 to 9999.
pub(crate) fn microseconds(timestamp: Option<&AbstractTimestamp<'_>>) -> Option<i64> {
    let microseconds = instant(timestamp?)?.div_euclid(1000);
    i64::try_from(microseconds).ok().filter(|_| TIMES.contains(&microseconds))
}

pub(crate) fn microseconds_of_text(text: &str) -> Option<i64> {
    microseconds(AbstractTimestamp::try_from(text).ok().as_ref())
}

/// Returns a text if it is short enough for a column, and whether it was left out.
pub(crate) fn bounded(text: Option<&str>) -> (Option<&str>, bool) {
    match text {
        Some(text) if text.len() > MAX_VALUE => (None, true),
        text => (text, false),
    }
}

/// Returns the part of a path below a folder.
pub(crate) fn path_below<'p>(path: &'p str, folder: Option<&str>) -> Option<&'p str> {
    let is_relative = !path.starts_with(['/', '\\', '~']) && path.as_bytes().get(1) != Some(&b':');
    let below = if is_relative {
        path.strip_prefix("./").unwrap_or(path)
    } else {
        let folder = folder?.trim_end_matches(['/', '\\']);
        path.strip_prefix(folder)?.strip_prefix(['/', '\\'])?
    };
    let leaves = below.split(['/', '\\']).any(|name| name == "..");
    Some(below).filter(|below| !below.is_empty() && !leaves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_the_working_directory_are_relative_to_it() {
        for (path, folder, expected) in [
            ("/home/ada/x/src/a.rs", Some("/home/ada/x"), Some("src/a.rs")),
            ("/home/ada/x/src/a.rs", Some("/home/ada/x/"), Some("src/a.rs")),
            ("/home/ada/xy/a.rs", Some("/home/ada/x"), None),
            ("/home/ada/x", Some("/home/ada/x"), None),
            ("src/a.rs", None, Some("src/a.rs")),
            ("./a.rs", None, Some("a.rs")),
            ("../a.rs", Some("/x"), None),
            ("/x/../a.rs", Some("/x"), None),
            ("~/a.rs", Some("/x"), None),
            ("C:\\x\\a.rs", Some("C:\\x"), Some("a.rs")),
            ("/a.rs", None, None),
        ] {
            assert_eq!(path_below(path, folder), expected, "{path} {folder:?}");
        }
    }

    #[test]
    fn times_outside_of_four_digit_years_are_unknown() {
        let time = |text: &str| microseconds_of_text(text);
        assert_eq!(time("1970-01-01T00:00:00.0000019Z"), Some(1));
        assert_eq!(time("1969-12-31T23:59:59.999999Z"), Some(-1));
        assert_eq!(time("0001-01-01T00:00:00Z"), Some(-62_135_596_800_000_000));
        assert_eq!(time("0000-12-31T23:59:59Z"), None);
    }
}
