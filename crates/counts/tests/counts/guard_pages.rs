//! The functions that count do not read outside their input: it ends at a page that cannot be read.

use super::support::guarded::Guarded;
use super::support::kernels::ways;
use super::support::text::Filler;
use trust8_counts::KernelCounts;

#[test]
fn counts_of_every_length_to_600_and_some_longer() {
    let mut guarded = Guarded::new(5000);
    for filler in Filler::all() {
        for len in (0..=600).chain([1023, 1024, 1025, 1600, 4097, 5000]) {
            let bytes = guarded.put_at_end(&filler.after(len));
            let text = core::str::from_utf8(bytes).expect("filler is valid");
            let chars = text.chars().count();
            for way in ways() {
                assert_eq!(way.kernel.inspect(bytes).chars(), chars, "{}: {len}", way.name);
                assert_eq!(way.kernel.count_chars(text), chars, "{}: {len}", way.name);
                assert!(way.kernel.utf16_len(text) >= chars, "{}: {len}", way.name);
            }
        }
    }
}
