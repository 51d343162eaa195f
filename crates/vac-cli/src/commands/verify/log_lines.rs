//! Describes whether a record was made from a log.

use vac::{LogVerdict, LogVerification, SourceState};

use super::named;
use crate::format::{group_digits, pluralize};
use crate::printer::line::{ERROR, Line, SUCCESS};

/// Returns the answer about the log, and a line for each file of it that differs.
pub(super) fn log_lines(log: &LogVerification) -> Vec<Line> {
    let from = match (&log.log, log.log_has_grown) {
        (Some(name), false) => name.clone(),
        (Some(name), true) => format!("what {name} was then"),
        (None, _) => "a log".to_owned(),
    };
    let (style, words, detail) = match log.verdict {
        LogVerdict::Identical => (SUCCESS, "made from it", format!("{from} gives the same bytes")),
        LogVerdict::Equal => {
            (SUCCESS, "made from it", format!("{from} gives the same values in other bytes"))
        }
        LogVerdict::OtherBuild => {
            let version = log.version.as_deref().unwrap_or("unknown");
            let build = log.build.as_deref().unwrap_or("not stated");
            let detail = format!(
                "{from} gives the same values; the record was made by version {version}, build {build}"
            );
            (SUCCESS, "made from it by another build", detail)
        }
        LogVerdict::ValuesDiffer => {
            let place = log.differs_at.as_deref().unwrap_or_default();
            (ERROR, "NOT made from it", format!("{from} gives another value at `{place}`"))
        }
        LogVerdict::SourcesDiffer => (
            ERROR,
            "NOT made from it",
            format!("{from} does not have the bytes that the record states"),
        ),
        LogVerdict::NoSources => {
            (ERROR, "unknown", "the record does not state what it was made from".to_owned())
        }
        _ => (ERROR, "NOT made from it", "no log of a session was found".to_owned()),
    };
    let mut lines = vec![named("log").styled(style, words).text(&format!(" ({detail})"))];
    for source in &log.sources {
        let recorded = group_digits(source.recorded.size);
        let size = group_digits(source.log_size.unwrap_or(source.recorded.size));
        let text = match source.state {
            SourceState::Same => continue,
            SourceState::Grown => {
                format!("has grown: the record covers the first {recorded} of {size} bytes")
            }
            SourceState::Different if source.log_size.is_some() => {
                format!("differs: {size} bytes, the record states {recorded}")
            }
            SourceState::Different => "differs: the SHA-256 is another one".to_owned(),
            SourceState::Missing => "is missing".to_owned(),
        };
        lines.push(named("").text(&format!("{}: {text}", source.recorded.name)));
    }
    if log.added_files > 0 {
        let files = pluralize(log.added_files, "file");
        lines.push(named("").text(&format!("{files} of the log, which the record does not state")));
    }
    lines
}
