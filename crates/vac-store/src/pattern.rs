//! Matches file names with patterns.

/// Returns whether a name matches a pattern, in which `*` is any text.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(before) else { return false };
    let mut pieces: Vec<_> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match name.split_once(piece) {
            Some((_, after)) => name = after,
            None => return false,
        }
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn star_matches_any_text() {
        for (pattern, name, expected) in [
            ("store.db", "store.db", true),
            ("store.db", "store.db-wal", false),
            ("*.jsonl", "a.jsonl", true),
            ("*.jsonl", ".jsonl", true),
            ("*.jsonl", "a.jsonl.tmp-1", false),
            ("rollout-*.jsonl", "rollout-1.jsonl", true),
            ("rollout-*.jsonl", "rollout-1.jsonl.zst", false),
            ("rollout-*.jsonl", "my-rollout-1.jsonl", false),
            ("*.jsonl.unreadable-*", "s.jsonl.unreadable-17", true),
            ("*.jsonl.unreadable-*", "s.jsonl", false),
            ("opencode-*.db", "opencode.db", false),
            ("a*a", "a", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
