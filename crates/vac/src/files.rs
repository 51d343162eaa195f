//! Writes files that get their names when they are complete, that only users who can read their
//! sources can read, and that never replace a source.
//!
//! Temporary files are [registered](temporary_paths), so that a program can remove them when a
//! signal ends it.

mod atomic_file;
mod folder_lock;
mod input_guard;
mod readers;
pub mod temporary_paths;

pub use atomic_file::{
    AtomicFile, NamelessFile, cut_back, is_nameless, is_stream, is_taken, make_folder,
};
pub use folder_lock::{FolderLock, Wait, lock_folder};
pub use input_guard::{InputGuard, refuse_agent_folder, refuse_agent_roots, refuse_input_folder};
pub use readers::Readers;
