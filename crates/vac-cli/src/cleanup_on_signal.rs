//! Removes temporary files when a signal ends the program: files that have not got their names
//! yet, and copies of databases.
//!
//! A handler removes them at signals that can be handled (`signals`). For other signals, copies are
//! in a folder with a locked file: the system releases the lock when the process ends, and the next
//! run removes folders whose lock is free.

use std::fs::{self, DirEntry, File, Metadata};
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::TempDir;
use vac::files::temporary_paths::create;
use vac::store::{SafePath, Skipped};

/// Waits for signals as soon as there is a temporary file.
pub fn watch() {
    #[cfg(unix)]
    vac::files::temporary_paths::before_create(signals::watch);
}

/// The prefix of the names of folders for copies.
const PREFIX: &str = "vac-";
/// The file in such a folder that is locked as long as its process lives.
const LOCK: &str = "lock";

/// The folder for all temporary files of this process. It is removed with this value.
pub struct TemporaryFolder {
    // The file is closed first: some systems do not remove a folder with an open file in it.
    _lock: File,
    _folder: TempDir,
}

impl TemporaryFolder {
    /// Creates the folder, and removes those of processes that were killed. If it cannot be
    /// created, temporary files are in the usual folder of the system.
    pub fn new() -> Option<Self> {
        let folder = create(private_folder).ok()?;
        let lock = lock(folder.path()).ok()?;
        remove_stale(folder.path());
        tempfile::env::override_temp_dir(folder.path()).ok()?;
        Some(Self { _lock: lock, _folder: folder })
    }
}

fn private_folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    builder.tempdir()
}

/// Creates and locks the file which shows that this process is running.
fn lock(folder: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut lock = options.open(folder.join(LOCK))?;
    lock.lock()?;
    // From now on, the file is locked or its process has ended. See `is_stale`.
    lock.write_all(b"locked by vac as long as it runs\n")?;
    Ok(lock)
}

/// Removes the folders of processes that have ended without doing so.
fn remove_stale(own: &Path) {
    let (Some(around), Ok(own_metadata)) = (own.parent(), own.metadata()) else { return };
    // A folder that cannot be read or removed is left for another run.
    for entry in around.read_dir().into_iter().flatten().flatten() {
        let is_ours = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())
            && is_like(&entry, &own_metadata);
        if is_ours && entry.path() != own && is_stale(&entry.path()) {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

/// Returns whether an entry is a folder, not a link, that belongs to the same user and that no
/// other user can access.
#[cfg(unix)]
fn is_like(entry: &DirEntry, own: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    entry
        .metadata()
        .is_ok_and(|it| it.is_dir() && it.uid() == own.uid() && it.mode() & 0o777 == 0o700)
}

#[cfg(not(unix))]
fn is_like(entry: &DirEntry, _: &Metadata) -> bool {
    entry.metadata().is_ok_and(|it| it.is_dir())
}

/// Returns whether the process that created a folder has ended. The lock of a process that has just
/// started can be free, but then its file is empty.
fn is_stale(folder: &Path) -> bool {
    let lock = SafePath::named(folder, &Skipped::default()).join(LOCK);
    lock.open().is_ok_and(|lock| {
        lock.try_lock().is_ok() && lock.metadata().is_ok_and(|metadata| metadata.len() > 0)
    })
}

#[cfg(unix)]
mod signals {
    use std::sync::{Arc, Once, mpsc};
    use std::{fs, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::flag;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use vac::files::temporary_paths;

    use crate::printer::is_pager_running;

    /// A folder may get another file while it is removed.
    const TRIES: usize = 10;

    /// Starts a thread that waits for signals.
    pub fn watch() {
        static WATCHED: Once = Once::new();
        WATCHED.call_once(|| {
            // A file that exceeds the limit on file sizes is an error, like a full disk.
            drop(flag::register(SIGXFSZ, Arc::default()));
            let (ready, is_ready) = mpsc::channel::<()>();
            // Without a thread, signals have their default effect.
            let thread = thread::Builder::new().name("signals".to_owned()).spawn(move || {
                let wanted = [SIGINT, SIGTERM, SIGHUP];
                let signals = Signals::new(wanted.into_iter().filter(|it| !is_ignored(*it)));
                drop(ready);
                // While a pager is on the terminal, the interrupt key is meant for the pager.
                let is_meant = |signal: &i32| *signal != SIGINT || !is_pager_running();
                if let Some(signal) = signals.ok().and_then(|mut all| all.forever().find(is_meant))
                {
                    end(signal);
                }
            });
            if thread.is_ok() {
                // The channel is closed when the thread waits for signals.
                is_ready.recv().unwrap_or_default();
            }
        });
    }

    /// Removes temporary files, and ends the program as the signal would have.
    fn end(signal: i32) {
        // While this is locked, no temporary file is created or renamed.
        let temporary = temporary_paths::lock();
        for path in &*temporary {
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

    /// Returns whether the program was started to ignore a signal, as `nohup` does.
    #[cfg(target_os = "linux")]
    fn is_ignored(signal: i32) -> bool {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }

    /// Returns whether a signal is ignored, where the system does not state it: only the end of the
    /// terminal is.
    #[cfg(not(target_os = "linux"))]
    fn is_ignored(signal: i32) -> bool {
        signal == SIGHUP
    }
}
