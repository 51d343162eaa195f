//! Defines the command of a hook, in the forms in which programs read it.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// A text that only commands of hooks contain.
const MARK: &str = " hook --run --agent ";

/// A command that adds sessions to an archive: the program and its arguments.
#[derive(Clone, Debug)]
pub struct HookCommand {
    words: Vec<String>,
}

impl HookCommand {
    /// Returns the command that an agent calls.
    ///
    /// # Errors
    /// If a path cannot be written in a settings file.
    pub fn of_agent(
        program: &Path,
        agent: &str,
        archive: &Path,
        key: Option<&Path>,
    ) -> Result<Self> {
        let mut words = vec![text(program)?];
        words.extend(["hook", "--run", "--agent", agent].map(str::to_owned));
        words.extend(key_words(key)?);
        words.push(text(archive)?);
        Ok(Self { words })
    }

    /// Returns the command of a timer.
    ///
    /// # Errors
    /// As of [`of_agent`](Self::of_agent).
    pub fn of_timer(program: &Path, archive: &Path, key: Option<&Path>) -> Result<Self> {
        let mut words = vec![text(program)?];
        words.extend(["archive", "add", "--discover", "--quiet"].map(str::to_owned));
        words.extend(key_words(key)?);
        words.push(text(archive)?);
        Ok(Self { words })
    }

    /// Returns the words.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns the command for a Unix shell, or on Windows for the shell of Windows.
    pub fn shell(&self) -> String {
        let quoted: Vec<_> = self.words.iter().map(|word| quote(word)).collect();
        quoted.join(" ")
    }

    /// Returns the command for a unit of systemd.
    pub fn systemd(&self) -> String {
        let escape = |word: &String| {
            let mut escaped = String::from("\"");
            for c in word.chars() {
                match c {
                    '"' | '\\' => escaped.extend(['\\', c]),
                    '%' | '$' => escaped.extend([c, c]),
                    _ => escaped.push(c),
                }
            }
            escaped + "\""
        };
        self.words.iter().map(escape).collect::<Vec<_>>().join(" ")
    }

    /// Returns whether a command in a settings file is that of a hook of `vac`; if an archive is
    /// given, for that archive.
    pub fn is_ours(command: &str, archive: Option<&str>) -> bool {
        let is_for = |archive: &str| command.ends_with(&format!(" {}", quote(archive)));
        command.contains(MARK) && archive.is_none_or(is_for)
    }

    /// Whether a command is this one, perhaps of a program in another place.
    pub fn is_same_task(&self, command: &str) -> bool {
        let task = |command: &str| command.split_once(MARK).map(|(_, task)| task.to_owned());
        task(command).is_some_and(|it| Some(it) == task(&self.shell()))
    }
}

fn key_words(key: Option<&Path>) -> Result<Vec<String>> {
    key.map_or(Ok(Vec::new()), |key| Ok(vec!["--key".to_owned(), text(key)?]))
}

fn text(path: &Path) -> Result<String> {
    match path.to_str() {
        Some(text) if !text.chars().any(char::is_control) => Ok(text.to_owned()),
        _ => bail!(
            "{} cannot be written in a settings file: it is not Unicode, or has control characters",
            PathBuf::from(path).display()
        ),
    }
}

/// Quotes a word for a shell.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if cfg!(windows) {
        // A path of Windows contains no quotes.
        return format!("\"{word}\"");
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Splits a command into its words, which [`HookCommand::shell`] has quoted. Returns `None` for what
/// is quoted in another way.
pub fn split(command: &str) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    let mut rest = command;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let word = words.last_mut()?;
        match c {
            ' ' => words.push(String::new()),
            '\'' | '"' => {
                let (text, after) = rest.split_once(c)?;
                word.push_str(text);
                rest = after;
            }
            // The quote between two quoted parts.
            '\\' if rest.starts_with('\'') => {
                word.push('\'');
                rest = &rest[1..];
            }
            c => word.push(c),
        }
    }
    let quoted: Vec<_> = words.iter().map(|word| quote(word)).collect();
    (quoted.join(" ") == command).then_some(words)
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::InstalledHook;
    use super::*;

    #[test]
    fn command_is_parsed_as_it_was_written() {
        let odd = "/it's \"my\" \\ $HOME ü/''";
        for key in [None, Some(Path::new(odd))] {
            let written =
                HookCommand::of_agent(Path::new("/o p/vac"), "claude", Path::new(odd), key);
            let written = written.unwrap();
            let hook = InstalledHook {
                agent: "claude".to_owned(),
                program: PathBuf::from("/o p/vac"),
                archive: PathBuf::from(odd),
                key: key.map(Path::to_owned),
            };
            assert_eq!(InstalledHook::parse(&written.shell()), Some(hook.clone()));
            let words = serde_json::to_string(written.words()).unwrap();
            assert_eq!(InstalledHook::parse(&words), Some(hook));
        }
        for other in ["vac hook --run --agent x '/a", "vac hook --run --agent x \"/a\"", "vac", ""]
        {
            assert_eq!(InstalledHook::parse(other), None, "{other}");
        }
    }

    #[test]
    fn words_are_read_by_a_shell_as_they_are() {
        for word in ["plain", "two words", "it's", "$HOME `x` \"y\" \\ ;&|<>(){}*?~#!", "ü", ""] {
            let line = format!("printf %s {}", quote(word));
            let ran = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8(ran.stdout).unwrap(), word);
        }
    }

    #[test]
    fn command_is_recognised_and_names_its_archive() {
        let command = |program: &str, archive: &str| {
            let key = Some(Path::new("/k k"));
            HookCommand::of_agent(Path::new(program), "claude", Path::new(archive), key).unwrap()
        };
        let one = command("/opt/vac", "/home/ada/my notes");
        assert_eq!(
            one.shell(),
            "/opt/vac hook --run --agent claude --key '/k k' '/home/ada/my notes'"
        );
        assert!(HookCommand::is_ours(&one.shell(), None));
        assert!(HookCommand::is_ours(&one.shell(), Some("/home/ada/my notes")));
        assert!(!HookCommand::is_ours(&one.shell(), Some("/home/ada/notes")));
        let plain = command("/opt/vac", "/home/ada/notes").shell();
        assert!(HookCommand::is_ours(&plain, Some("/home/ada/notes")));
        assert!(!HookCommand::is_ours(&plain, Some("/ada/notes")));
        assert!(!HookCommand::is_ours("vac archive add x", None));
        assert!(one.is_same_task(&command("/usr/bin/vac", "/home/ada/my notes").shell()));
        assert!(!one.is_same_task(&command("/opt/vac", "/other").shell()));
        assert!(HookCommand::of_agent(Path::new("/a\nb"), "x", Path::new("/c"), None).is_err());
        let timer = HookCommand::of_timer(Path::new("/o p/vac"), Path::new("/50% \"$x\""), None);
        assert_eq!(
            timer.unwrap().systemd(),
            r#""/o p/vac" "archive" "add" "--discover" "--quiet" "/50%% \"$$x\"""#
        );
    }
}
