//! Reads a column of strings, checks it once, and then returns rows as `&str`.
//!
//! For query engines and for readers of file formats that lay strings out as Arrow does: the bytes of all
//! rows one after the other, and an offset for each row's end. Bytes and offsets are untrusted.
//!
//! ```sh
//! cargo run --release --example string_column
//! ```

use trust8_columns::{ColumnError, validate_offsets};

/// A column in which each row is UTF-8. The type is the proof: only [`StringColumn::new`] makes it.
struct StringColumn {
    values: Vec<u8>,
    offsets: Vec<i32>,
}

impl StringColumn {
    /// Builds the column, if the offsets are in order and each row is UTF-8.
    ///
    /// # Errors
    ///
    /// The first row that is wrong, and why.
    fn new(values: Vec<u8>, offsets: Vec<i32>) -> Result<Self, ColumnError> {
        validate_offsets(&values, &offsets)?;
        Ok(Self { values, offsets })
    }

    /// Returns the rows.
    fn rows(&self) -> impl Iterator<Item = &str> {
        self.offsets.windows(2).map(|row| {
            let bytes = &self.values[row[0] as usize..row[1] as usize];
            // SAFETY: `new` has validated each row, and nothing changes the column afterwards.
            unsafe { std::str::from_utf8_unchecked(bytes) }
        })
    }
}

fn main() {
    let values = "OsloÅlesundTromsø".as_bytes();
    let cities = StringColumn::new(values.to_vec(), vec![0, 4, 12, 19]).expect("a column of three cities");
    println!("{}", cities.rows().collect::<Vec<_>>().join(", "));

    // The same bytes, but the second row begins in the middle of the Å.
    let error =
        StringColumn::new(values.to_vec(), vec![0, 5, 12, 19]).err().expect("a row that is not UTF-8");
    println!("refused: {error}");
}

#[test]
fn rows_are_those_that_were_put_in_and_hostile_columns_are_refused() {
    use trust8_columns::ColumnErrorKind;

    main();
    let column = StringColumn::new("añ€😀".into(), vec![0, 1, 1, 6, 10]).expect("a column of four rows");
    assert_eq!(column.rows().collect::<Vec<_>>(), ["a", "", "ñ€", "😀"]);

    let refused = |values: &[u8], offsets: &[i32]| {
        let error =
            StringColumn::new(values.to_vec(), offsets.to_vec()).err().expect("a column that is wrong");
        (error.row(), error.kind())
    };
    assert!(matches!(refused("añ".as_bytes(), &[0, 2, 3]), (0, ColumnErrorKind::NotUtf8(_))));
    assert_eq!(refused(b"ab", &[0, 2, 1]), (1, ColumnErrorKind::DecreasingOffset { from: 2, to: 1 }));
    assert_eq!(
        refused(b"ab", &[0, 1, 3]),
        (1, ColumnErrorKind::OffsetOutOfRange { offset: 3, values_len: 2 })
    );
    assert_eq!(refused(b"ab", &[-1, 2]), (0, ColumnErrorKind::NegativeOffset { offset: -1 }));
}
