//! Long input: superblocks by kind.

use super::blocks::{self, Checker};
use super::planes::{self, SUPERBLOCK};
use crate::simd::avx512::{Avx512, Gfni, Vector};
use crate::verdict::Verdict;

const CONTEXT: usize = planes::CONTEXT;
/// A stretch that is looked at to see of which kind it is: eight vectors.
const STRETCH: usize = 512;
/// After a superblock of no special kind, as many of them again go without a look at their kind
/// as came before it in a row, up to this.
const MOST_UNSEEN: usize = 8;

#[inline(always)]
pub(super) fn validate(s: Avx512, g: Gfni, bytes: &[u8]) -> Verdict {
    let checker = Checker::new(s);
    if bytes.len() < 64 + STRETCH {
        return blocks::many(s, bytes);
    }
    // The start is a block, so that everything behind it has context to be loaded.
    let mut faults = checker.no_faults();
    checker.check(&mut faults, s.load(bytes, 0), s.zero());
    if checker.any(&faults) {
        return Verdict::suspect(0);
    }
    let mut at = 64;
    let mut unseen = 1;
    while let Some(stretch) = window::<{ CONTEXT + STRETCH }>(bytes, at) {
        let largest = largest(s, stretch);
        if !s.any_high(largest) {
            if stretch[2] >= 0xC0 || stretch[1] >= 0xE0 || stretch[0] >= 0xF0 {
                return Verdict::suspect(at);
            }
            at += STRETCH;
            // Back to an aligned place, which costs nothing: what is read again is ASCII.
            at -= (bytes.as_ptr().addr() + at) % 64;
            while let Some(step) = bytes[at..].first_chunk::<STRETCH>() {
                if s.any_high(ascii(s, step)) {
                    break;
                }
                at += STRETCH;
            }
            unseen = 1;
            continue;
        }
        if !s.any_high(s.minus(largest, s.splat(0x60)))
            && stretch[0] < 0xF0
            && stretch[1] < 0xE0
            && stretch[2] < 0xE0
            && stretch[2] & 0xFE != 0xC0
        {
            let mut smallest = s.splat(0x7F);
            let mut lengths = s.zero();
            for k in 0..8 {
                let now = s.load(stretch, CONTEXT + 64 * k);
                let earlier = s.load(stretch, CONTEXT + 64 * k - 1);
                let moved = s.plus_signed(now, s.splat(0x40));
                let due = s.minus(earlier, s.splat(0x40));
                lengths = s.ternary::<{ truth!(|a, b, c| a | (b ^ c)) }>(lengths, due, moved);
                smallest = s.min(smallest, moved);
            }
            if s.any_high(s.or(lengths, s.minus(s.splat(0x81), s.max(smallest, s.splat(1))))) {
                break;
            }
            at += STRETCH;
            unseen = 1;
            continue;
        }
        let mut plane_faults = s.zero();
        let begin = at;
        for _ in 0..unseen {
            let Some(text) = window::<{ CONTEXT + SUPERBLOCK }>(bytes, at) else { break };
            plane_faults = planes::check(s, g, plane_faults, planes::rows(s, text));
            at += SUPERBLOCK;
        }
        if s.any(plane_faults) {
            at = begin;
            break;
        }
        unseen = (2 * unseen).min(MOST_UNSEEN);
    }
    let mut faults = checker.no_faults();
    if bytes.len() - at < STRETCH {
        blocks::check_rest(&checker, &mut faults, &bytes[at..], blocks::context(s, bytes, at));
        if !checker.any(&faults) {
            return Verdict::VALID;
        }
    }
    blocks::first_faulty(checker, bytes, at)
}

#[inline(always)]
fn window<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    bytes.get(at - CONTEXT..)?.first_chunk()
}

#[inline(always)]
fn largest(s: Avx512, stretch: &[u8; CONTEXT + STRETCH]) -> Vector {
    let v = |k: usize| s.load(stretch, CONTEXT + 64 * k);
    let (a, b) = (s.max(v(0), v(1)), s.max(v(2), v(3)));
    let (c, d) = (s.max(v(4), v(5)), s.max(v(6), v(7)));
    s.max(s.max(a, b), s.max(c, d))
}

#[inline(always)]
fn ascii(s: Avx512, step: &[u8; STRETCH]) -> Vector {
    let v = |k: usize| s.load(step, 64 * k);
    let or3 = |a, b, c| s.ternary::<{ truth!(|a, b, c| a | b | c) }>(a, b, c);
    s.or(or3(v(0), v(1), v(2)), or3(or3(v(3), v(4), v(5)), v(6), v(7)))
}
