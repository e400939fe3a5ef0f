//! A program without `std` and without an allocator, which has SIMD as well.
//!
//! ```text
//! nostd [KERNEL]
//! ```
//!
//! It exits with 0 if the best kernel is KERNEL (without an argument: any kernel but the scalar one) and the verdicts are
//! right, and otherwise with the number of the check that failed. It uses the C library's start-up code, `write` and `abort`.

#![no_std]
#![no_main]

use core::ffi::{CStr, c_char, c_int};
use core::panic::PanicInfo;

use trust8::{ErrorKind, Kernel, from_utf8, from_utf8_mut, is_utf8};

// SAFETY: the two functions of the C library, as its headers declare them.
#[link(name = "c")]
unsafe extern "C" {
    fn write(file: c_int, bytes: *const u8, len: usize) -> isize;
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

/// The compiled `core` refers to this function in the unwinding tables of its panics. A panic ends in `abort` here.
// SAFETY: without std, nothing else defines it, and nothing that is linked unwinds.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

// SAFETY: the start-up code calls the one function of this name, with these arguments.
#[unsafe(no_mangle)]
extern "C" fn main(argc: c_int, argv: *const *const c_char) -> c_int {
    let expected = (argc > 1).then(|| {
        // SAFETY: argv has argc entries, and this is the second of at least two.
        let argument = unsafe { argv.add(1) };
        // SAFETY: inside the array.
        let argument = unsafe { *argument };
        // SAFETY: the arguments are strings that end with a zero and stay as they are.
        unsafe { CStr::from_ptr(argument) }
    });

    let kernel = Kernel::best().name();
    say("best kernel without std: ");
    say(kernel);
    say("\n");

    let failed = first_failure(kernel, expected);
    if failed != 0 {
        say("a check failed; the exit code is its number\n");
    }
    failed
}

fn say(text: &str) {
    // SAFETY: the bytes of a slice, all of them.
    let _ = unsafe { write(1, text.as_ptr(), text.len()) };
}

/// Returns the number of the first check that fails, or 0.
fn first_failure(kernel: &str, expected: Option<&CStr>) -> c_int {
    let as_expected = match expected {
        None => kernel != "scalar",
        Some(expected) => kernel.as_bytes() == expected.to_bytes(),
    };
    if !as_expected {
        return 1;
    }

    // Every length, up to one for which kernels use their loops for long input.
    let mut text = [0; 3000];
    for (byte, of_text) in text.iter_mut().zip("aé日😀".bytes().cycle()) {
        *byte = of_text;
    }
    for len in 0..text.len() {
        let bytes = &text[..len];
        // The characters end after 1, 3, 6 and 10 bytes of every 10.
        let valid_up_to = len
            - match len % 10 {
                2 | 4 | 7 => 1,
                5 | 8 => 2,
                9 => 3,
                _ => 0,
            };
        let right = match from_utf8(bytes) {
            Ok(text) => valid_up_to == len && text.len() == len,
            Err(error) => {
                valid_up_to < len
                    && error.valid_up_to() == valid_up_to
                    && error.kind() == ErrorKind::Incomplete
            }
        };
        if !right || is_utf8(bytes) != (valid_up_to == len) {
            return 2;
        }
    }

    for at in (0..text.len()).step_by(10) {
        text[at] = 0xFF;
        let error = from_utf8_mut(&mut text).map(|_| ()).map_err(|error| (error.valid_up_to(), error.kind()));
        if error != Err((at, ErrorKind::InvalidByte)) {
            return 3;
        }
        text[at] = b'a';
    }
    0
}
