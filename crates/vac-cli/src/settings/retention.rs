//! Determines the time after which agents delete sessions, according to their settings.

use std::path::{Path, PathBuf};

use vac::adapter::upkeep::Retention;
use vac::store::places::AgentRoot;

use super::edited_file::read_text;
use super::jsonc::{self, Value};

/// The rule by which an agent deletes the sessions of one of its places.
#[derive(Clone, Debug, PartialEq)]
pub struct Deletion {
    /// The days after the last change of a session; `None` if it deletes none.
    pub days: Option<f64>,
    /// Whether a settings file states that.
    pub is_stated: bool,
    /// The settings file, which need not exist.
    pub file: PathBuf,
    /// The reason why the settings could not be read. The default is then assumed.
    pub trouble: Option<String>,
}

/// Returns when the agent of a place deletes sessions there; `None` if it is not known to.
pub fn deletion(root: &AgentRoot) -> Option<Deletion> {
    // An agent with the format of another one has settings of its own, which are not known.
    let agent = vac::agent(root.agent).filter(|agent| agent.adapter.name() == root.agent)?;
    let rule = agent.adapter.upkeep().retention?;
    let file = root.path.join(rule.file);
    Some(read(&file, &rule))
}

fn read(path: &Path, rule: &Retention) -> Deletion {
    let days = Some(f64::from(rule.default_days));
    let default = Deletion { days, is_stated: false, file: path.to_owned(), trouble: None };
    let text = match read_text(path) {
        Ok(None) => return default,
        Ok(Some(text)) => text,
        Err(error) => return Deletion { trouble: Some(format!("{error:#}")), ..default },
    };
    let root = match jsonc::parse(&text) {
        Ok(root) => root,
        Err(error) => {
            let trouble = format!("{}: {}", path.display(), error.describe(&text));
            return Deletion { trouble: Some(trouble), ..default };
        }
    };
    let raw = |value: &Value| text.get(value.span.clone()).unwrap_or_default().to_owned();
    let is_off = !rule.enabled.is_empty()
        && root.at(rule.enabled).is_some_and(|value| raw(value) == "false");
    if is_off {
        return Deletion { days: None, is_stated: true, ..default };
    }
    let stated = root.at(rule.age).and_then(|value| match value.text() {
        Some(text) => parse_days(text),
        None => raw(value).parse().ok().filter(|days: &f64| days.is_finite() && *days >= 0.0),
    });
    match stated {
        Some(days) => Deletion { days: Some(days), is_stated: true, ..default },
        None => default,
    }
}

/// Parses a time with a unit: hours, days, weeks or months.
fn parse_days(text: &str) -> Option<f64> {
    let at = text.len().checked_sub(1).filter(|at| text.is_char_boundary(*at))?;
    let (number, unit) = text.split_at(at);
    let number: f64 = number.parse().ok().filter(|it: &f64| it.is_finite() && *it >= 0.0)?;
    match unit {
        "h" => Some(number / 24.0),
        "d" => Some(number),
        "w" => Some(number * 7.0),
        "m" => Some(number * 30.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Retention = Retention {
        file: "settings.json",
        age: &["keep", "age"],
        enabled: &["keep", "enabled"],
        default_days: 30,
        documented: "",
    };

    #[test]
    fn settings_state_when_sessions_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        assert_eq!((read(&path, &RULE).days, read(&path, &RULE).is_stated), (Some(30.0), false));
        for (text, days, is_stated) in [
            (r#"{"keep": {"age": 7}}"#, Some(7.0), true),
            ("{ // a note\n \"keep\": {\"age\": \"2w\",},}", Some(14.0), true),
            (r#"{"keep": {"age": "12h"}}"#, Some(0.5), true),
            (r#"{"keep": {"age": "7d", "enabled": false}}"#, None, true),
            (r#"{"keep": {"age": "soon"}}"#, Some(30.0), false),
            (r#"{"keep": {"age": -3}}"#, Some(30.0), false),
            (r#"{"keep": {"age": "ü"}}"#, Some(30.0), false),
            ("{}", Some(30.0), false),
        ] {
            std::fs::write(&path, text).unwrap();
            let found = read(&path, &RULE);
            assert_eq!(
                (found.days, found.is_stated, found.trouble),
                (days, is_stated, None),
                "{text}"
            );
        }
        // Settings are often links to a folder of their own.
        #[cfg(unix)]
        {
            std::fs::write(folder.path().join("real"), r#"{"keep": {"age": 90}}"#).unwrap();
            let link = folder.path().join("link");
            std::os::unix::fs::symlink("real", &link).unwrap();
            let found = read(&link, &RULE);
            assert_eq!((found.days, found.is_stated, found.trouble), (Some(90.0), true, None));
        }
        std::fs::write(&path, "{\n]").unwrap();
        let found = read(&path, &RULE);
        assert!(found.trouble.is_some_and(|it| it.contains("line 2, column 1")));
        assert_eq!(found.days, Some(30.0));
    }
}
