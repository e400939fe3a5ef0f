//! A number for each code point, by ranges.
//!
//! A range takes two bytes: the lowest ten bits of where it starts, and its number. The other bits are a page: for each
//! page of the first two planes a table has how many ranges start before it, and the search is in those that start in it.

#![forbid(unsafe_code)]

const PAGE_BITS: u32 = 10;
const PAGES: usize = 0x2_0000 >> PAGE_BITS;

/// The highest number.
pub(super) const MOST: usize = 0x3F;

/// Returns how many ranges start in the first two planes.
pub(super) const fn count_low(starts: &[(u32, u8)]) -> usize {
    let mut count = 0;
    while count < starts.len() && starts[count].0 < 0x2_0000 {
        count += 1;
    }
    count
}

/// `LOW` ranges start in the first two planes, `HIGH` ones after them. `PLACES` is one more than `LOW`.
pub(super) struct Table<const PLACES: usize, const HIGH: usize> {
    before: [u8; PAGES + 1],
    /// After a place that is not used.
    low: [u16; PLACES],
    /// Where they start, and their numbers in the lowest eight bits.
    high: [u32; HIGH],
}

impl<const PLACES: usize, const HIGH: usize> Table<PLACES, HIGH> {
    /// Makes a table of ranges in ascending order, the first one from U+0000 on.
    pub(super) const fn new(starts: &[(u32, u8)]) -> Self {
        let low = PLACES - 1;
        let mut table = Self { before: [low as u8; PAGES + 1], low: [0; PLACES], high: [0; HIGH] };
        assert!(starts.len() == low + HIGH && low < 0x100 && starts[0].0 == 0);
        let (mut i, mut page) = (0, 0);
        while i < starts.len() {
            let (start, number) = starts[i];
            assert!(number as usize <= MOST && (i == 0 || start > starts[i - 1].0));
            if i < low {
                while page <= start >> PAGE_BITS {
                    table.before[page as usize] = i as u8;
                    page += 1;
                }
                table.low[i + 1] = (start << 6) as u16 | number as u16;
            } else {
                table.high[i - low] = start << 8 | number as u32;
            }
            i += 1;
        }
        table
    }

    #[inline(always)]
    pub(super) const fn number(&self, character: u32) -> usize {
        number(&self.before, &self.low, &self.high, character)
    }

    /// The same. What constant functions call is exported, and a call of it inside the crate takes more bytes.
    #[inline(always)]
    pub(super) fn looked_up(&self, character: u32) -> usize {
        looked_up(&self.before, &self.low, &self.high, character)
    }
}

#[inline(never)]
fn looked_up(before: &[u8; PAGES + 1], low: &[u16], high: &[u32], character: u32) -> usize {
    number(before, low, high, character)
}

#[inline(always)]
const fn number(before: &[u8; PAGES + 1], low: &[u16], mut high: &[u32], character: u32) -> usize {
    let page = (character >> PAGE_BITS) as usize;
    if page >= PAGES {
        // No character has more than 21 bits.
        let key = if character >> 24 == 0 { character << 8 | 0xFF } else { u32::MAX };
        while let [rest @ .., last] = high {
            if *last <= key {
                return *last as u8 as usize;
            }
            high = rest;
        }
        return MOST;
    }
    // The last one before the page, and those in it.
    let Some((low, _)) = low.split_at_checked(before[page + 1] as usize + 1) else { return MOST };
    let Some((_, mut starts)) = low.split_at_checked(before[page] as usize) else { return MOST };
    let key = (character << 6) as u16 | MOST as u16;
    // Both parts are of the same length, so that only the address waits for a comparison.
    while let half @ 1.. = starts.len() / 2
        && let Some((_, high)) = starts.split_at_checked(half)
        && let Some((low, _)) = starts.split_at_checked(starts.len() - half)
        && let [start, ..] = high
    {
        starts = if *start <= key { high } else { low };
    }
    match starts {
        [start, ..] => *start as usize & MOST,
        [] => MOST,
    }
}
