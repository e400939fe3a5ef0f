//! Where converted text goes: the caller's memory, which need not be initialised.
//!
//! The file in which it matters what has been written. An [`Output`] knows how many bytes
//! at the start of its room are initialised, and that number grows only by what was written just before.
//! So 'nothing behind the room is written' and 'all that is handed out was written' hold whatever the
//! algorithms compute.

#[cfg(any(feature = "alloc", feature = "transcode"))]
use core::hint::assert_unchecked;
use core::mem::MaybeUninit;
use core::ptr;

#[cfg(any(feature = "alloc", feature = "transcode"))]
/// Room for converted text, and how much of it is text already.
pub(crate) struct Output<'a> {
    room: &'a mut [MaybeUninit<u8>],
    /// The first so many bytes of `room` are initialised. Never more than there are.
    len: usize,
}

#[cfg(any(feature = "alloc", feature = "transcode"))]
impl<'a> Output<'a> {
    #[inline(always)]
    pub(crate) fn new(room: &'a mut [MaybeUninit<u8>]) -> Self {
        Self { room, len: 0 }
    }

    /// Bytes written so far.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes that can still be written.
    #[inline(always)]
    pub(crate) fn left(&self) -> usize {
        self.say_the_bound();
        self.room.len() - self.len
    }

    /// The room that is left.
    #[inline(always)]
    fn free(&mut self) -> &mut [MaybeUninit<u8>] {
        self.say_the_bound();
        &mut self.room[self.len..]
    }

    /// Says to the compiler what holds for `len`; or it would ask before every store, of which a short text has few.
    #[inline(always)]
    fn say_the_bound(&self) {
        // SAFETY: so many bytes of the room have been written, so there are as many.
        unsafe { assert_unchecked(self.len <= self.room.len()) }
    }

    /// How many bytes before an address that is a multiple of 64 the next byte lies.
    #[cfg(any(kernel_simd, feature = "alloc"))]
    #[inline(always)]
    pub(crate) fn before_line(&self) -> usize {
        self.room.as_ptr().addr().wrapping_add(self.len).wrapping_neg() % 64
    }

    /// An address so many bytes behind the next one: for a hint to the cache, as it may lie outside.
    #[cfg(all(kernel_x86, feature = "transcode"))]
    #[inline(always)]
    pub(crate) fn ahead(&self, bytes: usize) -> *const u8 {
        self.room.as_ptr().wrapping_add(self.len).wrapping_add(bytes).cast()
    }

    /// The next `N` bytes, if there are so many.
    #[cfg(any(kernel_simd, feature = "alloc"))]
    #[inline(always)]
    pub(crate) fn window<const N: usize>(&mut self) -> Option<&mut [MaybeUninit<u8>; N]> {
        self.free().first_chunk_mut()
    }

    #[cfg(feature = "transcode")]
    /// The next `n` bytes, if there are so many.
    #[inline(always)]
    pub(crate) fn rest(&mut self, n: usize) -> Option<&mut [MaybeUninit<u8>]> {
        self.free().get_mut(..n)
    }

    /// Counts the next `n` bytes as text.
    ///
    /// # Safety
    ///
    /// - They have been written, through `window` or `rest`, since the last count; there are `n` left at least.
    #[inline(always)]
    pub(crate) unsafe fn advance(&mut self, n: usize) {
        debug_assert!(n <= self.left());
        self.len += n;
    }

    /// An output for the room that is left, which can live in registers while a loop writes to it. What has been
    /// written to it counts from [`Fork::join`] on.
    #[cfg(any(kernel_simd, feature = "alloc"))]
    #[inline(always)]
    pub(crate) fn fork(&mut self) -> Fork<'_> {
        self.say_the_bound();
        let room = &mut self.room[self.len..];
        Fork { start: room.as_ptr(), output: Output::new(room), len: &mut self.len }
    }

    /// Takes the last `n` bytes back.
    #[cfg(any(kernel_simd, feature = "alloc"))]
    #[inline(always)]
    pub(crate) fn retract(&mut self, n: usize) {
        self.len = self.len.saturating_sub(n);
    }

    #[cfg(feature = "transcode")]
    /// Appends the bytes, all of them, if they fit.
    #[inline(always)]
    pub(crate) fn put(&mut self, bytes: &[u8]) -> bool {
        let Some(window) = self.rest(bytes.len()) else { return false };
        window.copy_from_slice(as_uninit(bytes));
        // SAFETY: the line above has written as many bytes.
        unsafe { self.advance(bytes.len()) };
        true
    }

    /// Appends the first `n` of the bytes, if all of them would fit: to write as many always is less than to choose.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn put_first<const N: usize>(&mut self, bytes: &[u8; N], n: usize) -> bool {
        let Some(window) = self.window::<N>() else { return false };
        window.copy_from_slice(as_uninit(bytes));
        // SAFETY: the line above has written `N` bytes.
        unsafe { self.advance(n.min(N)) };
        true
    }

    #[cfg(feature = "transcode")]
    /// What has been written from byte `from` on.
    #[inline(always)]
    pub(crate) fn written_mut(&mut self, from: usize) -> &mut [u8] {
        let written = ptr::from_mut(&mut self.room[from..self.len]) as *mut [u8];
        // SAFETY: by the invariant all of it is initialised; address, length and borrow are those of the room.
        unsafe { &mut *written }
    }

    #[cfg(feature = "transcode")]
    /// What has been written.
    #[inline(always)]
    pub(crate) fn finish(self) -> &'a mut [u8] {
        self.say_the_bound();
        let written = ptr::from_mut(&mut self.room[..self.len]) as *mut [u8];
        // SAFETY: by the invariant all of it is initialised; address, length and borrow are those of the room.
        unsafe { &mut *written }
    }
}

/// See [`Output::fork`].
#[cfg(any(feature = "alloc", all(kernel_simd, feature = "transcode")))]
pub(crate) struct Fork<'a> {
    output: Output<'a>,
    /// Where the output's room begins.
    start: *const MaybeUninit<u8>,
    len: &'a mut usize,
}

#[cfg(any(feature = "alloc", all(kernel_simd, feature = "transcode")))]
impl<'a> Fork<'a> {
    #[inline(always)]
    pub(crate) fn output(&mut self) -> &mut Output<'a> {
        &mut self.output
    }

    /// Counts what has been written to the fork.
    ///
    /// # Panics
    ///
    /// If it is another one's output that stands here by now: nothing is known of what was written to this room.
    #[inline(always)]
    pub(crate) fn join(self) {
        assert_eq!(self.output.room.as_ptr(), self.start);
        *self.len += self.output.len;
    }
}

/// Bytes that are initialised, as bytes that need not be.
pub(crate) fn as_uninit(bytes: &[u8]) -> &[MaybeUninit<u8>] {
    let bytes = ptr::from_ref(bytes) as *const [MaybeUninit<u8>];
    // SAFETY: `MaybeUninit<u8>` has the size and alignment of `u8`, and every `u8` is one; nothing can
    // be written through a shared reference.
    unsafe { &*bytes }
}
