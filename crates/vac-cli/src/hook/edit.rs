//! Adds the command of a hook to the text of a settings file, and removes it.

use anyhow::{Context as _, Result, bail};
use serde_json::json;
use toml_edit::{DocumentMut, Item};
use vac::adapter::upkeep::HookKind;

use super::HookCommand;
use crate::settings::edited_file::BY_HAND;
use crate::settings::jsonc::{self, Value};

/// The first line of a plugin.
const PLUGIN_MARK: &str = "// Written by `vac hook`; `vac hook --remove` removes it.\n";
/// The line before a table.
const TABLE_MARK: &str = "# Added by `vac hook`; `vac hook --remove` removes it.";

/// Returns the text with the command; the same text if it contains it already. `None` is a file that
/// does not exist.
///
/// # Errors
/// If the text is not what the agent reads, or something else is in the place of the command.
pub fn insert(kind: HookKind, text: Option<&str>, command: &HookCommand) -> Result<String> {
    match kind {
        HookKind::JsonGroups(events) => insert_json(
            text,
            "{}\n",
            events,
            command,
            &|shell| json!({"hooks": [{"type": "command", "command": shell}]}),
        ),
        HookKind::JsonCommands(events) => {
            let start = "{\n  \"version\": 1\n}\n";
            insert_json(text, start, events, command, &|shell| json!({"command": shell}))
        }
        HookKind::TomlGroups(events) => insert_toml(text.unwrap_or(""), events, command),
        HookKind::Plugin(template) => {
            let own = plugin(template, command);
            match text {
                Some(text) if !text.is_empty() && !text.starts_with(PLUGIN_MARK) => {
                    bail!("it was not written by `vac hook`; move it away first")
                }
                _ => Ok(own),
            }
        }
    }
}

/// The content of a settings file without the commands.
#[derive(Debug, PartialEq, Eq)]
pub enum Removal {
    /// The file contains no command of a hook of `vac`.
    Absent,
    /// The text.
    Text(String),
    /// The file would be empty, because `vac` created it.
    Nothing,
}

/// Removes our commands, of one archive or all. `backup` is what the file was before: if the commands
/// are the only difference, it is returned as it was.
///
/// # Errors
/// If the text cannot be parsed, or a command cannot be removed alone.
pub fn remove(
    kind: HookKind,
    text: &str,
    backup: Option<&str>,
    archive: Option<&str>,
) -> Result<Removal> {
    let commands = commands(kind, text, archive)?;
    if commands.is_empty() {
        return Ok(Removal::Absent);
    }
    let is_only_ours = |before: Option<&str>| {
        let apply = |text: Option<String>, command: &String| {
            let command = ParsedCommand(command.clone());
            command.insert(kind, text.as_deref()).ok().map(Some)
        };
        let added = commands.iter().try_fold(before.map(str::to_owned), apply);
        added.flatten().as_deref() == Some(text)
    };
    if let Some(before) = backup.filter(|it| is_only_ours(Some(it))) {
        return Ok(Removal::Text(before.to_owned()));
    }
    if is_only_ours(None) {
        return Ok(Removal::Nothing);
    }
    Ok(Removal::Text(match kind {
        HookKind::JsonGroups(events) | HookKind::JsonCommands(events) => {
            let mut text = text.to_owned();
            for event in events {
                let is_removed = |value: &Value| is_entry(value, archive);
                let removed = jsonc::remove(&text, &["hooks", event], &is_removed);
                text = removed.map_err(|error| anyhow::anyhow!("{}", error.describe(&text)))?;
            }
            text
        }
        HookKind::TomlGroups(events) => {
            let mut text = text.to_owned();
            for (event, command) in
                events.iter().flat_map(|it| commands.iter().map(move |c| (it, c)))
            {
                text = text.replace(&table(event, command), "");
            }
            if !self::commands(kind, &text, archive)?.is_empty() {
                bail!("the table of the hook was edited; remove it by hand");
            }
            text
        }
        HookKind::Plugin(_) => bail!("it was edited since; remove it by hand"),
    }))
}

/// A command as it was found, to be inserted again.
struct ParsedCommand(String);

impl ParsedCommand {
    fn insert(&self, kind: HookKind, text: Option<&str>) -> Result<String> {
        match kind {
            HookKind::JsonGroups(events) => append_json(
                text,
                "{}\n",
                events,
                &|| json!({"hooks": [{"type": "command", "command": self.0}]}),
            ),
            HookKind::JsonCommands(events) => {
                let start = "{\n  \"version\": 1\n}\n";
                append_json(text, start, events, &|| json!({"command": self.0}))
            }
            HookKind::TomlGroups(events) => Ok(append_toml(text.unwrap_or(""), events, &self.0)),
            HookKind::Plugin(template) if text.is_none() => {
                Ok(format!("{PLUGIN_MARK}{}", template.replace("{command}", &self.0)))
            }
            HookKind::Plugin(_) => bail!("a plugin is a file of its own"),
        }
    }
}

/// Returns our commands in a text, in order, each once: for a shell, or that of a plugin as a JSON
/// array of texts.
///
/// # Errors
/// If the text cannot be parsed.
pub fn commands(kind: HookKind, text: &str, archive: Option<&str>) -> Result<Vec<String>> {
    let mut found: Vec<String> = Vec::new();
    let mut push = |command: &str| {
        if HookCommand::is_ours(command, archive) && !found.iter().any(|it| it == command) {
            found.push(command.to_owned());
        }
    };
    match kind {
        HookKind::JsonGroups(events) | HookKind::JsonCommands(events) => {
            let root = parse_json(text)?;
            for event in events {
                let entries = root.at(&["hooks", event]).map(Value::elements).unwrap_or_default();
                entries.iter().flat_map(entry_commands).for_each(&mut push);
            }
        }
        HookKind::TomlGroups(events) => {
            let document = parse_toml(text)?;
            events
                .iter()
                .flat_map(|event| toml_commands(&document, event))
                .for_each(|it| push(&it));
        }
        HookKind::Plugin(template) => {
            let before = template.split("{command}").next().unwrap_or_default();
            let rest = text.strip_prefix(PLUGIN_MARK).and_then(|it| it.strip_prefix(before));
            let line = rest.and_then(|rest| rest.lines().next());
            let words = line.and_then(|line| serde_json::from_str::<Vec<String>>(line).ok());
            let is_for = |words: &Vec<String>| {
                archive.is_none_or(|archive| words.last().is_some_and(|it| it == archive))
            };
            if words.is_some_and(|words| is_for(&words)) {
                found.extend(line.map(str::to_owned));
            }
        }
    }
    Ok(found)
}

fn plugin(template: &str, command: &HookCommand) -> String {
    let words = json!(command.words()).to_string();
    format!("{PLUGIN_MARK}{}", template.replace("{command}", &words))
}

fn parse_json(text: &str) -> Result<Value> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    jsonc::parse(text).map_err(|error| anyhow::anyhow!("not JSON: {}", error.describe(text)))
}

/// Returns the commands of an entry: its own, or those of its group.
fn entry_commands(entry: &Value) -> Vec<&str> {
    let group = entry.member("hooks").map(Value::elements).unwrap_or_default();
    let own = std::iter::once(entry).chain(group);
    own.filter_map(|it| it.member("command")?.text()).collect()
}

/// Whether an entry contains our command and no other.
fn is_entry(entry: &Value, archive: Option<&str>) -> bool {
    let commands = entry_commands(entry);
    !commands.is_empty() && commands.iter().all(|it| HookCommand::is_ours(it, archive))
}

fn insert_json(
    text: Option<&str>,
    start: &str,
    events: &[&str],
    command: &HookCommand,
    entry: &dyn Fn(&str) -> serde_json::Value,
) -> Result<String> {
    let shell = command.shell();
    let mut text = text.filter(|text| !text.trim().is_empty()).map(str::to_owned);
    for event in events {
        if let Some(current) = &text {
            let root = parse_json(current)?;
            let entries = root.at(&["hooks", event]).map(Value::elements).unwrap_or_default();
            if entries.iter().flat_map(entry_commands).any(|it| it == shell) {
                continue;
            }
            // The same task, of a program that was in another place.
            let is_moved = |entry: &Value| {
                let commands = entry_commands(entry);
                !commands.is_empty() && commands.iter().all(|it| command.is_same_task(it))
            };
            let removed = jsonc::remove(current, &["hooks", event], &is_moved);
            text = Some(removed.map_err(|error| anyhow::anyhow!("{}", error.describe(current)))?);
        }
        text = Some(append_json(text.as_deref(), start, &[event], &|| entry(&shell))?);
    }
    Ok(text.unwrap_or_default())
}

/// Adds an entry to the list of each event.
fn append_json(
    text: Option<&str>,
    start: &str,
    events: &[&str],
    entry: &dyn Fn() -> serde_json::Value,
) -> Result<String> {
    let mut text = text.filter(|text| !text.trim().is_empty()).unwrap_or(start).to_owned();
    for event in events {
        let root = parse_json(&text)?;
        text = jsonc::append(&text, &root, &["hooks", event], &entry()).with_context(|| {
            format!("`hooks.{event}` is not a list, or a key of it exists twice; {BY_HAND}")
        })?;
    }
    Ok(text)
}

fn parse_toml(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.get(..at).unwrap_or(text).matches('\n').count() + 1;
        anyhow::anyhow!("not TOML: line {line}: {}", error.message())
    })
}

/// Returns the commands of the hooks of an event.
fn toml_commands(document: &DocumentMut, event: &str) -> Vec<String> {
    let tables = |item: &Item| -> Vec<Item> {
        match item {
            Item::ArrayOfTables(tables) => tables.iter().cloned().map(Item::Table).collect(),
            Item::Value(toml_edit::Value::Array(array)) => {
                array.iter().cloned().map(Item::Value).collect()
            }
            _ => Vec::new(),
        }
    };
    let groups = document.get("hooks").and_then(|hooks| hooks.get(event)).map(tables);
    let hooks = groups.unwrap_or_default().into_iter();
    let hooks = hooks.flat_map(|group| group.get("hooks").map(tables).unwrap_or_default());
    hooks.filter_map(|hook| Some(hook.get("command")?.as_str()?.to_owned())).collect()
}

fn insert_toml(text: &str, events: &[&str], command: &HookCommand) -> Result<String> {
    let document = parse_toml(text)?;
    let shell = command.shell();
    let mut text = text.to_owned();
    for event in events {
        let present = toml_commands(&document, event);
        if present.contains(&shell) {
            continue;
        }
        for moved in present.iter().filter(|it| command.is_same_task(it)) {
            text = text.replace(&table(event, moved), "");
        }
        text = append_toml(&text, &[event], &shell);
        // Tables cannot be added to a list that is written as a value.
        let is_added = parse_toml(&text)
            .is_ok_and(|document| toml_commands(&document, event).contains(&shell));
        if !is_added {
            bail!("`hooks.{event}` cannot be extended with a table; {BY_HAND}");
        }
    }
    Ok(text)
}

fn append_toml(text: &str, events: &[&str], shell: &str) -> String {
    let mut text = text.to_owned();
    for event in events {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&table(event, shell));
    }
    text
}

/// Returns the table of a hook.
fn table(event: &str, shell: &str) -> String {
    let command = toml_edit::Value::from(shell);
    format!(
        "\n{TABLE_MARK}\n[[hooks.{event}]]\n[[hooks.{event}.hooks]]\ntype = \"command\"\n\
         command = {command}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const GROUPS: HookKind = HookKind::JsonGroups(&["SessionEnd", "PreCompact"]);
    const FLAT: HookKind = HookKind::JsonCommands(&["stop"]);
    const TOML: HookKind = HookKind::TomlGroups(&["Stop"]);
    const PLUGIN: HookKind = HookKind::Plugin("const c = {command}\nexport { c }\n");

    fn command(program: &str, archive: &str) -> HookCommand {
        HookCommand::of_agent(Path::new(program), "claude", Path::new(archive), None).unwrap()
    }

    /// Settings with comments, hooks of others, and different layouts.
    const JSON: [&str; 8] = [
        "{}",
        "",
        "{\"a\": 1}",
        "{\n  // mine\n  \"model\": \"x\", // why\n}\n",
        "{\n\t\"hooks\": {\n\t\t\"SessionEnd\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}\n\t\t]\n\t}\n}",
        "{\"hooks\":{\"SessionEnd\":[]}}",
        "{\r\n  \"hooks\": {},\r\n  \"b\": [1, 2]\r\n}\r\n",
        "{\"hooks\": {\"stop\": [{\"command\": \"bell\"},],},}",
    ];
    const TOMLS: [&str; 4] = [
        "",
        "model = \"x\" # why\n\n[features]\nhooks = true",
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"bell\"\n",
        "[hooks]\nStop = []\n",
    ];

    #[test]
    fn command_is_added_once_and_removed_without_a_trace() {
        let (one, two) = (command("/bin/vac", "/my 'notes'"), command("/bin/vac", "/b"));
        let json = JSON.iter().flat_map(|text| [(GROUPS, *text), (FLAT, *text)]);
        for (kind, text) in json.chain(TOMLS[..3].iter().map(|text| (TOML, *text))) {
            let added = insert(kind, Some(text), &one).unwrap();
            assert_ne!(added, text);
            assert_eq!(insert(kind, Some(&added), &one).unwrap(), added, "{text}");
            let removed = remove(kind, &added, Some(text), None).unwrap();
            assert_eq!(removed, Removal::Text(text.to_owned()), "{added}");
            let both = insert(kind, Some(&added), &two).unwrap();
            let removed = remove(kind, &both, Some(text), None).unwrap();
            assert_eq!(removed, Removal::Text(text.to_owned()), "{both}");
            // Without the backup, only what is ours is removed.
            let Removal::Text(left) = remove(kind, &both, None, Some("/b")).unwrap() else {
                panic!("{both}")
            };
            assert_eq!(commands(kind, &left, None).unwrap(), [one.shell()], "{left}");
            let left = remove(kind, &added, None, None).unwrap();
            assert_ne!(left, Removal::Absent);
            if let Removal::Text(left) = left {
                assert_eq!(commands(kind, &left, None).unwrap(), <[String; 0]>::default());
                assert_eq!(left.contains("bell"), text.contains("bell"));
                assert_eq!(left.contains("why"), text.contains("why"));
            }
            assert_eq!(remove(kind, &added, None, Some("/other")).unwrap(), Removal::Absent);
            // A program in another place replaces the first.
            let moved = insert(kind, Some(&added), &command("/opt/vac", "/my 'notes'")).unwrap();
            assert_eq!(commands(kind, &moved, None).unwrap().len(), 1, "{moved}");
            assert!(moved.contains("/opt/vac"));
        }
        assert_eq!(remove(GROUPS, "{}", None, None).unwrap(), Removal::Absent);
    }

    #[test]
    fn file_that_was_made_for_the_command_is_removed_with_it() {
        for kind in [GROUPS, FLAT, TOML, PLUGIN] {
            let command = command("/bin/vac", "/a \"b\"\\c");
            let made = insert(kind, None, &command).unwrap();
            assert_eq!(insert(kind, Some(&made), &command).unwrap(), made);
            assert_eq!(remove(kind, &made, None, None).unwrap(), Removal::Nothing, "{made}");
            assert_eq!(remove(kind, &made, None, Some("/x")).unwrap(), Removal::Absent);
        }
    }

    #[test]
    fn settings_of_another_shape_are_refused() {
        let command = command("/bin/vac", "/a");
        for (kind, text) in [
            (GROUPS, "{\"hooks\": []}"),
            (GROUPS, "{\"hooks\": {\"SessionEnd\": {}}}"),
            (GROUPS, "{\"hooks\": {}, \"hooks\": {}}"),
            (GROUPS, "not JSON"),
            (FLAT, "[]"),
            (TOML, "hooks = 1\n"),
            (TOML, TOMLS[3]),
            (TOML, "a = \n"),
            (PLUGIN, "export const mine = 1\n"),
        ] {
            assert!(insert(kind, Some(text), &command).is_err(), "{text}");
        }
        let edited = insert(PLUGIN, None, &command).unwrap() + "// mine\n";
        assert!(remove(PLUGIN, &edited, None, None).is_err());
        let added = insert(TOML, Some(""), &command).unwrap();
        let edited = added.replace("type = \"command\"\n", "type = \"command\"\ntimeout = 5\n");
        assert!(remove(TOML, &edited, None, None).is_err());
    }
}
