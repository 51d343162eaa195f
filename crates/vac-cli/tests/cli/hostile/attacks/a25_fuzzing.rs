//! Every parser of untrusted bytes has a fuzz target.
