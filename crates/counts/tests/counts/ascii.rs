//! Where ASCII ends, with every kernel, against `core`.

#[cfg(unix)]
use super::support::guarded::Guarded;
use super::support::kernels::kernels;
use super::support::scale::Thin;
use super::support::text::Place;
use trust8_counts::KernelCounts;

/// The bytes next to the limit, and others with bit 7.
const OTHERS: [u8; 5] = [0x80, 0x81, 0xC3, 0xF0, 0xFF];

fn check(bytes: &[u8]) {
    let expected = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(bytes.len());
    for kernel in kernels() {
        let place = || (bytes.len(), bytes.as_ptr().addr() % 64);
        assert_eq!(kernel.ascii_up_to(bytes), expected, "{kernel:?}: length, alignment {:?}", place());
    }
}

#[test]
fn one_byte_decides_wherever_it_is() {
    let mut place = Place::new(1200);
    let mut thin = Thin::new();
    for len in (0..200).chain([255, 256, 257, 300, 511, 512, 513, 600, 1024, 1100]) {
        for filler in [0, b'a', 0x7F] {
            let mut bytes = vec![filler; len];
            check(place.put(len % 64, &[&bytes]));
            for at in 0..len {
                if len < 70 || thin.keep() {
                    bytes[at] = OTHERS[at % OTHERS.len()];
                    check(place.put((len + at) % 64, &[&bytes]));
                    // What comes after the first one does not matter.
                    bytes[len - 1] = 0xFF;
                    check(place.put(at % 64, &[&bytes]));
                    (bytes[at], bytes[len - 1]) = (filler, filler);
                }
            }
        }
    }
}

#[test]
fn every_byte() {
    for byte in 0..=0xFF {
        for len in [1, 5, 17, 33, 64, 100, 300] {
            check(&vec![byte; len]);
        }
    }
}

#[test]
#[cfg(unix)]
fn no_byte_outside_is_read() {
    let mut memory = Guarded::new(700);
    for len in (0..300).chain([511, 512, 513, 600]) {
        for last in [b'a', 0x80] {
            let mut bytes = vec![b'a'; len];
            if let Some(byte) = bytes.last_mut() {
                *byte = last;
            }
            check(memory.put_at_end(&[&bytes]));
            check(memory.put_at_start(&[&bytes]));
        }
    }
}

#[test]
fn the_functions_are_the_best_kernels() {
    for text in ["", "plain", "naïve", "日本語", &"a".repeat(1000)] {
        assert_eq!(trust8_counts::is_ascii(text.as_bytes()), text.is_ascii());
        let expected = text.bytes().position(|byte| byte >= 0x80).unwrap_or(text.len());
        assert_eq!(trust8_counts::ascii_up_to(text.as_bytes()), expected);
    }
}
