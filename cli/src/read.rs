//! The first look at a file: is it UTF-8 at all? Most files are, so this is what has to be fast.
//!
//! Files are read, not mapped. A mapped file that another process shortens ends in SIGBUS; one that it writes to
//! changes under a `&[u8]`, which Rust's compiler may assume not to happen. Nothing rules that out for a
//! file on a disk: Linux has no lock that others must respect. Reading costs a copy, into a buffer that stays
//! in the second-level cache and that the kernel validates there: README.md says how fast that is.
//!
//! A large file is cut into pieces, which the threads of a pool take in turn, each with a position of its
//! own in the file. A piece begins with a character, so that it can be judged alone. What they find is only
//! whether there is an error; `scan.rs` then says which is the first, and what.

use std::fs::File;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};
use trust8::{Kernel, Utf8Error};

use crate::progress::Progress;
use crate::statistics::Characters;

/// How much is read at once: it fits into the second-level cache of everything current, with room left, and
/// what a call of the system costs no longer shows.
pub(crate) const CHUNK: usize = 256 << 10;

/// What one thread takes of a large file at a time. Small enough that the threads end together.
const PIECE: u64 = 4 << 20;

/// From this size on a file is cut into pieces: below it, starting them would show.
const LARGE: u64 = 4 * PIECE;

/// Where Git looks for a NUL, to tell a binary file.
const BINARY_PREFIX: usize = 8000;

/// What it takes to look at files.
pub(crate) struct Reader {
    pub(crate) kernel: &'static Kernel,
    threads: usize,
    /// Made when the first large file is met.
    pool: OnceLock<ThreadPool>,
    pub(crate) progress: Progress,
    /// Characters are counted, which takes longer.
    pub(crate) counting: bool,
}

/// What a first look at a file has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    Valid {
        bytes: u64,
        characters: Characters,
    },
    /// So many bytes have been told of as progress; they will be read again.
    Invalid {
        told: u64,
    },
    Binary,
}

impl Reader {
    pub(crate) fn new(kernel: &'static Kernel, threads: usize, progress: Progress, counting: bool) -> Self {
        Self { kernel, threads, pool: OnceLock::new(), progress, counting }
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Reads a file from `start` on; `buffer` is for that. With `unless_binary`, a binary one is left after its
    /// first bytes.
    pub(crate) fn look(
        &self,
        file: &File,
        start: u64,
        unless_binary: bool,
        buffer: &mut Buffer,
    ) -> io::Result<Look> {
        let mut judge = Judge::new(self);
        // The file before this one may have failed in the middle of a character.
        buffer.held = 0;
        let first = read_at(file, buffer.space(), start)?;
        if unless_binary && is_binary(&buffer.bytes[..first]) {
            return Ok(Look::Binary);
        }
        // Only who fills the buffer can be large, so small files are not even asked for their length.
        if first == CHUNK {
            let end = file.metadata()?.len();
            if self.threads > 1 && end.saturating_sub(start) >= LARGE {
                if let Some(look) = self.look_at_pieces(file, start, end)? {
                    return Ok(look);
                }
                // It has become shorter meanwhile. From the start, then, as far as it goes.
                return self.look_at_all(file, start, 0, buffer, judge);
            }
        }
        let held = match judge.take(&mut buffer.bytes, first, &self.progress) {
            Ok(held) => held,
            Err(Invalid) => return Ok(judge.invalid()),
        };
        buffer.held = held;
        self.look_at_all(file, start + first as u64, held, buffer, judge)
    }

    /// Reads on from `at` to the end.
    fn look_at_all(
        &self,
        file: &File,
        mut at: u64,
        held: usize,
        buffer: &mut Buffer,
        mut judge: Judge<'_>,
    ) -> io::Result<Look> {
        buffer.held = held;
        loop {
            let n = read_at(file, buffer.space(), at)?;
            if n == 0 {
                // What is held begins a character that does not end.
                let whole = buffer.held == 0;
                buffer.held = 0;
                return Ok(if whole { judge.valid() } else { judge.invalid() });
            }
            at += n as u64;
            match judge.take(&mut buffer.bytes, buffer.held + n, &self.progress) {
                Ok(held) => buffer.held = held,
                Err(Invalid) => {
                    buffer.held = 0;
                    return Ok(judge.invalid());
                }
            }
        }
    }

    /// All threads together. `None` if the file has become shorter than `end`.
    fn look_at_pieces(&self, file: &File, start: u64, end: u64) -> io::Result<Option<Look>> {
        let pool = match self.pool.get() {
            Some(pool) => pool,
            None => {
                let pool = ThreadPoolBuilder::new().num_threads(self.threads).build();
                self.pool.get_or_init(|| pool.expect("threads for reading"))
            }
        };
        let next = AtomicU64::new(0);
        let over = AtomicBool::new(false);
        let pieces = (end - start).div_ceil(PIECE);
        let cut = |piece: u64| match piece {
            0 => Ok(start),
            // What was appended meanwhile belongs to the last piece.
            _ if piece == pieces => Ok(u64::MAX),
            _ => character_at(file, start + piece * PIECE),
        };
        let work = || {
            let mut buffer = Buffer::new();
            let mut looks = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces {
                    break;
                }
                let look = cut(piece)
                    .and_then(|from| Ok((from, cut(piece + 1)?)))
                    .and_then(|(from, to)| self.look_at_piece(file, from, to, &mut buffer));
                let go_on = matches!(look, Ok(Some(Look::Valid { .. })));
                looks.push(look);
                if !go_on {
                    over.store(true, Ordering::Relaxed);
                }
            }
            looks
        };
        let looks = pool.broadcast(|_| work());
        let mut all = Look::Valid { bytes: 0, characters: Characters::default() };
        let mut shorter = false;
        for look in looks.into_iter().flatten() {
            match look? {
                None => shorter = true,
                Some(look) => all = all.and(look),
            }
        }
        Ok((!shorter).then_some(all))
    }

    /// One piece. `None` if the file ends before `to`, unless that is `u64::MAX`.
    fn look_at_piece(
        &self,
        file: &File,
        from: u64,
        to: u64,
        buffer: &mut Buffer,
    ) -> io::Result<Option<Look>> {
        let mut judge = Judge::new(self);
        let mut at = from;
        buffer.held = 0;
        while at < to {
            let space = buffer.space();
            let wanted = space.len().min(usize::try_from(to - at).unwrap_or(usize::MAX));
            let n = read_at(file, &mut space[..wanted], at)?;
            if n == 0 {
                if to != u64::MAX {
                    return Ok(None);
                }
                break;
            }
            at += n as u64;
            match judge.take(&mut buffer.bytes, buffer.held + n, &self.progress) {
                Ok(held) => buffer.held = held,
                Err(Invalid) => return Ok(Some(judge.invalid())),
            }
        }
        Ok(Some(if buffer.held == 0 { judge.valid() } else { judge.invalid() }))
    }
}

impl Look {
    /// How many bytes of progress have been told of.
    fn told(self) -> u64 {
        match self {
            Self::Valid { bytes, .. } => bytes,
            Self::Invalid { told } => told,
            Self::Binary => 0,
        }
    }

    /// Of two pieces of a file.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Valid { bytes, characters },
                Self::Valid { bytes: more_bytes, characters: more_characters },
            ) => Self::Valid { bytes: bytes + more_bytes, characters: characters + more_characters },
            _ => Self::Invalid { told: self.told() + other.told() },
        }
    }
}

/// Where to cut at `at` or behind it, so that what lies before and what lies behind can be judged apart.
///
/// That is where a byte is no continuation. Where four of them follow each other there is no such place, and need
/// not be: no text has four, so one of the two parts is found invalid, as it should be.
fn character_at(file: &File, at: u64) -> io::Result<u64> {
    let mut bytes = [0; 4];
    let mut n = 0;
    while n < bytes.len() {
        match read_at(file, &mut bytes[n..], at + n as u64)? {
            0 => break,
            more => n += more,
        }
    }
    let continuations = bytes[..n].iter().take_while(|byte| matches!(byte, 0x80..=0xBF)).count();
    Ok(at + if continuations < 4 { continuations as u64 } else { 0 })
}

/// Whether a file is binary, by its first bytes: a NUL tells, as it does Git. UTF-16 and UTF-32 have NULs
/// as well, but if they begin with a byte order mark, they are text, and not UTF-8.
pub(crate) fn is_binary(first: &[u8]) -> bool {
    const UTF_16: [&[u8]; 2] = [b"\xFF\xFE", b"\xFE\xFF"];
    const UTF_32_BE: &[u8] = b"\0\0\xFE\xFF";
    let prefix = &first[..first.len().min(BINARY_PREFIX)];
    memchr::memchr(0, prefix).is_some()
        && !UTF_16.iter().any(|mark| prefix.starts_with(mark))
        && !prefix.starts_with(UTF_32_BE)
}

/// Where bytes are read to. One serves a thread for all its files.
pub(crate) struct Buffer {
    /// Room for what is held, and for a chunk behind it.
    bytes: Box<[u8]>,
    /// The beginning of a character that the last chunk ended with.
    held: usize,
}

impl Buffer {
    pub(crate) fn new() -> Self {
        Self { bytes: vec![0; 3 + CHUNK].into_boxed_slice(), held: 0 }
    }

    fn space(&mut self) -> &mut [u8] {
        &mut self.bytes[self.held..][..CHUNK]
    }
}

/// Says of one chunk after another whether it is UTF-8.
struct Judge<'a> {
    reader: &'a Reader,
    bytes: u64,
    characters: Characters,
}

/// There is an error.
struct Invalid;

impl<'a> Judge<'a> {
    fn new(reader: &'a Reader) -> Self {
        Self { reader, bytes: 0, characters: Characters::default() }
    }

    /// Takes the first `filled` bytes, which begin with a character. If they end inside one, what there is of
    /// it is moved to the front; says how many bytes that are.
    fn take(&mut self, bytes: &mut [u8], filled: usize, progress: &Progress) -> Result<usize, Invalid> {
        let valid = match self.text(&bytes[..filled]) {
            Ok(()) => filled,
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Err(Invalid),
        };
        bytes.copy_within(valid..filled, 0);
        self.bytes += valid as u64;
        progress.add(valid as u64);
        Ok(filled - valid)
    }

    fn text(&mut self, bytes: &[u8]) -> Result<(), Utf8Error> {
        if self.reader.counting {
            self.characters.count(self.reader.kernel, bytes)
        } else {
            self.reader.kernel.from_utf8(bytes).map(drop)
        }
    }

    fn valid(self) -> Look {
        Look::Valid { bytes: self.bytes, characters: self.characters }
    }

    fn invalid(self) -> Look {
        Look::Invalid { told: self.bytes }
    }
}

/// Reads from a place in a file, whatever its cursor.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(file, buffer, at);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(file, buffer, at);
        match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
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

    fn reader(threads: usize) -> Reader {
        Reader::new(Kernel::best(), threads, Progress::none(), true)
    }

    /// Cut where it may be, the pieces say what the whole says.
    #[test]
    fn pieces_judge_as_the_whole_does() {
        let pattern = "aé日😀".repeat(1 << 20);
        for (shift, spoil) in
            [(0, None), (1, None), (2, Some(0)), (3, Some(1)), (0, Some(2)), (5, Some(3)), (0, Some(9))]
        {
            let mut content = "x".repeat(shift).into_bytes();
            content.extend(pattern.as_bytes());
            // Next to a border between two pieces.
            if let Some(before) = spoil {
                content[2 * PIECE as usize + 1 - before] = 0xC0;
            }
            content.extend(std::iter::repeat_n(b'.', LARGE as usize));
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&content).unwrap();
            let expected = std::str::from_utf8(&content).is_ok();
            assert_eq!(expected, spoil.is_none());
            let look = |threads| reader(threads).look(&file, 0, false, &mut Buffer::new()).unwrap();
            assert_eq!(matches!(look(2), Look::Valid { .. }), expected, "{shift} {spoil:?}");
            if expected {
                assert_eq!(look(1), look(2));
                assert!(matches!(look(2), Look::Valid { bytes, .. } if bytes == content.len() as u64));
            }
        }
    }

    /// Nothing but continuations around a border, and ends that lack something.
    #[test]
    fn no_border_hides_an_error() {
        let border = PIECE as usize;
        let mut content = vec![b'a'; LARGE as usize + 100];
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        let mut valid = 0;
        for run in [1, 3, 4, 9] {
            for first in [b'a', 0xF0, 0xE2] {
                for start in border - run..=border {
                    let around = border - 16..border + 16;
                    content[start - 1] = first;
                    content[start..start + run].fill(0x9F);
                    write_at(&file, &content[around.clone()], around.start as u64);
                    let expected = std::str::from_utf8(&content[around.clone()]).is_ok();
                    valid += usize::from(expected);
                    let look = reader(2).look(&file, 0, false, &mut Buffer::new()).unwrap();
                    assert_eq!(!matches!(look, Look::Invalid { .. }), expected, "{first:X} {run} {start}");
                    content[around].fill(b'a');
                }
            }
        }
        assert!(valid > 0);
        for end in [&b"\xE6\x97"[..], b"\xF0", b"\x80"] {
            let mut content = vec![b'a'; LARGE as usize];
            content.extend(end);
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&content).unwrap();
            for threads in [1, 2] {
                let look = reader(threads).look(&file, 0, false, &mut Buffer::new()).unwrap();
                assert!(matches!(look, Look::Invalid { .. }));
            }
        }
    }

    #[test]
    fn binary_is_what_git_calls_so_except_for_utf16_with_a_mark() {
        assert!(is_binary(b"\x7FELF\x02\x01\x01\0"));
        assert!(!is_binary(b""));
        assert!(!is_binary("日本".as_bytes()));
        assert!(!is_binary(b"\xFF\xFEa\0"));
        assert!(!is_binary(b"\xFE\xFF\0a"));
        assert!(!is_binary(b"\xFF\xFE\0\0a\0\0\0"));
        assert!(!is_binary(b"\0\0\xFE\xFF\0\0\0a"));
        let late = [&[b'a'; BINARY_PREFIX][..], b"\0"].concat();
        assert!(!is_binary(&late));
        assert!(is_binary(&late[1..]));
    }
}
