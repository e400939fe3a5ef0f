//! Buffers that are being filled with text. They belong to the caller and need not be initialised.
//!
//! An [`Output`] knows how many bytes at the start of its memory are initialised, and the number
//! grows only by bytes that were written just before. So nothing is written outside the memory, and
//! nothing is handed out that was not written, whatever the algorithms compute.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::hint::assert_unchecked;
use core::mem::MaybeUninit;
use core::ptr;

use crate::simd::as_uninit;

/// A buffer whose first bytes are already text.
pub struct Output<'a> {
    room: &'a mut [MaybeUninit<u8>],
    /// The number of bytes at the start of `room` that are initialised: at most its length.
    len: usize,
}

impl<'a> Output<'a> {
    /// Creates an output in which nothing is written yet.
    #[inline(always)]
    pub fn new(room: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { room, len: 0 }
    }

    /// Returns the number of bytes written so far.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether nothing has been written so far.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of bytes that can still be written.
    #[inline(always)]
    pub fn left(&self) -> usize {
        self.assume_in_bounds();
        self.room.len() - self.len
    }

    /// Returns the rest of the memory.
    #[inline(always)]
    fn free(&mut self) -> &mut [MaybeUninit<u8>] {
        self.assume_in_bounds();
        &mut self.room[self.len..]
    }

    /// Tells the compiler that `len` is in bounds, so that it does not check this before every
    /// store.
    #[inline(always)]
    fn assume_in_bounds(&self) {
        // SAFETY: `len` bytes of `room` have been written, so it has at least that many.
        unsafe { assert_unchecked(self.len <= self.room.len()) }
    }

    /// Returns the number of bytes from the next byte up to the next start of a cache line (a
    /// multiple of 64).
    #[inline(always)]
    pub fn bytes_to_line(&self) -> usize {
        self.room.as_ptr().addr().wrapping_add(self.len).wrapping_neg() % 64
    }

    /// Returns the address `bytes` after the next byte, for a prefetch. It may lie outside the
    /// memory.
    #[inline(always)]
    pub fn ahead(&self, bytes: usize) -> *const u8 {
        self.room.as_ptr().wrapping_add(self.len).wrapping_add(bytes).cast()
    }

    /// Returns the next `N` bytes, if that many are left.
    #[inline(always)]
    pub fn next_array<const N: usize>(&mut self) -> Option<&mut [MaybeUninit<u8>; N]> {
        self.free().first_chunk_mut()
    }

    /// Returns the next `n` bytes, if that many are left.
    #[inline(always)]
    pub fn next_slice(&mut self, n: usize) -> Option<&mut [MaybeUninit<u8>]> {
        self.free().get_mut(..n)
    }

    /// Counts the next `n` bytes as text.
    ///
    /// # Safety
    ///
    /// - They have been written, through `next_array` or `next_slice`, since the last call. At
    ///   least `n` bytes are left.
    #[inline(always)]
    pub unsafe fn advance(&mut self, n: usize) {
        debug_assert!(n <= self.left());
        self.len += n;
    }

    /// Returns an output for the memory that is left. It can live in registers while a loop writes
    /// to it, and [`Fork::join`] counts what it has written.
    #[inline(always)]
    pub fn fork(&mut self) -> Fork<'_> {
        self.assume_in_bounds();
        let room = &mut self.room[self.len..];
        Fork { memory: room, output: Output::new(room), len: &mut self.len }
    }

    /// Does the same as [`fork`](Self::fork) for the next `n` bytes, if that many are left. It
    /// checks only once whether they are available.
    #[inline(always)]
    pub fn fork_next(&mut self, n: usize) -> Option<Fork<'_>> {
        self.assume_in_bounds();
        let room = self.room[self.len..].get_mut(..n)?;
        Some(Fork { memory: room, output: Output::new(room), len: &mut self.len })
    }

    /// Takes the last `n` bytes back: they no longer count as text.
    #[inline(always)]
    pub fn retract(&mut self, n: usize) {
        self.len = self.len.saturating_sub(n);
    }

    /// Appends `bytes` if all of them fit, and returns whether they do.
    #[inline(always)]
    pub fn put(&mut self, bytes: &[u8]) -> bool {
        let Some(next) = self.next_slice(bytes.len()) else { return false };
        next.copy_from_slice(as_uninit(bytes));
        // SAFETY: the line above has written `bytes.len()` bytes.
        unsafe { self.advance(bytes.len()) };
        true
    }

    /// Appends the first `n` of `bytes` if all `N` would fit. A fixed-size store beats a
    /// variable-length copy.
    #[inline(always)]
    pub fn put_first<const N: usize>(&mut self, bytes: &[u8; N], n: usize) -> bool {
        let Some(next) = self.next_array::<N>() else { return false };
        next.copy_from_slice(as_uninit(bytes));
        // SAFETY: the line above has written `N` bytes.
        unsafe { self.advance(n.min(N)) };
        true
    }

    /// Returns what has been written from byte `from` on.
    #[inline(always)]
    pub fn written_mut(&mut self, from: usize) -> &mut [u8] {
        let written = ptr::from_mut(&mut self.room[from..self.len]) as *mut [u8];
        // SAFETY: the first `len` bytes are initialised. Address, length and borrow are those of
        // `room`.
        unsafe { &mut *written }
    }

    /// Returns what has been written.
    #[inline(always)]
    pub fn finish(self) -> &'a mut [u8] {
        self.assume_in_bounds();
        let written = ptr::from_mut(&mut self.room[..self.len]) as *mut [u8];
        // SAFETY: the first `len` bytes are initialised. Address, length and borrow are those of
        // `room`.
        unsafe { &mut *written }
    }
}

/// An output for the rest of another output's memory; see [`Output::fork`].
pub struct Fork<'a> {
    output: Output<'a>,
    /// The memory of `output`.
    memory: *const [MaybeUninit<u8>],
    len: &'a mut usize,
}

impl<'a> Fork<'a> {
    /// Returns the output.
    #[inline(always)]
    pub fn output(&mut self) -> &mut Output<'a> {
        &mut self.output
    }

    /// Counts what has been written to the fork.
    ///
    /// # Panics
    ///
    /// If the fork's output was replaced by another one: then it is unknown what was written to
    /// this memory.
    #[inline(always)]
    pub fn join(self) {
        assert!(ptr::eq(self.output.room, self.memory));
        *self.len += self.output.len;
    }
}

/// Appends to `vec` what `write` writes into its spare capacity.
#[cfg(feature = "alloc")]
#[inline(always)]
pub fn append<R>(vec: &mut Vec<u8>, write: impl FnOnce(&mut Output<'_>) -> R) -> R {
    let mut spare = Output::new(vec.spare_capacity_mut());
    let mut fork = spare.fork();
    let result = write(fork.output());
    fork.join();
    let len = spare.len;
    // SAFETY: `spare` has the spare capacity of `vec`, and the first `len` bytes of it have been
    // written.
    unsafe { vec.set_len(vec.len() + len) };
    result
}

#[cfg(test)]
mod tests {
    use super::Output;

    /// The other memory begins at the same address, because the fork's has no bytes.
    #[test]
    #[should_panic]
    fn a_fork_with_other_memory_does_not_count() {
        let mut memory = [core::mem::MaybeUninit::uninit(); 8];
        let (none, all) = memory.split_at_mut(0);
        let mut out = Output::new(none);
        let mut fork = out.fork();
        *fork.output() = Output::new(all);
        assert!(fork.output().put(b"12345678"));
        fork.join();
    }
}
