//! A loop that only reads. It is as fast as a validator would be if validation cost nothing.
//!
//! Each iteration loads four vectors, of the widest that the CPU has, and combines them, so that the compiler can
//! leave out no load. For text that fits into no cache, no function that reads the bytes in order is much faster,
//! unless it reads at several places at once.

/// Returns the fastest read loop for this CPU. The loop returns true if some byte is not zero.
#[must_use]
pub fn fastest() -> fn(&[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: AVX-512 F has been detected.
            return |bytes| unsafe { x86::read_avx512(bytes) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 has been detected.
            return |bytes| unsafe { x86::read_avx2(bytes) };
        }
    }
    read
}

/// Reads without intrinsics. The compiler uses the vectors that every CPU of the target has. On aarch64 there are no
/// wider ones.
fn read(bytes: &[u8]) -> bool {
    let (groups, rest) = bytes.as_chunks::<64>();
    let mut seen = [0; 8];
    for group in groups {
        let (words, _) = group.as_chunks::<8>();
        for (seen, word) in seen.iter_mut().zip(words) {
            *seen |= u64::from_ne_bytes(*word);
        }
    }
    seen.iter().any(|word| *word != 0) || rest.iter().any(|byte| *byte != 0)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// Does the same as [`read`](super::read) with loads of 64 bytes.
    #[target_feature(enable = "avx512f")]
    pub(super) fn read_avx512(bytes: &[u8]) -> bool {
        let (groups, rest) = bytes.as_chunks::<256>();
        let mut seen = [_mm512_setzero_si512(); 4];
        for group in groups {
            let (lines, _) = group.as_chunks::<64>();
            for (seen, line) in seen.iter_mut().zip(lines) {
                // SAFETY: `line` has 64 bytes, and the load need not be aligned.
                let line = unsafe { _mm512_loadu_si512(line.as_ptr().cast()) };
                *seen = _mm512_or_si512(*seen, line);
            }
        }
        let [a, b, c, d] = seen;
        let all = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
        _mm512_test_epi64_mask(all, all) != 0 || super::read(rest)
    }

    /// Does the same as [`read`](super::read) with loads of 32 bytes.
    #[target_feature(enable = "avx2")]
    pub(super) fn read_avx2(bytes: &[u8]) -> bool {
        let (groups, rest) = bytes.as_chunks::<128>();
        let mut seen = [_mm256_setzero_si256(); 4];
        for group in groups {
            let (lines, _) = group.as_chunks::<32>();
            for (seen, line) in seen.iter_mut().zip(lines) {
                // SAFETY: `line` has 32 bytes, and the load need not be aligned.
                let line = unsafe { _mm256_loadu_si256(line.as_ptr().cast()) };
                *seen = _mm256_or_si256(*seen, line);
            }
        }
        let [a, b, c, d] = seen;
        let all = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
        _mm256_testz_si256(all, all) == 0 || super::read(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_read() {
        // A CPU with AVX-512 does not choose this one.
        #[cfg(target_arch = "x86_64")]
        let avx2 = std::arch::is_x86_feature_detected!("avx2").then_some(
            // SAFETY: AVX2 has been detected, or `then_some` drops the function uncalled.
            (|bytes| unsafe { x86::read_avx2(bytes) }) as fn(&[u8]) -> bool,
        );
        #[cfg(not(target_arch = "x86_64"))]
        let avx2 = None;
        let readers = [Some(read as fn(&[u8]) -> bool), Some(fastest()), avx2];
        for read in readers.into_iter().flatten() {
            for len in (0..1030).step_by(7) {
                let mut bytes = vec![0; len];
                assert!(!read(&bytes));
                for i in 0..len {
                    bytes[i] = 1;
                    assert!(read(&bytes), "byte {i} of {len}");
                    bytes[i] = 0;
                }
            }
        }
    }
}
