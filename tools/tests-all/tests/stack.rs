//! How much of the stack a call uses: a small constant, whatever the bytes. That matters to code on a small stack (of a
//! coroutine, of an operating system's kernel, of a signal handler).
//!
//! A thread runs on memory that was filled beforehand. Memory that has changed was used.
//!
//! Unoptimised code uses more, because each value has its own stack slot. It must be able to run on a thread
//! of 128 KiB, which is what musl gives to each thread. CI runs this test once with the library not
//! optimised:
//!
//! ```text
//! cargo test -p trust8-tests-all --test stack --config profile.test.opt-level=0
//! ```

#![cfg(all(target_os = "linux", target_env = "gnu"))]

#[path = "../../../tests/support/mod.rs"]
mod support;

use std::ffi::c_void;
use std::io::{Write, stderr};
use std::mem::MaybeUninit;
use std::ptr;

use support::kernels::{kernels, ways};
use support::text::Filler;
use trust8::{Kernel, Validator};
use trust8_columns::{self as columns, KernelColumns};
use trust8_counts::KernelCounts;

/// More than any test here needs. The system requires a multiple of its page size.
const STACK: usize = 1 << 20;
/// At least the size of a page.
const PAGE: usize = 64 << 10;
const UNUSED: u8 = 0xA5;
/// How much a call may use, including its callees. Optimised code uses less than 2 KiB for
/// validation. With sanitizers, or with less optimisation, it uses more.
const LIMIT: usize = if cfg!(trust8_optimised) { 32 << 10 } else { 96 << 10 };

/// Calls a function of the library.
type Work = fn(&'static Kernel, &[u8]);

/// Takes what a function returns, which does not matter here.
fn done<T>(_: T) {}

struct Call<'a> {
    kernel: &'static Kernel,
    inputs: &'a [Vec<u8>],
    work: Work,
}

extern "C" fn start(call: *mut c_void) -> *mut c_void {
    // SAFETY: `stack_used` passes a call, which outlives the thread.
    let call = unsafe { &*call.cast::<Call<'_>>() };
    for input in call.inputs {
        (call.work)(call.kernel, input);
    }
    ptr::null_mut()
}

/// Returns how many bytes of its stack a thread uses that makes the call. What it takes to start a thread is included.
fn stack_used(call: &Call<'_>) -> usize {
    let mut memory = vec![UNUSED; STACK + PAGE];
    let begin = memory.as_ptr().align_offset(PAGE);
    let stack = &mut memory[begin..begin + STACK];
    let mut attributes = MaybeUninit::uninit();
    // SAFETY: makes the attributes.
    let made = unsafe { libc::pthread_attr_init(attributes.as_mut_ptr()) };
    assert_eq!(made, 0);
    // SAFETY: `stack` has `STACK` bytes, at a multiple of the page's size, and outlives the thread.
    let set =
        unsafe { libc::pthread_attr_setstack(attributes.as_mut_ptr(), stack.as_mut_ptr().cast(), STACK) };
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
    let unused = stack.chunks(16).take_while(|bytes| *bytes == [UNUSED; 16]).count();
    STACK - 16 * unused
}

/// Returns texts of all kinds and of these lengths, valid ones and others.
fn inputs(lens: &[usize]) -> Vec<Vec<u8>> {
    let mut inputs = vec![Vec::new()];
    for filler in Filler::all() {
        for &len in lens {
            let valid = filler.after(len).concat();
            let mut spoiled = valid.clone();
            spoiled[len - 1 - len / 3] = 0xFF;
            inputs.extend([valid, spoiled]);
        }
        // Text that changes its kind, and has an error now and then.
        let mut mixed = [filler.after(800), filler.before(800)].concat().concat();
        inputs.push(mixed.clone());
        for at in (100..mixed.len()).step_by(200) {
            mixed[at] = 0xC3;
        }
        inputs.push(mixed);
    }
    inputs
}

/// The functions that validate: those that run where the stack is smallest.
const VALIDATION: &[(&str, Work)] = &[
    ("from_utf8", |kernel, bytes| done(kernel.from_utf8(bytes))),
    ("is_utf8", |kernel, bytes| done(kernel.is_utf8(bytes))),
    ("Validator::push", |kernel, bytes| {
        for len in [1, 30, 200, 1000, 5000] {
            let mut validator = Validator::new();
            for piece in bytes.chunks(len).take(100) {
                done(kernel.push(&mut validator, piece));
            }
        }
    }),
];

/// All other functions over bytes.
const OTHERS: &[(&str, Work)] = &[
    ("Validator::decode", |kernel, bytes| {
        for len in [1, 30, 200, 1000, 5000] {
            let mut decoder = trust8::Validator::new();
            for piece in bytes.chunks(len).take(100) {
                done(kernel.decode_piece(&mut decoder, piece));
            }
        }
    }),
    ("inspect", |kernel, bytes| {
        done(kernel.inspect(bytes));
    }),
    ("count_chars, utf16_len", |kernel, bytes| {
        if let Ok(text) = kernel.from_utf8(bytes) {
            done(kernel.count_chars(text));
            done(kernel.utf16_len(text));
        }
    }),
    ("decode", |kernel, bytes| done(kernel.decode(bytes).count())),
    ("errors", |kernel, bytes| done(kernel.errors(bytes).count())),
    ("utf8_chunks", |kernel, bytes| done(kernel.utf8_chunks(bytes).count())),
    ("copy_utf8", |kernel, bytes| {
        let mut memory = vec![MaybeUninit::uninit(); bytes.len()];
        done(kernel.copy_utf8(bytes, &mut memory));
    }),
    ("columns", |kernel, bytes| {
        let offsets: Vec<i32> = (0..=bytes.len() as i32).step_by(12).collect();
        done(kernel.validate_offsets(bytes, &offsets));
        let views: Vec<u128> = offsets
            .windows(2)
            .map(|ends| {
                let mut view = [0; 16];
                view[0] = 12;
                view[4..].copy_from_slice(&bytes[ends[0] as usize..ends[1] as usize]);
                u128::from_le_bytes(view)
            })
            .collect();
        done(kernel.validate_views(&views, &[bytes]));
        done(kernel.validate_slices(bytes.chunks(40)));
    }),
    ("locate", |_, bytes| done(trust8::locate(bytes, bytes.len() / 2))),
    ("basic, compat", |_, bytes| {
        done(trust8::basic::from_utf8(bytes));
        done(trust8::compat::from_utf8(bytes));
    }),
    ("the best kernel", |_, bytes| {
        done(trust8::from_utf8(bytes));
        done(Validator::new().push(bytes));
        done(columns::validate_slices([bytes]));
    }),
    #[cfg(feature = "alloc")]
    ("from_utf8_lossy", |kernel, bytes| {
        done(kernel.from_utf8_lossy(bytes));
        kernel.lossy_into(bytes, &mut String::new());
        done(trust8::from_utf8_lossy_owned(bytes.to_vec()));
        done(trust8::string_from_utf8(bytes.to_vec()));
    }),
    #[cfg(feature = "std")]
    ("io", |_, bytes| {
        use std::io::Read;

        done(trust8::io::Utf8Reader::with_capacity(500, bytes).read_to_string(&mut String::new()));
        done(trust8::io::read_to_string(bytes, &mut String::new()));
        done(trust8::io::Utf8Writer::new(Vec::new()).write_all(bytes));
    }),
    #[cfg(feature = "rayon")]
    ("par_from_utf8, par_inspect", |kernel, bytes| {
        done(kernel.par_from_utf8(1000, bytes));
        done(kernel.par_inspect(1000, bytes));
    }),
    #[cfg(feature = "alloc")]
    ("dialect", |kernel, bytes| {
        use trust8_dialect::KernelDialects;

        done(kernel.diagnose(bytes));
        for &each in trust8_dialect::Dialect::ALL {
            let with = kernel.dialect(each);
            done(with.validate(bytes));
            done(with.decode(bytes).count());
            done(with.to_utf8(bytes));
            done(with.to_utf8_lossy(bytes));
            if let Ok(text) = kernel.from_utf8(bytes) {
                done(each.from_utf8(text));
            }
        }
    }),
    #[cfg(feature = "alloc")]
    ("transcode", |kernel, bytes| {
        use trust8_transcode::{
            Chars, Encoding, KernelForms, Str, Transcoder, Utf16, Utf32, convert, convert_into,
            convert_into_lossy, convert_lossy, len,
        };

        let mut memory = vec![MaybeUninit::uninit(); 300];
        for &from in Encoding::ALL {
            let text = convert_lossy(kernel.form(Encoding::Utf8), from, bytes);
            for &to in Encoding::ALL {
                done(convert(kernel.form(from), to, &text));
                done(convert_lossy(kernel.form(from), to, bytes));
                done(convert_into(kernel.form(from), to, &text, &mut memory));
                done(convert_into_lossy(kernel.form(from), to, bytes, &mut memory));
                done(len(kernel.form(from), to, &text));
                let mut transcoder = Transcoder::lossy(kernel.form(from), to);
                let mut converted = Vec::new();
                for piece in text.chunks(1001) {
                    done(transcoder.push(piece, &mut converted));
                }
                done(transcoder.finish(&mut converted));
            }
        }
        if let Ok(text) = kernel.from_utf8(bytes) {
            let utf16 = convert(kernel.form(Str), Utf16, text).unwrap();
            let utf32 = convert(kernel.form(Str), Utf32, text).unwrap();
            let chars = convert(kernel.form(Str), Chars, text).unwrap();
            done(convert(kernel.form(Utf16), Str, &utf16));
            done(convert(kernel.form(Utf32), Str, &utf32));
            done(convert(kernel.form(Chars), Utf16, &chars));
        }
    }),
];

#[test]
fn a_call_uses_a_few_kilobytes_of_stack() {
    // Lengths at which kernels change their method.
    let (all, short) = (inputs(&[1, 20, 100, 700, 5000, 90_000]), inputs(&[20, 100, 700]));
    let mut report = String::from("stack used, bytes:");
    let mut calls = Vec::new();
    for way in ways() {
        for (name, work) in VALIDATION {
            calls.push((format!("{}, {name}", way.name), way.kernel, *work, &all));
        }
    }
    for kernel in kernels() {
        for (name, work) in OTHERS {
            calls.push((format!("{}, {name}", kernel.name()), kernel, *work, &short));
        }
    }
    let mut most = 0;
    for (name, kernel, work, inputs) in calls {
        let nothing = stack_used(&Call { kernel, inputs, work: |_, _| {} });
        let used = stack_used(&Call { kernel, inputs, work }).saturating_sub(nothing);
        report += &format!("\n{used:6} {name}");

        most = most.max(used);
    }
    assert!(most < LIMIT, "a call uses {most} bytes, at least {LIMIT}; {report}");
    let _ = writeln!(stderr(), "{report}");
}
