//! The operations that are one intrinsic each, as a table. `crates/transcode/` has a copy, which lint
//! compares.

/// Implements methods of a token that are one intrinsic each.
///
/// A row has the method without `self`, and the call, or an array of calls. A comment names the
/// features of the rows after it, which the token must have. What is passed is not an expression,
/// so that a row has no other unsafe operation. A row must not name an intrinsic that takes a pointer.
macro_rules! intrinsics {
    ($(
        $(#[$doc:meta])*
        $visibility:vis fn $method:ident $(<const $n:ident: $integer:ty>)? ($($argument:ident: $type:ty),*) -> $result:ty =
            $($intrinsic:ident $(::<$constant:tt>)? ($($passed:ident),*))? $([$($each:ident ($($to:ident),*)),+])?;
    )+) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[cfg_attr(trust8_wasm, expect(unused_unsafe, reason = "a module runs only where its features are"))]
        $visibility fn $method $(<const $n: $integer>)? (self, $($argument: $type),*) -> $result {
            // SAFETY: the CPU has the intrinsics' features, by `self`. They need nothing else.
            $(unsafe { $intrinsic $(::<$constant>)? ($($passed),*) })?
            $([$(
                // SAFETY: as above, for each intrinsic of the array.
                unsafe { $each($($to),*) }
            ),+])?
        }
    )+};
}
