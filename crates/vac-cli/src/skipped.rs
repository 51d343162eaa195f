//! Warnings about links and special files that were not opened.

use vac_store::Skipped;

use crate::terminal::Talk;

/// So many are listed unless more is wanted: a folder of packages is full of links.
const MAX_LISTED: usize = 20;

/// Warns about those that it has not warned about before.
pub fn warn(skipped: &Skipped, talk: Talk) {
    let new = skipped.unreported();
    let max = if talk == Talk::Verbose { usize::MAX } else { MAX_LISTED };
    for (path, reason) in new.iter().take(max) {
        talk.warn(&format!("{}: {reason}", path.display()));
    }
    let more = new.len().saturating_sub(max);
    if more > 0 {
        talk.warn(&format!("{more} more links or special files not opened (-v lists them)"));
    }
}
