//! Runs the program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Variables that state where agents keep their sessions.
const PLACES: [&str; 10] = [
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "OPENCODE_DB",
    "CURSOR_CONFIG_DIR",
    "APPDATA",
    // Where `vac` keeps the results of hooks.
    "LOCALAPPDATA",
    "XDG_STATE_HOME",
];

/// Variables that decide whether there are colours.
const COLOURS: [&str; 9] = [
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    // How wide lines are, and who shows them.
    "COLUMNS",
    "PAGER",
    "LESS",
    "VAC_RECORDS",
    "VAC_KEY",
    "VAC_KEY_PASSWORD",
];

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Returns the lines on stdout.
    pub fn lines(&self) -> Vec<&str> {
        self.stdout.lines().collect()
    }

    /// Asserts that stdout is exactly this text, with this exit code.
    #[track_caller]
    pub fn gives(&self, code: i32, stdout: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (code, stdout), "stderr: {}", self.stderr);
    }

    /// Parses stdout as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

/// A folder for the files of a test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Puts a file there, and folders around it as needed.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        let around = path.parent().expect("a folder");
        std::fs::create_dir_all(around).expect("a folder that can be made");
        std::fs::write(&path, content).expect("a file that can be written");
        path
    }

    /// Puts a file there that only its owner can access.
    pub fn write_private(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.write(name, content);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(&path, mode).expect("a file");
        }
        path
    }

    /// Runs `vac` there.
    pub fn vac(&self, arguments: &[&str]) -> Ran {
        self.vac_with(arguments, b"")
    }

    /// Runs `vac` there with something on stdin.
    pub fn vac_with(&self, arguments: &[&str], stdin: &[u8]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vac"));
        for name in COLOURS {
            command.env_remove(name);
        }
        self.run(command.args(arguments), stdin)
    }

    /// Runs `vac` there as a user whose home folder is `home` in it, with these variables
    /// and no others that state where agents keep their sessions.
    pub fn vac_at_home(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vac"));
        self.settle(&mut command);
        for (name, value) in variables {
            command.env(name, value);
        }
        self.run(command.args(arguments), b"")
    }

    /// Starts `vac` there as that user and does not wait for it.
    pub fn start_at_home(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vac"));
        self.settle(&mut command);
        command.current_dir(self.path()).args(arguments).stdin(Stdio::null());
        command.spawn().expect("a program")
    }

    /// Runs a line of a shell there as that user, for whom `vac` is this program.
    #[cfg(unix)]
    pub fn shell(&self, variables: &[(&str, &str)], line: &str) -> Ran {
        let mut command = Command::new("sh");
        self.settle(&mut command);
        let program = Path::new(env!("CARGO_BIN_EXE_vac")).parent().expect("a folder");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(program.to_owned()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(paths).expect("paths"));
        command.envs(variables.iter().copied());
        self.run(command.args(["-c", line]), b"")
    }

    /// Runs a line of a shell, without single quotes, in a terminal of this width. Returns what the
    /// terminal shows, or `None` if the system has no program for it.
    #[cfg(target_os = "linux")]
    pub fn in_terminal(&self, columns: u16, line: &str) -> Option<String> {
        let has_script = Command::new("script").arg("--version").output();
        if !has_script.is_ok_and(|output| output.status.success()) {
            println!("skipped: no program `script` of util-linux");
            return None;
        }
        let run = format!("script -qec 'stty cols {columns} rows 20; {line}' /dev/null");
        let ran = self.shell(&[("TERM", "xterm")], &run);
        assert_eq!(ran.code, 0, "{}", ran.stdout);
        Some(ran.stdout.replace('\r', ""))
    }

    /// Sets the environment of a user with a home folder in this folder, without variables that
    /// change colours or places.
    fn settle(&self, command: &mut Command) {
        for name in PLACES.iter().chain(&COLOURS) {
            command.env_remove(name);
        }
        for name in ["HOME", "USERPROFILE"] {
            command.env(name, self.path().join("home"));
        }
    }

    fn run(&self, command: &mut Command, stdin: &[u8]) -> Ran {
        let mut child = command
            .current_dir(self.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a program that starts");
        let mut input = child.stdin.take().expect("a pipe");
        let output = std::thread::scope(|scope| {
            // The program may not want to hear all of it.
            scope.spawn(move || input.write_all(stdin).unwrap_or_default());
            child.wait_with_output().expect("a program that ends")
        });
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Ran {
            code: output.status.code().unwrap_or_else(|| panic!("ended by {}", output.status)),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}
