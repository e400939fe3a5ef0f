//! The crate rfc9839 allows the same texts.

use trust8_measure::random::Random;
use trust8_profile::{Class, Profile};

#[test]
fn agrees_with_rfc9839() {
    let special: Vec<char> = ('\0'..=char::MAX)
        .filter(|&c| Class::of(c).is_some_and(|class| class != Class::PrivateUse))
        .flat_map(|c| [c as u32 - 1.min(c as u32), c as u32, c as u32 + 1])
        .filter_map(char::from_u32)
        .collect();
    let mut random = Random::named("rfc9839");
    let texts = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
    let mut refused = 0;
    for _ in 0..texts {
        let mut text = String::new();
        for _ in 0..random.below(20) {
            text.push_str(random.pick::<&str>(&["abc", "é", "日本", "😀", "\t\r\n"]));
            if random.once_in(20) {
                text.push(*random.pick(&special));
            }
        }
        let mut bytes = text.into_bytes();
        if random.once_in(10) {
            bytes.push(random.below(256) as u8);
        }
        let xml = Profile::XML_1_0.is_valid(&bytes);
        assert_eq!(xml, rfc9839::bytes::is_xml_chars(&bytes), "{bytes:02X?}");
        let assignable = Profile::ASSIGNABLES.is_valid(&bytes);
        assert_eq!(assignable, rfc9839::bytes::is_unicode_assignable(&bytes), "{bytes:02X?}");
        assert_eq!(Profile::SCALARS.is_valid(&bytes), rfc9839::bytes::is_unicode_scalar(&bytes));
        refused += usize::from(!assignable);
    }
    assert!(refused > texts / 20, "{refused} texts were refused");
}
