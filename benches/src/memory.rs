//! A loop that only reads: as fast as a validator could be if validating cost nothing.
//!
//! It loads 64 bytes at a time with the widest vectors there are, four of them a step, and combines
//! what it loaded so that no load can be left out. From out-of-cache memory nothing that sees
//! every byte in order gets much more than this, short of reading in several places at once.

/// The best reading loop for this CPU, as a contestant: true if some byte is not zero.
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
    // On aarch64 this compiles to loads of 16 bytes, which are the widest there.
    read
}

/// Reads with whatever vectors the function it is inlined into may use.
#[inline(always)]
fn read(bytes: &[u8]) -> bool {
    // Eight words are a vector of 64 bytes, or as many narrower ones as it takes.
    type Vector = [u64; 8];
    let load = |bytes: &[u8; 64]| -> Vector {
        let (words, _) = bytes.as_chunks::<8>();
        std::array::from_fn(|i| u64::from_ne_bytes(words[i]))
    };
    let (steps, rest) = bytes.as_chunks::<256>();
    let mut seen = [[0; 8]; 4];
    for step in steps {
        let (lines, _) = step.as_chunks::<64>();
        for (seen, line) in seen.iter_mut().zip(lines) {
            let line = load(line);
            for (seen, word) in seen.iter_mut().zip(line) {
                *seen |= word;
            }
        }
    }
    let rest = rest.iter().fold(0, |seen, byte| seen | byte);
    seen.iter().flatten().fold(u64::from(rest), |all, word| all | word) != 0
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    /// [`read`](super::read) in 64-byte loads.
    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn read_avx512(bytes: &[u8]) -> bool {
        super::read(bytes)
    }

    /// [`read`](super::read) in 32-byte loads.
    #[target_feature(enable = "avx2")]
    pub(super) fn read_avx2(bytes: &[u8]) -> bool {
        super::read(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_read() {
        let read = reader();
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
