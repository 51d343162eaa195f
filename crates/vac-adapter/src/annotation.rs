//! Annotations: the claims of vac itself about entries and sessions, in the extension `vac`.
//!
//! Annotations are claims of the converter, not of the log. Their types are generated from
//! `spec/vac-annotations.cddl`. A native key `vac` is kept as `native:vac`, so the value of the key
//! `vac` in a record was always written by the converter.
//!
//! ```
//! use vac_adapter::annotation::{annotate, annotations};
//! use vac_record::annotations::{Author, Outcome};
//! use vac_record::{Entry, MessageEntry, MessageEntryType};
//!
//! let mut entry = Entry::from(MessageEntry::new(MessageEntryType::User));
//! assert_eq!(annotations(&entry), Ok(None));
//! annotate(&mut entry, |it| it.author = Some(Author::Program));
//! annotate(&mut entry, |it| it.outcome = Some(Outcome::Error));
//! let found = annotations(&entry)?.ok_or("not annotated")?;
//! assert_eq!((found.author, found.outcome), (Some(Author::Program), Some(Outcome::Error)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use vac_record::annotations::{EntryAnnotations, SessionAnnotations};
use vac_record::{Any, Decode, DecodeError, Encode, Entry, Map, Text, VerifiableAgentRecord};
use vac_value::{Encoding, IntoOwned};

/// The key of the extension.
pub const KEY: &str = "vac";

/// Returns the annotations of an entry, without those of its children. `None` if it has none. They
/// borrow from the entry, because readers decode those of every entry.
///
/// # Errors
/// If the extension `vac` is not valid, which means that this program did not write it.
pub fn annotations<'e>(entry: &'e Entry<'_>) -> Result<Option<EntryAnnotations<'e>>, DecodeError> {
    read(entry.extensions())
}

/// Adds annotations to the extensions of an entry that is being built and has none. Absent
/// annotations add nothing.
pub fn attach<'a>(extensions: &mut Map<Text<'a>, Any<'a>>, annotations: &EntryAnnotations<'_>) {
    debug_assert!(extensions.get(KEY).is_none(), "annotations are attached once");
    if *annotations != EntryAnnotations::default() {
        // Native members with this key are renamed, so the key is not present.
        extensions.push((KEY.into(), encoded(annotations)));
    }
}

/// Changes the annotations of an entry.
///
/// # Panics
/// If the entry has an extension `vac` that is not valid: an adapter has put it there, which
/// is a defect.
pub fn annotate(entry: &mut Entry<'_>, change: impl FnOnce(&mut EntryAnnotations<'static>)) {
    let found = annotations(entry).expect("only this module writes annotations");
    let mut changed = found.unwrap_or_default().into_owned();
    change(&mut changed);
    if changed != EntryAnnotations::default() {
        write(entry.extensions_mut(), &changed);
    }
}

/// Returns the annotations of a session. `None` if it has none.
///
/// # Errors
/// If the extension `vac` is not valid, which means that this program did not write it.
pub fn session_annotations(
    record: &VerifiableAgentRecord<'_>,
) -> Result<Option<SessionAnnotations<'static>>, DecodeError> {
    let found: Option<SessionAnnotations<'_>> = read(&record.session.extensions)?;
    Ok(found.map(IntoOwned::into_owned))
}

/// Sets the annotations of a session.
pub fn annotate_session(
    record: &mut VerifiableAgentRecord<'_>,
    annotations: &SessionAnnotations<'_>,
) {
    write(&mut record.session.extensions, annotations);
}

/// Removes all extensions but the annotations.
pub(crate) fn retain(extensions: &mut Map<Text<'_>, Any<'_>>) {
    let kept = extensions.remove(KEY);
    *extensions = Map::default();
    if let Some(kept) = kept {
        extensions.insert(KEY.into(), kept);
    }
}

fn read<'e, T: Decode<'e>>(
    extensions: &'e Map<Text<'_>, Any<'_>>,
) -> Result<Option<T>, DecodeError> {
    let Some(any) = extensions.get(KEY) else { return Ok(None) };
    let document = any.document()?;
    T::from_node(document.root()).map(Some)
}

fn write<'a>(extensions: &mut Map<Text<'a>, Any<'a>>, annotations: &impl Encode) {
    extensions.insert(KEY.into(), encoded(annotations));
}

fn encoded(annotations: &impl Encode) -> Any<'static> {
    let any = Any::from_value(annotations, Encoding::Json);
    any.expect("annotations are texts and integers")
}
