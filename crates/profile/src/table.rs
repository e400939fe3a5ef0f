//! A number for each code point, by ranges.
//!
//! A range takes two bytes: the lowest ten bits of where it starts, and its number. The other bits are a page: for each
//! page of the first two planes a table has how many ranges start before it, and the search is in those that start in it.

#![forbid(unsafe_code)]

const PAGE_BITS: u32 = 10;
const PAGES: usize = 0x2_0000 >> PAGE_BITS;

/// The highest number.
pub(super) const MOST: usize = 0x3F;

/// Where the ranges begin that take four bytes.
const HIGH: u32 = 0x2_0000;

/// Returns how many places these ranges take.
pub(super) const fn count(starts: &[(u32, u8)]) -> usize {
    let low = count_low(starts);
    1 + low + 2 * (1 + starts.len() - low)
}

/// Returns how many ranges start in the first two planes.
const fn count_low(starts: &[(u32, u8)]) -> usize {
    let mut count = 0;
    while count < starts.len() && starts[count].0 < HIGH {
        count += 1;
    }
    count
}

/// The ranges, without their number in the type, so that one function searches in all tables.
pub(super) struct Table<Places: ?Sized = [u16]> {
    before: [u8; PAGES + 1],
    /// After a place that is not used, the ranges in the first two planes; then two places for each other one, with its number in the
    /// lowest eight bits. The first of these continues the range before it.
    places: Places,
}

impl<const PLACES: usize> Table<[u16; PLACES]> {
    /// Makes a table of ranges in ascending order, the first one from U+0000 on.
    pub(super) const fn new(starts: &[(u32, u8)]) -> Self {
        let low = count_low(starts);
        let mut table = Self { before: [low as u8; PAGES + 1], places: [0; PLACES] };
        assert!(PLACES == count(starts) && low < 0x100 && starts[0].0 == 0);
        table.places[low + 1] = (HIGH >> 8) as u16;
        table.places[low + 2] = starts[low - 1].1 as u16;
        let (mut i, mut page) = (0, 0);
        while i < starts.len() {
            let (start, number) = starts[i];
            assert!(number as usize <= MOST && (i == 0 || start > starts[i - 1].0));
            if i < low {
                while page <= start >> PAGE_BITS {
                    table.before[page as usize] = i as u8;
                    page += 1;
                }
                table.places[i + 1] = (start << 6) as u16 | number as u16;
            } else {
                let place = low + 3 + 2 * (i - low);
                table.places[place] = (start >> 8) as u16;
                table.places[place + 1] = (start << 8) as u16 | number as u16;
            }
            i += 1;
        }
        table
    }
}

impl Table {
    /// The same as [`number`](Self::number). What constant functions call is exported, and a call of it inside the crate takes more
    /// bytes.
    #[inline(never)]
    pub(super) fn looked_up(&self, character: u32) -> usize {
        self.number(character)
    }

    #[inline(always)]
    pub(super) const fn number(&self, character: u32) -> usize {
        let page = (character >> PAGE_BITS) as usize;
        if page >= PAGES {
            // No character has more than 21 bits.
            let key = if character >> 24 == 0 { character << 8 | 0xFF } else { return MOST };
            let mut places = &self.places;
            while let [rest @ .., high, low] = places {
                if (*high as u32) << 16 | *low as u32 <= key {
                    return *low as u8 as usize;
                }
                places = rest;
            }
            return MOST;
        }
        // The last one before the page, and those in it.
        let (from, to) = (self.before[page] as usize, self.before[page + 1] as usize + 1);
        let Some((low, _)) = self.places.split_at_checked(to) else { return MOST };
        let Some((_, mut starts)) = low.split_at_checked(from) else { return MOST };
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
}
