//! The first pass over a file: is it UTF-8? Most files are, so this pass has to be fast.
//!
//! Files are read, not mapped. If another process shortens a mapped file, the program dies of
//! SIGBUS; and if another process writes to it, a `&[u8]` changes, which Rust's compiler may assume
//! never happens. Nothing rules that out for a file on disk: Linux has no lock that other processes
//! must respect. Reading costs a copy into a buffer that stays in the second-level cache, where
//! validating it costs little: docs/command.md has the figures.
//!
//! A large file is cut into pieces, which several threads validate. A piece begins with a
//! character, so it can be validated alone. If characters are counted, it is cut anywhere, and is a
//! `Part`. This pass only finds out whether there is an error; `scan.rs` then finds the first one.

use std::fs::File;
use std::hint::black_box;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope};

use trust8::boundary::floor;
use trust8::{Kernel, Utf8Error};
use trust8_counts::{KernelCounts, Part};

use crate::progress::Progress;
use crate::source::{CHUNK_BYTES, aligned_buffer, read_at};
use crate::statistics::Characters;

/// How many bytes of a large file one thread takes at a time. Small enough that all threads finish
/// at about the same time.
const PIECE_BYTES: u64 = 4 << 20;

/// Files of at least this length are cut into pieces. For smaller ones, starting the threads would
/// cost too much.
const LARGE_BYTES: u64 = 4 * PIECE_BYTES;

/// A file with a NUL among this many first bytes is binary, for Git and for this command.
const BINARY_PREFIX_BYTES: usize = 8000;

/// Returns whether a file is binary.
pub(crate) fn is_binary_file(file: &File, start: u64) -> io::Result<bool> {
    let mut first = [0; BINARY_PREFIX_BYTES];
    let n = read_at(file, &mut first, start)?;
    Ok(is_binary(&first[..n]))
}

/// A file, or a substitute for one in a test.
pub(crate) trait Contents: Sync {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize>;
    fn len(&self) -> io::Result<u64>;
}

impl Contents for File {
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        read_at(self, buffer, at)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

/// Validates files.
pub(crate) struct FileValidator {
    pub(crate) kernel: &'static Kernel,
    threads: usize,
    /// Locked while all threads read one large file, so that there are not as many for each.
    large_file: Mutex<()>,
    pub(crate) progress: Progress,
    /// Whether to count characters, which takes longer.
    pub(crate) counting: bool,
}

/// What the first pass finds out about a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileStatus {
    Valid {
        bytes: u64,
        characters: Characters,
    },
    Invalid {
        /// An offset in the file: all bytes before it are valid, and the first error is in the
        /// chunk after it.
        before: u64,
        /// How many bytes were added to the progress. The second pass will read them again.
        progress: u64,
    },
    Binary,
}

impl FileValidator {
    pub(crate) fn new(kernel: &'static Kernel, threads: usize, progress: Progress, counting: bool) -> Self {
        Self { kernel, threads, large_file: Mutex::new(()), progress, counting }
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Validates `file` from the offset `start` on, reading into `buffer`. With `unless_binary`,
    /// returns `FileStatus::Binary` for a binary file after reading its beginning.
    pub(crate) fn validate(
        &self,
        file: &dyn Contents,
        start: u64,
        unless_binary: bool,
        buffer: &mut Buffer,
    ) -> io::Result<FileStatus> {
        let mut validator = ChunkValidator::new(self, start);
        // Reading the previous file may have failed inside a character.
        buffer.carried = 0;
        let first = file.read_at(buffer.space(), start)?;
        if unless_binary && is_binary(&buffer.bytes[buffer.start..][..first]) {
            return Ok(FileStatus::Binary);
        }
        // Only a file that fills the buffer can be large, so a small one is not even asked for its
        // length.
        if first == CHUNK_BYTES {
            let end = file.len()?;
            if self.threads > 1 && end.saturating_sub(start) >= LARGE_BYTES {
                if let Some(status) = self.validate_in_pieces(file, start, end, buffer) {
                    return Ok(status);
                }
                // Validate what can be read with this thread, from the start.
                buffer.carried = 0;
                return self.validate_rest(file, start, buffer, validator);
            }
        }
        match validator.push(buffer, first, &self.progress) {
            Ok(()) => {}
            Err(InvalidChunk) => return Ok(validator.invalid()),
        }
        self.validate_rest(file, start + first as u64, buffer, validator)
    }

    /// Validates `file` from the offset `at` to its end, after the bytes that `buffer` carries.
    fn validate_rest(
        &self,
        file: &dyn Contents,
        mut at: u64,
        buffer: &mut Buffer,
        mut validator: ChunkValidator<'_>,
    ) -> io::Result<FileStatus> {
        loop {
            let n = file.read_at(buffer.space(), at)?;
            if n == 0 {
                // The carried bytes begin a character that is not complete.
                let complete = buffer.carried == 0;
                buffer.carried = 0;
                return Ok(if complete { validator.valid() } else { validator.invalid() });
            }
            at += n as u64;
            match validator.push(buffer, n, &self.progress) {
                Ok(()) => {}
                Err(InvalidChunk) => {
                    buffer.carried = 0;
                    return Ok(validator.invalid());
                }
            }
        }
    }

    /// Validates `file` from `start` to `end` with all threads. Returns `None` if a piece can't be
    /// read to its end: what one thread finds then does not depend on which piece was read first.
    fn validate_in_pieces(
        &self,
        file: &dyn Contents,
        start: u64,
        end: u64,
        buffer: &mut Buffer,
    ) -> Option<FileStatus> {
        let _turn = self.large_file.lock().unwrap_or_else(PoisonError::into_inner);
        let pieces = (end - start).div_ceil(PIECE_BYTES);
        // The last piece also has what was appended since `end` was read.
        let start_of = |piece| if piece == pieces { u64::MAX } else { start + piece * PIECE_BYTES };
        if self.counting {
            // The pieces are cut anywhere, and the judgements on them are joined.
            let judge = |piece, buffer: &mut Buffer| {
                self.judge_piece(file, start_of(piece), start_of(piece + 1), buffer)
            };
            let parts = in_pieces(self.threads, pieces, buffer, judge, |part| !part.has_failed());
            let parts = self.unless_cut_off(parts, |part| part.len())?;
            let whole = parts.iter().fold(Part::default(), |whole, part| whole.then(part));
            return Some(match whole.finish() {
                Ok(tally) => FileStatus::Valid { bytes: tally.bytes(), characters: Characters::from(tally) },
                Err(error) => {
                    FileStatus::Invalid { before: start + error.valid_up_to(), progress: whole.len() }
                }
            });
        }
        let cut = |piece| match start_of(piece) {
            at if piece == 0 || piece == pieces => Some(at),
            at => cut_near(file, at).ok(),
        };
        let validate =
            |piece, buffer: &mut Buffer| self.validate_piece(file, cut(piece)?, cut(piece + 1)?, buffer);
        let statuses = in_pieces(self.threads, pieces, buffer, validate, |status| {
            matches!(status, FileStatus::Valid { .. })
        });
        let statuses = self.unless_cut_off(statuses, |status| status.progress())?;
        let none = FileStatus::Valid { bytes: 0, characters: Characters::default() };
        Some(statuses.into_iter().fold(none, FileStatus::and))
    }

    /// Returns the results of all pieces. Returns `None` if a piece can't be read to its end: all
    /// will be read again, so what `progress` says of the others is taken back.
    fn unless_cut_off<T>(&self, results: Vec<Option<T>>, progress: fn(&T) -> u64) -> Option<Vec<T>> {
        if results.iter().any(Option::is_none) {
            self.progress.take_back(results.iter().flatten().map(progress).sum());
        }
        results.into_iter().collect()
    }

    /// Judges one piece, up to its first error. Returns `None` if the file can't be read to `to`, or
    /// to its end if `to` is `u64::MAX`.
    fn judge_piece(&self, file: &dyn Contents, from: u64, to: u64, buffer: &mut Buffer) -> Option<Part> {
        let mut part = Part::default();
        let mut at = from;
        buffer.carried = 0;
        while at < to && !part.has_failed() {
            let space = buffer.space();
            let wanted = space.len().min(usize::try_from(to - at).unwrap_or(usize::MAX));
            let n = match file.read_at(&mut space[..wanted], at) {
                Ok(0) if to == u64::MAX => break,
                Ok(n) if n > 0 => n,
                _ => {
                    self.progress.take_back(part.len());
                    return None;
                }
            };
            part = part.then(&self.kernel.part(&space[..n]));
            at += n as u64;
            self.progress.add(n as u64);
        }
        Some(part)
    }

    /// Validates one piece. Returns `None` if the file can't be read to `to`, or to its end if `to`
    /// is `u64::MAX`.
    fn validate_piece(
        &self,
        file: &dyn Contents,
        from: u64,
        to: u64,
        buffer: &mut Buffer,
    ) -> Option<FileStatus> {
        let mut validator = ChunkValidator::new(self, from);
        let mut at = from;
        buffer.carried = 0;
        while at < to {
            let space = buffer.space();
            let wanted = space.len().min(usize::try_from(to - at).unwrap_or(usize::MAX));
            let n = match file.read_at(&mut space[..wanted], at) {
                Ok(0) if to == u64::MAX => break,
                Ok(n) if n > 0 => n,
                _ => {
                    self.progress.take_back(validator.bytes);
                    return None;
                }
            };
            at += n as u64;
            match validator.push(buffer, n, &self.progress) {
                Ok(()) => {}
                Err(InvalidChunk) => return Some(validator.invalid()),
            }
        }
        Some(if buffer.carried == 0 { validator.valid() } else { validator.invalid() })
    }
}

impl FileStatus {
    /// Returns how many bytes were added to the progress.
    fn progress(self) -> u64 {
        match self {
            Self::Valid { bytes, .. } => bytes,
            Self::Invalid { progress, .. } => progress,
            Self::Binary => 0,
        }
    }

    /// Returns up to where the file is known to be valid.
    fn before(self) -> u64 {
        if let Self::Invalid { before, .. } = self { before } else { u64::MAX }
    }

    /// Combines the statuses of two pieces of a file.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Valid { bytes, characters },
                Self::Valid { bytes: more_bytes, characters: more_characters },
            ) => Self::Valid { bytes: bytes + more_bytes, characters: characters + more_characters },
            _ => Self::Invalid {
                before: self.before().min(other.before()),
                progress: self.progress() + other.progress(),
            },
        }
    }
}

/// Calls `judge` for each piece, with all threads, until a result is not `valid`. Returns the results
/// in the order of the pieces.
///
/// Pieces are begun in their order, and those that were begun are finished. So there is a result for
/// each piece before one that is not valid.
fn in_pieces<T: Send>(
    threads: usize,
    pieces: u64,
    buffer: &mut Buffer,
    judge: impl Fn(u64, &mut Buffer) -> Option<T> + Sync,
    valid: fn(&T) -> bool,
) -> Vec<Option<T>> {
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let work = |buffer: &mut Buffer| {
        let mut results = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                break;
            }
            let result = judge(piece, buffer);
            if !result.as_ref().is_some_and(valid) {
                stop.store(true, Ordering::Relaxed);
            }
            results.push((piece, result));
        }
        results
    };
    let threads = threads.min(usize::try_from(pieces).unwrap_or(threads));
    let mut results: Vec<_> = on_threads(threads, buffer, work).into_iter().flatten().collect();
    results.sort_unstable_by_key(|(piece, _)| *piece);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Calls `work` on this thread, which has a buffer, and on others, `threads` in all, and returns the
/// results. If a thread can't be started, the others do its work.
pub(crate) fn on_threads<T: Send>(
    threads: usize,
    buffer: &mut Buffer,
    work: impl Fn(&mut Buffer) -> T + Sync,
) -> Vec<T> {
    let results = Mutex::new(Vec::new());
    let work = |buffer: &mut Buffer| {
        let result = work(buffer);
        results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
    };
    // A thread has a result when there is nothing left to do.
    let may_start = || results.lock().is_ok_and(|results| results.is_empty()) && has_room_for_thread();
    thread::scope(|scope| start_next_and(&work, &may_start, scope, threads, buffer));
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work` after starting the next of `threads` threads, which does the same. So threads are
/// started one at a time, and none needs more room than one takes.
fn start_next_and<'scope>(
    work: &'scope (dyn Fn(&mut Buffer) + Sync),
    may_start: &'scope (dyn Fn() -> bool + Sync),
    scope: &'scope Scope<'scope, '_>,
    threads: usize,
    buffer: &mut Buffer,
) {
    if threads > 1 && may_start() {
        let next = move || start_next_and(work, may_start, scope, threads - 1, &mut Buffer::new());
        let _ = thread::Builder::new().spawn_scoped(scope, next);
    }
    work(buffer);
}

/// Whether a thread can be started. A thread that does not get the memory for its start aborts the
/// program, and so does any that gets none because the other has taken all.
///
/// glibc first reserves 128 MiB for what a thread allocates. Besides this one, those that wait for
/// signals and show the progress may be starting.
fn has_room_for_thread() -> bool {
    let mut room = [const { Vec::<u8>::new() }; 4];
    room.iter_mut().all(|part| black_box(part).try_reserve_exact(128 << 20).is_ok())
}

/// Returns an offset, at or up to three bytes before `at`, where the file can be cut so that it is
/// valid if and only if both parts are. `at` is at least 3.
fn cut_near(file: &dyn Contents, at: u64) -> io::Result<u64> {
    let start = at - 3;
    let mut bytes = [0; 4];
    let mut n = 0;
    while n < bytes.len() {
        match file.read_at(&mut bytes[n..], start + n as u64)? {
            0 => break,
            more => n += more,
        }
    }
    Ok(start + floor(&bytes[..n], 3) as u64)
}

/// Whether a file that begins with `first` is binary: like for Git, it is if there is a NUL near
/// its beginning.
///
/// UTF-16 and UTF-32 have NULs too. With a byte order mark they are text, although not UTF-8.
pub(crate) fn is_binary(first: &[u8]) -> bool {
    const UTF_16: [&[u8]; 2] = [b"\xFF\xFE", b"\xFE\xFF"];
    const UTF_32_BE: &[u8] = b"\0\0\xFE\xFF";
    let prefix = &first[..first.len().min(BINARY_PREFIX_BYTES)];
    memchr::memchr(0, prefix).is_some()
        && !UTF_16.iter().any(|mark| prefix.starts_with(mark))
        && !prefix.starts_with(UTF_32_BE)
}

/// What files are read into. A thread uses one buffer for all its files.
pub(crate) struct Buffer {
    bytes: Box<[u8]>,
    /// A chunk is read to here.
    start: usize,
    /// How many bytes before `start` begin a character that the previous chunk did not complete.
    carried: usize,
}

impl Buffer {
    pub(crate) fn new() -> Self {
        let (bytes, start) = aligned_buffer(3);
        Self { bytes, start, carried: 0 }
    }

    fn space(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..CHUNK_BYTES]
    }
}

/// Validates one chunk after another.
struct ChunkValidator<'a> {
    settings: &'a FileValidator,
    /// The offset of the first chunk in the file.
    start: u64,
    bytes: u64,
    characters: Characters,
}

/// The chunk has an error.
struct InvalidChunk;

impl<'a> ChunkValidator<'a> {
    fn new(settings: &'a FileValidator, start: u64) -> Self {
        Self { settings, start, bytes: 0, characters: Characters::default() }
    }

    /// Validates the bytes that `buffer` carries, and the `n` that were read after them. If they
    /// end inside a character, the buffer carries the part that is there.
    fn push(&mut self, buffer: &mut Buffer, n: usize, progress: &Progress) -> Result<(), InvalidChunk> {
        let Buffer { bytes, start, carried } = buffer;
        let (begin, end) = (*start - *carried, *start + n);
        let valid = match self.validate(&bytes[begin..end]) {
            Ok(()) => end - begin,
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Err(InvalidChunk),
        };
        *carried = end - begin - valid;
        bytes.copy_within(begin + valid..end, *start - *carried);
        self.bytes += valid as u64;
        progress.add(valid as u64);
        Ok(())
    }

    fn validate(&mut self, bytes: &[u8]) -> Result<(), Utf8Error> {
        if self.settings.counting {
            self.characters.count(self.settings.kernel, bytes)
        } else {
            self.settings.kernel.from_utf8(bytes).map(drop)
        }
    }

    fn valid(self) -> FileStatus {
        FileStatus::Valid { bytes: self.bytes, characters: self.characters }
    }

    fn invalid(self) -> FileStatus {
        FileStatus::Invalid { before: self.start + self.bytes, progress: self.bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, SeekFrom, Write};

    fn write_at(mut file: &File, bytes: &[u8], at: u64) {
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(bytes).unwrap();
    }

    fn validator(threads: usize) -> FileValidator {
        FileValidator::new(Kernel::best(), threads, Progress::none(), true)
    }

    /// Returns the status with two threads. Whether characters are counted does not change whether
    /// the file is valid.
    fn status_in_pieces(file: &File) -> FileStatus {
        let plain = FileValidator::new(Kernel::best(), 2, Progress::none(), false);
        let plain = plain.validate(file, 0, false, &mut Buffer::new()).unwrap();
        let counted = validator(2).validate(file, 0, false, &mut Buffer::new()).unwrap();
        let bytes = |status| if let FileStatus::Valid { bytes, .. } = status { Some(bytes) } else { None };
        assert_eq!(bytes(plain), bytes(counted));
        counted
    }

    /// The pieces of a file are valid if and only if the file is.
    #[test]
    fn pieces_agree_with_the_whole_file() {
        let pattern = "aé日😀".repeat(1 << 20);
        for (shift, spoil) in
            [(0, None), (1, None), (2, Some(0)), (3, Some(1)), (0, Some(2)), (5, Some(3)), (0, Some(9))]
        {
            let mut content = "x".repeat(shift).into_bytes();
            content.extend(pattern.as_bytes());
            // Near the place where two pieces meet.
            if let Some(before) = spoil {
                content[2 * PIECE_BYTES as usize + 1 - before] = 0xC0;
            }
            content.extend(std::iter::repeat_n(b'.', LARGE_BYTES as usize));
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&content).unwrap();
            let expected = std::str::from_utf8(&content).is_ok();
            assert_eq!(expected, spoil.is_none());
            let status = |threads| match threads {
                2 => status_in_pieces(&file),
                _ => validator(threads).validate(&file, 0, false, &mut Buffer::new()).unwrap(),
            };
            for threads in [1, 2] {
                if let FileStatus::Invalid { before, .. } = status(threads) {
                    let error = std::str::from_utf8(&content).unwrap_err().valid_up_to() as u64;
                    assert!(
                        (error.saturating_sub(CHUNK_BYTES as u64 + 3)..=error).contains(&before),
                        "{before} {error}"
                    );
                }
            }
            assert_eq!(matches!(status(2), FileStatus::Valid { .. }), expected, "{shift} {spoil:?}");
            if expected {
                assert_eq!(status(1), status(2));
                assert!(
                    matches!(status(2), FileStatus::Valid { bytes, .. } if bytes == content.len() as u64)
                );
            }
        }
    }

    /// Runs of continuation bytes where two pieces meet, and files that end inside a character.
    #[test]
    fn no_error_hides_where_two_pieces_meet() {
        let cut = PIECE_BYTES as usize;
        let mut content = vec![b'a'; LARGE_BYTES as usize + 100];
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        let mut valid = 0;
        for len in [1, 3, 4, 9] {
            for first in [b'a', 0xF0, 0xE2] {
                for start in cut - len..=cut {
                    let around = cut - 16..cut + 16;
                    content[start - 1] = first;
                    content[start..start + len].fill(0x9F);
                    write_at(&file, &content[around.clone()], around.start as u64);
                    let expected = std::str::from_utf8(&content[around.clone()]).is_ok();
                    valid += usize::from(expected);
                    let status = status_in_pieces(&file);
                    assert_eq!(
                        !matches!(status, FileStatus::Invalid { .. }),
                        expected,
                        "{first:X} {len} {start}"
                    );
                    content[around].fill(b'a');
                }
            }
        }
        assert!(valid > 0);
        for end in [&b"\xE6\x97"[..], b"\xF0", b"\x80"] {
            let mut content = vec![b'a'; LARGE_BYTES as usize];
            content.extend(end);
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&content).unwrap();
            for threads in [1, 2] {
                let status = validator(threads).validate(&file, 0, false, &mut Buffer::new()).unwrap();
                assert!(matches!(status, FileStatus::Invalid { .. }));
            }
        }
    }

    /// Six pieces. The second has an invalid byte and is read slowly, and all after the third fails.
    struct Failing;

    impl Contents for Failing {
        fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
            const INVALID: u64 = 2 * PIECE_BYTES - 5;
            if at >= 3 * PIECE_BYTES {
                return Err(io::Error::other("broken"));
            }
            if (PIECE_BYTES..2 * PIECE_BYTES).contains(&at) {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            let n = buffer.len().min((3 * PIECE_BYTES - at) as usize);
            buffer[..n].fill(b'a');
            if (at..at + n as u64).contains(&INVALID) {
                buffer[(INVALID - at) as usize] = 0xFF;
            }
            Ok(n)
        }

        fn len(&self) -> io::Result<u64> {
            Ok(6 * PIECE_BYTES)
        }
    }

    /// The invalid byte was hidden when another thread failed before it was read.
    #[test]
    fn a_failure_to_read_hides_no_error_before_it() {
        for counting in [false, true] {
            let validator = FileValidator::new(Kernel::best(), 4, Progress::hidden(), counting);
            let status = validator.validate(&Failing, 0, false, &mut Buffer::new()).unwrap();
            let FileStatus::Invalid { progress, .. } = status else { panic!("{counting} {status:?}") };
            // The progress was that of all threads before it was that of one.
            assert_eq!(validator.progress.bytes(), progress, "{counting}");
            validator.progress.take_back(progress);
            // After the invalid byte, nothing hides the failure.
            let start = 2 * PIECE_BYTES;
            assert!(validator.validate(&Failing, start, false, &mut Buffer::new()).is_err(), "{counting}");
            assert_eq!(validator.progress.bytes(), PIECE_BYTES, "{counting}");
        }
    }

    #[test]
    fn binary_is_what_git_calls_binary_except_for_utf16_with_a_byte_order_mark() {
        assert!(is_binary(b"\x7FELF\x02\x01\x01\0"));
        assert!(!is_binary(b""));
        assert!(!is_binary("日本".as_bytes()));
        assert!(!is_binary(b"\xFF\xFEa\0"));
        assert!(!is_binary(b"\xFE\xFF\0a"));
        assert!(!is_binary(b"\xFF\xFE\0\0a\0\0\0"));
        assert!(!is_binary(b"\0\0\xFE\xFF\0\0\0a"));
        let late = [&[b'a'; BINARY_PREFIX_BYTES][..], b"\0"].concat();
        assert!(!is_binary(&late));
        assert!(is_binary(&late[1..]));
    }
}
