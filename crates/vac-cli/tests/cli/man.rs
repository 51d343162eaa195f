//! `vac man`

use crate::run::Folder;
use crate::tree::commands;

#[test]
fn each_command_has_a_page_that_says_what_its_help_says() {
    let folder = Folder::new();
    folder.vac(&["man", "--output", "pages"]).gives(0, "");
    let commands = commands();
    assert_eq!(folder.path().join("pages").read_dir().unwrap().count(), commands.len());
    for command in commands {
        let words: Vec<_> = command.words.iter().map(String::as_str).collect();
        let name = [&["vac"], &words[..]].concat().join("-");
        let ran = folder.vac(&[&["man"], &words[..]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{name}");
        let page = ran.stdout;
        let file = folder.path().join("pages").join(format!("{name}.1"));
        assert_eq!(std::fs::read_to_string(file).expect("a page"), page);
        let title = format!(".TH {name} 1  \"vac {}\"", env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&title), "{page}");
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "EXAMPLES"]
        {
            assert!(page.contains(&format!("\n.SH {section}\n")), "{name}: {section}\n{page}");
        }
        // Dashes are escaped in a page.
        let plain = page.replace('\\', "");
        for option in &command.options {
            assert!(plain.contains(option), "{name}: {option}");
        }
        let examples = command.help.lines().filter_map(|line| line.strip_prefix("  vac "));
        for example in examples.map(|line| format!("\nvac {line}\n")) {
            assert!(plain.contains(&example), "{name}: {example}\n{page}");
        }
    }
}

#[test]
fn existing_pages_are_kept_without_force() {
    let folder = Folder::new();
    let page = folder.write("pages/vac.1", "precious");
    let ran = folder.vac(&["man", "-o", "pages"]);
    assert!(ran.code == 2 && ran.stderr.contains("use --force to overwrite"), "{ran:?}");
    assert_eq!(std::fs::read_to_string(&page).unwrap(), "precious");
    let ran = folder.vac(&["man", "-v", "-o", "pages", "--force"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    assert!(ran.stderr.contains("pages/vac-receipts-attach.1\n"), "{}", ran.stderr);
    assert!(std::fs::read_to_string(&page).unwrap().contains(".TH vac 1"));
}

#[test]
fn unknown_command_has_no_page() {
    let folder = Folder::new();
    for (arguments, words) in [
        (&["man", "nothing"][..], "vac has no command \"nothing\"; it has convert, list, "),
        (&["man", "receipts", "detach"], "vac receipts has no command \"detach\"; it has attach"),
        (&["man", "convert", "x"], "vac convert has no commands of its own"),
        (&["man", "convert", "-o", "pages"], "cannot be used with"),
        (&["man", "--force"], "--output"),
    ] {
        let ran = folder.vac(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
    }
}
