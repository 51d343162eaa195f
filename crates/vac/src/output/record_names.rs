//! Chooses the names of files of records in a folder.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

/// The names that are used, and the number of their uses. `A` and `a` are one file on some disks.
pub type Taken = HashMap<String, usize>;

/// Returns `<agent>-<session id with safe characters>`. The first bytes of its hash distinguish an
/// id that had to be changed from others.
pub fn file_stem(agent: &str, session: &str) -> String {
    const MAX_CHARS: usize = 100;
    let safe: String = session
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' })
        .take(MAX_CHARS)
        .collect();
    if safe == session {
        return format!("{agent}-{safe}");
    }
    let hash = Sha256::digest(session.as_bytes());
    format!("{agent}-{safe}-{:02x}{:02x}{:02x}{:02x}", hash[0], hash[1], hash[2], hash[3])
}

/// Returns an unused name: the first is the stem, the others have numbers.
pub fn unused(stem: &str, taken: &mut Taken) -> String {
    let folded = stem.to_ascii_lowercase();
    loop {
        let count = taken.entry(folded.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return stem.to_owned();
        }
        let number = format!("-{count}");
        if taken.insert(folded.clone() + &number, 1).is_none() {
            return stem.to_owned() + &number;
        }
    }
}

/// Returns whether a name is one that [`unused`] can return.
pub fn is_numbered(name: &str, stem: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix(stem)
        .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_ids_cannot_leave_the_folder() {
        assert_eq!(file_stem("claude", "0a-1_b"), "claude-0a-1_b");
        let stem = file_stem("claude", "../../etc/passwd");
        assert!(stem.starts_with("claude-______etc_passwd-"), "{stem}");
        assert_ne!(file_stem("x", "a/b"), file_stem("x", "a:b"));
        assert!(file_stem("x", &"long".repeat(100)).len() < 130);
    }

    #[test]
    fn the_second_of_a_name_gets_a_number() {
        let mut taken = Taken::new();
        let stems = ["a", "a", "A", "a-2", "a-5", "A", "a", "a-2-2", "a-2"];
        let names = stems.map(|stem| unused(stem, &mut taken));
        assert_eq!(names, ["a", "a-2", "A-3", "a-2-2", "a-5", "A-4", "a-6", "a-2-2-2", "a-2-3"]);
        for name in ["a", "a-2", "a-3"] {
            assert!(is_numbered(name, "a"), "{name}");
        }
        for name in ["a-b", "b", "a2", "a-", "a-2-3", ""] {
            assert!(!is_numbered(name, "a"), "{name}");
        }
    }
}
