//! Each printed hash is named by what it is of.
