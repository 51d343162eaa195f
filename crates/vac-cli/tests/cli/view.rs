//! Tests `vac view`: pages of sessions, and the check of pages.

use std::fs;

use crate::home;
use crate::records::small;
use crate::run::Folder;

/// Returns a folder with a key, a record and its envelope.
fn signed() -> Folder {
    let folder = Folder::new();
    folder.write("a.json", small());
    for arguments in [
        &["keygen", "-o", "keys"][..],
        &["keygen", "-o", "others"],
        &["sign", "a.json", "--key", "keys/signing-key.pem", "-o", "a.cose"],
        &["sign", "a.json", "--key", "keys/signing-key.pem", "--detached", "-o", "a.sig"],
        &["view", "a.cose", "--key", "keys/signing-key.pub.pem", "-o", "page.html"],
    ] {
        let ran = folder.vac(arguments);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    folder
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("a page")
}

#[test]
fn page_of_a_record_is_written_to_stdout_or_a_file() {
    let folder = Folder::new();
    folder.write("a.json", small());
    let ran = folder.vac(&["view", "a.json"]);
    assert!(ran.code == 0 && ran.stderr.contains("standard output"), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("<!doctype html>"), "{ran:?}");
    let ran = folder.vac(&["view", "a.json", "--output", "page.html", "--mode", "644"]);
    assert!(ran.code == 0 && ran.stderr.contains("not signed"), "{ran:?}");
    let again = folder.vac_with(&["view", "-"], small().as_bytes());
    assert_eq!(again.stdout, read(&folder, "page.html"), "the same input gives the same page");
    let ran = folder.vac(&["view", "a.json", "-o", "page.html"]);
    assert!(ran.code == 2 && ran.stderr.contains("--force"), "{ran:?}");
    assert_eq!(folder.vac(&["view", "a.json", "-o", "page.html", "--force"]).code, 0);
}

#[test]
fn page_of_a_log_contains_its_record() {
    let folder = Folder::new();
    home::copy("samples/claude.jsonl", &folder, "session.jsonl");
    let ran = folder.vac(&["view", "session.jsonl", "-o", "page.html"]);
    assert!(ran.code == 0 && ran.stderr.contains("not signed"), "{ran:?}");
    assert_eq!(folder.vac(&["view", "--check", "page.html"]).code, 0);
    let bytes = fs::read(folder.path().join("session.jsonl")).expect("a log");
    assert_eq!(folder.vac_with(&["view", "-"], &bytes).code, 0);
}

#[test]
fn envelope_in_a_page_is_verified() {
    let folder = signed();
    let ran = folder.vac(&["verify", "page.html", "--key", "keys/signing-key.pub.pem"]);
    assert!(ran.code == 0 && ran.stdout.contains("verified (page.html)"), "{ran:?}");
    assert!(ran.stderr.contains("vac view --check page.html"), "{ran:?}");
    let ran = folder.vac(&["verify", "page.html", "--key", "others/signing-key.pub.pem"]);
    assert!(ran.code == 1 && ran.stdout.contains("NOT verified"), "{ran:?}");
    let key = "keys/signing-key.pub.pem";
    let ran = folder.vac(&["verify", "page.html", "--key", key, "-o", "out.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(read(&folder, "out.json"), small(), "the exact bytes");
    folder.vac(&["view", "a.json", "-o", "unsigned.html"]);
    let ran = folder.vac(&["verify", "unsigned.html", "--key", key]);
    assert!(ran.code == 1 && ran.stdout.contains("not signed"), "{ran:?}");
}

#[test]
fn detached_record_is_part_of_the_page() {
    let folder = signed();
    let key = "keys/signing-key.pub.pem";
    let ran = folder.vac(&["view", "a.sig", "--key", key, "-o", "b.html"]);
    assert!(ran.code == 1 && ran.stderr.contains("--record FILE"), "{ran:?}");
    assert!(!folder.path().join("b.html").exists());
    let ran = folder.vac(&["view", "a.sig", "--record", "a.json", "--key", key, "-o", "b.html"]);
    assert!(ran.code == 0 && ran.stderr.contains(", verified"), "{ran:?}");
    let ran = folder.vac(&["verify", "b.html", "--key", key]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn page_that_is_not_verified_is_written_and_reported() {
    let folder = signed();
    let key = "others/signing-key.pub.pem";
    let ran = folder.vac(&["view", "a.cose", "--key", key, "-o", "b.html"]);
    assert!(ran.code == 1 && ran.stderr.contains("NOT verified"), "{ran:?}");
    assert!(folder.path().join("b.html").exists());
    let ran = folder.vac(&["view", "a.json", "--key", key, "-o", "c.html"]);
    assert!(ran.code == 1 && ran.stderr.contains("not signed"), "{ran:?}");
}

#[test]
fn changed_pages_are_found() {
    let folder = signed();
    let ran = folder.vac(&["view", "--check", "page.html"]);
    ran.gives(0, "page.html: same as the page that this vac makes\n");
    let page = read(&folder, "page.html");
    folder.write("b.html", page.replace("A page can claim anything", "This page is right"));
    let ran = folder.vac(&["view", "--check", "b.html"]);
    assert!(ran.code == 1 && ran.stdout.contains("differs from byte"), "{ran:?}");
    folder.write("b.html", page.replace("content=\"vac ", "content=\"vac 9."));
    let ran = folder.vac(&["view", "--check", "b.html"]);
    assert!(ran.code == 1 && ran.stdout.contains("made by vac 9."), "{ran:?}");
    folder.write("b.html", "<html>");
    let ran = folder.vac(&["view", "--check", "b.html"]);
    assert!(ran.code == 1 && ran.stderr.contains("not a page of vac"), "{ran:?}");
}

#[test]
fn pages_that_a_mail_program_changed_still_verify() {
    let folder = signed();
    let page = read(&folder, "page.html");
    let verify = |name: &str| folder.vac(&["verify", name, "--key", "keys/signing-key.pub.pem"]);
    for changed in [page.replace('\n', "\r\n"), format!("\u{feff}{page}")] {
        folder.write("changed.html", changed);
        let ran = verify("changed.html");
        assert!(ran.code == 0 && ran.stdout.contains("verified"), "{ran:?}");
        let ran = folder.vac(&["view", "--check", "changed.html"]);
        assert!(ran.code == 1 && ran.stdout.contains("differs"), "{ran:?}");
    }
    // Damage is reported with its place.
    folder.write("cut.html", page.split("</template>").next().expect("a beginning"));
    let ran = verify("cut.html");
    assert!(ran.code == 2 && ran.stderr.starts_with("error: cut.html: "), "{ran:?}");
}

#[test]
fn what_is_not_one_session_is_refused() {
    let folder = Folder::new();
    folder.write("page.html", folder_page());
    folder.write("notes.txt", "Not a log.");
    folder.write("two.jsonl", format!("{}\n{}\n", small().trim(), small().trim()));
    for (name, why) in
        [("page.html", "--check"), ("notes.txt", "notes.txt: "), ("two.jsonl", "several records")]
    {
        let ran = folder.vac(&["view", name]);
        assert!(ran.code == 1 && ran.stderr.contains(why), "{name}: {ran:?}");
    }
    let ran = folder.vac(&["view"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    let ran = folder.vac(&["view", "missing.json"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

fn folder_page() -> String {
    let folder = signed();
    read(&folder, "page.html")
}

/// The program that opens pages is replaced by a script that writes down its arguments.
#[cfg(target_os = "linux")]
#[test]
fn page_is_opened_with_the_program_of_the_system() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    folder.write("a.json", small());
    let program = folder.write("bin/xdg-open", "#!/bin/sh\nprintf %s \"$1\" > opened\n");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("permissions");
    let line = "PATH=$PWD/bin:$PATH; vac view a.json -o page.html --open && while ! [ -s opened ]; do sleep 0.05; done; cat opened";
    let ran = folder.shell(&[], line);
    assert!(ran.code == 0 && ran.stdout.ends_with("/page.html"), "{ran:?}");
    // The same without a shell, for a system without such a program.
    let ran =
        folder.vac_at_home(&[("PATH", "/nowhere")], &["view", "a.json", "-o", "b.html", "--open"]);
    assert!(ran.code == 2 && ran.stderr.contains("xdg-open"), "{ran:?}");
}

#[test]
fn sessions_are_viewed_by_their_names() {
    let folder = home::home();
    let view = |name: &str, expected: &str| {
        let ran = folder.vac_at_home(&[], &["view", name, "-o", "page.html", "--force"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(read(&folder, "page.html").contains(&format!("session {expected}<")), "{name}");
    };
    view("0a0a", home::CLAUDE_ID);
    // Sessions of one database.
    view(home::OPENCODE_ID, home::OPENCODE_ID);
    view("ses_0a1b2c3d4effd", home::OPENCODE_CHILD);
    let listed = folder.vac_at_home(&[], &["list", "--json", "--limit", "1"]).json();
    view("--last", listed["sessions"][0]["session-id"].as_str().expect("an id"));
    let ran = folder.vac_at_home(&[("HOME", "/nonexistent")], &["view", "--last"]);
    assert!(ran.code == 1 && ran.stderr.contains("no session found"), "{ran:?}");
    for name in ["zzzz", "nothing-of-that-name"] {
        let ran = folder.vac_at_home(&[], &["view", name]);
        assert!(ran.code == 2 && ran.stderr.contains(name), "{ran:?}");
    }
    // A record in the folder of records.
    let ran = folder.vac_at_home(&[], &["convert", "0c0c", "-o", "records/"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    fs::remove_dir_all(folder.path().join("home/.gemini")).expect("a folder");
    let records = [("VAC_RECORDS", "records")];
    let ran = folder.vac_at_home(&records, &["view", "0c0c", "-o", "page.html", "--force"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(read(&folder, "page.html").contains(home::GEMINI_ID));
}
