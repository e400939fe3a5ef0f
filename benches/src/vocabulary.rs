//! The words and characters that the generated texts are made of.
//!
//! A text picks words from a list at random. A word that is frequent in its language is in the list more than
//! once. A validator sees only how long the words of a language are, and how many bytes its characters take,
//! so the lists give no more than that.

use std::sync::LazyLock;

/// A list of words.
pub type Words = LazyLock<Vec<&'static str>>;

macro_rules! words {
    ($text:literal) => {
        LazyLock::new(|| $text.split_whitespace().collect())
    };
}

/// English words.
pub static ENGLISH: Words = words!(
    "the the the the of of of and and and to to a a in in is it that was for on are with as his they be at
    one have this from or had by hot but some what there we can out other were all your when up use word how
    said an each she which do their time if will way about many then them would write like so these her long
    make thing see him two has look more day could go come did my sound no most number who over know water
    than call first people may down side been now find any new work part take get place made live where
    after back little only round man year came show every good me give our under name very through just form
    much great think say help low line before turn cause same mean differ move right boy old too does tell
    sentence set three want air well also play small end put home read hand port large spell add even land
    here must big high such follow act why ask men change went light kind off need house picture try us
    again animal point mother world near build self earth father measurement understanding information
    particularly development government international environment"
);

/// French and Portuguese words, with accents, cedillas and tildes.
pub static LATIN: Words = words!(
    "de de de de la la le le les les et et que que um uma o a e do da em des du une un pour dans est sur par
    qui il elle au aux à é ou plus mais avec ce cette sont son sa ses leur été avoir fait faire même après
    année où développement général pouvoir peut française répondre état région qualité réseau problème école
    hôpital fenêtre goût noël garçon reçu voilà como para com mas por seu sua são foi ser tem mais muito já
    depois até sobre entre quando governo educação nação relação história econômico último três água país
    século cidade mundo trabalho tempo grande parte forma maior nova outros ainda pessoas casa vida dia
    homem lugar caso ano bem sem isso ela eles nós nossa maison monde temps jour homme femme enfant ville
    rue petit grand bon autre tout tous nous vous comme bien sans sous contre entre depuis pendant encore
    toujours jamais rien quelque chaque livre page ligne mot point question et de le la les en un du il ne
    que qui ce dans elle au pas se sur plus par pour tout mais on nous comme ou si leur y dire deux devant
    vouloir faut aussi lui avait ont peu trop moment partie pays point chose prendre donner prix nombre
    service histoire politique travail gouvernement projet mais como foi ao ele das tem seu sua quando muito
    nos eu pelo pela isso esta entre era depois sem mesmo aos seus quem nas me esse estava minha numa pelos
    elas qual lhe deles essas esses pelas este dele mercado empresa produto sistema desenvolvimento"
);

/// German words, with umlauts and the sharp s.
pub static GERMAN: Words = words!(
    "der der der die die die und und in in den von zu das mit sich des auf für ist im dem nicht ein eine als
    auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum
    war haben nur oder aber vor zur bis mehr durch man sein wurde sei hatte kann gegen vom können schon wenn
    habe seine ihre dann unter wir soll ich eines Jahr zwei Jahre diese dieser wieder keine Uhr seiner
    worden will zwischen immer was sagte gibt alle diesem seit muss wurden beim doch jetzt drei Menschen
    Straße größte später natürlich Österreich Köln Behörde Verträge Bürger Übung zunächst außerdem groß Spaß
    Geschäft Regierung Entwicklung Gesellschaft Wissenschaft Geschwindigkeitsbegrenzung Umweltverschmutzung
    Arbeit Zeit Haus Stadt Land Leben Frage Welt Wasser Teil Beispiel Sprache Bild Buch Tag Nacht Morgen
    Abend Kind Frau Mann der die und in zu den das nicht von sie ist des sich mit dem dass er es ein ich auf
    so eine auch als an nach wie im man aber aus durch wenn nur war noch werden bei hat wir was wird sein
    einen welche sind oder um haben einer mir diesem ihr uns da zum zur kann doch vor dieser mich ihn du
    hatte seine mehr am denn nun unter sehr selbst schon hier bis habe ihre dann ihnen seiner alle wieder
    meine gegen vom ganz einzelnen wo muss ohne eines sei ja wurde jetzt immer seinen wohl dieses ihren
    diese welcher Unternehmen Verwaltung Bundesregierung Mitarbeiter Ergebnis"
);

/// Russian words, in Cyrillic.
pub static RUSSIAN: Words = words!(
    "и и и в в в не не на на я что он с с как а то это по но они мы она из у же так за вы все от для о его к
    до ты бы при был была были было или если уже ещё есть может быть только когда этого этот эта чтобы время
    год года лет человек люди жизнь дело день рука работа слово место лицо друг глаз вопрос дом сторона
    страна мир случай голова ребёнок сила конец вид система часть город отношение женщина деньги земля
    машина вода отец проблема час право нога решение дверь образ история власть закон война бог голос тысяча
    книга возможность результат ночь стол имя область статья число компания народ жена группа развитие
    процесс суд условие средство начало свет пора путь душа уровень форма связь минута улица вечер качество
    мысль дорога мать действие государство любовь взгляд сказать говорить знать стать хотеть идти иметь
    сделать видеть думать спросить понять необходимо действительно правительство международный представитель
    исследование производство"
);

/// Arabic words, a few of them with vowel signs.
pub static ARABIC: Words = words!(
    "في في في من من على على إلى أن إن هذا هذه التي الذي عن مع كان كانت ما لا لم لن هو هي كل بعد قبل بين أو ثم
    قد عند حتى لكن غير أي كما ذلك تلك منذ حول خلال بل و علاقة البشرية الإنجليزية تحت وفي اليها اتفاقية
    والكوري الأولية حيث وسفن تحرّكت استمرار وكسبت المؤلّفة مدينة دولة حكومة رئيس العالم العربية اللغة الكتاب
    المدرسة البيت الماء الأرض السماء الشمس القمر يوم سنة شهر أسبوع ساعة رجل امرأة طفل ولد بنت أب أم أخ صديق
    عمل وقت مكان حياة شعب تاريخ علم سياسة اقتصاد مجتمع ثقافة تعليم صحة قانون حرب سلام نظام مشروع شركة سوق
    مال بنك طريق سيارة جديد قديم كبير صغير طويل قصير جميل كثير قليل المعلومات الاجتماعية المسؤولية
    والاستقلال كتابٌ مدرسةٌ"
);

/// Hindi words, in Devanagari.
pub static HINDI: Words = words!(
    "के के के है है में में की की से को का का और पर यह वह कि हैं भी एक नहीं ही था थे थी तो जो कर लिए साथ हो
    गया गई इस उस अपने ने तक बाद कुछ सब बहुत लोग समय दिन साल काम घर पानी हाथ बात जीवन देश भारत सरकार दुनिया
    शहर गाँव भाषा हिन्दी विकास कार्यक्रम जानकारी प्रकाशन विश्लेषण व्यवहार अनुवाद उपयोग संस्थान वैज्ञानिक
    राष्ट्रीय अंतर्राष्ट्रीय शिक्षा स्वास्थ्य विद्यालय पुस्तक लेखक प्रश्न उत्तर समाज इतिहास क्षमता असरकारक
    कार्यालय वास्तव अनुकूल समजते स्वतंत्रता प्रौद्योगिकी मार्गदर्शन सुविधा"
);

/// Chinese characters, the most frequent first.
pub const HANZI: &str = "的的的一一是是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以\
    生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面\
    公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等\
    几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼\
    体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王\
    果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术";

/// Hiragana and katakana. Frequent ones are listed more than once.
pub const KANA: &str = "のののにににはははをををたたががでででとととししてててれるるいいいなななままこかかあっ\
    らりもすそきよくえけさみちせめおわんんだじうやほどつばげずゆべふひぶごひびぐョンンーーイスルトリクラアタレッシコ\
    ロドマムテプフデメサカミニバキグナオエジパブチセソ";

/// Korean words.
pub static KOREAN: Words = words!(
    "이 그 수 등 및 또는 의한 대하여 위하여 있다 없다 한다 된다 아니한다 모든 국민은 법률이 정하는 바에 의하여 권리를 가진다 국가는 대통령은 국회는 정부는 헌법 재판소 선거 대한민국
    한국어 사람 시간 사랑 나라 세계 도시 학교 학생 선생님 친구 가족 어머니 아버지 아이 하늘 바다 길 말 이름 오늘 내일 어제 지금 여기 거기 우리 나는 너는 그는 그녀는 무엇 누가 언제
    어디 어떻게 많은 작은 좋은 나쁜 새로운 오래된 필요한 경우에는 관하여 사항을 보장하여야 노력하여야 제정된 조약과 일반적으로 승인된 국제법규는 국내법과 같은 효력을 재산권의 행사는
    공공복리에 적합하도록 하여야 대통령후보자가 득표수가 선거권자 총수의 대통령으로 당선될 국가안전보장회의의 효력을 회복한다 명령에 개정되거나 폐지되었던 법률은 승인을 얻지 국무총리는
    국회의원과 지방자치단체는 사회보장제도를 중앙선거관리위원회는 교육의 자주성과 전문성을 직업선택의 자유를 행정각부의 장은 공무원인 근로자는 헌법재판소의 재판관은 임기를 초과하여"
);

/// Names from many countries. In a line of a log they are the only text that is not ASCII.
pub const NAMES: &[&str] = &[
    "Łukasz Żak",
    "José Muñoz",
    "Zoë Müller",
    "Søren Ødegård",
    "Анна Кузнецова",
    "Ελένη Παππά",
    "山田太郎",
    "王小明",
    "김민수",
    "François Lefèvre",
    "Nguyễn Văn Đức",
    "ok 👍",
];
