//! A record is replaced only by one that contains it.
