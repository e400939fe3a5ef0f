//! Published ways to hide a payload, and what comes back after the profiles; and ordinary text, which
//! passes.

use super::support::kernels::kernels;
use super::support::scale::Thin;
use trust8_profile::{KernelProfiles, Profile, ProfilePolicy};

const PROFILES: [Profile; 2] = [Profile::SOURCE_CODE, Profile::PROMPT];
const PAYLOAD: &[u8] = b"fetch('//x.example/p')";
const CARRIERS: [&str; 3] = [
    "const total = items.reduce((sum, item) => sum + item.price, 0);",
    "The meeting is on Monday, so please send me your slides by Friday.",
    "Nice work, team 😀 and see you all on Monday morning in the big room.",
];

/// The symbols of a code. Of 128 or 256, one spells a byte. Of 2, 4 or 16, several do. A single one is
/// there for a bit that is 1.
struct Code(Vec<char>);

impl Code {
    fn of(symbols: &str) -> Self {
        Self(symbols.chars().collect())
    }

    /// Returns how many bits a symbol encodes.
    fn width(&self) -> usize {
        self.0.len().ilog2().max(1) as usize
    }

    /// Returns the payload as values of symbols.
    fn values(&self) -> Vec<usize> {
        let (width, mask) = (self.width(), (1 << self.width()) - 1);
        let split = |&byte: &u8| (0..(8 / width)).rev().map(move |i| usize::from(byte) >> (i * width) & mask);
        PAYLOAD.iter().flat_map(split).collect()
    }

    fn symbol(&self, value: usize) -> Option<char> {
        if self.0.len() == 1 { (value == 1).then_some(self.0[0]) } else { Some(self.0[value]) }
    }

    /// Hides a symbol after each character of a carrier, which is repeated while needed.
    fn spread(&self, carrier: &str) -> String {
        let values = self.values().into_iter();
        values
            .zip(carrier.chars().cycle())
            .flat_map(|(value, visible)| [Some(visible), self.symbol(value)])
            .flatten()
            .collect()
    }

    /// Hides all symbols before a byte of a carrier.
    fn run(&self, carrier: &str, at: usize) -> String {
        let (before, after) = carrier.split_at(at);
        let run: String = self.values().into_iter().filter_map(|value| self.symbol(value)).collect();
        [before, &run, after].concat()
    }

    /// Returns the values of the symbols in a text.
    fn read(&self, text: &str) -> Vec<usize> {
        text.chars().filter_map(|c| self.0.iter().position(|&symbol| symbol == c)).collect()
    }

    /// Returns the texts in which this code hides the payload.
    fn hidden(&self) -> Vec<String> {
        let mut thin = Thin::new();
        let mut texts = Vec::new();
        for carrier in CARRIERS {
            texts.push(self.spread(carrier));
            if self.0.len() > 1 {
                let places = carrier.char_indices().map(|(at, _)| at).chain([carrier.len()]);
                texts.extend(places.filter(|_| thin.keep()).map(|at| self.run(carrier, at)));
            }
        }
        // The decoder reads what nobody has looked for.
        for text in &texts {
            let values = self.values();
            let count = if self.0.len() == 1 { values.iter().sum() } else { values.len() };
            assert_eq!(self.read(text).len(), count);
            assert!(self.0.len() == 1 || self.read(text) == values);
        }
        texts
    }
}

fn assert_refused(technique: &str, text: &str) {
    for profile in PROFILES {
        for kernel in kernels() {
            let is_valid = kernel.profile(&profile).from_utf8(text.as_bytes()).is_ok();
            assert!(!is_valid, "{technique}, {kernel:?}: {text:?}");
        }
    }
}

/// One symbol for each value.
fn numbered(first: impl Fn(u32) -> u32, count: u32) -> Code {
    Code((0..count).map(|value| char::from_u32(first(value)).expect("it is a character")).collect())
}

fn techniques() -> Vec<(&'static str, Code)> {
    let codes = [
        ("selectors as bits", "\u{FE00}\u{FE01}"),
        ("styles of emoji as bits", "\u{FE0E}\u{FE0F}"),
        ("a style or none", "\u{FE0F}"),
        ("zero-width binary", "\u{200B}\u{200C}"),
        ("four of zero width", "\u{200B}\u{200C}\u{200D}\u{2060}"),
        ("joiners", "\u{200C}\u{200D}"),
        ("a joiner or none", "\u{200D}"),
        ("a non-joiner or none", "\u{200C}"),
        ("a space of no width or none", "\u{200B}"),
        ("a word joiner or none", "\u{2060}"),
        ("invisible operators", "\u{2061}\u{2062}\u{2063}\u{2064}"),
        ("invisible times and plus", "\u{2062}\u{2064}"),
        ("fillers of Hangul", "\u{FFA0}\u{3164}"),
        ("fillers of old Hangul", "\u{115F}\u{1160}"),
        ("a filler or none", "\u{3164}"),
        ("a blank of Braille or none", "\u{2800}"),
        ("marks of direction", "\u{200E}\u{200F}"),
        ("a mark of direction or none", "\u{200E}"),
        ("Arabic letter marks", "\u{61C}"),
        ("grapheme joiners", "\u{34F}"),
        ("Mongolian selectors", "\u{180B}\u{180C}\u{180D}\u{180F}"),
        ("Mongolian vowel separators", "\u{180E}"),
        ("annotations between lines", "\u{FFF9}\u{FFFA}"),
        ("an annotation or none", "\u{FFFB}"),
        ("objects", "\u{FFFC}"),
        ("byte order marks inside", "\u{FEFF}"),
        ("overrides of direction", "\u{202A}\u{202B}\u{202D}\u{202E}"),
        ("isolates", "\u{2066}\u{2067}\u{2068}\u{2069}"),
        ("controls of music", "\u{1D173}\u{1D174}\u{1D175}\u{1D176}"),
        ("other controls of music", "\u{1D177}\u{1D178}\u{1D179}\u{1D17A}"),
        ("controls of shorthand", "\u{1BCA0}\u{1BCA1}\u{1BCA2}\u{1BCA3}"),
        ("deprecated controls", "\u{206A}\u{206B}\u{206C}\u{206D}"),
        ("other deprecated controls", "\u{206E}\u{206F}"),
        ("signs over numbers", "\u{600}\u{601}\u{602}\u{603}"),
        ("an abbreviation or none", "\u{70F}"),
        ("inherent vowels of Khmer", "\u{17B4}\u{17B5}"),
        ("separators", "\u{2028}\u{2029}"),
        ("lines over others", "\u{20D2}\u{20D3}"),
    ];
    let mut techniques: Vec<_> = codes.into_iter().map(|(name, symbols)| (name, Code::of(symbols))).collect();
    techniques.push(("selectors for halves of bytes", numbered(|value| 0xFE00 + value, 16)));
    techniques.push(("tags", numbered(|byte| 0xE_0000 + byte, 128)));
    let selector = |byte| if byte < 16 { 0xFE00 + byte } else { 0xE_0100 + byte - 16 };
    techniques.push(("selectors for bytes", numbered(selector, 256)));
    techniques
}

#[test]
fn nothing_comes_back() {
    for (technique, code) in techniques() {
        for text in code.hidden() {
            assert_refused(technique, &text);
            for profile in PROFILES {
                let repaired = profile.repair(&text, ProfilePolicy::Drop);
                let bits = code.width() * code.read(&repaired).len();
                assert!(bits < 8, "{technique}: {bits} bits come back from {repaired:?}");
            }
        }
    }
}

/// What is dense is refused, though a few of these stay: icons, hyphens, and spaces are in texts, too.
#[test]
fn dense_ones_are_refused() {
    for (technique, code) in [
        ("private use", numbered(|byte| 0xE000 + byte, 256)),
        ("more private use", numbered(|byte| 0xF_0000 + byte, 256)),
        ("soft hyphens", Code::of("\u{AD}")),
        ("spaces of two widths", Code::of("\u{2009}\u{200A}")),
        ("spaces of four widths", Code::of("\u{2004}\u{2005}\u{2006}\u{205F}")),
    ] {
        for text in code.hidden() {
            assert_refused(technique, &text);
        }
    }
}

/// Letters under more marks than any script has.
#[test]
fn stacks_of_marks_are_refused() {
    for marks in ["\u{300}", "\u{30D}\u{30E}\u{315}\u{31B}", "\u{489}", "\u{FE20}"] {
        let stack: String = marks.chars().cycle().take(30).collect();
        let text = format!("Z{stack}a{stack}lgo");
        assert_refused("stacked marks", &text);
        for profile in PROFILES {
            let repaired = profile.repair(&text, ProfilePolicy::Drop);
            assert!(repaired.split('a').all(|letter| letter.chars().count() <= 20), "{repaired:?}");
        }
    }
}

/// A few characters in each line, which are at home there: they carry less than before.
#[test]
fn thin_ones_are_limited() {
    for (technique, text) in [
        ("U+200B twice in Chinese", "读取\u{200B}\u{200B}配置".to_owned()),
        ("U+200B twice between tags", ">\u{200B}\u{200B}<".to_owned()),
        ("U+200B twice before Chinese", ">\u{200B}\u{200B}读".to_owned()),
        ("U+200B in words near Khmer", "ខ្មែរ if a\u{200B}\u{200B}b".to_owned()),
        ("U+200B in code after Khmer", "\"ខ្មែរ\"; for (\u{200B}".to_owned()),
        ("six U+200B in Khmer", "ភាសា\u{200B}\u{200B}\u{200B}\u{200B}\u{200B}\u{200B}ខ្មែរ".to_owned()),
        ("signs over Persian letters", "پا\u{600}ی تاری\u{601}ک".to_owned()),
        ("a Syriac abbreviation of a vowel", "ܫ\u{70F}\u{730}".to_owned()),
        ("a zero with a stroke or without", "0\u{FE00}00\u{FE00}".to_owned()),
        ("a flag of any state", "🏴\u{E0075}\u{E0073}\u{E0061}\u{E0062}\u{E007F}".to_owned()),
        ("another variant of zero", "0\u{FE01}".to_owned()),
        ("variants of names", "辻\u{E0101}辻\u{E0102}辻\u{E0101}".to_owned()),
        ("a Persian word with a joiner before", "a \u{200C}پا".to_owned()),
        ("Persian endings of letters", "a\u{200C}پا b\u{200C}پا c\u{200C}پا".to_owned()),
        ("operators between tags", ">\u{2062}<>\u{2064}<>\u{2061}<>\u{2063}<".to_owned()),
        ("private use", "a word \u{E000} ".repeat(8)),
        ("private use in Chinese", "读取\u{E012}配置\u{E0AB}文件\u{E061}以后\u{E07F}显示\u{E0C3}".to_owned()),
        // It shows 10.
        ("a mark before a comment", "if (attempts > 1\u{200F}//0".to_owned()),
        ("spaces after lines", "a_\u{2009}b_c_\u{2009}d_\u{2009}e_\u{2009}f".to_owned()),
        ("a face, joined or not", "😀😃\u{200D}😄😁\u{200D}😆".to_owned()),
        ("a person, joined or not", "👩\u{200D}👩".repeat(5)),
        ("a face with a style or none", "😀😃\u{FE0F}😄".to_owned()),
        ("a quotation mark or its variant", "“a”, “\u{FE00}b”".to_owned()),
        ("blanks of Braille before code", "\n\u{2800}\u{2800}code".to_owned()),
        ("a blank of Braille before private use", "\u{2800}\u{E000}code".to_owned()),
        ("a line over a bar or none", "a ｜\u{20D2}b ｜c".to_owned()),
        ("a line over lines", "‖\u{20D2}".to_owned()),
        ("a line over a sign for parallels", "∥\u{20D3}".to_owned()),
        ("Mongolian selectors", "ᠪᠢ\u{180B}ᠴᠢ\u{180C}ᠭᠡ\u{180B}ᠮᠣ\u{180D}".to_owned()),
        (
            "spaces between Russian words",
            "слово\u{2009}слово слово\u{2009}слово\u{2009}слово\u{2009}да".to_owned(),
        ),
        ("soft hyphens in Arabic", "السلام\u{AD}عليكم".to_owned()),
        ("soft hyphens in Khmer", "ភា\u{AD}សា".to_owned()),
        ("form feeds inside lines", "def f():\n    \x0Cx = 1\n".to_owned()),
        ("hair spaces between ideographs", "北京\u{200A}是\u{200A}中\u{200A}国\u{200A}的".to_owned()),
        ("hair spaces between emoji", "😀\u{200A}😀😀\u{200A}😀\u{200A}😀\u{200A}😀".to_owned()),
        ("thin spaces before no-break spaces", "a\u{2009}\u{A0}b".repeat(9)),
        ("thin spaces in code", "f(\u{2009}a,\u{2009}b, c,\u{2009}d,\u{2009}e".to_owned()),
        ("spaces between words", "word\u{2009}word\u{2009}word word\u{2009}word\u{2009}word".to_owned()),
    ] {
        assert_refused(technique, &text);
    }
}

/// An identifier that nobody sees, as in the backdoor of 2021.
#[test]
fn invisible_names_are_refused() {
    for filler in ['\u{3164}', '\u{FFA0}', '\u{115F}', '\u{1160}', '\u{2800}', '\u{17B4}'] {
        let text = format!("const {{ timeout,{filler}}} = request.query; run([timeout, {filler}]);");
        assert_refused("a filler as a name", &text);
        for profile in PROFILES {
            let repaired = profile.repair(&text, ProfilePolicy::Drop);
            assert_eq!(repaired, "const { timeout,} = request.query; run([timeout, ]);");
        }
    }
}

/// Blanks that move a file's extension out of sight (CVE-2024-43461).
#[test]
fn blanks_in_names_are_refused() {
    let text = format!("Book.pdf{}.hta", "\u{2800}".repeat(26));
    assert_refused("blanks in a name", &text);
    for profile in [Profile::FILE_NAME, Profile::SOURCE_CODE, Profile::PROMPT] {
        assert_eq!(profile.repair(&text, ProfilePolicy::Drop), "Book.pdf.hta");
    }
}

#[test]
fn ordinary_text_passes() {
    for (language, text) in [
        ("Persian", "می\u{200C}خواهم کتاب\u{200C}ها را بخوانم، نمی\u{200C}دانم کجا هستند، PDF\u{200C}ها."),
        ("Arabic", "السَّلَامُ عَلَيْكُمْ، الإصدار 2.0\u{61C} متاح الآن."),
        ("Urdu", "اردو پاکستان کی قومی زبان ہے۔ علم\u{200C}و\u{200C}ادب"),
        ("Kurdish", "زمانی کوردی به\u{200C}شێکه له\u{200C} زمانه\u{200C}کان"),
        ("Kurdish, typed with heh", "كێشه\u{200C}ی گێڕانه\u{200C}وه\u{200C} له\u{200C} لێده\u{200C}ر"),
        ("Hebrew", "שָׁלוֹם עוֹלָם! יְרוּשָׁלַ\u{34F}ִם, גרסה C++\u{200E} חדשה (2.0)\u{200F}."),
        ("Yiddish", "ייִדיש איז אַ שפּראַך"),
        ("Arabic numbers", "\u{600}١٢٣ و\u{601}۱۴۴۵"),
        ("Syriac", "ܫܠܡܐ ܥܠܟܘܢ \u{70F}ܫܘ"),
        ("Hindi", "क्\u{200D}ष और क्\u{200C}ष, हिन्दी में लिखा हुआ पाठ।"),
        ("Marathi", "दुसऱ्\u{200D}या तऱ्\u{200D}हेने वाऱ्\u{200D}यावर"),
        ("Nepali", "गर्\u{200D}यो, नेपाली भाषा"),
        ("Bengali", "র\u{200D}্যাব এবং বাংলা ভাষা, উৎস"),
        ("Sinhala", "ශ්\u{200D}රී ලංකාව, ක්\u{200D}රමය, ප්\u{200D}රශ්නය"),
        ("Malayalam", "അവന്\u{200D} പറഞ്ഞു, മലയാളം സോഫ്റ്റ്\u{200C}വെയര്\u{200D}"),
        ("Tamil", "தமிழ் மொழி, க்\u{200C}ஷ"),
        ("Telugu", "తెలుగు, సాఫ్ట్\u{200C}వేర్ మరియు ఇంటర్\u{200C}నెట్"),
        ("Kannada", "ಕನ್ನಡ, ರ\u{200D}್ಯಾಂಕ್, ಸಾಫ್ಟ್\u{200C}ವೇರ್, gedit\u{200D}ಗೆ"),
        ("Gujarati", "ગુજરાતી ભાષા, સૉફ્ટ્\u{200C}વેર"),
        ("Punjabi", "ਪੰਜਾਬੀ ਬੋਲੀ"),
        ("Thai", "ภาษา\u{200B}ไทย\u{200B}เขียน\u{200B}โดย\u{200B}ไม่\u{200B}เว้น\u{200B}วรรค"),
        ("Lao", "ພາສາ\u{200B}ລາວ\u{200B}ແມ່ນ\u{200B}ພາສາ"),
        ("Khmer", "ភាសា\u{200B}ខ្មែរ\u{200B}គឺ\u{200B}ជា\u{200B}ភាសា"),
        ("Khmer, spaced twice", "ភាសា\u{200B}\u{200B}ខ្មែរ\u{200B}\u{200B} គឺ\u{200B}ជា"),
        ("Khmer, spaced before", "<a name=\"wie\"></a>\u{200B}\u{200B}ដើម្បី"),
        ("Khmer, spaced after", "ហាញ\u{200B}\u{200B}\u{200B}ឡើង ។\n\u{200B} គោល \u{200B}(\u{200B}ប"),
        ("Thai, spaced often", "ไทย\u{200B}\u{200B}\u{200B}\u{200B}ไทย"),
        ("Burmese", "မြန်မာ\u{200B}ဘာသာ\u{200B}စကား\u{200B}သည်"),
        ("Tibetan", "བོད་སྐད་ནི་བོད་ཀྱི་སྐད།"),
        ("Javanese", "ꦧꦱꦗꦮ\u{200B}ꦲꦏ꧀ꦱꦫ"),
        ("Mongolian", "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠋ ᠦ\u{180B}ᠭᠡ ᠠᠴ\u{180E}ᠠ ᠬᠠᠨ\u{180E}ᠠ"),
        ("Japanese", "葛\u{E0100}飾区の辻\u{E0101}さんと渡邉\u{E0102}さん、がぎぐ"),
        ("Chinese", "你好，世界。﨑\u{FE00}和神\u{FE00}，〇\u{FE00}"),
        ("Korean", "안녕하세요, 세계. ㅎㅎㅎ"),
        (
            "old Hangul",
            "나랏말\u{110A}\u{119E}미 \u{1112}\u{1160}\u{11AB}, \u{115F}\u{1161}, 듀\u{1112}\u{119E}\u{11AB}",
        ),
        ("a final consonant", "\u{115F}\u{1160}\u{11AB}, \u{115F}\u{1160}\u{11AF}"),
        ("stacks of Tibetan", "\u{F67}\u{F90}\u{FB5}\u{FA8}\u{FB3}\u{FBA}\u{FBC}\u{FBB}\u{F82}"),
        ("cantillation", "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים אֵ֥ת הַשָּׁמַ֖יִם"),
        ("vocalised Arabic", "بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ"),
        ("Chinese, quoted", "他说“\u{FE01}你好”\u{FE00}"),
        ("Chinese, indented", "\u{2003}\u{2003}你好。\n\u{2003}\u{2003}你好。\n\u{2003}\u{2003}你好。"),
        ("numbers", "1\u{2009}234\u{2009}567\u{2009}890, 5\u{2009}km, a\u{200A}—\u{200A}b"),
        ("marks of phonetics", "a\u{325}\u{324}\u{330}\u{33C}\u{303}\u{308}\u{30B}\u{301} b"),
        ("German", "Donau\u{AD}dampf\u{AD}schiff\u{AD}fahrts\u{AD}gesell\u{AD}schaft, z.\u{202F}B. „so“"),
        ("French", "Est-ce vrai\u{202F}? «\u{A0}Oui\u{A0}», dit-elle\u{202F}: 12\u{202F}000\u{A0}€\u{202F}!"),
        ("French, spaced", "«\u{2009}a\u{2009}» et «\u{2009}b\u{2009}», liés\u{2009}?"),
        ("French, exclaimed", "«\u{2009}Oui\u{2009}!\u{2009}» et «\u{2009}Non\u{2009}!\u{2009}»"),
        ("English", "A 5\u{2009}km walk\u{2014}in 1\u{2009}h—isn’t “long”\u{2026}"),
        ("Vietnamese", "Tie\u{302}\u{301}ng Vie\u{323}\u{302}t, Tiếng Việt đẹp lắm"),
        ("Yoruba", "Ọ̀rọ̀ Yorùbá, ẹ̀kọ́ ni"),
        ("Polytonic Greek", "ἐν ἀρχῇ ἦν ὁ λόγος, ᾧ α\u{313}\u{342}\u{345}"),
        ("Church Slavonic", "въ нача\u{301}лѣ бѣ̀ сло́во, гд\u{483}ь бг\u{483}ъ"),
        ("IPA", "[ˌɪntəˈnæʃənəl fəˈnɛtɪk ˈælfəˌbɛt], t͡ʃ, n̩, ã̠"),
        ("Braille", "⠠⠃⠗⠇⠀⠊⠎⠀⠗⠑⠁⠙⠀⠃⠽⠀⠞⠕⠥⠉⠓"),
        ("a picture of Braille", "\u{2800}\u{2800}\r\n\u{2800}⠁\u{2800}\r\n\u{2800}\u{2800}.\n\u{2800}"),
        (
            "Mathematics",
            "\
            A ∩\u{FE00} B ⊆ C, ∑ xᵢ ≤\u{FE00} y, f\u{2009}:\u{2009}ℝ → ℝ, 𝒜\u{FE00}, ∫ f dx, x\u{20D7} ≥\u{20D2} y",
        ),
        ("MathML", "<mi>f</mi><mo>\u{2061}</mo><mi>x</mi><mo>\u{2062}</mo><mi>y</mi>"),
        ("Emoji", "I ❤\u{FE0F} it ☺\u{FE0F} ✈\u{FE0F} and ©\u{FE0E} 😀"),
        (
            "Families",
            "👨\u{200D}👩\u{200D}👧\u{200D}👦 🏳\u{FE0F}\u{200D}🌈 👩🏽\u{200D}🚀 ❤\u{FE0F}\u{200D}🔥 🧑🏻\u{200D}🤝\u{200D}🧑🏿 👩🏻\u{200D}🐰\u{200D}👩🏽",
        ),
        ("Scotland", "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} Scotland"),
        ("Wales", "🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F} Wales"),
        ("Texas", "🏴\u{E0075}\u{E0073}\u{E0074}\u{E0078}\u{E007F}"),
        ("England", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} and 🇫🇷 🇯🇵"),
        (
            "Keycaps",
            "Press 1\u{FE0F}\u{20E3}, 2\u{FE0F}\u{20E3} or #\u{FE0F}\u{20E3}, then *\u{FE0F}\u{20E3}",
        ),
        ("Amharic", "ሰላም ለዓለም፣ አማርኛ"),
        ("N’Ko", "ߒߞߏ ߦߋ߫ ߞߊ߲ ߠߎ߬ ߘߏ߫ ߟߋ߬ ߘߌ߫"),
        ("Adlam", "𞤆𞤵𞤤𞤢𞤪 𞤬𞤵𞤤𞤬𞤵𞤤𞤣𞤫"),
        ("Inuktitut", "ᐃᓄᒃᑎᑐᑦ ᐅᖃᐅᓯᖅ"),
        ("Georgian", "ქართული ენა"),
        ("Cherokee", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ"),
        ("Icons", "\u{E0B0} main \u{E0A0} \u{F09B} ready"),
        ("Kurdish in a list", "یه\u{200C}كشه\u{200C}ممه\u{200C}_دووشه\u{200C}ممه\u{200C}"),
        ("Persian lines for Windows", "می\u{200C}\r\n"),
        ("an object for Windows", "\u{FFFC}\r\n"),
        ("a word joiner for Windows", "é\u{2060}\r\n"),
        ("Byte order mark", "\u{FEFF}plain text\r\n"),
        ("Music", "𝄞 𝅘𝅥𝅮 \u{1D173}𝅘𝅥\u{1D178}\u{1D174}"),
    ] {
        for profile in PROFILES {
            for kernel in kernels() {
                let found = kernel.profile(&profile).from_utf8(text.as_bytes()).err();
                assert_eq!(found, None, "{language}, {kernel:?}: {text:?}");
            }
        }
    }
}
