//! A loop that only reads: as fast as a validator could be if validating cost nothing.
//!
//! It loads the widest vectors there are, four of them a step, and combines what it loaded so that no load
//! can be left out. Of memory out of cache nothing that goes through the bytes in order gets much more than
//! this, short of reading in several places at once.

/// The best reading loop for this CPU: true if some byte is not zero.
pub(crate) fn reader() -> fn(&[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: the CPU has AVX-512 F.
            return |bytes| unsafe { x86::read_avx512(bytes) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU has AVX2.
            return |bytes| unsafe { x86::read_avx2(bytes) };
        }
    }
    read
}

/// Without intrinsics: the compiler makes of it what vectors every CPU of the target has, which are all
/// that there are on aarch64.
fn read(bytes: &[u8]) -> bool {
    let (steps, rest) = bytes.as_chunks::<64>();
    let mut seen = [0; 8];
    for step in steps {
        let (words, _) = step.as_chunks::<8>();
        for (seen, word) in seen.iter_mut().zip(words) {
            *seen |= u64::from_ne_bytes(*word);
        }
    }
    seen.iter().any(|word| *word != 0) || rest.iter().any(|byte| *byte != 0)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// [`read`](super::read) in 64-byte loads.
    #[target_feature(enable = "avx512f")]
    pub(super) fn read_avx512(bytes: &[u8]) -> bool {
        let (steps, rest) = bytes.as_chunks::<256>();
        let mut seen = [_mm512_setzero_si512(); 4];
        for step in steps {
            let (lines, _) = step.as_chunks::<64>();
            for (seen, line) in seen.iter_mut().zip(lines) {
                // SAFETY: an array of 64 bytes can be read; the load need not be aligned.
                let line = unsafe { _mm512_loadu_si512(line.as_ptr().cast()) };
                *seen = _mm512_or_si512(*seen, line);
            }
        }
        let [a, b, c, d] = seen;
        let all = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
        _mm512_test_epi64_mask(all, all) != 0 || super::read(rest)
    }

    /// [`read`](super::read) in 32-byte loads.
    #[target_feature(enable = "avx2")]
    pub(super) fn read_avx2(bytes: &[u8]) -> bool {
        let (steps, rest) = bytes.as_chunks::<128>();
        let mut seen = [_mm256_setzero_si256(); 4];
        for step in steps {
            let (lines, _) = step.as_chunks::<32>();
            for (seen, line) in seen.iter_mut().zip(lines) {
                // SAFETY: an array of 32 bytes can be read; the load need not be aligned.
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
        // The one that a CPU with AVX-512 would not choose.
        #[cfg(target_arch = "x86_64")]
        let avx2 = std::arch::is_x86_feature_detected!("avx2").then_some(
            // SAFETY: the CPU has AVX2, or this is dropped.
            (|bytes| unsafe { x86::read_avx2(bytes) }) as fn(&[u8]) -> bool,
        );
        #[cfg(not(target_arch = "x86_64"))]
        let avx2 = None;
        let readers = [Some(read as fn(&[u8]) -> bool), Some(reader()), avx2];
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
