//! A copy that writes past the caches, for destinations that are larger than the caches.
//!
//! An ordinary store first reads the cache line that it is about to overwrite. For a copy that no
//! cache can hold, this read takes a third of memory's bandwidth. A non-temporal store avoids it.
//!
//! The stores are part of SSE2. build.rs compiles this file only for targets that guarantee SSE2,
//! so there is no detection.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
use core::mem::MaybeUninit;
use core::ptr;

use super::as_uninit;

/// A cache line.
const LINE_BYTES: usize = 64;
/// The bytes of one store.
const STORE_BYTES: usize = size_of::<__m128i>();
/// The number of streams that are copied in turn. Memory has several banks, and one page keeps only
/// one of them busy. Callers copy 16 KiB at a time, and a quarter of that is a page.
const PLACES: usize = 4;
/// The number of lines that are copied from one stream before the next has its turn. Memory serves
/// lines faster from an open page.
const BURST_LINES: usize = 4;

/// Copies `src` to `dst`, and prefetches as many bytes of `next`, so that memory reads and writes
/// at the same time.
///
/// # Panics
///
/// If `src` and `dst` have different lengths.
pub(crate) fn copy(src: &[u8], dst: &mut [MaybeUninit<u8>], next: &[u8]) {
    assert_eq!(src.len(), dst.len());
    // Non-temporal stores write the whole cache lines of `dst`, and ordinary stores the bytes
    // before and after them.
    let head = dst.as_ptr().align_offset(LINE_BYTES).min(src.len());
    let (src_head, src) = src.split_at(head);
    let (dst_head, dst) = dst.split_at_mut(head);
    dst_head.copy_from_slice(as_uninit(src_head));
    let (src_lines, src_tail) = src.as_chunks::<LINE_BYTES>();
    let (dst_lines, dst_tail) = dst.as_chunks_mut::<LINE_BYTES>();
    dst_tail.copy_from_slice(as_uninit(src_tail));

    let stride = src_lines.len().div_ceil(PLACES);
    for i in (0..stride).step_by(BURST_LINES) {
        for place in (0..PLACES).map(|place| place * stride) {
            for at in place + i..place + stride.min(i + BURST_LINES) {
                if let Some(line) = next.get(at * LINE_BYTES) {
                    // SAFETY: SSE, which SSE2 includes, by build.rs. A prefetch is a hint; `line`
                    // is readable anyway.
                    unsafe { _mm_prefetch::<_MM_HINT_T0>(ptr::from_ref(line).cast()) };
                }
                if let (Some(src), Some(dst)) = (src_lines.get(at), dst_lines.get_mut(at)) {
                    // SAFETY: each line is accessed once, and the fence below runs before this
                    // function returns.
                    unsafe { copy_line(src, dst) };
                }
            }
        }
    }
    // Without a fence, other threads may see these stores later than the stores that come after
    // them. SAFETY: SSE, which SSE2 includes, by build.rs.
    unsafe { _mm_sfence() };
}

/// Copies one cache line.
///
/// # Panics
///
/// If `dst` does not begin at the start of a cache line.
///
/// # Safety
///
/// - A store fence must come before any other access to `dst`, even by this thread.
#[inline(always)]
unsafe fn copy_line(src: &[u8; LINE_BYTES], dst: &mut [MaybeUninit<u8>; LINE_BYTES]) {
    assert_eq!(dst.as_ptr().addr() % LINE_BYTES, 0);
    let (src, _) = src.as_chunks::<STORE_BYTES>();
    let (dst, _) = dst.as_chunks_mut::<STORE_BYTES>();
    for (src, dst) in src.iter().zip(dst) {
        // SAFETY: SSE2, by build.rs; `src` has 16 bytes, and the load needs no alignment.
        let word = unsafe { _mm_loadu_si128(src.as_ptr().cast()) };
        // SAFETY: SSE2, by build.rs. `dst` has 16 bytes that nothing else borrows. Its address is a
        // multiple of 16, because the line's address is a multiple of 64, as asserted above. The
        // caller provides the fence.
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
