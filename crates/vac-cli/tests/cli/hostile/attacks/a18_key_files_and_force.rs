//! Advice on keys fits the file; `--force` only overwrites.
