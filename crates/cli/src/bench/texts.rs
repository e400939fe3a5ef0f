//! Generates texts to measure with. They are the same in every run.

/// A few words of each language. Each language is harder for a validator than those before it.
const WORDS: [(&str, &str); 7] = [
    ("ASCII", "the quick brown fox jumps over a lazy dog, while seventeen others look on "),
    ("French", "l'été dernier, où les élèves français étudiaient la géographie à côté du château "),
    ("Russian", "быстрая рыжая лиса прыгает через ленивую собаку, и всё это на глазах у соседей "),
    ("Arabic", "قفز الثعلب البني السريع فوق الكلب الكسول بينما كان سبعة عشر آخرون يتفرجون "),
    ("Chinese", "敏捷的棕色狐狸 跳过了那只 懒狗， 而另外十七只 在一旁看着 没有说话。 "),
    ("Korean", "빠른 갈색 여우가 게으른 개를 뛰어넘는 동안 다른 열일곱 마리가 구경한다 "),
    ("emoji", "😀 🎉🎉 ok 👍🏽 так 狐狸 🦊🐕 naïve 🏳️‍🌈 "),
];

/// Returns the name and the text of each language. Every text has `length` bytes.
pub(crate) fn generated(length: usize) -> Vec<(String, Vec<u8>)> {
    WORDS.iter().map(|(name, words)| ((*name).to_owned(), text(words, length))).collect()
}

/// Returns words in random order, so that no branch predictor can learn the text by heart.
fn text(words: &str, length: usize) -> Vec<u8> {
    let words: Vec<_> = words.split_inclusive(' ').collect();
    // xorshift64, which may start from any number but 0.
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut text = String::with_capacity(length);
    loop {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let word = words[(random % words.len() as u64) as usize];
        if text.len() + word.len() > length {
            text.extend(std::iter::repeat_n(' ', length - text.len()));
            return text.into_bytes();
        }
        text += word;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn texts_have_the_right_length_and_are_valid() {
        for (name, text) in super::generated(1000) {
            assert_eq!(text.len(), 1000, "{name}");
            assert!(std::str::from_utf8(&text).is_ok(), "{name}");
        }
    }
}
