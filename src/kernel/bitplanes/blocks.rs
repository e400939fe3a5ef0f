//! Blocks of 64 bytes, with two lookups.
//!
//! ```text
//! for each block:
//!     leads   = LEAD[byte] for each byte from C0 on, 0 for all others
//!     second  = SECOND[upper nibble of the byte]
//!     lead    = leads, one place later
//!     due     = bit 7 of: lead | leads two places later << 1 | leads three places later << 2
//!     faults |= (due, where the byte is no continuation) or (no due, where it is one) or (lead & second, in bits 0 to 3)
//! ```
//!
//! It is the algorithm of `lookup/` with these differences:
//!
//! 1. **One lookup for the first byte of a pair, not two.** VPERMB looks up one of 64 entries, and
//!    exactly 64 byte values begin, or would begin, a longer sequence: C0 to FF.
//! 2. **The leads encode where continuations are due**: one entry has all three positions. A shift
//!    moves an entry to the byte in question, and the bit for that byte to the top. So no
//!    comparison of leads is needed.
//! 3. **Fewer than 64 bytes are one masked load**, and no branch depends on their content.

#![forbid(unsafe_code)]

use super::BLOCK_BYTES;
use crate::boundary::{CONTEXT, array_at};
use crate::kernel::Verdict;
use crate::simd::{Avx2, Avx512, Job, Token, Vectors, x86::avx512::Vector};

/// The faults are tested before a block if this much was read since the last test.
const TEST_BLOCKS_EVERY_BYTES: usize = 512;

// Bits 0 to 2 of an entry of `LEAD` are the ranges that its lead forbids for the second byte; those
// of an entry of `SECOND` are the byte's range.

/// `1000....`: 80..8F.
const FROM_80: u8 = 1 << 0;
/// `1001....`: 90..9F.
const FROM_90: u8 = 1 << 1;
/// `101.....`: A0..BF.
const FROM_A0: u8 = 1 << 2;
/// In `LEAD`, a byte that never appears in UTF-8, `1100000.` or `11110101` and above. Every entry
/// of `SECOND` has this bit, so every second byte is forbidden.
const ANYTHING: u8 = 1 << 3;
/// In `LEAD`, a continuation is due one place after the lead: `11......`.
const FIRST_DUE: u8 = 1 << 7;
/// In `LEAD`, a continuation is due two places after the lead: `111.....`.
const SECOND_DUE: u8 = 1 << 6;
/// In `LEAD`, a continuation is due three places after the lead: `1111....`.
const THIRD_DUE: u8 = 1 << 5;
/// In `SECOND`, the byte is no continuation: `0.......` or `11......`.
const NO_CONTINUATION: u8 = 1 << 7;

/// The entries for the low six bits of a byte C0..FF.
const LEAD: &[u8; 64] = &{
    let mut table = [FIRST_DUE; 64];
    let mut i = 0;
    while i < 64 {
        let byte = 0xC0 + i as u8;
        if byte >= 0xE0 {
            table[i] |= SECOND_DUE;
        }
        if byte >= 0xF0 {
            table[i] |= THIRD_DUE;
        }
        table[i] |= match byte {
            0xC0 | 0xC1 | 0xF5.. => ANYTHING,
            0xE0 => FROM_80 | FROM_90,
            0xED => FROM_A0,
            0xF0 => FROM_80,
            0xF4 => FROM_90 | FROM_A0,
            _ => 0,
        };
        i += 1;
    }
    table
};

/// The entries for the upper four bits of a byte. There are four copies of them: the index has two
/// more bits, which the shift fills with bits of a neighbouring byte.
const SECOND: &[u8; 64] = &{
    let mut table = [ANYTHING; 64];
    let mut i = 0;
    while i < 64 {
        table[i] |= match i & 15 {
            0x8 => FROM_80,
            0x9 => FROM_90,
            0xA | 0xB => FROM_A0,
            _ => NO_CONTINUATION,
        };
        i += 1;
    }
    table
};

/// The bits of the last three entries of a block that are about positions after the block.
const DUE_AFTER: &[u8; 64] = &{
    let mut table = [0; 64];
    table[61] = THIRD_DUE;
    table[62] = THIRD_DUE | SECOND_DUE;
    table[63] = THIRD_DUE | SECOND_DUE | FIRST_DUE;
    table
};

/// The faults that a [`BlockChecker`] has found. Checks only set bits, so one test at the end is enough.
#[derive(Clone, Copy)]
pub(super) struct FaultBits {
    /// Bits 0 to 3 (`....1111`): a second byte that its lead forbids, or a lead that never appears. Bits 4 to 6
    /// (`.111....`): a character that the end cuts off. Bit 7 (`1.......`): a lead without a continuation after it.
    forbidden: Vector,
    /// Bit 7 (`1.......`): a continuation is missing or unexpected. The other bits are unspecified.
    lengths: Vector,
}

/// The entry of `LEAD` for each byte of a block, and zero for a byte that is no lead. The next
/// block needs no other state.
#[derive(Clone, Copy)]
pub(super) struct Leads(Vector);

/// The entries for each byte of a block and the byte before it.
struct Pairs {
    /// The entry of `LEAD` for the byte before.
    lead: Vector,
    /// Bit 7 (`1.......`): a continuation is due. The other bits are unspecified.
    due: Vector,
    /// The entry of `SECOND` for the byte.
    second: Vector,
}

/// The check of any text. It keeps the tables in registers.
#[derive(Clone, Copy)]
pub(crate) struct BlockChecker {
    pub(crate) s: Avx512,
    lead: Vector,
    second: Vector,
}

impl BlockChecker {
    #[inline(always)]
    pub(crate) fn new(s: Avx512) -> Self {
        Self { s, lead: s.load(LEAD, 0), second: s.load(SECOND, 0) }
    }

    #[inline(always)]
    pub(super) fn no_faults(&self) -> FaultBits {
        FaultBits { forbidden: self.s.zero(), lengths: self.s.zero() }
    }

    /// Returns the leads of ASCII, which are also those before the start of a text.
    #[inline(always)]
    pub(super) fn no_leads(&self) -> Leads {
        Leads(self.s.zero())
    }

    #[inline(always)]
    pub(super) fn leads(&self, text: Vector) -> Leads {
        Leads(self.s.lookup_from(self.lead, text, self.s.splat(0xC0)))
    }

    /// Returns a one for each byte that may follow the byte before it, provided that this is a
    /// continuation after a lead.
    #[inline(always)]
    pub(crate) fn allowed(&self, now: Vector) -> u64 {
        let s = self.s;
        let [lead, ..] = s.earlier_and_up(self.leads(now).0, s.zero());
        let second = s.lookup(self.second, s.shift_right_4_in_16(now));
        // The bit that requires a continuation is removed, because that is checked elsewhere.
        s.disjoint(s.without(lead, s.splat(FIRST_DUE)), second)
    }

    /// Checks the block `now`, which comes after a block with the leads `before`. Returns the leads of `now`. A
    /// character that the end of `now` cuts off is no fault yet.
    ///
    /// These are eleven operations.
    #[cfg_attr(trust8_optimised, inline(always))]
    pub(super) fn check(&self, faults: &mut FaultBits, now: Vector, before: Leads) -> Leads {
        let s = self.s;
        let leads = self.leads(now);
        let Pairs { lead, due, second } = self.pairs(now, leads, before);
        // There is a fault where bit 7 of both is the same: due, and no continuation; or not due,
        // and a continuation.
        faults.lengths = s.ternary::<{ truth!(|a, b, c| a | (b == c)) }>(faults.lengths, due, second);
        faults.forbidden = s.ternary::<{ truth!(|a, b, c| a | (b & c)) }>(faults.forbidden, lead, second);
        leads
    }

    /// Returns whether there is a fault in the only block of a text. It has one operation less than
    /// `check` and `any`.
    #[inline(always)]
    fn is_faulty(&self, only: Vector) -> bool {
        let s = self.s;
        let Pairs { lead, due, second } = self.pairs(only, self.leads(only), self.no_leads());
        let lengths = s.ternary::<{ truth!(|a, b, c| (a == b) & c) }>(due, second, s.splat(0x80));
        s.any(s.ternary::<{ truth!(|a, b, c| a | (b & c)) }>(lengths, lead, second))
    }

    #[inline(always)]
    fn pairs(&self, now: Vector, leads: Leads, before: Leads) -> Pairs {
        let s = self.s;
        let second = s.lookup(self.second, s.shift_right_4_in_16(now));
        let [lead, second_due, third_due] = s.earlier_and_up(leads.0, before.0);
        let due = s.ternary::<{ truth!(|a, b, c| a | b | c) }>(lead, second_due, third_due);
        Pairs { lead, due, second }
    }

    /// Adds a fault if the end of a block with the leads `last` cuts off a character.
    #[inline(always)]
    pub(super) fn check_end(&self, faults: &mut FaultBits, last: Leads) {
        let s = self.s;
        let due = s.and(last.0, s.load(DUE_AFTER, 0));
        // Bits 5 to 7 move to bits 4 to 6, which have no other meaning. Bit 0 is never set, so no bit moves to
        // another byte.
        faults.forbidden = s.or(faults.forbidden, s.shift_right::<1>(due));
    }

    /// Adds a fault for each lead of the last block that never appears in UTF-8. Elsewhere the byte
    /// after the lead shows the fault, but the last lead has none.
    #[inline(always)]
    fn check_last(&self, faults: &mut FaultBits, last: Leads) {
        let s = self.s;
        faults.forbidden =
            s.ternary::<{ truth!(|a, b, c| a | (b & c)) }>(faults.forbidden, last.0, s.splat(ANYTHING));
    }

    /// Returns `faults` without those of the context, if each 16 checked bytes began with their
    /// context.
    #[inline(always)]
    pub(super) fn of_words(&self, faults: FaultBits) -> FaultBits {
        let s = self.s;
        let own = s.splat128(u128::MAX << (8 * CONTEXT));
        FaultBits { forbidden: s.and(faults.forbidden, own), lengths: s.and(faults.lengths, own) }
    }

    /// Returns `faults` together with the faults of `others` in the first `n` bytes.
    #[inline(always)]
    fn or_first_bytes(&self, faults: FaultBits, others: FaultBits, n: usize) -> FaultBits {
        let s = self.s;
        FaultBits {
            forbidden: s.or(faults.forbidden, s.first_bytes(others.forbidden, n)),
            lengths: s.or(faults.lengths, s.first_bytes(others.lengths, n)),
        }
    }

    #[inline(always)]
    pub(super) fn any(&self, faults: &FaultBits) -> bool {
        self.s.any(self.all(faults))
    }

    /// Returns the suspect verdict for the first fault of the block at `at`, if there is one. The
    /// faults are those of this block only.
    ///
    /// The first fault shows at an isolated continuation, or at the byte after an ill-formed
    /// sequence. Either way, the sequence ends after the byte before, and everything before the
    /// sequence is well-formed.
    #[inline(always)]
    pub(super) fn suspicion(&self, faults: &FaultBits, at: usize) -> Option<Verdict> {
        let lanes = self.s.not_zero(self.all(faults));
        (lanes != 0).then(|| Verdict::suspect((at + lanes.trailing_zeros() as usize).saturating_sub(1)))
    }

    #[inline(always)]
    fn all(&self, faults: &FaultBits) -> Vector {
        let s = self.s;
        s.ternary::<{ truth!(|a, b, c| a | (b & c)) }>(faults.forbidden, faults.lengths, s.splat(0x80))
    }
}

/// Returns the verdict on fewer than 64 bytes: one block, without a branch on its content.
///
/// At least one zero follows the text, so a character that the end cuts off lacks a continuation.
#[inline(always)]
pub(crate) fn check_one_block(s: Avx512, bytes: &[u8]) -> Verdict {
    if bytes.is_empty() {
        // An empty slice may point to an unmapped address. The masked load would access nothing
        // there, but it would take over 20 ns.
        return Verdict::VALID;
    }
    let all = s.load_short(bytes);
    if BlockChecker::new(s).is_faulty(all) { Verdict::suspect(0) } else { Verdict::VALID }
}

/// Returns the verdict on 64 bytes or more.
#[inline(always)]
pub(crate) fn check_by_blocks(s: Avx512, bytes: &[u8]) -> Verdict {
    if bytes.len() < 2 * BLOCK_BYTES {
        check_two_blocks(s, bytes)
    } else if bytes.len() <= 8 * BLOCK_BYTES && is_ascii(s, bytes) {
        // At most eight blocks are tested before the checker's tables are loaded.
        Verdict::VALID
    } else {
        s.apart(CheckBlocks, bytes, 0)
    }
}

/// Returns the verdict on 64 to 127 bytes: two blocks; the second may be short. The only branch is
/// whether all is ASCII.
#[cfg_attr(trust8_optimised, inline(always))]
fn check_two_blocks(s: Avx512, bytes: &[u8]) -> Verdict {
    let first = s.load(bytes, 0);
    let last = s.load(bytes, bytes.len() - BLOCK_BYTES);
    if !s.any_high_bit(s.or(first, last)) {
        return Verdict::VALID;
    }
    let checker = BlockChecker::new(s);
    let mut faults = checker.no_faults();
    let before = checker.check(&mut faults, first, checker.no_leads());
    checker.check(&mut faults, s.load_short(&bytes[BLOCK_BYTES..]), before);
    if checker.any(&faults) { Verdict::suspect(0) } else { Verdict::VALID }
}

/// Returns whether `bytes` continues a text whose last four bytes are `before`; see `Engine::piece_continues`.
#[inline(always)]
pub(super) fn piece_in_blocks_continues(s: Avx512, before: [u8; 4], bytes: &[u8]) -> bool {
    let checker = BlockChecker::new(s);
    let mut faults = checker.no_faults();
    let mut earlier = s.ending_in(before);
    let mut before = checker.leads(earlier);
    let mut left = bytes;
    while let Some((blocks, after)) = left.split_first_chunk::<{ 4 * BLOCK_BYTES }>() {
        let [a, b, c, d] = four_blocks(s, blocks);
        // ASCII after ASCII has no fault.
        if s.any_high_bit(s.or(s.or(a, b), s.or(s.or(c, d), earlier))) {
            before = checker.check(&mut faults, a, before);
            before = checker.check(&mut faults, b, before);
            before = checker.check(&mut faults, c, before);
            before = checker.check(&mut faults, d, before);
        } else {
            if after.is_empty() {
                return !checker.any(&faults);
            }
            before = checker.no_leads();
        }
        earlier = d;
        left = after;
    }
    while let Some((block, after)) = left.split_first_chunk::<BLOCK_BYTES>() {
        before = checker.check(&mut faults, s.load(block, 0), before);
        left = after;
    }
    if !left.is_empty() {
        // The zeros after the text show faults of a cut-off character. These do not count.
        let mut last = checker.no_faults();
        before = checker.check(&mut last, s.load_short(left), before);
        faults = checker.or_first_bytes(faults, last, left.len());
    }
    checker.check_last(&mut faults, before);
    !checker.any(&faults)
}

/// The verdict on a text from a position on. Everything before it is well-formed, except for a
/// character that it cuts off.
pub(crate) struct CheckBlocks;

impl Job<Avx512, usize, Verdict> for CheckBlocks {
    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], from: usize) -> Verdict {
        let checker = BlockChecker::new(s);
        let mut faults = checker.no_faults();
        let (mut left, mut before) = rest_and_leads(&checker, bytes, from);
        // The length of the text after the last test of the faults.
        let mut untested = left.len();
        // Four blocks at a time, so that ASCII is skipped fast. Other work waits for other text, or for
        // the end: testing the faults, and whether ASCII cuts off a character. For the latter, the
        // leads before all runs of ASCII are combined.
        let mut cut_off = checker.no_leads();
        while let Some((blocks, after)) = left.split_first_chunk::<{ 4 * BLOCK_BYTES }>() {
            let [a, b, c, d] = four_blocks(s, blocks);
            if s.any_high_bit(s.or(s.or(a, b), s.or(c, d))) {
                if untested - left.len() >= TEST_BLOCKS_EVERY_BYTES {
                    checker.check_end(&mut faults, cut_off);
                    if checker.any(&faults) {
                        return first_faulty_block(s, bytes, bytes.len() - untested);
                    }
                    untested = left.len();
                }
                before = checker.check(&mut faults, a, before);
                before = checker.check(&mut faults, b, before);
                before = checker.check(&mut faults, c, before);
                before = checker.check(&mut faults, d, before);
            } else {
                cut_off = Leads(s.or(cut_off.0, before.0));
                before = checker.no_leads();
            }
            left = after;
        }
        checker.check_end(&mut faults, cut_off);
        // The end of a shorter text was tested with the whole text.
        if left.is_empty() || bytes.len() >= 8 * BLOCK_BYTES && is_ascii_end(s, bytes, left.len()) {
            checker.check_end(&mut faults, before);
        } else {
            while let Some((block, after)) = left.split_first_chunk::<BLOCK_BYTES>() {
                let now = s.load(block, 0);
                before = checker.check(&mut faults, now, before);
                left = after;
            }
            // Even if no byte is left, the zeros after the text show a character that the end cuts off.
            let now = s.load_short(left);
            checker.check(&mut faults, now, before);
        }
        if checker.any(&faults) {
            first_faulty_block(s, bytes, bytes.len() - untested)
        } else {
            Verdict::VALID
        }
    }
}

/// Returns four blocks.
#[inline(always)]
pub(crate) fn four_blocks(s: Avx512, blocks: &[u8; 4 * BLOCK_BYTES]) -> [Vector; 4] {
    let (a, b) = (s.load(blocks, 0), s.load(blocks, BLOCK_BYTES));
    let (c, d) = (s.load(blocks, 2 * BLOCK_BYTES), s.load(blocks, 3 * BLOCK_BYTES));
    [a, b, c, d]
}

/// Returns whether all of at most 512 bytes are ASCII. Below 128 bytes, the answer is no.
///
/// Text with other characters mostly has some in its first or last 128 bytes. So no branch on the
/// length comes before that answer.
#[cfg_attr(trust8_optimised, inline(always))]
fn is_ascii(s: Avx512, bytes: &[u8]) -> bool {
    const TWO_BLOCKS: usize = 2 * BLOCK_BYTES;
    let (Some(first), Some(last)) = (bytes.first_chunk::<TWO_BLOCKS>(), bytes.last_chunk::<TWO_BLOCKS>())
    else {
        return false;
    };
    let half = Avx2::on(s);
    let mut all = half.or(half.load(first, 0), half.load(last, 0));
    for k in 1..4 {
        let at = BLOCK_BYTES / 2 * k;
        all = half.or(all, half.or(half.load(first, at), half.load(last, at)));
    }
    if half.any_high_bit(all) {
        return false;
    }
    if bytes.len() <= 2 * TWO_BLOCKS {
        return true;
    }
    // At most 256 bytes are left in the middle. The last of these blocks may overlap.
    let end = bytes.len() - 3 * BLOCK_BYTES;
    let mut all = s.zero();
    for k in 2..6 {
        let Some(block) = array_at::<BLOCK_BYTES>(bytes, end.min(k * BLOCK_BYTES)) else { return false };
        all = s.or(all, s.load(block, 0));
    }
    !s.any_high_bit(all)
}

/// Returns whether the last `n` bytes are ASCII, and the last 64 bytes if `n` is less. `n` is below 256, and `bytes`
/// has at least 64 bytes.
///
/// The vectors have 32 bytes. Most texts are not aligned, and a load of 64 bytes that crosses cache
/// lines takes three more cycles (Zen 4). Only half of the loads of 32 bytes cross.
#[inline(always)]
fn is_ascii_end(s: Avx512, bytes: &[u8], n: usize) -> bool {
    let Some(last) = bytes.last_chunk::<BLOCK_BYTES>() else { return false };
    let s = Avx2::on(s);
    let mut all = s.or(s.load(last, 0), s.load(last, BLOCK_BYTES / 2));
    // Three more blocks. Those that would reach beyond the end are replaced by the last block.
    for k in 0..3 {
        let block = array_at(bytes, bytes.len() - n + k * BLOCK_BYTES).unwrap_or(last);
        all = s.or(all, s.or(s.load(block, 0), s.load(block, BLOCK_BYTES / 2)));
    }
    !s.any_high_bit(all)
}

/// Returns the suspect verdict for the first fault from `at` on. For `at`, see [`FirstFaultyBlock`].
#[cold]
#[cfg_attr(trust8_optimised, inline(always))]
pub(crate) fn first_faulty_block(s: Avx512, bytes: &[u8], at: usize) -> Verdict {
    s.apart(FirstFaultyBlock, bytes, at)
}

/// The search for the first fault from `at` on, block by block.
///
/// The four bytes before `at` are well-formed, except for a character that `at` cuts off. The job
/// returns the suspect verdict for the first fault, or for the position where less than a block is
/// left. If less than a block is before `at`, it begins at the start, and may find a fault there.
struct FirstFaultyBlock;

impl Job<Avx512, usize, Verdict> for FirstFaultyBlock {
    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], from: usize) -> Verdict {
        let checker = BlockChecker::new(s);
        let (mut left, mut before) = rest_and_leads(&checker, bytes, from);
        while let Some((block, after)) = left.split_first_chunk::<BLOCK_BYTES>() {
            let mut faults = checker.no_faults();
            before = checker.check(&mut faults, s.load(block, 0), before);
            if let Some(suspicion) = checker.suspicion(&faults, bytes.len() - left.len()) {
                return suspicion;
            }
            left = after;
        }
        Verdict::suspect(bytes.len() - left.len())
    }
}

/// Returns the text from `from` on, and the leads of the block before it. If there is none, returns
/// all of the text.
#[inline(always)]
fn rest_and_leads<'a>(checker: &BlockChecker, bytes: &'a [u8], from: usize) -> (&'a [u8], Leads) {
    if let Some((before, rest)) = bytes.split_at_checked(from)
        && let Some(block) = before.last_chunk::<BLOCK_BYTES>()
    {
        (rest, checker.leads(checker.s.load(block, 0)))
    } else {
        (bytes, checker.no_leads())
    }
}
