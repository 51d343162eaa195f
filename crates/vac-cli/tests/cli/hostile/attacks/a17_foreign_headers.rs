//! Well-formed headers in any order are read.
