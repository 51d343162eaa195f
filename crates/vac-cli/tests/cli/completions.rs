//! `vac completions`

use crate::run::Folder;
use crate::tree::commands;

#[test]
fn completions_have_every_command_and_option() {
    let folder = Folder::new();
    let commands = commands();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = folder.vac(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{shell}");
        for command in &commands {
            let name = command.words.last().map_or("vac", String::as_str);
            assert!(ran.stdout.contains(name), "{shell}: {name}");
            for option in &command.options {
                // The script for fish contains the options without their dashes.
                let option = if shell == "fish" { &option[2..] } else { option };
                assert!(ran.stdout.contains(option), "{shell}: {name} {option}");
            }
        }
        // The scripts for other shells do not complete values.
        if ["bash", "zsh", "fish"].contains(&shell) {
            for agent in ["claude", "codex", "gemini", "opencode", "cursor"] {
                assert!(ran.stdout.contains(agent), "{shell}: {agent}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn installed_shells_can_read_the_completions() {
    let folder = Folder::new();
    for (shell, check) in [("bash", "bash -n"), ("zsh", "zsh -n"), ("fish", "fish --no-execute")] {
        if folder.shell(&[], &format!("command -v {shell}")).code != 0 {
            println!("skipped: no {shell}");
            continue;
        }
        let ran = folder.shell(&[], &format!("vac completions {shell} > script && {check} script"));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{shell}");
    }
}

#[test]
fn a_shell_has_to_be_named() {
    let folder = Folder::new();
    assert_eq!(folder.vac(&["completions"]).code, 2);
    let ran = folder.vac(&["completions", "tcsh"]);
    assert!(ran.code == 2 && ran.stderr.contains("bash, elvish, fish"), "{ran:?}");
}
