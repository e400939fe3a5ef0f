//! Arrow's arrays of all kinds, sound and hostile: no panic, no text that is none, and the answers of arrow's full validation.

#![no_main]

use std::panic::{self, AssertUnwindSafe, catch_unwind};

use libfuzzer_sys::fuzz_target;
use trust8_fuzz::arrays::{Choices, check};

fuzz_target!(|data: &[u8]| {
    let Some((&lies, data)) = data.split_first() else { return };
    let mut bytes = data.iter();
    let mut choices = Choices::new(|| bytes.next().copied().unwrap_or(0).into(), (lies % 32).into());
    check(&mut choices, |arrow| {
        // Arrow's own panics are no finding, and libFuzzer's hook would end the process.
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let answer = catch_unwind(AssertUnwindSafe(arrow)).ok();
        panic::set_hook(hook);
        answer
    });
});
