//! The dialects of UTF-8 against their grammars: what is decoded, refused, converted, and told apart. And text into a dialect
//! and back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trust8_dialect::{Dialect, KernelDialects, diagnose};
use trust8_fuzz::dialects::{Item, decode};
use trust8_fuzz::input;
use trust8_fuzz::kernels::ways;

fuzz_target!(|data: &[u8]| {
    let Some(input) = input::build(data) else { return };
    for &dialect in Dialect::ALL {
        compare(dialect, &input);
    }
    told_apart(&input);
    back(&String::from_utf8_lossy(&input));
});

fn compare(dialect: Dialect, bytes: &[u8]) {
    let expected = decode(dialect, bytes);
    let fault = expected.iter().find_map(|item| item.err());
    // Each item as a character, or the place of an item that UTF-8 cannot express.
    let text: Vec<Result<char, usize>> = expected
        .iter()
        .map(|item| match *item {
            Ok((at, value)) => char::from_u32(value).ok_or(at),
            Err((at, _)) => Err(at),
        })
        .collect();
    let exact: Result<String, usize> = text.iter().copied().collect();
    let lossy: String = text.into_iter().map(|item| item.unwrap_or('\u{FFFD}')).collect();

    let decoded: Vec<Item> =
        dialect.decode(bytes).map(|item| item.map_err(|e| (e.valid_up_to(), e.error_len()))).collect();
    assert_eq!(decoded, expected, "{dialect}");
    // All ways for a short input; for a long one, which takes its time, another way each time.
    let chosen = bytes.len() % ways().len();
    for (_, way) in ways().iter().enumerate().filter(|(i, _)| bytes.len() < 1000 || *i == chosen) {
        let (who, way) = (format!("{dialect}, {}", way.name), way.kernel);
        let validated =
            way.dialect(dialect).validate(bytes).map_err(|error| (error.valid_up_to(), error.error_len()));
        assert_eq!(validated.err(), fault, "{who}");
        let converted = way.dialect(dialect).to_utf8(bytes).map_err(|error| error.valid_up_to());
        assert_eq!(converted.as_deref(), exact.as_deref(), "{who}");
        assert_eq!(way.dialect(dialect).to_utf8_lossy(bytes), lossy, "{who}");
    }
    if let Err(error) = dialect.validate(bytes) {
        assert!(
            error.to_string().starts_with(&format!("invalid {dialect} at byte {}: ", error.valid_up_to()))
        );
    }
}

fn told_apart(bytes: &[u8]) {
    let diagnosis = diagnose(bytes);
    for &dialect in Dialect::ALL {
        assert_eq!(diagnosis.check(dialect), dialect.validate(bytes));
        assert_eq!(diagnosis.conversion(dialect).err(), dialect.to_utf8(bytes).err());
    }
    assert_eq!(diagnosis.decided_at(), core::str::from_utf8(bytes).err().map(|error| error.valid_up_to()));
    assert_eq!(
        diagnosis.best().is_some(),
        Dialect::ALL.iter().any(|dialect| dialect.validate(bytes).is_ok())
    );
}

fn back(text: &str) {
    for &dialect in Dialect::ALL {
        let bytes = dialect.from_utf8(text);
        let mut by_character = Vec::new();
        for character in text.chars() {
            by_character.extend_from_slice(dialect.encode(character.into(), &mut [0; 6]).unwrap());
        }
        assert_eq!(*bytes, by_character, "{dialect}");
        assert_eq!(dialect.to_utf8(&bytes).as_deref(), Ok(text), "{dialect}");
    }
}
