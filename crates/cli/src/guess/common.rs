//! The characters that are common in text in UTF-16. A test of the C library, which has this table too, compiles this file.

/// Whether `c` is common in text in UTF-16.
pub(crate) fn is_common_in_utf16(c: char) -> bool {
    matches!(c,
        '\t' | '\n' | '\r' | ' '..='~'
        | '\u{A0}'..='\u{17F}' | '\u{370}'..='\u{4FF}' | '\u{5D0}'..='\u{5EA}' | '\u{600}'..='\u{6FF}'
        | '\u{900}'..='\u{97F}' | '\u{E00}'..='\u{E7F}' | '\u{2010}'..='\u{203A}' | '€' | '™'
        | '\u{3000}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF00}'..='\u{FFEF}'
        | '\u{1_0000}'..)
}
