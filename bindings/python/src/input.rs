//! The bytes of an argument.
//!
//! A `bytes` object never changes, so its memory is read in place, without the interpreter's lock
//! if it is long. All other memory may change during the read. Python code may write to a
//! `bytearray`, another process to the file under an `mmap`, and C code without the lock to a numpy
//! array. Even a read-only view may have other writers. So such memory is copied, and only the copy
//! is read. If the bytes are needed only once and in order, the copy is made in pieces.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{slice, thread};

use pyo3::exceptions::{PyException, PyMemoryError, PyOverflowError, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};
use pyo3::{PyTypeInfo, ffi, intern};
use trust8::Kernel;
use trust8_counts::is_ascii;
use trust8_transcode::handlers::into_ascii;

use crate::text;

/// From this length on, immutable bytes are read without the interpreter's lock.
pub(crate) const LONG_BYTES: usize = 256 << 10;

/// The number of bytes after which a long call checks for signals, such as that of Ctrl-C: some
/// milliseconds of work.
pub(crate) const PIECE_BYTES: usize = 8 << 20;

/// The piece length for copies of changing memory. A piece easily fits into the first-level cache.
const COPY_BYTES: usize = 16 << 10;

/// Returns whether an argument is true, as the interpreter's own functions take any object for a flag.
pub(crate) fn is_true(flag: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag.is_truthy()
}

/// Does work on `len` immutable bytes, without the interpreter's lock if they are long.
pub(crate) fn unlocked_if_long<T: Send>(py: Python<'_>, len: usize, work: impl FnOnce() -> T + Send) -> T {
    if len < LONG_BYTES { work() } else { py.detach(work) }
}

/// Does work on `len` bytes in another thread if they are long, while this thread handles signals.
///
/// A signal handler that raises ends the call. The other thread still finishes its work, and the
/// result is dropped.
pub(crate) fn answering_signals<T: Send + 'static>(
    py: Python<'_>,
    len: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if len < PIECE_BYTES {
        return Ok(unlocked_if_long(py, len, work));
    }
    let slot = Arc::new(Mutex::new(None));
    let shared = Arc::clone(&slot);
    run_apart(
        py,
        Box::new(move || {
            let done = work();
            if let Ok(mut slot) = shared.lock() {
                *slot = Some(done);
            }
        }),
    )?;
    let done = slot.lock().ok().and_then(|mut slot| slot.take());
    done.ok_or_else(|| PyRuntimeError::new_err("a thread of trust8 has ended without a result"))
}

/// Does work in another thread, while this thread handles signals. It is compiled once for all kinds of results.
fn run_apart(py: Python<'_>, work: Box<dyn FnOnce() + Send>) -> PyResult<()> {
    const TICK: Duration = Duration::from_millis(50);
    let (sender, mut receiver) = mpsc::channel::<()>();
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<_>>| work.lock().ok().and_then(|mut work| work.take());
    let shared = Arc::clone(&work);
    let spawned = thread::Builder::new().spawn(move || {
        // The end of the thread drops it, and so says that the work is done.
        let _sender = sender;
        if let Some(work) = take(&shared) {
            work();
        }
    });
    let worker = match spawned {
        Ok(worker) => worker,
        // Where no thread can start, the call can't be interrupted.
        Err(error) => {
            let work = take(&work).ok_or(error)?;
            py.detach(work);
            return Ok(());
        }
    };
    loop {
        // `detach` requires `Send`, which a mutable reference to the receiver is, unlike a shared
        // one.
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(TICK)) {
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            _ => break,
        }
    }
    worker.join().or_else(|panic| resume_unwind(panic))
}

/// Contiguous memory of an object with the buffer protocol.
pub(crate) struct Memory<'py> {
    buffer: ffi::Py_buffer,
    /// The interpreter is held, which releasing the buffer needs.
    _py: Python<'py>,
}

impl<'py> Memory<'py> {
    /// Returns the memory of an object, or `None` if it has none in one piece.
    #[inline]
    fn of(data: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        let mut buffer = MaybeUninit::uninit();
        // SAFETY: the pointers are those of an object and of a place for a buffer, and the interpreter is held.
        let failed =
            unsafe { ffi::PyObject_GetBuffer(data.as_ptr(), buffer.as_mut_ptr(), ffi::PyBUF_SIMPLE) };
        if failed != 0 {
            // NumPy raises a `ValueError`, and others a `BufferError`. An interrupt is no answer.
            let error = PyErr::fetch(data.py());
            let is_answer = error.is_instance_of::<PyException>(data.py())
                && !error.is_instance_of::<PyMemoryError>(data.py());
            return if is_answer { Ok(None) } else { Err(error) };
        }
        // SAFETY: the function has not failed, so it has described the buffer. It may be moved: with `PyBUF_SIMPLE`, it
        // has no shape or strides, which could point into it.
        Ok(Some(Self { buffer: unsafe { buffer.assume_init() }, _py: data.py() }))
    }

    fn len(&self) -> usize {
        self.buffer.len.cast_unsigned()
    }

    fn start(&self) -> *const u8 {
        self.buffer.buf.cast_const().cast()
    }

    /// Returns the memory in a form that can be read without the interpreter's lock. It stays where it is until the buffer is
    /// released.
    fn shared(&self) -> Shared<'_> {
        Shared { start: AtomicPtr::new(self.buffer.buf.cast()), len: self.len(), _buffer: PhantomData }
    }
}

/// Memory to which others may be writing. The pointer is atomic only so that any thread may have it.
struct Shared<'a> {
    start: AtomicPtr<u8>,
    len: usize,
    _buffer: PhantomData<&'a ()>,
}

impl Shared<'_> {
    /// Copies the bytes from `at` on, and returns the copy.
    #[inline]
    fn copy<'a>(&self, at: usize, to: &'a mut [MaybeUninit<u8>]) -> &'a [u8] {
        assert!(at <= self.len && to.len() <= self.len - at);
        // SAFETY: the offset is within the memory, which stays where it is until the buffer is released.
        let from = unsafe { self.start.load(Relaxed).add(at) };
        // SAFETY: the memory has this many bytes from there on.
        unsafe { copy_shared(from, to) };
        // SAFETY: `copy_shared` has written all of them.
        unsafe { slice::from_raw_parts(to.as_ptr().cast(), to.len()) }
    }
}

impl Drop for Memory<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the buffer has not been released, and the interpreter is held.
        unsafe { ffi::PyBuffer_Release(&raw mut self.buffer) };
    }
}

/// Returns what `read` makes of a copy of short memory, or `None` if the object has none.
#[inline]
pub(crate) fn with_short_copy<T>(
    data: &Bound<'_, PyAny>,
    read: impl FnOnce(&[u8]) -> PyResult<Option<T>>,
) -> PyResult<Option<T>> {
    const SHORT_BYTES: usize = 4 << 10;
    let Some(memory) = Memory::of(data)? else { return Ok(None) };
    let mut copied = [MaybeUninit::uninit(); SHORT_BYTES];
    let Some(to) = copied.get_mut(..memory.len()) else { return Ok(None) };
    let bytes = memory.shared().copy(0, to);
    drop(memory);
    read(bytes)
}

/// The bytes of an argument.
pub(crate) enum Input<'py> {
    /// Bytes that never change.
    Bytes(Bound<'py, PyBytes>),
    /// Contiguous memory that may change.
    Memory(Memory<'py>),
}

impl<'py> Input<'py> {
    /// Takes any object with the buffer protocol.
    pub(crate) fn of(data: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = data.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone()));
        }
        // SAFETY: the pointer is that of an object, and the interpreter is held.
        if unsafe { ffi::PyObject_CheckBuffer(data.as_ptr()) } == 0 {
            let name = data.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a bytes-like object is required, not '{name}'")));
        }
        if let Some(memory) = Memory::of(data)? {
            if let Ok(view) = data.cast::<PyMemoryView>()
                && let Some(bytes) = all_of_bytes(view, &memory)?
            {
                return Ok(Self::Bytes(bytes));
            }
            return Ok(Self::Memory(memory));
        }
        // `bytes` puts memory in pieces together.
        // SAFETY: the pointer is that of an object with the buffer protocol, and the interpreter is held.
        let copy = unsafe { ffi::PyBytes_FromObject(data.as_ptr()) };
        // SAFETY: what the function returns is an object that belongs to the caller, or null with an exception set.
        let copy = unsafe { Bound::from_owned_ptr_or_err(data.py(), copy) }?;
        Ok(Self::Bytes(copy.cast_into()?))
    }

    /// Returns a snapshot of the bytes.
    pub(crate) fn bytes(self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::Memory(memory) => new_bytes(py, memory.len(), |to| {
                for (number, piece) in to.chunks_mut(PIECE_BYTES).enumerate() {
                    let shared = memory.shared();
                    unlocked_if_long(py, piece.len(), || {
                        shared.copy(number * PIECE_BYTES, piece);
                    });
                    py.check_signals()?;
                }
                Ok(())
            }),
        }
    }

    /// Returns the bytes as a string if they are ASCII and either may change or are long.
    pub(crate) fn ascii(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        match self {
            Self::Bytes(bytes) if bytes.as_bytes().len() <= LONG_BYTES => Ok(None),
            Self::Bytes(bytes) => {
                let bytes = bytes.as_bytes();
                text::ascii_in_pieces(py, bytes.len(), |at, to| {
                    // Validates and copies in one pass. What is not ASCII is not written.
                    into_ascii(Kernel::best(), &bytes[at..at + to.len()], to).written == to.len()
                })
            }
            Self::Memory(memory) => {
                text::ascii_in_pieces(py, memory.len(), |at, to| is_ascii(memory.shared().copy(at, to)))
            }
        }
    }

    /// Calls `each` with the bytes, piece by piece, until it breaks.
    pub(crate) fn pieces(
        &self,
        py: Python<'_>,
        mut each: impl FnMut(&[u8]) -> ControlFlow<()> + Send,
    ) -> PyResult<()> {
        match self {
            Self::Bytes(bytes) => {
                let bytes = bytes.as_bytes();
                if bytes.len() < LONG_BYTES {
                    let _ = each(bytes);
                    return Ok(());
                }
                for piece in bytes.chunks(PIECE_BYTES) {
                    if py.detach(|| each(piece)).is_break() {
                        break;
                    }
                    py.check_signals()?;
                }
            }
            Self::Memory(memory) => {
                let len = memory.len();
                for start in (0..len).step_by(PIECE_BYTES) {
                    let (shared, end) = (memory.shared(), len.min(start + PIECE_BYTES));
                    let read = || {
                        let mut copied = [MaybeUninit::uninit(); COPY_BYTES];
                        (start..end).step_by(COPY_BYTES).try_for_each(|at| {
                            let piece = &mut copied[..COPY_BYTES.min(end - at)];
                            each(shared.copy(at, piece))
                        })
                    };
                    if unlocked_if_long(py, len, read).is_break() {
                        break;
                    }
                    py.check_signals()?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the object of a view, if it is a `bytes` object and the view's memory is all of it.
fn all_of_bytes<'py>(
    view: &Bound<'py, PyMemoryView>,
    memory: &Memory<'_>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let object = view.getattr(intern!(view.py(), "obj"))?;
    if !PyBytes::is_type_of(&object) {
        return Ok(None);
    }
    let bytes = object.cast_into::<PyBytes>()?;
    let same = memory.start() == bytes.as_bytes().as_ptr() && memory.len() == bytes.as_bytes().len();
    Ok(same.then_some(bytes))
}

/// Returns a `bytes` object of this length, filled by `fill`, unless `fill` fails.
pub(crate) fn new_bytes<'py, E: From<PyErr>>(
    py: Python<'py>,
    len: usize,
    fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> Result<(), E>,
) -> Result<Bound<'py, PyBytes>, E> {
    let size = ffi::Py_ssize_t::try_from(len).map_err(PyOverflowError::new_err)?;
    // SAFETY: the interpreter is held. Without a source, the function leaves the bytes uninitialised.
    let object = unsafe { ffi::PyBytes_FromStringAndSize(std::ptr::null(), size) };
    // SAFETY: what the function returns is an object that belongs to the caller, or null with an exception set.
    let object = unsafe { Bound::from_owned_ptr_or_err(py, object) }?;
    // SAFETY: the object is a `bytes` object.
    let data = unsafe { ffi::PyBytes_AsString(object.as_ptr()) };
    // SAFETY: the object has memory for `len` bytes, and nobody else has it. (The empty one is shared, and nothing is
    // written to it.)
    fill(unsafe { slice::from_raw_parts_mut(data.cast::<MaybeUninit<u8>>(), len) })?;
    Ok(object.cast_into::<PyBytes>().map_err(PyErr::from)?)
}

/// Copies memory to which others may be writing.
///
/// Each word is read once, by a volatile load, which returns an old or a new value. Formally its
/// race with a write is undefined behaviour all the same; but compilers do not repeat or split it,
/// as they may the ordinary loads of `memcpy`.
///
/// # Safety
///
/// - `from` points to at least `to.len()` bytes, which stay readable until the function returns.
pub(crate) unsafe fn copy_shared(from: *const u8, to: &mut [MaybeUninit<u8>]) {
    const WORD: usize = size_of::<u64>();
    let (head, rest) = to.split_at_mut(from.align_offset(WORD).min(to.len()));
    let (words, tail) = rest.as_chunks_mut::<WORD>();
    let mut at = from;
    for byte in head {
        // SAFETY: the place is one of the bytes for which the caller vouches.
        byte.write(unsafe { at.read_volatile() });
        at = at.wrapping_add(1);
    }
    for word in words {
        // SAFETY: the same, for the bytes of an aligned word.
        let read = unsafe { at.cast::<u64>().read_volatile() };
        *word = read.to_ne_bytes().map(MaybeUninit::new);
        at = at.wrapping_add(WORD);
    }
    for byte in tail {
        // SAFETY: the same.
        byte.write(unsafe { at.read_volatile() });
        at = at.wrapping_add(1);
    }
}
