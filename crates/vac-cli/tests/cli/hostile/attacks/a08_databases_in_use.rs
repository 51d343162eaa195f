//! A database that is being written gives a consistent record or an error.
