//! What a run of invisible characters spells: attacks hide bytes in variation selectors, ASCII in tags,
//! and bits in two characters of no width.

/// Returns the text that the characters encode, if they encode any.
pub(crate) fn spelled(run: &str) -> Option<String> {
    let numbers = || run.chars().map(u32::from);
    // U+E0001 and U+E007F begin and end a text in tags.
    let in_tags = numbers().filter(|number| !matches!(number, 0xE0001 | 0xE007F));
    bytes(in_tags, |number| number.checked_sub(0xE0000))
        .and_then(text)
        // Bytes 0 to 15 in the selectors of the first block, and the others in those of the second one.
        .or_else(|| {
            let byte = |number| match number {
                0xFE00..=0xFE0F => Some(number - 0xFE00),
                0xE0100..=0xE01EF => Some(number - 0xE0100 + 16),
                _ => None,
            };
            bytes(numbers(), byte).and_then(text)
        })
        // ASCII in the second block.
        .or_else(|| bytes(numbers(), |number| number.checked_sub(0xE0100)).and_then(text))
        // Halves of bytes in the first block.
        .or_else(|| {
            let halves = bytes(numbers(), |number| number.checked_sub(0xFE00).filter(|half| *half < 16))?;
            let (pairs, []) = halves.as_chunks() else { return None };
            text(pairs.iter().map(|[high, low]| high << 4 | low).collect())
        })
        .or_else(|| bits(&numbers().collect::<Vec<_>>()))
}

/// Returns the bytes that `byte` makes of the numbers, if it makes one of each.
fn bytes(numbers: impl Iterator<Item = u32>, byte: impl Fn(u32) -> Option<u32>) -> Option<Vec<u8>> {
    numbers.map(|number| u8::try_from(byte(number)?).ok()).collect()
}

/// Returns the text whose bits are two different characters, the first bit of a byte first.
fn bits(numbers: &[u32]) -> Option<String> {
    let first = *numbers.first()?;
    let other = *numbers.iter().find(|number| **number != first)?;
    if numbers.iter().any(|number| ![first, other].contains(number)) {
        return None;
    }
    [8, 7].into_iter().filter(|width| numbers.len().is_multiple_of(*width)).find_map(|width| {
        [first, other].into_iter().find_map(|one| {
            let byte = |bits: &[u32]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit == one));
            text(numbers.chunks(width).map(byte).collect())
        })
    })
}

/// Returns bytes as text if they look like some: UTF-8 of at least two characters, and no controls.
fn text(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let is_text = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    (text.chars().count() > 1 && text.chars().all(is_text)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_ways_to_hide_text_are_read() {
        let code = "fetch('//evil.example/x')";
        let selector = |byte: u8| match byte {
            0..16 => char::from_u32(0xFE00 + u32::from(byte)),
            _ => char::from_u32(0xE0100 + u32::from(byte) - 16),
        };
        let each = |of: &dyn Fn(u8) -> Option<char>| code.bytes().filter_map(of).collect::<String>();
        let tags = each(&|byte| char::from_u32(0xE0000 + u32::from(byte)));
        let halves: String = code
            .bytes()
            .flat_map(|byte| [byte >> 4, byte & 15])
            .filter_map(|half| char::from_u32(0xFE00 + u32::from(half)))
            .collect();
        let bits = |width: u32, zero: char, one: char| -> String {
            let bits = code.bytes().flat_map(|byte| (0..width).rev().map(move |bit| byte >> bit & 1));
            bits.map(|bit| if bit == 1 { one } else { zero }).collect()
        };
        for run in [
            each(&selector),
            each(&|byte| char::from_u32(0xE0100 + u32::from(byte))),
            halves,
            tags.clone(),
            format!("\u{E0001}{tags}\u{E007F}"),
            bits(8, '\u{200B}', '\u{200C}'),
            bits(8, '\u{200D}', '\u{2063}'),
            bits(7, '\u{200C}', '\u{200B}'),
        ] {
            assert_eq!(spelled(&run).as_deref(), Some(code), "{run:?}");
        }
    }

    #[test]
    fn what_is_no_text_spells_nothing() {
        for run in [
            "",
            "\u{FE0F}",
            "\u{FE0F}\u{FE0F}\u{FE0F}",
            "\0\0\0\0\0\0\0\0",
            "\u{202E}\u{2066}",
            "\u{200B}\u{200C}\u{200D}",
        ] {
            assert_eq!(spelled(run), None, "{run:?}");
        }
    }
}
