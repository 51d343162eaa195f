//! Parses the names of rollout files: `rollout-<time>-<thread>.jsonl`, or
//! `rollout-<time>-<thread>_<rollout>.jsonl` for a thread that was reverted.

/// The length of a UUID.
const UUID: usize = 36;

/// Returns the id of the thread.
pub(crate) fn id(name: &str) -> Option<String> {
    let stem = name.strip_prefix("rollout-")?;
    let stem = stem.strip_suffix(".zst").unwrap_or(stem);
    let stem = stem.strip_suffix(".jsonl").or_else(|| stem.strip_suffix(".json")).unwrap_or(stem);
    let thread = match stem.rsplit_once('_') {
        Some((thread, rollout)) if is_uuid(rollout) => thread,
        _ => stem,
    };
    let id = thread.get(thread.len().checked_sub(UUID)?..)?;
    is_uuid(id).then(|| id.to_owned())
}

fn is_uuid(text: &str) -> bool {
    text.len() == UUID
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
