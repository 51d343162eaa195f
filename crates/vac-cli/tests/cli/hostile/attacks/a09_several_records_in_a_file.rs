//! Every command reads what `convert -o FILE` writes.
