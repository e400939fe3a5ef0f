//! What a checker knows from earlier batches. Readers use a dictionary, or the buffers of views, for many batches, and their text
//! need not be read again.
//!
//! All memory that is known stays alive here. So nothing else has its addresses, and what is there does not change.

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::mem;
use std::sync::Arc;

use trust8::boundary::is_continuation;
use trust8_columns::validate_views;

use super::arrow_array::{Array, ArrayRef};
use super::arrow_buffer::Buffer;
use super::arrow_schema::DataType;

/// Dictionaries and buffers of the batch before, by the path of their column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Dictionaries in which nothing is wrong.
    values: RefCell<Vec<(String, ArrayRef)>>,
    buffers: RefCell<Vec<(String, Buffers)>>,
}

type Buffers = Vec<(Buffer, Text)>;

/// Whether a buffer, as a whole, is UTF-8.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Text {
    /// Only one batch had it, so it was not read as a whole.
    Unknown,
    Valid,
    Invalid,
}

impl Known {
    /// Returns whether nothing is wrong with these values of a dictionary.
    pub(crate) fn has(&self, path: &str, values: &ArrayRef) -> bool {
        let is_same = |clean: &ArrayRef| {
            let (clean_data, data) = (clean.to_data(), values.to_data());
            // `ArrayData::ptr_eq` does not compare the lengths of buffers.
            let mut buffers = clean_data.buffers().iter().zip(data.buffers());
            Arc::ptr_eq(clean, values)
                || clean_data.ptr_eq(&data) && buffers.all(|(old, new)| old.ptr_eq(new))
        };
        self.values.borrow().iter().any(|(known, clean)| known == path && is_same(clean))
    }

    /// Remembers values of a dictionary in which nothing is wrong.
    pub(crate) fn insert(&self, path: &str, values: &ArrayRef) {
        // Only the memory of text is compared faster than it is checked.
        if let DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View = values.data_type() {
            let mut known = self.values.borrow_mut();
            known.retain(|(old, _)| old != path);
            known.push((path.to_owned(), values.clone()));
        }
    }

    /// Returns whether it is certain that nothing is wrong with these views, because their buffers are known.
    pub(crate) fn are_clean(&self, path: &str, views: &[u128], buffers: &[Buffer]) -> bool {
        let mut known = self.buffers.borrow_mut();
        let at = known.iter().position(|(old, _)| old == path).unwrap_or_else(|| {
            known.push((path.to_owned(), Vec::new()));
            known.len() - 1
        });
        let before = mem::take(&mut known[at].1);
        let text_of = |buffer: &Buffer| match before.iter().find(|(old, _)| old.ptr_eq(buffer)) {
            None => Text::Unknown,
            Some((_, Text::Unknown)) if trust8::is_utf8(buffer) => Text::Valid,
            Some((_, Text::Unknown)) => Text::Invalid,
            Some(&(_, text)) => text,
        };
        // More buffers would take longer to compare than to read.
        if buffers.len() > 16 {
            return false;
        }
        known[at].1 = buffers.iter().map(|buffer| (buffer.clone(), text_of(buffer))).collect();
        let are_valid = known[at].1.iter().all(|(_, text)| *text == Text::Valid);
        are_valid && !buffers.is_empty() && are_cut_between_characters(views, buffers)
    }
}

/// Returns whether all views are right. All of their buffers are UTF-8.
fn are_cut_between_characters(views: &[u128], buffers: &[Buffer]) -> bool {
    let mut inline = Vec::with_capacity(views.len());
    let are_right = views.iter().all(|&view| {
        let [len, prefix, number, from] = [0, 32, 64, 96].map(|bit| (view >> bit) as u32);
        if len <= 12 {
            inline.push(view);
            return true;
        }
        let Some(rest) = buffers.get(number as usize).and_then(|buffer| buffer.get(from as usize..)) else {
            return false;
        };
        let is_whole = rest.len() == len as usize;
        rest.first_chunk() == Some(&prefix.to_le_bytes())
            && !is_continuation(rest[0])
            && (is_whole || rest.get(len as usize).is_some_and(|&byte| !is_continuation(byte)))
    });
    are_right && validate_views(&inline, &[] as &[&[u8]]).is_ok()
}
