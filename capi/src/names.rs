//! Names that a caller gives.

/// Returns whether two names are the same. Upper and lower case, hyphens and spaces make no difference.
pub(crate) fn are_same(a: &[u8], b: &[u8]) -> bool {
    fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
        name.iter().filter(|byte| !matches!(byte, b'-' | b' ')).map(u8::to_ascii_lowercase)
    }
    letters(a).eq(letters(b))
}
