//! Memory between two pages that cannot be touched: a read or a write of a single byte too many ends the process.

#![cfg(unix)]

use std::mem::MaybeUninit;
use std::ptr;

/// Readable and writable pages with an inaccessible one on each side.
pub struct Guarded {
    map: *mut libc::c_void,
    page: usize,
    pages: usize,
}

impl Guarded {
    /// Returns memory for `len` bytes.
    pub fn new(len: usize) -> Self {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).expect("a page has a size");
        let pages = len.div_ceil(page).max(1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a new mapping, at an address of the system's choice, takes no memory from anybody.
        let map = unsafe { libc::mmap(ptr::null_mut(), (pages + 2) * page, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED, "no memory");
        let guarded = Self { map, page, pages };
        // SAFETY: the pages lie inside the mapping just made, and nothing refers to them yet.
        let result = unsafe {
            libc::mprotect(guarded.start().cast(), pages * page, libc::PROT_READ | libc::PROT_WRITE)
        };
        assert_eq!(result, 0, "the pages can't be made accessible");
        guarded
    }

    /// Returns the address of the first byte that can be touched.
    pub fn start(&self) -> *mut u8 {
        self.map.cast::<u8>().wrapping_add(self.page)
    }

    /// Returns the address after the last byte that can be touched.
    pub fn end(&self) -> *mut u8 {
        self.start().wrapping_add(self.pages * self.page)
    }

    /// Returns all the bytes that can be touched. They are zero until somebody writes to them.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: these pages are readable and writable, initialised, and borrowed together with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.pages * self.page) }
    }

    /// Returns the last `n` units.
    pub fn last<U: Copy>(&mut self, n: usize) -> &mut [MaybeUninit<U>] {
        assert!(n * size_of::<U>() <= self.pages * self.page);
        let start = self.end().wrapping_sub(n * size_of::<U>()).cast();
        // SAFETY: these pages are accessible and borrowed together with `self`. The end of a page is aligned for any unit,
        // and so is what lies a multiple of a unit's size before it.
        unsafe { std::slice::from_raw_parts_mut(start, n) }
    }

    /// Copies these units to the end of the memory.
    pub fn copy<U: Copy>(&mut self, units: &[U]) -> &[U] {
        let copy = self.last::<U>(units.len());
        for (to, unit) in copy.iter_mut().zip(units) {
            to.write(*unit);
        }
        let copy = ptr::from_ref(copy) as *const [U];
        // SAFETY: all of them were written just now; the borrow is that of `self`.
        unsafe { &*copy }
    }

    /// Puts the parts one after the other. The last byte is the last one that can be read.
    pub fn put_at_end(&mut self, parts: &[&[u8]]) -> &[u8] {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let bytes = self.bytes();
        let start = bytes.len() - len;
        put(&mut bytes[start..], parts)
    }

    /// Puts the parts one after the other. The first byte is the first one that can be read.
    pub fn put_at_start(&mut self, parts: &[&[u8]]) -> &[u8] {
        put(self.bytes(), parts)
    }

    /// Returns how many of the bytes lie in pages that the system has provided. It provides a page when somebody touches it.
    #[cfg(target_os = "linux")]
    pub fn bytes_present(&self) -> usize {
        let mut present = vec![0; self.pages];
        // SAFETY: asks about pages of our mapping; `present` has a byte for each.
        let result =
            unsafe { libc::mincore(self.start().cast(), self.pages * self.page, present.as_mut_ptr()) };
        assert_eq!(result, 0, "the system does not tell");
        present.iter().filter(|&&page| page & 1 == 1).count() * self.page
    }
}

fn put<'a>(memory: &'a mut [u8], parts: &[&[u8]]) -> &'a [u8] {
    let mut len = 0;
    for part in parts {
        memory[len..len + part.len()].copy_from_slice(part);
        len += part.len();
    }
    &memory[..len]
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`, to which nothing refers any more.
        let result = unsafe { libc::munmap(self.map, (self.pages + 2) * self.page) };
        assert_eq!(result, 0);
    }
}
