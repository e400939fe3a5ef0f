//! The generated texts have the properties of their languages, and are the same in every run.

use std::{env, fs};

use trust8_benches::random::Random;
use trust8_benches::texts::{RECIPES, corpus, fill, generated, ordinary};
use trust8_benches::vocabulary;

const LEN: usize = 65_536;

#[test]
fn texts_are_as_long_as_asked() {
    for recipe in RECIPES {
        for len in [0, 1, 2, 3, 100, 4096, LEN] {
            assert_eq!(generated(recipe.name, len).text.len(), len, "{}", recipe.name);
        }
    }
}

#[test]
fn texts_are_the_same_every_time_and_differ_from_each_other() {
    let all = || RECIPES.iter().map(|recipe| generated(recipe.name, LEN).text).collect::<Vec<_>>();
    let texts = all();
    assert_eq!(texts, all());
    for (i, text) in texts.iter().enumerate() {
        assert!(texts[..i].iter().all(|other| other != text));
    }
}

#[test]
fn a_short_text_is_the_beginning_of_a_long_one() {
    for recipe in RECIPES {
        let (short, long) = (generated(recipe.name, 1000).text, generated(recipe.name, LEN).text);
        // The last three bytes may be dots that replace a character.
        assert!(long.as_bytes().starts_with(&short.as_bytes()[..997]), "{}", recipe.name);
    }
}

#[test]
fn texts_are_as_dense_as_their_recipes_say() {
    let off = RECIPES.iter().filter_map(|recipe| {
        let density = generated(recipe.name, LEN).density();
        let off = !recipe.density.contains(&density);
        off.then(|| format!("{}: {density:.4} of {:?}", recipe.name, recipe.density))
    });
    assert_eq!(off.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn ordinary_text_has_characters_as_far_apart_as_asked() {
    for width in [2, 3, 4] {
        for distance in [16, 200, 1600] {
            let text = ordinary(width, distance, 1 << 20, 0).text;
            assert_eq!(text.len(), 1 << 20);
            let others: Vec<_> = text.chars().filter(|char| !char.is_ascii()).collect();
            assert!(others.iter().all(|char| char.len_utf8() == width));
            let ascii = text.len() - others.len() * width;
            let mean = ascii as f64 / others.len() as f64 / distance as f64;
            assert!((0.85..1.15).contains(&mean), "{width} bytes, {distance}: {mean}");
            assert_ne!(text, ordinary(width, distance, 1 << 20, 1).text);
        }
    }
}

#[test]
fn words_have_the_lengths_of_their_languages() {
    // The bounds of the mean number of characters in a word, around those of prose in these languages.
    for (name, bounds) in [
        ("ASCII", 3.5..5.5),
        ("German", 4.5..7.0),
        ("Latin", 4.0..6.0),
        ("Russian", 4.5..7.0),
        ("Arabic", 3.5..6.0),
        ("Korean", 2.5..4.5),
        ("Hindi", 3.5..6.5),
    ] {
        let text = generated(name, LEN).text;
        let (chars, words) = text
            .split_whitespace()
            .fold((0, 0), |(chars, words), word| (chars + word.chars().count(), words + 1));
        let mean = chars as f64 / words as f64;
        assert!(bounds.contains(&mean), "{name}: {mean:.2} of {bounds:?}");
    }
}

#[test]
fn the_random_text_visits_every_plane_and_length() {
    let text = generated("random", LEN).text;
    for plane in 0..=16 {
        assert!(text.chars().any(|char| char as u32 >> 16 == plane), "plane {plane}");
    }
    for width in 1..=4 {
        let count = text.chars().filter(|char| char.len_utf8() == width).count();
        let share = count as f64 / text.chars().count() as f64;
        assert!((0.23..0.27).contains(&share), "{width} bytes: {share:.3}");
    }
}

#[test]
fn listed_characters_have_three_bytes() {
    for list in [vocabulary::HANZI, vocabulary::KANA] {
        assert!(list.chars().all(|char| char.len_utf8() == 3));
    }
}

#[test]
fn filling_repeats_and_pads() {
    for (len, want) in [(8, "aéaéa."), (6, "aéaé"), (2, "a."), (0, "")] {
        let mut buffer = vec![0; len];
        fill(&mut buffer, "aé");
        assert_eq!(buffer, want.as_bytes());
    }
}

#[test]
fn a_corpus_is_trimmed_at_a_character_boundary() {
    let folder = env::temp_dir().join(format!("trust8-corpus-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    assert!(corpus(&folder, 10).unwrap_err().to_string().contains("no file named *.txt"));
    fs::write(folder.join("b.txt"), "日本語日本語").unwrap();
    fs::write(folder.join("a.utf8.txt"), "abc").unwrap();
    fs::write(folder.join("c.md"), b"\xFF").unwrap();
    let texts = corpus(&folder, 10).unwrap();
    let texts: Vec<_> = texts.iter().map(|text| (text.name.as_str(), text.text.as_str())).collect();
    assert_eq!(texts, [("a", "abcabcabca"), ("b", "日本語.")]);
    fs::write(folder.join("d.txt"), b"ab\xFF").unwrap();
    assert!(corpus(&folder, 10).unwrap_err().to_string().contains("d.txt"));
    fs::write(folder.join("d.txt"), b"").unwrap();
    assert!(corpus(&folder, 10).unwrap_err().to_string().contains("the file is empty"));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_same_name_gives_the_same_numbers() {
    let of = |name| {
        let mut random = Random::named(name);
        [(); 4].map(|()| random.next())
    };
    assert_eq!(of("a"), of("a"));
    assert_ne!(of("a"), of("b"));
}

#[test]
fn every_number_below_the_end_comes_and_no_other() {
    let mut random = Random::named("below");
    let mut seen = [0; 10];
    for _ in 0..10_000 {
        seen[random.below(10)] += 1;
    }
    assert!(seen.iter().all(|&times| (850..1150).contains(&times)), "{seen:?}");
}

#[test]
fn a_shuffle_loses_nothing() {
    let mut things: Vec<_> = (0..100).collect();
    Random::named("shuffle").shuffle(&mut things);
    assert_ne!(things, (0..100).collect::<Vec<_>>());
    things.sort_unstable();
    assert_eq!(things, (0..100).collect::<Vec<_>>());
}
