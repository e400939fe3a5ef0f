//! How much of the stack a call uses: a small constant, whatever the bytes. That matters to code on a small stack (of a
//! coroutine, of an operating system's kernel, of a signal handler).
//!
//! A thread runs on memory that was filled beforehand. Memory that has changed was used.

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::ffi::c_void;
use std::io::{Write, stderr};
use std::mem::MaybeUninit;
use std::ptr;

use super::support::kernels::ways;
use super::support::text::Filler;
use trust8::testing;
use trust8::{Kernel, Validator};

/// More than any test here needs. The system requires a multiple of its page size.
const STACK: usize = 256 << 10;
const UNUSED: u8 = 0xA5;
/// How much a call may use, with all that it calls. Optimised code uses less than 2 KiB. With sanitizers, or with less
/// optimisation, it uses more.
const LIMIT: usize = 32 << 10;

struct Call<'a> {
    kernel: &'static Kernel,
    bytes: &'a [u8],
    work: fn(&'static Kernel, &[u8]),
}

extern "C" fn start(call: *mut c_void) -> *mut c_void {
    // SAFETY: `stack_used` passes a call, which outlives the thread.
    let call = unsafe { &*call.cast::<Call<'_>>() };
    (call.work)(call.kernel, call.bytes);
    ptr::null_mut()
}

/// Returns how many bytes of its stack a thread uses that makes the call. What it takes to start a thread is included.
fn stack_used(call: &Call<'_>) -> usize {
    #[repr(align(4096))]
    struct Memory([u8; STACK]);
    let mut memory = Box::new(Memory([UNUSED; STACK]));
    let mut attributes = MaybeUninit::uninit();
    // SAFETY: makes the attributes.
    let made = unsafe { libc::pthread_attr_init(attributes.as_mut_ptr()) };
    assert_eq!(made, 0);
    let lowest = memory.0.as_mut_ptr().cast();
    // SAFETY: `memory` has `STACK` bytes, at a multiple of the page's size, and outlives the thread.
    let set = unsafe { libc::pthread_attr_setstack(attributes.as_mut_ptr(), lowest, STACK) };
    assert_eq!(set, 0);
    let mut thread = MaybeUninit::uninit();
    let argument = ptr::from_ref(call).cast_mut().cast();
    // SAFETY: the attributes were made above; the argument is what `start` expects.
    let created = unsafe { libc::pthread_create(thread.as_mut_ptr(), attributes.as_ptr(), start, argument) };
    assert_eq!(created, 0);
    // SAFETY: the thread was created above, and writes its number there.
    let thread = unsafe { thread.assume_init() };
    // SAFETY: nobody else waits for it.
    let joined = unsafe { libc::pthread_join(thread, ptr::null_mut()) };
    assert_eq!(joined, 0);
    // SAFETY: made above, and no longer needed.
    unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
    // The stack grows downwards.
    memory.0.iter().skip_while(|&&byte| byte == UNUSED).count()
}

#[test]
fn a_call_uses_a_few_kilobytes_of_stack() {
    let validates: fn(&'static Kernel, &[u8]) = |kernel, bytes| {
        let _ = kernel.from_utf8(bytes);
    };
    let streams: fn(&'static Kernel, &[u8]) = |kernel, bytes| {
        let mut validator = Validator::new();
        for chunk in bytes.chunks(1000) {
            let _ = testing::stream::push(kernel, &mut validator, chunk);
        }
    };
    let mut report = String::from("stack used, bytes:");
    for way in ways() {
        let nothing = stack_used(&Call { kernel: way.kernel, bytes: b"", work: |_, _| {} });
        let (mut least, mut most) = (usize::MAX, 0);
        for filler in Filler::all() {
            for len in [20, 100, 700, 5000, 90_000] {
                let mut bytes = filler.after(len).concat();
                for spoiled in [false, true] {
                    if spoiled {
                        bytes[len - len / 3] = 0xFF;
                    }
                    for work in [validates, streams] {
                        let used = stack_used(&Call { kernel: way.kernel, bytes: &bytes, work });
                        let used = used.saturating_sub(nothing);
                        (least, most) = (least.min(used), most.max(used));
                    }
                }
            }
        }
        report += &format!(" {} {least} to {most};", way.name);
        assert!(most < LIMIT, "kernel '{}' uses {most} bytes of the stack", way.name);
    }
    let _ = writeln!(stderr(), "{report}");
}
