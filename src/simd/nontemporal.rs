//! Writing past the caches: for destinations that are larger than these.
//!
//! An ordinary store first reads the line that it is about to overwrite. A copy that no cache will hold
//! pays for that with a third of memory's bandwidth; non-temporal stores do not. SSE2 has them, which
//! build.rs has seen that the target guarantees, so no kernel is asked.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::mem::MaybeUninit;
use core::ptr;

use crate::output::as_uninit;

/// A cache line.
const LINE: usize = 64;
/// What one store takes.
const WORD: usize = size_of::<__m128i>();
/// Places at which memory is read and written in turn: it has several banks, and a page, which a quarter
/// of 16 KiB is, keeps one of them busy.
const PLACES: usize = 4;
/// Lines that are read and written at one place before it is the next one's turn: a page that is open serves them faster.
const BURST: usize = 4;

/// Copies `src` to `dst`, which is as long (it panics otherwise), and asks memory for the start of `next`, as
/// much of it as is copied: reading and writing then go on at the same time.
pub(crate) fn copy(src: &[u8], dst: &mut [MaybeUninit<u8>], next: &[u8]) {
    assert_eq!(src.len(), dst.len());
    // Whole lines of the destination; what is not part of one goes the ordinary way.
    let head = dst.as_ptr().align_offset(LINE).min(src.len());
    let (src_head, src) = src.split_at(head);
    let (dst_head, dst) = dst.split_at_mut(head);
    dst_head.copy_from_slice(as_uninit(src_head));
    let (src_lines, src_tail) = src.as_chunks::<LINE>();
    let (dst_lines, dst_tail) = dst.as_chunks_mut::<LINE>();
    dst_tail.copy_from_slice(as_uninit(src_tail));

    let stride = src_lines.len().div_ceil(PLACES);
    for i in (0..stride).step_by(BURST) {
        for place in (0..PLACES).map(|place| place * stride) {
            for at in place + i..place + stride.min(i + BURST) {
                if let Some(line) = next.get(at * LINE) {
                    // SAFETY: SSE, which SSE2 includes, by build.rs; a prefetch is a hint, and here even of readable memory.
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(ptr::from_ref(line).cast()) };
                }
                if let (Some(src), Some(dst)) = (src_lines.get(at), dst_lines.get_mut(at)) {
                    // SAFETY: each line is touched once, and the fence below comes before this function returns.
                    unsafe { copy_line(src, dst) };
                }
            }
        }
    }
    // Such stores may otherwise be seen later than what comes after them.
    // SAFETY: SSE, which SSE2 includes, by build.rs.
    unsafe { _mm_sfence() };
}

/// Stores one line.
///
/// # Safety
///
/// - A fence must follow before any other access to `dst`, by this thread too.
#[inline(always)]
unsafe fn copy_line(src: &[u8; LINE], dst: &mut [MaybeUninit<u8>; LINE]) {
    assert_eq!(dst.as_ptr().addr() % LINE, 0);
    let (src, _) = src.as_chunks::<WORD>();
    let (dst, _) = dst.as_chunks_mut::<WORD>();
    for (src, dst) in src.iter().zip(dst) {
        // SAFETY: SSE2, by build.rs; `src` has 16 bytes, and the load needs no alignment.
        let word = unsafe { _mm_loadu_si128(src.as_ptr().cast()) };
        // SAFETY: SSE2, by build.rs; `dst` has 16 bytes, which are borrowed here alone, at a multiple of 16: this is
        // so for the line, as has been asserted. Of the fence the caller has assured us.
        unsafe { _mm_stream_si128(dst.as_mut_ptr().cast(), word) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_arrive_and_no_others_are_touched() {
        let src: Vec<_> = (0..20_000).map(|i| (i % 251) as u8).collect();
        let next = [7; 9000];
        for len in (0..700).chain((700..17_000).step_by(509)) {
            for at in [0, 1, 15, 16, 48, 63, 64] {
                let mut dst = vec![MaybeUninit::new(0xEE); 17_200];
                copy(&src[at..at + len], &mut dst[at..at + len], &next[..len.min(9000)]);
                for (i, byte) in dst.iter().enumerate() {
                    let expected = if (at..at + len).contains(&i) { (i % 251) as u8 } else { 0xEE };
                    // SAFETY: all of `dst` was initialised when it was made.
                    assert_eq!(unsafe { byte.assume_init() }, expected, "{len} bytes to {at}: byte {i}");
                }
            }
        }
    }
}
