//! Reads and stores objects: records and logs by their SHA-256.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use vac_sign::merkle::Hash;
use vac_store::{SafePath, Sha256, Skipped};

use crate::claims::hex;
use crate::disk::Disk;

mod sinks;

pub(crate) use sinks::Bounded;
use sinks::{Beginning, Hashing, Limited};

/// The magic number of a skippable frame, in bytes.
const SKIPPABLE: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
/// The number of bytes in the skippable frame of a suffix.
const SUFFIX: u32 = 40;
/// The number of bytes in the skippable frame of a patch.
const PATCH: u32 = 32;
/// The maximum length of a chain of objects, each with the next one as its base.
const MAX_CHAIN: usize = 64;
/// Maximum size in bytes of a record that is stored as a patch, and of its base.
const MAX_PATCH: usize = 64 << 20;
/// The binary logarithm of the largest window.
const MAX_WINDOW_LOG: u32 = 27;
const LEVEL: i32 = 3;
/// The folder of objects.
pub(crate) const OBJECTS: &str = "objects";
/// Maximum size of a record, in bytes. No reader supports larger ones.
pub(crate) const MAX_RECORD: u64 = u32::MAX as u64;
/// The maximum size in bytes of an object that is read into memory at once. A larger one is hashed
/// first, so that a file with other content than its name states cannot fill the memory.
const MAX_TRUSTED: usize = 16 << 20;

/// The form in which an object is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Whole,
    /// The first bytes of another object, followed by the content of the file.
    Suffix {
        base: Hash,
        length: u64,
    },
    /// Compressed with another object as prefix.
    Patch {
        base: Hash,
    },
}

/// The objects of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Objects {
    root: SafePath,
    tmp: PathBuf,
}

/// The reason why an object cannot be read.
#[derive(Debug)]
pub(crate) enum ObjectError {
    Missing,
    /// The object has other content than its name states, for this reason.
    Changed(String),
    Io(io::Error),
}

impl std::fmt::Display for ObjectError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("missing"),
            Self::Changed(why) => f.write_str(why),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for ObjectError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn changed(why: impl Into<String>) -> ObjectError {
    ObjectError::Changed(why.into())
}

/// Returns the path of an object below the folder `objects`.
pub(crate) fn object_path(hash: &Hash) -> PathBuf {
    let name = hex(hash);
    Path::new(&name[..2]).join(&name[2..])
}

impl Objects {
    pub fn new(folder: &Path) -> Self {
        // Follow links to the folder of the archive, but none below it.
        let root = SafePath::named(folder, &Skipped::default()).join(OBJECTS);
        Self { root, tmp: folder.join("tmp") }
    }

    /// Opens the file of an object at its Zstandard frame.
    fn open(&self, hash: &Hash) -> Result<(File, Form), ObjectError> {
        let mut file = self.root.join(object_path(hash)).open().map_err(|error| {
            match error.kind() {
                io::ErrorKind::NotFound => ObjectError::Missing,
                // The path is a link, a folder or a device.
                io::ErrorKind::InvalidInput | io::ErrorKind::NotADirectory => {
                    changed(format!("not a regular file: {error}"))
                }
                _ => ObjectError::Io(error),
            }
        })?;
        let mut start = Vec::with_capacity(48);
        (&file).take(48).read_to_end(&mut start)?;
        let rest = start.strip_prefix(&SKIPPABLE).and_then(|rest| rest.split_first_chunk());
        let (form, offset) = match rest {
            None => (Form::Whole, 0),
            Some((length, rest)) => match (u32::from_le_bytes(*length), rest.split_first_chunk()) {
                (SUFFIX, Some((base, rest))) => match rest.first_chunk() {
                    Some(length) => {
                        (Form::Suffix { base: *base, length: u64::from_le_bytes(*length) }, 48)
                    }
                    None => return Err(changed("its first frame is cut off")),
                },
                (PATCH, Some((base, _))) => (Form::Patch { base: *base }, 40),
                _ => return Err(changed("its first frame is of an unknown kind")),
            },
        };
        file.seek(SeekFrom::Start(offset))?;
        Ok((file, form))
    }

    /// Writes the content of an object. Returns its size. If this fails, the written bytes are
    /// incomplete or wrong.
    pub fn read_to(&self, hash: &Hash, out: &mut dyn Write) -> Result<u64, ObjectError> {
        let mut out = Hashing { out, hash: Sha256::default(), size: 0 };
        self.read_chain(hash, &mut out)?;
        let found = out.hash.finish();
        if found != *hash {
            return Err(changed("its content does not have the hash that its name states"));
        }
        Ok(out.size)
    }

    fn read_chain(&self, hash: &Hash, out: &mut Hashing<'_>) -> Result<(), ObjectError> {
        let mut pieces = Vec::new();
        let (mut current, mut limit) = (*hash, None::<u64>);
        for depth in 0..=MAX_CHAIN {
            let (file, form) = match self.open(&current) {
                Err(ObjectError::Missing) if depth > 0 => {
                    return Err(changed(format!("its base {} is missing", hex(&current))));
                }
                opened => opened?,
            };
            match form {
                Form::Whole => {
                    pieces.push((file, limit));
                    for (file, limit) in pieces.into_iter().rev() {
                        copy_frame(decoder(file)?, limit, out)?;
                    }
                    return Ok(());
                }
                Form::Suffix { base, length } => {
                    pieces.push((file, limit.map(|limit| limit.saturating_sub(length))));
                    limit = Some(limit.map_or(length, |limit| limit.min(length)));
                    current = base;
                }
                Form::Patch { base } if depth == 0 => {
                    let base = self.read_patch_base(&base)?;
                    let mut decoder =
                        zstd::Decoder::with_ref_prefix(BufReader::new(file), &base)?.single_frame();
                    decoder.window_log_max(MAX_WINDOW_LOG)?;
                    return copy_frame(decoder, None, out);
                }
                Form::Patch { .. } => return Err(changed("its base is a patch")),
            }
        }
        Err(changed(format!("it has more than {MAX_CHAIN} bases")))
    }

    /// Reads the base of a patch, which has to be a whole object.
    fn read_patch_base(&self, hash: &Hash) -> Result<Vec<u8>, ObjectError> {
        let named = |why: &dyn std::fmt::Display| changed(format!("its base {}: {why}", hex(hash)));
        match self.open(hash) {
            Ok((_, Form::Whole)) => {}
            Ok(_) => return Err(named(&"not a whole object")),
            Err(ObjectError::Io(error)) => return Err(ObjectError::Io(error)),
            Err(error) => return Err(named(&error)),
        }
        let mut bytes = Limited { bytes: Vec::new(), max: MAX_PATCH };
        match self.read_to(hash, &mut bytes) {
            Ok(_) => Ok(bytes.bytes),
            Err(ObjectError::Io(error)) if error.kind() != io::ErrorKind::FileTooLarge => {
                Err(ObjectError::Io(error))
            }
            Err(error) => Err(named(&error)),
        }
    }

    /// Reads an object into memory.
    pub fn read(&self, hash: &Hash) -> Result<Vec<u8>, ObjectError> {
        let mut small = Limited { bytes: Vec::new(), max: MAX_TRUSTED };
        match self.read_to(hash, &mut small) {
            Err(ObjectError::Io(error)) if error.kind() == io::ErrorKind::FileTooLarge => {}
            read => return read.map(|_| small.bytes),
        }
        drop(small);
        let size = self.check(hash, MAX_RECORD)?;
        let size =
            usize::try_from(size).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let mut all = Limited { bytes, max: size };
        self.read_to(hash, &mut all)?;
        Ok(all.bytes)
    }

    /// Checks the content of an object without keeping it. Reads at most `max` bytes, because a
    /// small file can decompress to terabytes.
    pub fn check(&self, hash: &Hash, max: u64) -> Result<u64, ObjectError> {
        self.read_to(hash, &mut Bounded::new(io::sink(), max))
    }

    /// Returns whether an object of this size begins with another one. Both have to be intact.
    pub fn begins_with(&self, (hash, size): (&Hash, u64), (base, length): (&Hash, u64)) -> bool {
        // The hash of a suffix includes the bytes of its base.
        if self.open(hash).is_ok_and(|(_, form)| form == Form::Suffix { base: *base, length }) {
            return true;
        }
        let mut beginning = Beginning { hash: Sha256::default(), room: length };
        self.read_to(hash, &mut Bounded::new(&mut beginning, size)).is_ok()
            && beginning.room == 0
            && beginning.hash.finish() == *base
    }

    /// Returns whether an object exists and has its content, of at most `max` bytes.
    pub fn is_intact(&self, hash: &Hash, max: u64) -> bool {
        let name = self.root.join(object_path(hash));
        name.as_path().exists() && self.check(hash, max).is_ok()
    }

    /// Returns the number of bases of an object that is not a patch.
    fn depth(&self, hash: &Hash) -> Option<usize> {
        let mut current = *hash;
        for depth in 0..=MAX_CHAIN {
            match self.open(&current).ok()?.1 {
                Form::Whole => return Some(depth),
                Form::Suffix { base, .. } => current = base,
                Form::Patch { .. } => return None,
            }
        }
        None
    }

    /// Returns the whole object at the end of the chain of bases, which can be the object itself.
    pub fn whole_base(&self, hash: &Hash) -> Option<Hash> {
        match self.open(hash).ok()?.1 {
            Form::Whole => Some(*hash),
            Form::Patch { base } => Some(base),
            Form::Suffix { .. } => None,
        }
    }

    /// Stores a record, as a patch of an earlier whole object if that saves space. Returns the
    /// folder that has a new file.
    pub fn store_record(
        &self,
        disk: &Disk,
        bytes: &[u8],
        hash: &Hash,
        base: Option<Hash>,
    ) -> io::Result<Option<PathBuf>> {
        if self.is_intact(hash, bytes.len() as u64) {
            return Ok(None);
        }
        let whole = compress(bytes)?;
        let small = |bytes: &[u8]| bytes.len() <= MAX_PATCH;
        let base = base.filter(|base| base != hash && small(bytes));
        // A base that cannot be read is not used.
        let base = base.and_then(|base| Some((base, self.read_patch_base(&base).ok()?)));
        let patch = base.map(|(base, content)| patch(bytes, &base, &content)).transpose()?;
        let stored = match patch {
            // Later versions are patches of a whole object, so a version with much new content is
            // stored whole.
            Some(patch) if patch.len() < whole.len() / 2 => patch,
            _ => whole,
        };
        let mut file = disk.create(&self.tmp)?;
        file.write_all(&stored)?;
        self.persist(disk, file, hash).map(Some)
    }

    /// Stores a source of a log that has this size and hash. `base` is an earlier one that it may
    /// begin with. `open` reads the source from its beginning. Returns the folder that has a new
    /// file; fails if the source has other bytes.
    pub fn store_source<'r>(
        &self,
        disk: &Disk,
        (size, hash): (u64, &Hash),
        base: Option<(u64, Hash)>,
        open: &dyn Fn() -> io::Result<Box<dyn Read + 'r>>,
    ) -> Result<Option<PathBuf>, StoreError> {
        if self.is_intact(hash, size) {
            return Ok(None);
        }
        let base = base.filter(|(length, base)| {
            let is_deep = || self.depth(base).is_none_or(|depth| depth + 1 >= MAX_CHAIN);
            *length > 0
                && *length <= size
                && base != hash
                && !is_deep()
                && self.is_intact(base, *length)
        });
        if let Some((length, base)) = base {
            let mut source = open()?.take(size);
            let mut beginning = Hashing { out: &mut io::sink(), hash: Sha256::default(), size: 0 };
            io::copy(&mut source.by_ref().take(length), &mut beginning)?;
            let is_base = beginning.size == length && beginning.hash.clone().finish() == base;
            if is_base {
                let mut file = disk.create(&self.tmp)?;
                file.write_all(&SKIPPABLE)?;
                file.write_all(&SUFFIX.to_le_bytes())?;
                file.write_all(&base)?;
                file.write_all(&length.to_le_bytes())?;
                let hasher = beginning.hash;
                return self.store_frame(disk, file, source, (hasher, length), (size, hash));
            }
        }
        let file = disk.create(&self.tmp)?;
        self.store_frame(disk, file, open()?.take(size), (Sha256::default(), 0), (size, hash))
    }

    fn store_frame(
        &self,
        disk: &Disk,
        file: NamedTempFile,
        mut source: impl Read,
        (hash, size): (Sha256, u64),
        expected: (u64, &Hash),
    ) -> Result<Option<PathBuf>, StoreError> {
        let mut encoder = zstd::Encoder::new(file, LEVEL)?;
        // With the size known, the encoder uses smaller and faster tables.
        encoder.set_pledged_src_size(Some(expected.0.saturating_sub(size)))?;
        let mut hashing = Hashing { out: &mut encoder, hash, size };
        disk.step()?;
        copy(&mut source, &mut hashing)?;
        let found = (hashing.size, hashing.hash.finish());
        if found != (expected.0, *expected.1) {
            return Err(StoreError::Changed);
        }
        let file = encoder.finish()?;
        Ok(Some(self.persist(disk, file, expected.1)?))
    }

    fn persist(&self, disk: &Disk, file: NamedTempFile, hash: &Hash) -> io::Result<PathBuf> {
        let path = self.root.as_path().join(object_path(hash));
        let folder = path.parent().unwrap_or(self.root.as_path()).to_owned();
        match folder.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(io::Error::other(format!("{} is not a folder", folder.display()))),
            Err(_) => match disk.create_folder(&folder) {
                // Another thread has stored the object.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => created?,
            },
        }
        disk.persist(file, &path)?;
        Ok(folder)
    }
}

/// The reason why a source was not stored.
#[derive(Debug)]
pub(crate) enum StoreError {
    /// The source has other bytes than were converted.
    Changed,
    Io(io::Error),
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(bytes, LEVEL)
}

/// Compresses bytes with a base as prefix.
fn patch(bytes: &[u8], base: &Hash, content: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = SKIPPABLE.to_vec();
    out.extend(PATCH.to_le_bytes());
    out.extend(base);
    let mut encoder = zstd::Encoder::with_ref_prefix(out, LEVEL, content)?;
    let needed = (bytes.len() + content.len()).max(1024).next_power_of_two().ilog2();
    encoder.window_log(needed.min(MAX_WINDOW_LOG))?;
    encoder.long_distance_matching(true)?;
    encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
    encoder.write_all(bytes)?;
    encoder.finish()
}

fn decoder(file: File) -> io::Result<zstd::Decoder<'static, BufReader<File>>> {
    let mut decoder = zstd::Decoder::new(file)?.single_frame();
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    Ok(decoder)
}

/// Copies the content of a frame, which has to be the end of its file, or a part of it.
fn copy_frame(
    mut frame: zstd::Decoder<'_, BufReader<File>>,
    limit: Option<u64>,
    out: &mut Hashing<'_>,
) -> Result<(), ObjectError> {
    let before = out.size;
    let damaged = |error: io::Error| changed(format!("it cannot be decompressed: {error}"));
    let copied = copy_or_blame(&mut frame.by_ref().take(limit.unwrap_or(u64::MAX)), out);
    match copied {
        Ok(()) => {}
        Err((error, true)) => return Err(damaged(error)),
        Err((error, false)) => return Err(ObjectError::Io(error)),
    }
    match limit {
        Some(limit) if out.size - before != limit => Err(changed("its base is too short")),
        Some(_) => Ok(()),
        None => {
            let mut rest = frame.finish();
            let has_more = rest.read(&mut [0])? > 0;
            if has_more { Err(changed("there are bytes after its end")) } else { Ok(()) }
        }
    }
}

/// Copies bytes. An error comes with whether it was one of the reader.
fn copy_or_blame(from: &mut impl Read, to: &mut impl Write) -> Result<(), (io::Error, bool)> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => to.write_all(&buffer[..count]).map_err(|error| (error, false))?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err((error, true)),
        }
    }
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    copy_or_blame(from, to).map_err(|(error, _)| error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects() -> (tempfile::TempDir, Objects) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["objects", "tmp"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let objects = Objects::new(folder.path());
        (folder, objects)
    }

    fn store(objects: &Objects, bytes: &[u8], base: Option<&[u8]>) -> Hash {
        let hash = Sha256::digest(bytes);
        let base = base.map(|base| (base.len() as u64, Sha256::digest(base)));
        let source = bytes.to_vec();
        let open = || Ok(Box::new(io::Cursor::new(source.clone())) as Box<dyn Read>);
        let size = bytes.len() as u64;
        objects.store_source(&Disk::default(), (size, &hash), base, &open).unwrap();
        hash
    }

    fn text(length: usize) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(7);
        (0..length).map(|_| random.u8(b'a'..=b'z')).collect()
    }

    #[test]
    fn growing_source_is_stored_as_suffixes() {
        let (folder, objects) = objects();
        let all = text(400_000);
        let mut hashes = Vec::new();
        let steps: Vec<_> = (1..=80).map(|step| step * 5_000).collect();
        let mut before: Option<&[u8]> = None;
        for end in &steps {
            hashes.push(store(&objects, &all[..*end], before));
            before = Some(&all[..*end]);
        }
        let size = |hash| folder.path().join("objects").join(object_path(hash)).metadata();
        let sizes: Vec<_> = hashes.iter().map(|hash| size(hash).unwrap().len()).collect();
        // The 65th is whole again, so that no chain is longer than 64.
        assert!(sizes.iter().filter(|size| **size > 5_000).count() == 1, "{sizes:?}");
        for (hash, end) in hashes.iter().zip(&steps) {
            assert_eq!(objects.read(hash).unwrap(), &all[..*end]);
        }
        // A source that does not begin with its base is whole.
        let other = store(&objects, &text(7_000)[1..], Some(&all[..5_000]));
        assert_eq!(objects.open(&other).unwrap().1, Form::Whole);
    }

    #[test]
    fn next_version_of_a_record_is_a_patch() {
        let (folder, objects) = objects();
        let (one, new) = (text(300_000), text(300_500));
        let next = [b"changed", &one[..], &new[300_000..]].concat();
        let disk = Disk::default();
        let hash = Sha256::digest;
        let (first, second) = (hash(&one), hash(&next));
        objects.store_record(&disk, &one, &first, None).unwrap();
        objects.store_record(&disk, &next, &second, Some(first)).unwrap();
        assert_eq!(objects.open(&second).unwrap().1, Form::Patch { base: first });
        assert_eq!(objects.whole_base(&second), Some(first));
        let file = folder.path().join("objects").join(object_path(&second));
        assert!(file.metadata().unwrap().len() < 2_000);
        assert_eq!(objects.read(&second).unwrap(), next);
        std::fs::remove_file(folder.path().join("objects").join(object_path(&first))).unwrap();
        assert!(matches!(objects.read(&second), Err(ObjectError::Changed(_))));
    }

    #[test]
    fn every_change_of_a_file_is_found() {
        let (folder, objects) = objects();
        let all = text(900);
        let first = store(&objects, &all[..600], None);
        let second = store(&objects, &all, Some(&all[..600]));
        for hash in [first, second] {
            let path = folder.path().join("objects").join(object_path(&hash));
            let bytes = std::fs::read(&path).unwrap();
            let mut unnoticed = Vec::new();
            for bit in 0..bytes.len() * 8 {
                let mut changed = bytes.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                std::fs::write(&path, &changed).unwrap();
                match objects.read(&hash) {
                    Err(ObjectError::Changed(_)) => {}
                    // No reader uses this bit of the frame's header, so the content is the same.
                    Ok(content) if content == all[..content.len()] => unnoticed.push(bit),
                    other => panic!("bit {bit}: {other:?}"),
                }
            }
            assert!(unnoticed.len() < 32, "{unnoticed:?}");
            for other in [&bytes[..bytes.len() - 1], &[&bytes[..], b"x"].concat(), b""] {
                std::fs::write(&path, other).unwrap();
                assert!(matches!(objects.read(&hash), Err(ObjectError::Changed(_))));
            }
            std::fs::write(&path, bytes).unwrap();
        }
    }

    #[test]
    fn content_beyond_the_stated_size_is_not_decompressed() {
        let (folder, objects) = objects();
        let hash = store(&objects, b"short", None);
        // Blocks that repeat one byte 128 KiB times, a terabyte in all.
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
        let block = [0x02, 0, 0x10, b'x'];
        frame.extend(block.repeat(8 << 20));
        std::fs::write(folder.path().join("objects").join(object_path(&hash)), frame).unwrap();
        let error = objects.check(&hash, 5).unwrap_err().to_string();
        assert_eq!(error, "its content has more than 5 bytes");
        assert!(!objects.is_intact(&hash, 5));
    }

    #[test]
    fn object_begins_with_its_base_and_with_no_other() {
        let (_folder, objects) = objects();
        let all = text(900);
        let base = store(&objects, &all[..600], None);
        let suffix = store(&objects, &all, Some(&all[..600]));
        let whole = store(&objects, &[&all[..], b"!"].concat(), None);
        for (hash, size) in [(suffix, 900), (whole, 901)] {
            assert!(objects.begins_with((&hash, size), (&base, 600)));
            assert!(!objects.begins_with((&hash, size), (&base, 599)));
            assert!(!objects.begins_with((&base, 600), (&hash, size)));
        }
        assert!(!objects.begins_with((&suffix, 900), (&whole, 900)));
    }

    #[test]
    fn source_that_changed_is_not_stored() {
        let (folder, objects) = objects();
        let hash = Sha256::digest(b"expected");
        let open = || Ok(Box::new(&b"anything"[..]) as Box<dyn Read>);
        let stored = objects.store_source(&Disk::default(), (8, &hash), None, &open);
        assert!(matches!(stored, Err(StoreError::Changed)));
        assert_eq!(folder.path().join("tmp").read_dir().unwrap().count(), 0);
    }
}
