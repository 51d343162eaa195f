//! `vac hook`

use std::fs;
use std::path::Path;

use crate::home;
use crate::run::{Folder, Ran};

/// Agents with the settings that their hooks are in, below the home folder.
const AGENTS: [(&str, &str); 5] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/config.toml"),
    ("gemini", ".gemini/settings.json"),
    ("opencode", ".config/opencode/plugins/vac-archive.js"),
    ("cursor", ".cursor/hooks.json"),
];

/// Returns a folder with a home, and an archive whose name has to be quoted.
fn prepared() -> Folder {
    let folder = home::home();
    let made = folder.vac(&["archive", "init", "it's \"my\" $HOME", "--keygen"]);
    assert_eq!(made.code, 0, "{made:?}");
    folder
}

const ARCHIVE: &str = "it's \"my\" $HOME";

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    fs::read(path).unwrap()
}

fn hook(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.vac_at_home(&[], &[&["hook"], arguments].concat())
}

fn settings(folder: &Folder, file: &str) -> std::path::PathBuf {
    folder.path().join("home").join(file)
}

/// Returns the content of the folders with settings.
fn state(folder: &Folder) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let all = home::state(&folder.path().join("home"));
    all.into_iter().filter(|(path, _)| path.is_file()).map(|(path, (_, it))| (path, it)).collect()
}

#[test]
fn hooks_are_printed_written_once_and_removed() {
    let folder = prepared();
    let before = state(&folder);
    for (agent, file) in AGENTS {
        let printed = hook(&folder, &[ARCHIVE, "--agent", agent]);
        assert!(printed.code == 0 && printed.stdout.contains(file), "{printed:?}");
        let printed = hook(&folder, &[ARCHIVE, "--agent", agent, "--json"]).json();
        let keys: Vec<_> = printed["hooks"][0].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["agent", "change", "command", "content", "file", "since"], "{printed}");
        assert_eq!(state(&folder), before, "printing changes nothing");
        let written = hook(&folder, &[ARCHIVE, "--agent", agent, "--write", "--json"]);
        assert_eq!(written.json()["hooks"][0]["change"], "written", "{written:?}");
        let text = fs::read_to_string(settings(&folder, file)).unwrap();
        assert!(text.contains("--run"), "{text}");
        let again = hook(&folder, &[ARCHIVE, "--agent", agent, "--write", "--json"]);
        assert_eq!(again.json()["hooks"][0]["change"], "unchanged", "{again:?}");
        assert_eq!(fs::read_to_string(settings(&folder, file)).unwrap(), text);
        let removed = hook(&folder, &["--remove", "--agent", agent, "--json"]);
        assert_eq!(removed.json()["hooks"][0]["change"], "removed", "{removed:?}");
        assert_eq!(state(&folder), before, "{agent}");
    }
    let none = hook(&folder, &["--remove"]);
    assert!(none.code == 0 && none.stderr.contains("no hook to remove"), "{none:?}");
    // All agents with a folder are included.
    let all = hook(&folder, &[ARCHIVE, "--write", "--json"]).json();
    let names: Vec<_> = all["hooks"].as_array().unwrap().iter().map(|it| &it["agent"]).collect();
    assert!(names.contains(&&"claude".into()) && names.contains(&&"codex".into()), "{names:?}");
    assert_eq!(hook(&folder, &["--remove"]).code, 0);
    assert_eq!(state(&folder), before);
}

#[test]
fn settings_of_the_user_stay_as_they_are() {
    let folder = prepared();
    let json = "{\n    // Short answers.\n    \"model\": \"x\",   \"hooks\": {\n        \"SessionEnd\": [\n            {\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}, // mine\n        ],\n    },\n}\n";
    let cursor = "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"bell\"}]}}";
    let toml = "# Short answers.\nmodel   = 'x'\nnotify = [\"bell\"]\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"bell\" # mine";
    let files = [
        ("claude", ".claude/settings.json", json),
        ("gemini", ".gemini/settings.json", json),
        ("cursor", ".cursor/hooks.json", cursor),
        ("codex", ".codex/config.toml", toml),
    ];
    for (agent, file, text) in files {
        let path = settings(&folder, file);
        folder.write(&format!("home/{file}"), text);
        let write = || hook(&folder, &[ARCHIVE, "--agent", agent, "--write"]);
        let ran = write();
        assert_eq!(ran.code, 0, "{ran:?}");
        let backup = path
            .with_file_name(format!("{}.vac-backup", path.file_name().unwrap().to_string_lossy()));
        assert_eq!(fs::read_to_string(&backup).unwrap(), text);
        let written = fs::read_to_string(&path).unwrap();
        assert!(written.contains("bell") && written.contains("mine") == text.contains("mine"));
        let ran = hook(&folder, &["--remove", "--agent", agent]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{agent}");
        assert!(!backup.exists());
        // The user changes something else: only the hook is removed.
        assert_eq!(write().code, 0);
        let written = fs::read_to_string(&path).unwrap();
        fs::write(&path, written.replace("bell", "gong")).unwrap();
        let ran = hook(&folder, &["--remove", "--agent", agent]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(
            fs::read_to_string(&path).unwrap().trim_end(),
            text.replace("bell", "gong").trim_end()
        );
    }
}

#[test]
fn settings_that_cannot_be_changed_safely_are_refused() {
    let folder = prepared();
    let path = settings(&folder, ".claude/settings.json");
    let refused = |words: &str| {
        let before = fs::read(&path).unwrap();
        for arguments in
            [&[ARCHIVE, "--agent", "claude", "--write"][..], &["--remove", "--agent", "claude"]]
        {
            let ran = hook(&folder, arguments);
            assert!(ran.code == 1 && ran.stderr.contains(words), "{words}: {ran:?}");
        }
        assert_eq!(fs::read(&path).unwrap(), before);
    };
    for (text, words) in [
        ("{\n  \"a\": 1\n", "line 3, column 1"),
        ("not JSON", "not JSON: line 1, column 1"),
        (&"[".repeat(100_000), "nested too deeply"),
        (&format!("{{\"a\": \"{}\"}}", "x".repeat(5 << 20)), "larger than 4 MiB"),
    ] {
        fs::write(&path, text).unwrap();
        refused(words);
    }
    fs::write(&path, b"{\"a\": \"\xff\"}").unwrap();
    refused("not UTF-8");
    fs::write(&path, "{\"hooks\": 7}").unwrap();
    let ran = hook(&folder, &[ARCHIVE, "--agent", "claude", "--write"]);
    assert!(ran.code == 1 && ran.stderr.contains("edit it by hand"), "{ran:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let written = || hook(&folder, &[ARCHIVE, "--agent", "claude", "--write"]);
        fs::write(&path, "{}").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let ran = written();
        assert!(ran.code == 1 && ran.stderr.contains("read-only"), "{ran:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
        // The permissions stay.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(written().code, 0);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        // A link is not followed, and not replaced.
        fs::remove_file(&path).unwrap();
        let real = folder.write("dotfiles/settings.json", "{}");
        std::os::unix::fs::symlink(&real, &path).unwrap();
        refused("symbolic link");
        assert!(path.is_symlink());
    }
}

#[test]
fn hook_needs_an_archive_and_its_key() {
    let folder = prepared();
    let none = hook(&folder, &["nowhere", "--write", "--agent", "claude"]);
    assert!(none.code == 1 && none.stderr.contains("not an archive"), "{none:?}");
    let none = hook(&folder, &[]);
    assert_eq!(none.code, 2, "{none:?}");
    let none = hook(&folder, &[ARCHIVE, "--agent", "claude", "--key", "nothing.pem"]);
    assert!(none.code == 1 && none.stderr.contains("cannot read"), "{none:?}");
    let key = format!("{ARCHIVE}-key/signing-key.pem");
    let printed = hook(&folder, &[ARCHIVE, "--agent", "claude", "--key", &key]);
    assert!(printed.code == 0 && printed.stdout.contains("--key"), "{printed:?}");
    let timer = hook(&folder, &[ARCHIVE, "--timer", "--key", &key]);
    assert!(timer.code == 0 && timer.stdout.contains("OnCalendar=hourly"), "{timer:?}");
    assert!(timer.stdout.contains("ExecStart=\"") && timer.stdout.contains("17 * * * * "));
    let timer = hook(&folder, &[ARCHIVE, "--timer", "--json"]);
    assert_eq!(timer.json()["hooks"][0]["agent"], "timer", "{timer:?}");
}

/// Tests that the command of a hook, run by a shell, returns at once, prints nothing and adds
/// sessions.
#[cfg(unix)]
#[test]
fn command_of_a_hook_adds_sessions_in_the_background() {
    let folder = prepared();
    let printed = hook(&folder, &[ARCHIVE, "--agent", "claude", "--json"]).json();
    let command = printed["hooks"][0]["command"].as_str().unwrap();
    let ran = folder.shell(&[], command);
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "", ""), "{ran:?}");
    assert_eq!(wait_for_sessions(&folder), 1);
    // A missing archive does not make the agent fail.
    fs::remove_dir_all(folder.path().join(Path::new(ARCHIVE))).unwrap();
    let ran = folder.shell(&[], command);
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "", ""), "{ran:?}");
}

/// Waits until the archive has sessions, and returns their number.
#[cfg(unix)]
fn wait_for_sessions(folder: &Folder) -> usize {
    use std::time::{Duration, Instant};
    let started = Instant::now();
    loop {
        let listed = folder.vac(&["archive", "list", ARCHIVE, "--json"]).json();
        let count = listed["sessions"].as_array().unwrap().len();
        if count > 0 {
            return count;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "nothing was added");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Both interfaces of plugins call `vac` at the events of a session, if there is a JavaScript engine.
#[cfg(unix)]
#[test]
fn plugin_adds_sessions_in_both_versions_of_opencode() {
    let has_node = std::process::Command::new("node").arg("--version").output();
    if !has_node.is_ok_and(|output| output.status.success()) {
        println!("skipped: no program `node`");
        return;
    }
    for call in [
        "const { event } = await plugin.server({})\n\
         await event({ event: { type: \"session.updated\" } })\n\
         await event({ event: { type: \"session.idle\" } })",
        "await plugin.setup({})\n\
         const events = async function* () { yield { type: \"session.idle\", data: {} } }\n\
         const stop = await plugin.setup({ event: { subscribe: events } })\n\
         setTimeout(stop, 100)",
    ] {
        let folder = prepared();
        assert_eq!(hook(&folder, &[ARCHIVE, "--agent", "opencode", "--write"]).code, 0);
        let plugin = settings(&folder, ".config/opencode/plugins/vac-archive.js");
        folder.write("plugin.mjs", fs::read(plugin).unwrap());
        folder.write("call.mjs", format!("import plugin from \"./plugin.mjs\"\n{call}\n"));
        let ran = folder.shell(&[], "node call.mjs");
        assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "", ""), "{ran:?}");
        assert!(wait_for_sessions(&folder) > 0);
    }
}

/// The key that a hook uses is found, or named in its command, and needs no password.
#[test]
fn hook_without_a_usable_key_is_refused() {
    let folder = prepared();
    let (own, moved) = (format!("{ARCHIVE}-key"), "moved");
    fs::rename(folder.path().join(&own), folder.path().join(moved)).unwrap();
    for arguments in [&[ARCHIVE, "--agent", "claude", "--write"][..], &[ARCHIVE, "--timer"]] {
        let none = hook(&folder, arguments);
        let words = format!("cannot read {}", folder.path().join(&own).display());
        assert!(none.code > 0 && none.stderr.contains(&words), "{none:?}");
    }
    let key = format!("{moved}/signing-key.pem");
    let variable = [("VAC_KEY", key.as_str())];
    let printed = folder.vac_at_home(&variable, &["hook", ARCHIVE, "--agent", "claude"]);
    let stated = format!("--key {}", folder.path().join(&key).display());
    assert!(printed.code == 0 && printed.stdout.contains(&stated), "{printed:?}");
    let encrypted = fixture("sign/keys/openssh-aes256-ctr");
    folder.write_private("encrypted", encrypted);
    assert_eq!(folder.vac(&["keygen", "-o", "other"]).code, 0);
    // The agent has no variables of this shell.
    let variable = [("VAC_KEY_PASSWORD", "sesame")];
    for (key, words) in [
        ("encrypted", "is encrypted, and its password cannot be asked for in the background"),
        ("other/signing-key.pem", "is not the key of the archive, urn:"),
    ] {
        let arguments = ["hook", ARCHIVE, "--agent", "claude", "--write", "--key", key];
        let refused = folder.vac_at_home(&variable, &arguments);
        assert!(refused.code == 1 && refused.stderr.contains(words), "{refused:?}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let shared = fs::Permissions::from_mode(0o644);
        fs::set_permissions(folder.path().join(&key), shared).unwrap();
        let refused = hook(&folder, &[ARCHIVE, "--agent", "claude", "--write", "--key", &key]);
        assert!(refused.code == 1 && refused.stderr.contains("mode 0644"), "{refused:?}");
        assert!(!refused.stderr.contains("--insecure"), "{refused:?}");
    }
    assert!(!settings(&folder, ".claude/settings.json").exists());
}

/// Returns the folder with the results of the only hook.
#[cfg(unix)]
fn results(folder: &Folder) -> std::path::PathBuf {
    let mut folders = fs::read_dir(folder.path().join("home/.local/state/vac/hooks")).unwrap();
    let found = folders.next().expect("a hook").unwrap().path();
    assert!(folders.next().is_none());
    found
}

/// Returns the errors of hooks that `vac doctor` prints.
#[cfg(unix)]
fn problems(folder: &Folder) -> Vec<String> {
    let json = folder.vac_at_home(&[], &["doctor", "--json"]).json();
    let problems = json["problems"].as_array().unwrap();
    let hooks = problems.iter().filter(|it| it["code"] == "hook");
    hooks.map(|it| it["message"].as_str().unwrap().to_owned()).collect()
}

#[cfg(unix)]
#[test]
fn doctor_prints_why_a_hook_adds_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = prepared();
    let write = [ARCHIVE, "--agent", "claude", "--write"];
    assert_eq!(hook(&folder, &write).code, 0);
    assert_eq!(problems(&folder), [""; 0]);
    let key = folder.path().join(format!("{ARCHIVE}-key/signing-key.pem"));
    let set_mode = |mode| fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
    let archive = folder.path().canonicalize().unwrap().join(ARCHIVE);
    let run = || {
        let archive = archive.to_str().unwrap();
        let ran = hook(&folder, &["--background", "--agent", "claude", archive]);
        assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "", ""), "{ran:?}");
    };
    set_mode(0o644);
    let now = problems(&folder);
    assert!(now.len() == 1 && now[0].contains("mode 0644") && !now[0].contains("last run"));
    run();
    // The error of that run is reported, although it would not occur again.
    set_mode(0o600);
    let then = problems(&folder);
    assert!(then.len() == 1 && then[0].contains("mode 0644"), "{then:?}");
    assert!(then[0].contains("the last run, at 20"), "{then:?}");
    run();
    assert_eq!(problems(&folder), [""; 0]);
    fs::rename(&archive, archive.with_file_name("moved")).unwrap();
    let now = problems(&folder);
    assert!(now.len() == 1 && now[0].contains("not an archive"), "{now:?}");
    assert_eq!(hook(&folder, &["--remove"]).code, 0);
    assert_eq!(problems(&folder), [""; 0]);
}

/// Tests that while one process adds sessions, only one other waits. It finds the sessions that
/// further processes would find.
#[cfg(unix)]
#[test]
fn at_most_one_run_of_a_hook_waits() {
    use std::time::{Duration, Instant};
    let folder = prepared();
    assert_eq!(hook(&folder, &[ARCHIVE, "--agent", "claude", "--write"]).code, 0);
    let results = results(&folder);
    let running = fs::File::open(&results).unwrap();
    running.lock().unwrap();
    let archive = folder.path().join(ARCHIVE);
    let arguments = ["hook", "--background", "--agent", "claude", archive.to_str().unwrap()];
    let mut waiting: Vec<_> = (0..4).map(|_| folder.start_at_home(&arguments)).collect();
    let started = Instant::now();
    while waiting.len() > 1 {
        waiting.retain_mut(|child| child.try_wait().unwrap().is_none());
        assert!(started.elapsed() < Duration::from_secs(60), "{} wait", waiting.len());
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(200));
    assert!(waiting[0].try_wait().unwrap().is_none(), "one waits");
    assert!(!results.join("result.json").exists());
    drop(running);
    assert!(waiting[0].wait().unwrap().success());
    assert!(results.join("result.json").exists());
    assert_eq!(wait_for_sessions(&folder), 1);
}
