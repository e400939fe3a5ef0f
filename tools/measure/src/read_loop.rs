//! A loop that only reads. It is as fast as a validator would be if validation cost nothing.
//!
//! Each iteration loads four vectors, of the widest that the CPU has, and combines them, so that the compiler can
//! leave out no load. For text that fits into no cache, no function that reads the bytes in order is much faster,
//! unless it reads at several places at once.

/// Returns the fastest read loop for this CPU. The loop returns true if some byte is not zero.
pub fn fastest() -> fn(&[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            // SAFETY: AVX-512 F has been detected.
            return |bytes| unsafe { read_avx512(bytes) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 has been detected.
            return |bytes| unsafe { read_avx2(bytes) };
        }
    }
    // The vectors that every CPU of the target has. On aarch64 there are no wider ones.
    read
}

/// Combines all bytes. The compiler unrolls the loop, and uses the vectors of the caller's instruction set.
#[inline(always)]
fn read(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |all, byte| all | byte) != 0
}

/// Loads 64 bytes at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn read_avx512(bytes: &[u8]) -> bool {
    read(bytes)
}

/// Loads 32 bytes at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn read_avx2(bytes: &[u8]) -> bool {
    read(bytes)
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
            (|bytes| unsafe { read_avx2(bytes) }) as fn(&[u8]) -> bool,
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
