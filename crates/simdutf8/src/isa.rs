//! A module for each instruction set that simdutf8 exports. `basic::imp` and `compat::imp` give its functions and types the
//! original's names.
//!
//! All functions are `unsafe` because the original's are. They could be safe, because trust8 asks the CPU itself.

macro_rules! isa {
    ($name:ident, $instructions:literal, $by:literal, $text:expr) => {
        pub(crate) mod $name {
            use crate::basic::imp::{ChunkedUtf8Validator, Utf8Validator};
            use crate::stream::{ChunkedStream, Stream};
            use crate::{basic, compat};

            #[doc = concat!("Validates `input` with ", $by, ".")]
            ///
            /// # Errors
            ///
            /// Returns an error if `input` is not UTF-8.
            ///
            /// # Safety
            ///
            #[doc = concat!("The original needs ", $instructions, ". This function needs nothing.")]
            #[inline]
            pub unsafe fn basic(input: &[u8]) -> Result<(), basic::Utf8Error> {
                $text(input).map(|_| ()).map_err(|_| basic::Utf8Error)
            }

            #[doc = concat!("Validates `input` with ", $by, ".")]
            ///
            /// # Errors
            ///
            /// Returns the first place at which `input` is not UTF-8.
            ///
            /// # Safety
            ///
            #[doc = concat!("The original needs ", $instructions, ". This function needs nothing.")]
            #[inline]
            pub unsafe fn compat(input: &[u8]) -> Result<(), compat::Utf8Error> {
                $text(input).map(|_| ()).map_err(compat::Utf8Error::from)
            }

            /// A validator for pieces of any length. It uses the best kernel.
            pub struct Utf8ValidatorImp(Stream);

            impl Utf8Validator for Utf8ValidatorImp {
                #[inline]
                unsafe fn new() -> Self {
                    Self(Stream::new())
                }

                #[inline]
                unsafe fn update(&mut self, input: &[u8]) {
                    self.0.push(input);
                }

                #[inline]
                unsafe fn finalize(self) -> Result<(), basic::Utf8Error> {
                    self.0.finish()
                }
            }

            /// A validator for pieces whose length is a multiple of 64. It uses the best kernel.
            pub struct ChunkedUtf8ValidatorImp(ChunkedStream);

            impl ChunkedUtf8Validator for ChunkedUtf8ValidatorImp {
                #[inline]
                unsafe fn new() -> Self {
                    Self(ChunkedStream::new())
                }

                #[inline]
                unsafe fn update_from_chunks(&mut self, input: &[u8]) {
                    self.0.push(input);
                }

                #[inline]
                unsafe fn finalize(self, remaining_input: Option<&[u8]>) -> Result<(), basic::Utf8Error> {
                    self.0.finish(remaining_input.unwrap_or_default())
                }
            }
        }
    };
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
isa!(avx2, "AVX2", "the best kernel, which is that for AVX2 or for AVX-512", trust8::from_utf8);
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
isa!(sse42, "SSE4.2", "the kernel for SSE4.2, even if there is a better one", |input| {
    trust8::Kernel::by_name("sse4.2").unwrap_or(trust8::Kernel::best()).from_utf8(input)
});
#[cfg(all(feature = "aarch64_neon", target_arch = "aarch64"))]
isa!(neon, "NEON", "the kernel for NEON", trust8::from_utf8);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
isa!(simd128, "SIMD", "the kernel for SIMD", trust8::from_utf8);
