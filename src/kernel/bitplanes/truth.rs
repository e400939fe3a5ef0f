//! Truth tables from formulas.

#![forbid(unsafe_code)]

/// Returns the truth table of a formula of three bits, for `Avx512::ternary`.
macro_rules! truth {
    (|$a:ident, $b:ident, $c:ident| $formula:expr) => {{
        const TABLE: i32 = {
            let mut table = 0;
            let mut row = 0;
            while row < 8 {
                // The number of a row is `abc` in binary, and the bit of this number is the result for these values.
                let ($a, $b, $c) = (row >> 2 & 1 == 1, row >> 1 & 1 == 1, row & 1 == 1);
                table |= (($formula) as i32) << row;
                row += 1;
            }
            table
        };
        TABLE
    }};
}
