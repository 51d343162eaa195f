//! Temporary copies of a database are private and do not outlive their process.
