//! Warnings about links and special files that were not opened.

use vac::store::Skipped;

use crate::printer::Printer;

/// Maximum number of paths that are listed without -v: folders of packages contain many links.
const MAX_LISTED: usize = 20;

/// Prints warnings about paths that have not been reported before.
pub fn warn(skipped: &Skipped, printer: &Printer) {
    let new = skipped.unreported();
    let max = if printer.is_verbose() { usize::MAX } else { MAX_LISTED };
    for (path, reason) in new.iter().take(max) {
        printer.warn(&format!("{}: {reason}", path.display()));
    }
    let more = new.len().saturating_sub(max);
    if more > 0 {
        printer.warn(&format!("{more} more links or special files not opened (-v lists them)"));
    }
}
