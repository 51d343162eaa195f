//! Reports the progress of a conversion.

use super::report::OutputSession;
use crate::Error;

/// A function that receives all events, in order.
pub type OutputObserver<'o> = dyn FnMut(OutputEvent<'_>) + 'o;

/// An event during a conversion.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum OutputEvent<'e> {
    /// Another process writes to the folder, and this one waits for it.
    Waiting,
    /// A stage with this number of steps begins.
    Begins(OutputStage, usize),
    /// A step of the stage was completed.
    Step,
    /// A session was converted.
    Converted(&'e OutputSession),
    /// A log or a session could not be converted.
    Failed(&'e Error),
    /// A file is not a log.
    Skipped {
        /// The path of the file.
        log: &'e str,
        /// A description of the file.
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
