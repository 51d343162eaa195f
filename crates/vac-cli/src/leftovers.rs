//! What must not be left behind when a signal ends the program: files that have not got
//! their names yet, and copies of databases.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

/// What there is to remove. Nothing ends the program while somebody else holds it.
static LEFT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Makes a file or a folder that is removed if a signal ends the program.
pub fn made<T: AsRef<Path>>(make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(unix)]
    signals::watch();
    let mut left = left();
    let thing = make()?;
    left.insert(thing.as_ref().to_owned());
    Ok(thing)
}

/// Does the last thing to one of them, whatever comes of it.
pub fn settled<T>(path: &Path, settle: impl FnOnce() -> T) -> T {
    let mut left = left();
    let done = settle();
    left.remove(path);
    done
}

/// A folder for everything that libraries put aside while they read: it goes when this
/// value does. Without one, they do as they always do.
pub fn folder_for_copies() -> Option<TempDir> {
    let folder = made(|| tempfile::Builder::new().prefix("vac-").tempdir()).ok()?;
    tempfile::env::override_temp_dir(folder.path()).ok()?;
    Some(folder)
}

fn left() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod signals {
    use std::sync::{Arc, Once, mpsc};
    use std::{fs, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::flag;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use super::left;

    /// A folder may get another file while it is removed.
    const TRIES: usize = 10;

    /// Waits for signals from now on.
    pub fn watch() {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            // A file that must not grow any further is an error like a full disk.
            drop(flag::register(SIGXFSZ, Arc::default()));
            let (ready, is_ready) = mpsc::channel::<()>();
            // Without a thread, signals do what they always do.
            let thread = thread::Builder::new().name("signals".to_owned()).spawn(move || {
                let wanted = [SIGINT, SIGTERM, SIGHUP];
                let signals = Signals::new(wanted.into_iter().filter(|it| !is_ignored(*it)));
                drop(ready);
                if let Some(signal) = signals.ok().and_then(|mut all| all.forever().next()) {
                    end(signal);
                }
            });
            if thread.is_ok() {
                // It never says more than that it is there.
                is_ready.recv().unwrap_or_default();
            }
        });
    }

    /// Removes what is left, and ends as if nobody had waited for the signal.
    fn end(signal: i32) {
        // Nobody makes or settles anything any more.
        let left = left();
        for path in &*left {
            for _ in 0..TRIES {
                let is_gone = if path.is_dir() {
                    fs::remove_dir_all(path).is_ok()
                } else {
                    fs::remove_file(path).is_ok() || path.symlink_metadata().is_err()
                };
                if is_gone {
                    break;
                }
            }
        }
        drop(emulate_default_handler(signal));
        std::process::exit(128 + signal);
    }

    /// Whether the program was started to live on in spite of a signal, as `nohup` does.
    #[cfg(target_os = "linux")]
    fn is_ignored(signal: i32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }

    /// The same where nobody can tell: only the terminal's end is lived through.
    #[cfg(not(target_os = "linux"))]
    fn is_ignored(signal: i32) -> bool {
        signal == SIGHUP
    }
}
