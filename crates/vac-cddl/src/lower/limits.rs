//! How much of anything a specification may ask for.
//!
//! Each limit is far above what people write and far below what hurts.

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
pub(super) const TEXT: usize = 1 << 20;

/// Calls within crate `cddl`'s parser, which tries nested arrays several times
/// on each level.
pub(super) const PARSER_CALLS: usize = 20_000_000;
