//! How much of anything a specification may ask for.
//!
//! Each limit is far above what people write and far below what hurts. Patterns have theirs
//! in the module `compile`, matching in `interpret::budget`.

/// Bytes of a text.
pub(crate) const TEXT_BYTES: usize = 2 << 20;

/// Brackets within brackets. Without optimisation, crate `cddl` takes more than
/// 20 KiB of stack for each.
pub(super) const NESTING: usize = 40;

/// Steps of lowering within each other: two for each pair of brackets, and one
/// for each group name on the way.
pub(super) const DEPTH: usize = 150;

/// Types and group entries, after group names are replaced by what they name.
pub(super) const NODES: usize = 1_000_000;

/// Instances of generic rules.
pub(super) const INSTANCES: usize = 1_000;

/// Bytes in the name of an instance, which spells out its arguments.
pub(super) const INSTANCE_NAME: usize = 4_096;

/// Bytes in a text that `.cat` and `.det` put together.
pub(super) const STRING: usize = 1 << 20;

/// Bytes of literals, names, comments and rules that are copied where groups and generic
/// rules are expanded.
pub(super) const COPIES: usize = 64 << 20;

/// Calls within crate `cddl`'s parser, which tries nested arrays several times
/// on each level.
pub(super) const PARSER_CALLS: usize = 20_000_000;

/// Bytes that crate `cddl`'s parser gets at once if there are more. For each part of a rule
/// it counts the lines from the beginning on.
pub(super) const PIECE_BYTES: usize = 4 << 10;

/// Tokens times bytes of a piece, for a rule that is longer.
pub(super) const PIECE_EFFORT: usize = 1 << 30;

/// Calls within the parser that a piece may take whatever its share is, and more for each
/// byte of it. Ordinary texts take 15 to 50 for each byte.
pub(super) const PIECE_CALLS: usize = 250_000;
pub(super) const PIECE_CALLS_FOR_EACH_BYTE: usize = 100;
