//! Lines and columns as std's lossy chunks say them.

/// Returns the line and the columns of each byte, and of the place after the last one, by std's lossy chunks.
pub fn locations(bytes: &[u8]) -> Vec<(usize, usize, usize)> {
    let mut all = Vec::new();
    let (mut line, mut column, mut byte_column) = (1, 1, 1);
    let mut sequence = |len: usize, is_newline: bool| {
        for _ in 0..len {
            all.push((line, column, byte_column));
            byte_column += 1;
        }
        column += 1;
        if is_newline {
            (line, column, byte_column) = (line + 1, 1, 1);
        }
    };
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|char| sequence(char.len_utf8(), char == '\n'));
        if !chunk.invalid().is_empty() {
            sequence(chunk.invalid().len(), false);
        }
    }
    // The position after the last byte is that of another character.
    sequence(1, false);
    all
}
