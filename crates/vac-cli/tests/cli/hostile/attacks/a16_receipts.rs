//! Receipts are bounded, and nothing unsigned is printed as verified.
