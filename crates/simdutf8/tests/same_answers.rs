//! This package and simdutf8 itself get the same inputs, and give the same answers with every kernel.

// Elsewhere, neither crate has a module `imp` with anything to call in it.
#![cfg(any(
    target_arch = "aarch64",
    target_arch = "x86",
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]

use std::error::Error;
use std::fmt::{Debug, Display};
use std::panic::{RefUnwindSafe, UnwindSafe};

/// Texts of one to four bytes a character, with each kind of fault at the end and between two texts. The lengths lie around
/// those of vectors, blocks and superblocks.
fn inputs() -> Vec<Vec<u8>> {
    const FAULTS: [&[u8]; 20] = [
        b"",
        b"\x80",
        b"\xBF\xBF",
        b"\xC0\x80",
        b"\xC1\xBF",
        b"\xC3",
        b"\xC3\xA9\xA9",
        b"\xE0\x9F\xBF",
        b"\xE6\x97",
        b"\xE6\x97a",
        b"\xED\xA0\x80",
        b"\xEF",
        b"\xF0\x8F\xBF\xBF",
        b"\xF0\x9F\x98",
        b"\xF0\x9F\x98\xC3\xA9",
        b"\xF4\x90\x80\x80",
        b"\xF4\x8F\xBF",
        b"\xF5\x80\x80\x80",
        b"\xFE",
        b"\xFF\xFF",
    ];
    let mut inputs = Vec::new();
    for unit in ["plain text ", "é", "日", "😀", "aé日😀"] {
        for len in [0, 1, 15, 17, 31, 33, 63, 64, 65, 129, 488, 600, 2050] {
            let text = unit.repeat(len / unit.len() + 1);
            let cut = &text.as_bytes()[..len];
            for fault in FAULTS {
                inputs.push([text.as_bytes(), fault].concat());
                inputs.push([cut, fault].concat());
                inputs.push([text.as_bytes(), fault, text.as_bytes()].concat());
            }
        }
    }
    inputs
}

/// Defines the module `$name`, with everything that a program can learn from the crate `$package`.
macro_rules! program {
    ($name:ident, $package:ident) => {
        mod $name {
            use super::*;
            use $package::{basic, compat};

            // The functions have exactly these types.
            const _: fn(&[u8]) -> Result<&str, basic::Utf8Error> = basic::from_utf8;
            const _: fn(&mut [u8]) -> Result<&mut str, basic::Utf8Error> = basic::from_utf8_mut;
            const _: fn(&[u8]) -> Result<&str, compat::Utf8Error> = compat::from_utf8;
            const _: fn(&mut [u8]) -> Result<&mut str, compat::Utf8Error> = compat::from_utf8_mut;
            const _: fn(&compat::Utf8Error) -> usize = compat::Utf8Error::valid_up_to;
            const _: fn(&compat::Utf8Error) -> Option<usize> = compat::Utf8Error::error_len;
            const fn error<T: Copy + Eq + Debug + Display + Error + Send + Sync + Unpin + 'static>() {}
            const _: () = error::<basic::Utf8Error>();
            const _: () = error::<compat::Utf8Error>();
            const _: basic::Utf8Error = basic::Utf8Error;
            const _: () = assert!(size_of::<basic::Utf8Error>() == 0);

            type Answer = Result<(), String>;

            /// Returns the error with everything that it reports.
            fn answer<T, E: Debug + Display>(result: Result<T, E>) -> Answer {
                result.map(|_| ()).map_err(|error| format!("{error} {error:?}"))
            }

            pub(super) fn of_text(input: &[u8]) -> Vec<Answer> {
                let text = basic::from_utf8(input);
                assert!(text.is_err() || text.map(str::as_bytes) == Ok(input));
                let text = compat::from_utf8(input);
                assert!(text.is_err() || text.map(str::as_bytes) == Ok(input));
                let mut copy = input.to_vec();
                vec![
                    answer(basic::from_utf8(input)),
                    answer(basic::from_utf8_mut(&mut copy)),
                    answer(compat::from_utf8(input)),
                    answer(compat::from_utf8_mut(&mut copy)),
                    answer(compat::from_utf8(input).map_err(|error| error.valid_up_to())),
                    answer(compat::from_utf8(input).map_err(|error| error.error_len().unwrap_or(0))),
                ]
            }

            mod imp {
                use super::*;
                use basic::imp::{ChunkedUtf8Validator, Utf8Validator};

                const fn validator<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + 'static>() {}

                fn stream<V: Utf8Validator>(input: &[u8], piece: usize) -> Answer {
                    // SAFETY: the caller has found that the CPU has the instruction set.
                    let mut validator = unsafe { V::new() };
                    for piece in input.chunks(piece) {
                        // SAFETY: as above.
                        unsafe { validator.update(piece) };
                    }
                    // SAFETY: as above.
                    answer(unsafe { validator.finalize() })
                }

                fn chunks<V: ChunkedUtf8Validator>(input: &[u8], piece: usize, in_the_end: usize) -> Answer {
                    let whole = input.len().saturating_sub(in_the_end) / piece * piece;
                    // SAFETY: the caller has found that the CPU has the instruction set.
                    let mut validator = unsafe { V::new() };
                    for piece in input[..whole].chunks(piece) {
                        // SAFETY: as above.
                        unsafe { validator.update_from_chunks(piece) };
                    }
                    let rest = &input[whole..];
                    // SAFETY: as above.
                    answer(unsafe { validator.finalize(if rest.is_empty() { None } else { Some(rest) }) })
                }

                macro_rules! isa {
                    ($arch:ident, $isa:ident, $answers:ident, $input:ident) => {{
                        use basic::imp::$arch::$isa::{ChunkedUtf8ValidatorImp, Utf8ValidatorImp};
                        const _: unsafe fn(&[u8]) -> Result<(), basic::Utf8Error> =
                            basic::imp::$arch::$isa::validate_utf8;
                        const _: unsafe fn(&[u8]) -> Result<(), compat::Utf8Error> =
                            compat::imp::$arch::$isa::validate_utf8;
                        const _: () = validator::<ChunkedUtf8ValidatorImp>();
                        const _: () = validator::<Utf8ValidatorImp>();
                        // SAFETY: the caller has found that the CPU has the instruction set.
                        $answers.push(answer(unsafe { basic::imp::$arch::$isa::validate_utf8($input) }));
                        // SAFETY: as above.
                        $answers.push(answer(unsafe { compat::imp::$arch::$isa::validate_utf8($input) }));
                        for piece in [1, 36, 64, 99, 1024] {
                            $answers.push(stream::<Utf8ValidatorImp>($input, piece));
                        }
                        for piece in [64, 192, 1024] {
                            for in_the_end in [0, 70] {
                                $answers.push(chunks::<ChunkedUtf8ValidatorImp>($input, piece, in_the_end));
                            }
                        }
                    }};
                }

                pub(in super::super) fn answers(input: &[u8]) -> Vec<Answer> {
                    let mut answers = Vec::new();
                    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
                    {
                        if std::is_x86_feature_detected!("avx2") {
                            isa!(x86, avx2, answers, input);
                        }
                        if std::is_x86_feature_detected!("sse4.2") {
                            isa!(x86, sse42, answers, input);
                        }
                    }
                    #[cfg(target_arch = "aarch64")]
                    isa!(aarch64, neon, answers, input);
                    #[cfg(target_arch = "wasm32")]
                    isa!(wasm32, simd128, answers, input);
                    answers
                }
            }

            pub(super) use imp::answers as of_imp;
        }
    };
}

program!(original_program, original);
program!(patched_program, simdutf8);

/// One test, because each kernel becomes that of the whole process.
#[test]
fn with_every_kernel() {
    let inputs = inputs();
    let expected: Vec<_> = inputs
        .iter()
        .map(|input| (original_program::of_text(input), original_program::of_imp(input)))
        .collect();
    for kernel in trust8::Kernel::available() {
        if !kernel.make_default() {
            continue;
        }
        for (input, expected) in inputs.iter().zip(&expected) {
            let answers = (patched_program::of_text(input), patched_program::of_imp(input));
            assert_eq!(answers, *expected, "{kernel:?} {input:02X?}");
        }
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[test]
#[should_panic(expected = "Input size must be a multiple of 64.")]
fn pieces_of_other_lengths_panic() {
    use simdutf8::basic::imp::{ChunkedUtf8Validator, x86::sse42::ChunkedUtf8ValidatorImp};
    // SAFETY: these functions have no condition.
    let mut validator = unsafe { ChunkedUtf8ValidatorImp::new() };
    // SAFETY: as above.
    unsafe { validator.update_from_chunks(&[b' '; 65]) };
}
