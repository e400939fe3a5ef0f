//! 64 bytes at a time, with two lookups.
//!
//! VPERMB looks up one of 64 entries, and UTF-8 has exactly 64 bytes that can begin a longer
//! sequence, C0 to FF. So one lookup says all about the first of two neighbouring bytes (the block
//! algorithm of `lookup/` needs two for that), and another one classifies the second.

#![forbid(unsafe_code)]

use super::tally::Tally;
use crate::kernel::survey::{Classes, Surveyor};
use crate::kernel::verdict::Verdict;
#[cfg(feature = "alloc")]
use crate::output::Output;
use crate::simd::x86::avx512::{Avx512, Vector};

/// The most that is read before a look at the faults.
const CHUNK: usize = 4096;

/// In `LEAD`: what this lead forbids its second byte to be. In `SECOND`: what this byte is.
const FROM_80: u8 = 1 << 0; // 1000....
const FROM_90: u8 = 1 << 1; // 1001....
const FROM_A0: u8 = 1 << 2; // 101.....
/// In `LEAD`: wrong whatever follows. Set in every entry of `SECOND`.
const ANYTHING: u8 = 1 << 3;
/// In `LEAD`: a continuation is due one, two, three places behind. They are neighbours, so that a shift
/// which brings a byte to the place that it speaks of also brings the bit for that place on top.
const FIRST_DUE: u8 = 1 << 7;
const SECOND_DUE: u8 = 1 << 6;
const THIRD_DUE: u8 = 1 << 5;
/// In `SECOND`: this is no continuation.
const NO_CONTINUATION: u8 = 1 << 7;

/// By the low six bits of a byte C0..FF.
static LEAD: [u8; 64] = {
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

/// By the upper four bits of a byte; four times over, because the index has two more bits, which are
/// whatever the shift has left there.
static SECOND: [u8; 64] = {
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

/// What is still due where a block ends: in the entries of its last three bytes, the bits for places
/// behind them.
static DUE_BEHIND: [u8; 64] = {
    let mut table = [0; 64];
    table[61] = THIRD_DUE;
    table[62] = THIRD_DUE | SECOND_DUE;
    table[63] = THIRD_DUE | SECOND_DUE | FIRST_DUE;
    table
};

/// What has been found so far, in two registers that are only ever or-ed into.
#[derive(Clone, Copy)]
pub(super) struct Faults {
    /// Bits 0 to 3: a second byte that its lead forbids, or a lead that never appears. Bits 4 to 6: a
    /// character that the end cuts off. Bit 7: a lead without a continuation behind it.
    forbidden: Vector,
    /// Bit 7: a continuation is missing, or one is there that none asked for. Other bits: nothing.
    lengths: Vector,
}

/// What a block's leads say of the bytes behind them: all that the next block needs to know of it.
#[derive(Clone, Copy)]
pub(super) struct Leads(Vector);

/// What the lookups say of all pairs of neighbours in a block.
struct Pairs {
    /// Of the byte before, from `LEAD`.
    lead: Vector,
    /// Bit 7: a continuation is due. Other bits: nothing.
    due: Vector,
    /// Of the byte, from `SECOND`.
    second: Vector,
}

/// The tables, in registers.
#[derive(Clone, Copy)]
pub(super) struct Checker {
    pub(super) s: Avx512,
    lead: Vector,
    second: Vector,
}

impl Checker {
    #[inline(always)]
    pub(super) fn new(s: Avx512) -> Self {
        Self { s, lead: s.load(&LEAD, 0), second: s.load(&SECOND, 0) }
    }

    #[inline(always)]
    pub(super) fn no_faults(&self) -> Faults {
        Faults { forbidden: self.s.zero(), lengths: self.s.zero() }
    }

    /// Of the start of the text, and of ASCII.
    #[inline(always)]
    pub(super) fn no_leads(&self) -> Leads {
        Leads(self.s.zero())
    }

    #[inline(always)]
    pub(super) fn leads(&self, text: Vector) -> Leads {
        Leads(self.s.lookup_from(self.lead, text, self.s.splat(0xC0)))
    }

    /// Checks `now`, which stands behind a block with the leads `before`. A character that the end cuts off
    /// is no fault yet.
    ///
    /// Eleven operations. The leads are looked up first and shifted then, by one, two and three bytes
    /// and as many bits less one: so nothing more has to be done to tell a lead of two bytes from
    /// longer ones.
    #[inline(always)]
    pub(super) fn check(&self, faults: &mut Faults, now: Vector, before: Leads) -> Leads {
        let s = self.s;
        let leads = self.leads(now);
        let Pairs { lead, due, second } = self.pairs(now, leads, before);
        // Bit 7: due and no continuation agree.
        faults.lengths = s.ternary::<{ truth!(|a, b, c| a | (b == c)) }>(faults.lengths, due, second);
        faults.forbidden = s.ternary::<{ truth!(|a, b, c| a | (b & c)) }>(faults.forbidden, lead, second);
        leads
    }

    /// Whether anything is wrong in the only block of a text: the same, with an operation less.
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

    /// Notes a character that the end of a block with these leads cuts off.
    #[inline(always)]
    pub(super) fn check_end(&self, faults: &mut Faults, last: Leads) {
        let s = self.s;
        let due = s.and(last.0, s.load(&DUE_BEHIND, 0));
        // Down by one, away from bit 7. No bit 0 is set that could arrive in a neighbour's.
        faults.forbidden = s.or(faults.forbidden, s.shift_right::<1>(due));
    }

    /// Notes a lead that never appears: it would show with the byte behind it, which the last one has not.
    #[inline(always)]
    fn check_last(&self, faults: &mut Faults, last: Leads) {
        let s = self.s;
        faults.forbidden =
            s.ternary::<{ truth!(|a, b, c| a | (b & c)) }>(faults.forbidden, last.0, s.splat(ANYTHING));
    }

    /// Together with those of `others` that are in the first `n` bytes.
    #[inline(always)]
    fn and_those(&self, faults: Faults, others: Faults, n: usize) -> Faults {
        let s = self.s;
        Faults {
            forbidden: s.or(faults.forbidden, s.first(others.forbidden, n)),
            lengths: s.or(faults.lengths, s.first(others.lengths, n)),
        }
    }

    #[inline(always)]
    pub(super) fn any(&self, faults: &Faults) -> bool {
        let s = self.s;
        let all =
            s.ternary::<{ truth!(|a, b, c| a | (b & c)) }>(faults.forbidden, faults.lengths, s.splat(0x80));
        s.any(all)
    }
}

/// What the bytes are, for those who want every fault.
impl Surveyor for Checker {
    #[inline(always)]
    fn high(self, window: &[u8; 64]) -> u64 {
        self.s.high_bits(self.s.load(window, 0))
    }

    #[inline(always)]
    fn classes(self, window: &[u8; 64]) -> Classes {
        let s = self.s;
        let now = s.load(window, 0);
        let [lead, ..] = s.earlier_and_up(self.leads(now).0, s.zero());
        let second = s.lookup(self.second, s.shift_right_4_in_16(now));
        Classes {
            high: s.high_bits(now),
            lead: s.at_least(now, s.splat(0xC0)),
            lead3: s.at_least(now, s.splat(0xE0)),
            lead4: s.at_least(now, s.splat(0xF0)),
            // All leads want a continuation; that one has been found is another question.
            allowed: s.disjoint(s.without(lead, s.splat(FIRST_DUE)), second),
        }
    }

    #[inline(always)]
    fn is_ascii(self, bytes: &[u8; 256]) -> bool {
        let s = self.s;
        let (a, b) = (s.load(bytes, 0), s.load(bytes, 64));
        let (c, d) = (s.load(bytes, 128), s.load(bytes, 192));
        !s.any_high(s.or(s.or(a, b), s.or(c, d)))
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn put_and_ask(self, bytes: &[u8; 256], out: &mut Output<'_>) -> Option<bool> {
        self.s.put_and_ask(bytes, out)
    }

    #[inline(always)]
    fn ascii_lines(self, bytes: &[u8; 256]) -> usize {
        let s = self.s;
        let mut others = 1 << 4;
        let mut block = 0;
        while block < 4 {
            others |= u32::from(s.any_high(s.load(bytes, 64 * block))) << block;
            block += 1;
        }
        others.trailing_zeros() as usize
    }
}

/// The verdict on fewer than 64 bytes: one block, no branch on what is in it.
///
/// At least one zero follows the text, so a character that the end cuts off shows itself.
#[inline(always)]
pub(super) fn one<T: Tally>(s: Avx512, bytes: &[u8], tally: &mut T) -> Verdict {
    if bytes.is_empty() {
        // What an empty slice points to may be no memory at all. Nothing would be loaded from there, but it
        // takes the CPU over 20 ns to find that out.
        return Verdict::VALID;
    }
    let all = s.load_short(bytes);
    tally.block(s, all);
    if Checker::new(s).is_faulty(all) { Verdict::suspect(0) } else { Verdict::VALID }
}

/// The verdict on any number of bytes.
#[inline(always)]
pub(super) fn many<T: Tally>(s: Avx512, bytes: &[u8], tally: &mut T) -> Verdict {
    match bytes.len() {
        0..64 => one(s, bytes, tally),
        64..128 => two(s, bytes, tally),
        _ => rest(Checker::new(s), bytes, 0, tally),
    }
}

/// The verdict on 64 to 127 bytes: two blocks, one path.
#[inline(always)]
fn two<T: Tally>(s: Avx512, bytes: &[u8], tally: &mut T) -> Verdict {
    let first = s.load(bytes, 0);
    let last = s.load(bytes, bytes.len() - 64);
    tally.block(s, first);
    tally.block(s, s.load_short(&bytes[64..]));
    if !s.any_high(s.or(first, last)) {
        return Verdict::VALID;
    }
    let checker = Checker::new(s);
    let mut faults = checker.no_faults();
    let before = checker.check(&mut faults, first, checker.no_leads());
    checker.check(&mut faults, s.load_short(&bytes[64..]), before);
    if checker.any(&faults) { Verdict::suspect(0) } else { Verdict::VALID }
}

/// Returns whether `bytes` continues a text whose last four bytes are `before`; see `Engine::continues`.
#[inline(always)]
pub(super) fn continues(s: Avx512, before: [u8; 4], bytes: &[u8]) -> bool {
    let checker = Checker::new(s);
    let mut faults = checker.no_faults();
    let mut earlier = s.ending_in(before);
    let mut before = checker.leads(earlier);
    let mut left = bytes;
    while let Some((blocks, behind)) = left.split_first_chunk::<256>() {
        let (a, b) = (s.load(blocks, 0), s.load(blocks, 64));
        let (c, d) = (s.load(blocks, 128), s.load(blocks, 192));
        // Nothing can be wrong with ASCII behind ASCII.
        if s.any_high(s.or(s.or(a, b), s.or(s.or(c, d), earlier))) {
            before = checker.check(&mut faults, a, before);
            before = checker.check(&mut faults, b, before);
            before = checker.check(&mut faults, c, before);
            before = checker.check(&mut faults, d, before);
        } else {
            if behind.is_empty() {
                return !checker.any(&faults);
            }
            before = checker.no_leads();
        }
        earlier = d;
        left = behind;
    }
    while let Some((block, behind)) = left.split_first_chunk::<64>() {
        before = checker.check(&mut faults, s.load(block, 0), before);
        left = behind;
    }
    if !left.is_empty() {
        // Zeros stand behind the text; what they show of a character that is cut off is left out.
        let mut last = checker.no_faults();
        before = checker.check(&mut last, s.load_short(left), before);
        faults = checker.and_those(faults, last, left.len());
    }
    checker.check_last(&mut faults, before);
    !checker.any(&faults)
}

/// The verdict on `bytes`, if all before `from` is well-formed, except for a character that `from` cuts off.
#[inline(always)]
pub(super) fn rest<T: Tally>(checker: Checker, bytes: &[u8], from: usize, tally: &mut T) -> Verdict {
    let s = checker.s;
    let mut faults = checker.no_faults();
    let mut before = leads_before(&checker, bytes, from);
    let (mut at, mut sound) = (from, from);
    // Four blocks at a time, so that ASCII can be skipped.
    while let Some(blocks) = bytes[at..].first_chunk::<256>() {
        if at - sound >= CHUNK {
            if checker.any(&faults) {
                return first_faulty(checker, bytes, sound);
            }
            sound = at;
        }
        let (a, b) = (s.load(blocks, 0), s.load(blocks, 64));
        let (c, d) = (s.load(blocks, 128), s.load(blocks, 192));
        if s.any_high(s.or(s.or(a, b), s.or(c, d))) {
            before = checker.check(&mut faults, a, before);
            before = checker.check(&mut faults, b, before);
            before = checker.check(&mut faults, c, before);
            before = checker.check(&mut faults, d, before);
            tally.block(s, a);
            tally.block(s, b);
            tally.block(s, c);
            tally.block(s, d);
        } else {
            checker.check_end(&mut faults, before);
            before = checker.no_leads();
            tally.ascii_block(s, a);
            tally.ascii_block(s, b);
            tally.ascii_block(s, c);
            tally.ascii_block(s, d);
        }
        at += 256;
    }
    let left = &bytes[at..];
    if left.is_empty() || is_ascii_end(s, bytes, left.len()) {
        checker.check_end(&mut faults, before);
        if T::COUNTS {
            let mut left = left;
            while let Some((block, behind)) = left.split_first_chunk::<64>() {
                tally.ascii_block(s, s.load(block, 0));
                left = behind;
            }
            if !left.is_empty() {
                tally.ascii_block(s, s.load_short(left));
            }
        }
    } else {
        let mut left = left;
        while let Some((block, behind)) = left.split_first_chunk::<64>() {
            let now = s.load(block, 0);
            before = checker.check(&mut faults, now, before);
            tally.block(s, now);
            left = behind;
        }
        // Always: even when no byte is left, the zeros behind them complete the check.
        let now = s.load_short(left);
        checker.check(&mut faults, now, before);
        tally.block(s, now);
    }
    if checker.any(&faults) { first_faulty(checker, bytes, sound) } else { Verdict::VALID }
}

/// Whether the last `n` bytes, or 64 if that is more, are ASCII. `n` is below 256, and there are 64 bytes.
#[inline(always)]
fn is_ascii_end(s: Avx512, bytes: &[u8], n: usize) -> bool {
    // The last block, and whichever come before it, or it again.
    let last = bytes.len() - 64;
    let first = bytes.len() - n;
    let (a, b) = (s.load(bytes, first.min(last)), s.load(bytes, (first + 64).min(last)));
    let (c, d) = (s.load(bytes, (first + 128).min(last)), s.load(bytes, last));
    !s.any_high(s.or(s.or(a, b), s.or(c, d)))
}

/// Goes through the text from `sound` on, block by block, to where a fault shows.
///
/// All before `sound` is well-formed, except for a character that `sound` cuts off.
#[cold]
#[inline(always)]
pub(super) fn first_faulty(checker: Checker, bytes: &[u8], sound: usize) -> Verdict {
    let s = checker.s;
    let mut at = sound;
    let mut before = leads_before(&checker, bytes, at);
    while let Some(block) = bytes[at..].first_chunk::<64>() {
        let mut faults = checker.no_faults();
        before = checker.check(&mut faults, s.load(block, 0), before);
        if checker.any(&faults) {
            break;
        }
        at += 64;
    }
    Verdict::suspect(at)
}

/// The leads of what stands before `at`, up to 64 bytes.
#[inline(always)]
fn leads_before(checker: &Checker, bytes: &[u8], at: usize) -> Leads {
    if at == 0 {
        return checker.no_leads();
    }
    let s = checker.s;
    checker.leads(match bytes[..at].last_chunk::<64>() {
        Some(block) => s.load(block, 0),
        None => {
            let mut block = [0; 64];
            block[64 - at..].copy_from_slice(&bytes[..at]);
            s.load(&block, 0)
        }
    })
}
