//! Stores the first bytes of vectors one after the other, each over the unused end of the previous
//! one.

use core::mem::MaybeUninit;
use core::slice;

use trust8::engine::{Output, Plain, as_uninit};

/// Appends the first bytes of each part, with the counts in `lens`, if all of them fit. `V` is a
/// vector, or vectors side by side.
#[inline(always)]
pub(crate) fn put_all<V: Plain, const N: usize, const M: usize>(
    parts: [[V; N]; M],
    lens: [[usize; N]; M],
    out: &mut Output<'_>,
) -> bool {
    let size = size_of::<V>();
    let Some(next) = out.next_slice(M * N * size) else {
        // Only these copies have their addresses taken. So the parts stay in registers, and so does
        // `out`.
        let (parts, lens) = (parts, lens);
        let lens = lens.as_flattened();
        let n = lens.iter().fold(0, |n, &len| n + size.min(len));
        let Some(next) = out.next_slice(n) else { return false };
        // SAFETY: the parts are `Plain`, so all bytes of the parts are initialised.
        let bytes = unsafe { slice::from_raw_parts((&raw const parts).cast::<u8>(), size_of_val(&parts)) };
        copy(bytes, size, lens, next);
        // SAFETY: `copy` has written all of `next`, which has `n` bytes.
        unsafe { out.advance(n) };
        return true;
    };
    let next = next.as_mut_ptr();
    let mut at = 0;
    // When optimising for size, LLVM would not inline loops over iterators.
    let mut i = 0;
    while i < M * N {
        let to = next.wrapping_add(at).cast::<V>();
        // SAFETY: `at` is at most `size` for each part before this one, so `size` bytes from there
        // on lie in `next`. The store needs no alignment.
        unsafe { to.write_unaligned(parts[i / N][i % N]) };
        at += size.min(lens[i / N][i % N]);
        i += 1;
    }
    // SAFETY: each store has written `size` bytes. At most that many were counted, and the next one
    // began after those. A vector has no padding by the contract of `Plain`.
    unsafe { out.advance(at) };
    true
}

/// Copies the first bytes of each part to `to`, which has exactly the space for them. Each part has
/// `size` bytes.
#[cold]
#[inline(never)]
fn copy(parts: &[u8], size: usize, lens: &[usize], mut to: &mut [MaybeUninit<u8>]) {
    for (part, &len) in parts.chunks_exact(size).zip(lens) {
        let bytes = &part[..len.min(size)];
        let (next, rest) = to.split_at_mut(bytes.len());
        next.copy_from_slice(as_uninit(bytes));
        to = rest;
    }
}
