//! Methods that are compiled for the instruction set of their token.
//!
//! Inside a function with `#[target_feature]`, the compiler accepts the intrinsics of these features as safe, unless they take a
//! pointer. So the call of such a function is all that a person must judge, and it is written once, here. The features come
//! from the list of instruction sets, not from the caller.

/// Defines `compiled!`, with an arm for each token.
macro_rules! define_compiled {
    ($d:tt $($set:ident: $token:ident, $name:literal, $cfg:ident, [$($feature:tt),+], $target:tt, $about:literal;)+) => {
        /// Implements methods of a token, compiled for its features: `compiled! { Avx2 fn or(a: V, b: V) -> V { .. } .. }`.
        ///
        /// A row has the method without `self`, which is not in its body either. With `Avx2 as argument: fn ..`, they are functions whose
        /// first argument is the token.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! compiled {
            $(($token as argument: $d($d rows:tt)+) => { compiled! { @ $token token $d($d rows)+ } };
            ($token $d($d rows:tt)+) => { compiled! { @ $token self $d($d rows)+ } };
            (@ $token $d token:ident $d(
                $d(#[$d attribute:meta])*
                $d visibility:vis fn $d method:ident $d(<const $d n:ident: $d integer:ty>)? ($d($d argument:ident: $d type:ty),*) -> $d result:ty
                $d body:block
            )+) => {$d(
                $d(#[$d attribute])*
                #[inline(always)]
                $d visibility fn $d method $d(<const $d n: $d integer>)? ($d token: $crate::engine::$token, $d($d argument: $d type),*) -> $d result {
                    #[inline]
                    #[target_feature($(enable = $feature),+)]
                    fn compiled $d(<const $d n: $d integer>)? ($d($d argument: $d type),*) -> $d result $d body

                    let _ = $d token;
                    // SAFETY: `token` or `self` proves that the CPU has the features. Apart from them, the function is safe.
                    #[cfg_attr(trust8_wasm, expect(unused_unsafe, reason = "a module runs only where its features are"))]
                    unsafe {
                        compiled $d(::<$d n>)? ($d($d argument),*)
                    }
                }
            )+};)+
        }
    };
}
instruction_sets!(define_compiled with $);
