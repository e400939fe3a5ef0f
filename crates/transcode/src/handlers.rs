//! Faulty UTF-8 into UTF-16 and UTF-32 as Python's error handlers want it; see
//! `vector/from_faulty_utf8.rs`.
//!
//! This module is not part of the public interface: it may change in any release.

#![forbid(unsafe_code)]

#[cfg(trust8_simd)]
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use trust8::Kernel;
#[cfg(trust8_simd)]
use trust8::engine::{Output, start_before};

use crate::Progress;
#[cfg(trust8_simd)]
use crate::{
    conversion::{Conversion, Convert},
    form::{Form, Utf16, Utf32},
    simd::ConvertOps,
    vector::from_faulty_utf8::{Escaped, Ignored, Instead, Replaced, ascii_without_faults, long},
    vector::from_utf8::Wide,
    vector::{IntoUtf16, IntoUtf32},
};

/// What ill-formed sequences become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handler {
    /// Nothing.
    Ignore,
    /// U+FFFD.
    Replace,
    /// A surrogate for each byte: U+DC80 to U+DCFF.
    SurrogateEscape,
}

/// Converts the start of the bytes into UTF-16, and returns what it has read and written: nothing if
/// the kernel has no vectors.
///
/// A sequence must begin at the start, and one begins after the bytes read. With
/// [`Handler::SurrogateEscape`], they may instead end within an ill-formed sequence: its other bytes
/// are ill-formed by themselves. The conversion stops where no fault is near, at the end of the buffer,
/// and before a character that the end may cut off.
#[inline]
pub fn into_utf16(
    kernel: &Kernel,
    bytes: &[u8],
    buffer: &mut [MaybeUninit<u16>],
    handler: Handler,
) -> Progress {
    #[cfg(trust8_simd)]
    return into::<Utf16, IntoUtf16<false>>(kernel, bytes, buffer, handler);
    #[cfg(not(trust8_simd))]
    nothing(kernel, bytes, buffer, handler)
}

/// Does the same as [`into_utf16`] for UTF-32.
#[inline]
pub fn into_utf32(
    kernel: &Kernel,
    bytes: &[u8],
    buffer: &mut [MaybeUninit<u32>],
    handler: Handler,
) -> Progress {
    #[cfg(trust8_simd)]
    return into::<Utf32, IntoUtf32>(kernel, bytes, buffer, handler);
    #[cfg(not(trust8_simd))]
    nothing(kernel, bytes, buffer, handler)
}

/// Copies ASCII and leaves out ill-formed sequences, and returns what it has read and written: nothing
/// if the kernel has no vectors.
///
/// A sequence must begin at the start, and one begins after the bytes read. The copy stops at the end
/// of the buffer, and a vector or less before the first character that is not ASCII.
#[inline]
pub fn into_ascii(kernel: &Kernel, bytes: &[u8], buffer: &mut [MaybeUninit<u8>]) -> Progress {
    #[cfg(trust8_simd)]
    {
        let mut out = Output::new(buffer);
        let read = kernel.run(Convert::<AsciiWithoutFaults>(PhantomData), bytes, &mut out);
        Progress { read, written: out.len() }
    }
    #[cfg(not(trust8_simd))]
    nothing(kernel, bytes, buffer, Handler::Ignore)
}

#[cfg(not(trust8_simd))]
fn nothing<U>(_: &Kernel, _: &[u8], _: &mut [U], _: Handler) -> Progress {
    Progress { read: 0, written: 0 }
}

#[cfg(trust8_simd)]
#[inline]
fn into<T: Form, W: Wide>(
    kernel: &Kernel,
    bytes: &[u8],
    buffer: &mut [MaybeUninit<T::Unit>],
    handler: Handler,
) -> Progress {
    let bytes = &bytes[..start_before(bytes, bytes.len())];
    let mut out = Output::new(T::form_room(buffer));
    let read = match handler {
        Handler::Ignore => kernel.run(Convert::<Faulty<W, Ignored>>(PhantomData), bytes, &mut out),
        Handler::Replace => kernel.run(Convert::<Faulty<W, Replaced>>(PhantomData), bytes, &mut out),
        Handler::SurrogateEscape => kernel.run(Convert::<Faulty<W, Escaped>>(PhantomData), bytes, &mut out),
    };
    Progress { read, written: out.len() / size_of::<T::Unit>() }
}

/// The conversion that replaces each ill-formed sequence.
#[cfg(trust8_simd)]
pub(crate) struct Faulty<T, I>(PhantomData<(T, I)>);

#[cfg(trust8_simd)]
impl<T: Wide, I: Instead> Conversion for Faulty<T, I> {
    #[inline(always)]
    fn long<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
        long::<S, T, I>(s, text, out)
    }
}

#[cfg(trust8_simd)]
struct AsciiWithoutFaults;

#[cfg(trust8_simd)]
impl Conversion for AsciiWithoutFaults {
    #[inline(always)]
    fn long<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
        ascii_without_faults(s, text, out)
    }
}
