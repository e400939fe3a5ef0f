//! What a reader has found right in earlier batches: dictionaries, and views of strings. They come again in many batches, and need not be
//! read again.
//!
//! A dictionary is known if it is the same `Arc` as the one that was checked. Comparing addresses of its buffers would not do: whoever
//! produced it may write new text there. An imported dictionary is a new `Arc`, so it is always checked.
//!
//! Readers make a new array of views for each batch, even if all name strings of one dictionary. Such a view is known if it was right, and
//! the array has the same buffers. The buffers stay alive here, so nothing else gets their addresses, and arrow lets nobody write to a
//! shared buffer. The C interface has no such rule: views that come by it are read each time.

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::arrow_array::ArrayRef;
use super::arrow_buffer::Buffer;

/// What is known of each column, by the column's path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The values of the last dictionary, and what came out for them.
    dictionaries: RefCell<HashMap<String, [ArrayRef; 2]>>,
    views: RefCell<HashMap<String, RightViews>>,
    forgets_views: bool,
}

/// The buffers of the last array, and views that were right in them. There are no slots until buffers come again. A view is in the slot that
/// its hash names, or in the one beside it, if one was free. A free slot is 0, the view of the empty string, which is always right.
#[derive(Clone, Debug, Default)]
struct RightViews {
    buffers: Arc<[Buffer]>,
    slots: Vec<u128>,
}

/// Enough for some thousand strings, and 128 KiB.
const SLOTS: usize = 1 << 13;

/// With more columns of views, none gets slots: a small table could demand gigabytes. These take 32 MiB.
const MOST_COLUMNS: usize = 256;

/// Returns the number of a view's slot: the highest bits of the product with 2^64 divided by the golden ratio.
fn slot(view: u128) -> usize {
    let word = view as u64 ^ (view >> 64) as u64;
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SLOTS.ilog2())) as usize
}

impl RightViews {
    fn of(buffers: &Arc<[Buffer]>) -> Self {
        Self { buffers: buffers.clone(), slots: Vec::new() }
    }

    /// Returns whether it pays to remember views that may come again. They do not come again if there are more strings than slots, or if the
    /// strings follow each other, as in Parquet's plain pages. Strings inside their views are read as fast.
    fn may_repeat(&self, views: &[u128]) -> bool {
        let longs = views.iter().take(32).filter(|&&view| view as u32 > 12).map(|view| view >> 96);
        let bytes = self.buffers.iter().fold(0, |sum: usize, buffer| sum.saturating_add(buffer.len()));
        bytes <= 16 * SLOTS && !longs.is_sorted()
    }
}

impl Known {
    /// Nothing, and later no views.
    pub(crate) fn without_views() -> Self {
        Self { forgets_views: true, ..Self::default() }
    }

    /// Forgets all columns.
    pub(crate) fn forget(&mut self) {
        *self = Self { forgets_views: self.forgets_views, ..Self::default() };
    }

    /// Returns what came out for these values of a dictionary, if nothing was wrong with them.
    pub(crate) fn get(&self, path: &str, values: &ArrayRef) -> Option<ArrayRef> {
        let known = self.dictionaries.borrow();
        let [before, clean] = known.get(path)?;
        Arc::ptr_eq(before, values).then(|| clean.clone())
    }

    /// Remembers values of a dictionary in which nothing is wrong.
    pub(crate) fn insert(&self, path: &str, values: &ArrayRef, clean: &ArrayRef) {
        self.dictionaries.borrow_mut().insert(path.to_owned(), [values, clean].map(Arc::clone));
    }

    /// Returns whether all views are right. `check` says this of views that are not known.
    pub(crate) fn are_right(
        &self,
        path: &str,
        views: &[u128],
        buffers: &Arc<[Buffer]>,
        check: impl Fn(&[u128]) -> bool,
    ) -> bool {
        if self.forgets_views {
            return check(views);
        }
        let mut known = self.views.borrow_mut();
        let are_few = known.len() <= MOST_COLUMNS;
        let known = known.entry(path.to_owned()).or_default();
        let same = known.buffers.iter().zip(&**buffers).take_while(|(old, new)| old.ptr_eq(new)).count();
        if same < known.buffers.len().max(buffers.len()) {
            *known = RightViews::of(buffers);
            return check(views);
        }
        if known.slots.is_empty() && are_few && known.may_repeat(views) {
            known.slots = vec![0; SLOTS];
        }
        let Ok(slots) = <&mut [u128; SLOTS]>::try_from(&mut known.slots[..]) else { return check(views) };
        let mut new = Vec::new();
        for views in views.chunks(64) {
            // The loop has no branches: few views are not found, but in no order.
            let marked = |marks: u64, view: &u128| marks << 1 | u64::from(slots[slot(*view)] != *view);
            let mut marks = views.iter().rev().fold(0_u64, marked);
            while marks != 0 {
                let view = views[marks.trailing_zeros() as usize];
                if slots[slot(view) ^ 1] != view {
                    new.push(view);
                }
                marks &= marks - 1;
            }
        }
        let are_right = new.is_empty() || check(&new);
        for view in new.into_iter().filter(|_| are_right) {
            let at = slot(view);
            if let Some(at) = [at, at ^ 1].into_iter().find(|&at| slots[at] == 0 || slots[at] == view) {
                slots[at] = view;
            }
        }
        are_right
    }
}
