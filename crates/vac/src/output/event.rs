//! What happens while logs are converted.

use super::report::OutputSession;
use crate::Error;

/// A function that is called with everything that happens, in order.
pub type OutputObserver<'o> = dyn FnMut(OutputEvent<'_>) + 'o;

/// Something that happens while logs are converted.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum OutputEvent<'e> {
    /// Another process writes to the folder, and this one waits for it.
    Waiting,
    /// A stage begins, which has this many steps.
    Begins(OutputStage, usize),
    /// A step of the stage is done.
    Step,
    /// A session was converted.
    Converted(&'e OutputSession),
    /// A log or a session could not be converted.
    Failed(&'e Error),
    /// A file is not a log.
    Skipped {
        /// Its path.
        log: &'e str,
        /// A description of it.
        looks_like: Option<&'e str>,
    },
}

/// A stage of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStage {
    /// The records of the folder are read.
    ReadingRecords,
    /// Logs are compared with the records of the folder.
    Comparing,
    /// Logs are converted.
    Converting,
}
