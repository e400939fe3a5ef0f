//! The classes of characters that a profile can forbid.

#![forbid(unsafe_code)]

use Class::{
    BareCarriageReturn, BidiControl, BidiMark, ByteOrderMark, C0Control, C1Control, CarriageReturn, Delete,
    EmojiSelector, FffeFfff, FormFeed, Invisible, Joiner, LeadingMark, LineFeed, NextLine, Noncharacter, Nul,
    PrivateUse, PrivateUseRun, Separator, Slash, SoftHyphen, StackedMarks, StrayFiller, StrayJoiner,
    StrayMark, StraySelector, StraySpace, StrayTag, Tab, Tag, VariationSelector, WindowsReserved, ZeroWidth,
};

/// A class of characters that a [`Profile`](super::Profile) can forbid.
///
/// The first 25 classes are fixed lists of code points, and no character is in two of them. The
/// others forbid a character only where it has no business: they look at the characters around it,
/// at most 64 bytes back and one character ahead. No class depends on a version of Unicode, so a
/// verdict never changes.
///
/// ```
/// use trust8_profile::Class;
///
/// assert_eq!(Class::of('\u{202E}'), Some(Class::BidiControl));
/// assert_eq!(Class::of('é'), None);
/// assert_eq!(Class::BidiControl.name(), "bidi-control");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
#[repr(u8)]
pub enum Class {
    /// U+0000.
    Nul = 0,
    /// U+0009.
    Tab = 1,
    /// U+000A.
    LineFeed = 2,
    /// U+000C, which begins pages in old source code.
    FormFeed = 3,
    /// U+000D.
    CarriageReturn = 4,
    /// The other C0 controls: U+0001 to U+0008, U+000B, U+000E to U+001F. U+001B begins escape
    /// sequences.
    C0Control = 5,
    /// U+007F.
    Delete = 6,
    /// U+0085, the line end of EBCDIC.
    NextLine = 7,
    /// The other C1 controls: U+0080 to U+0084, U+0086 to U+009F. U+009B begins escape sequences.
    C1Control = 8,
    /// U+FFFE and U+FFFF, the noncharacters that XML forbids.
    FffeFfff = 9,
    /// The other noncharacters: U+FDD0 to U+FDEF, and the last two code points of planes 1 to 16.
    Noncharacter = 10,
    /// Bidirectional embeddings, overrides and isolates: U+202A to U+202E, U+2066 to U+2069.
    BidiControl = 11,
    /// Bidirectional marks: U+061C, U+200E, U+200F.
    BidiMark = 12,
    /// U+200B (zero-width space) and U+2060 (word joiner).
    ZeroWidth = 13,
    /// U+200C and U+200D, which emoji, Persian and the scripts of India need.
    Joiner = 14,
    /// The block of tag characters, U+E0000 to U+E007F. The flags of England, Scotland and Wales
    /// contain some.
    Tag = 15,
    /// U+FE00 to U+FE0D, U+E0100 to U+E01EF, and those of Mongolian: U+180B to U+180D, U+180F.
    VariationSelector = 16,
    /// U+FE0E and U+FE0F, which choose between text and emoji.
    EmojiSelector = 17,
    /// U+2028 and U+2029, which end lines in some languages and not in others.
    Separator = 18,
    /// U+FEFF, unless it is the first character of the text.
    ByteOrderMark = 19,
    /// U+E000 to U+F8FF, U+F0000 to U+FFFFD, U+100000 to U+10FFFD.
    PrivateUse = 20,
    /// U+00AD.
    SoftHyphen = 21,
    /// Other invisible characters: U+034F, U+115F, U+1160, U+17B4, U+17B5, U+180E, U+2061 to
    /// U+2065, U+206A to U+206F, U+3164, U+FFA0, U+FFF0 to U+FFFB, U+1BCA0 to U+1BCA3, U+1D173 to
    /// U+1D17A, U+E0080 to U+E00FF, U+E01F0 to U+E0FFF.
    Invisible = 22,
    /// `/` and `\`.
    Slash = 23,
    /// The other characters that Windows forbids in file names: `"`, `*`, `:`, `<`, `>`, `?`, `|`.
    WindowsReserved = 24,
    /// U+200C and U+200D, except after letters of scripts that use them, or between visible ASCII and
    /// such a letter, few and not mixed, and U+200D between emoji.
    StrayJoiner = 25,
    /// Variation selectors, except one after a character that has such variants, few and not mixed.
    StraySelector = 26,
    /// U+E0000 to U+E007F, except in the flags of England, Scotland, Wales and Texas.
    StrayTag = 27,
    /// U+061C, U+200E and U+200F, except a few near letters that are written from right to left.
    StrayMark = 28,
    /// Spaces and hyphens that are not seen: U+200B except between words of scripts without spaces,
    /// U+2060 except alone beside a character that is not ASCII, U+00AD except in words,
    /// U+180E except between Mongolian letters; and U+2000 to U+200A and U+205F after another
    /// space, mixed, or many between letters and signs.
    StraySpace = 29,
    /// The characters of [`Invisible`](Self::Invisible) except U+180E, and blanks and controls of
    /// scripts: U+0600 to U+0605, U+070F, U+2800, U+FFFC, U+16FE4, U+1D159; each except in its
    /// script. And U+20D2 and U+20D3, lines over a character, except over relations.
    StrayFiller = 30,
    /// The fifth private-use character in 64 bytes.
    PrivateUseRun = 31,
    /// U+000D, except before U+000A, and U+000C, except at the start of a line.
    BareCarriageReturn = 32,
    /// U+FEFF as the first character of the text.
    LeadingMark = 33,
    /// The ninth combining mark in a row, and those after it: U+0300 to U+036F, U+0483 to U+0489 and
    /// U+FE20 to U+FE2F after marks of these blocks and of scripts.
    StackedMarks = 34,
}

impl Class {
    /// Returns the class that decides by context about characters of this class, or this class.
    pub(super) const fn in_context(self) -> Self {
        match self {
            Joiner => StrayJoiner,
            VariationSelector | EmojiSelector => StraySelector,
            Tag => StrayTag,
            BidiMark => StrayMark,
            ZeroWidth | SoftHyphen => StraySpace,
            Invisible => StrayFiller,
            PrivateUse => PrivateUseRun,
            CarriageReturn | FormFeed => BareCarriageReturn,
            ByteOrderMark => LeadingMark,
            _ => self,
        }
    }

    /// Returns whether the class forbids a character only in some contexts.
    pub(super) const fn is_contextual(self) -> bool {
        self as u8 >= StrayJoiner as u8
    }

    /// Returns whether the class decides by the character after, too.
    pub(super) const fn needs_next(self) -> bool {
        self.is_contextual() && !matches!(self, LeadingMark)
    }

    /// Returns whether a character of this class and one of `next`, directly after it, belong to one
    /// run: the classes are the same, or both have characters that nobody sees. So data hidden in
    /// several kinds of characters is one finding.
    ///
    /// ```
    /// use trust8_profile::Class;
    ///
    /// assert!(Class::StraySpace.joins(Class::StrayJoiner) && Class::Nul.joins(Class::Nul));
    /// assert!(!Class::Nul.joins(Class::StrayJoiner));
    /// ```
    #[must_use]
    pub const fn joins(self, next: Self) -> bool {
        self as u8 == next as u8 || self.is_unseen() && next.is_unseen()
    }

    const fn is_unseen(self) -> bool {
        matches!(
            self,
            BidiControl
                | BidiMark
                | ZeroWidth
                | Joiner
                | Tag
                | VariationSelector
                | EmojiSelector
                | SoftHyphen
                | Invisible
                | StrayJoiner
                | StraySelector
                | StrayTag
                | StrayMark
                | StraySpace
                | StrayFiller
        )
    }

    /// All classes, in the order of their [numbers](Self::code).
    ///
    /// ```
    /// use trust8_profile::Class;
    /// assert!(Class::ALL.iter().map(|class| class.code()).eq(0..35));
    /// ```
    pub const ALL: &'static [Self] = &[
        Nul,
        Tab,
        LineFeed,
        FormFeed,
        CarriageReturn,
        C0Control,
        Delete,
        NextLine,
        C1Control,
        FffeFfff,
        Noncharacter,
        BidiControl,
        BidiMark,
        ZeroWidth,
        Joiner,
        Tag,
        VariationSelector,
        EmojiSelector,
        Separator,
        ByteOrderMark,
        PrivateUse,
        SoftHyphen,
        Invisible,
        Slash,
        WindowsReserved,
        StrayJoiner,
        StraySelector,
        StrayTag,
        StrayMark,
        StraySpace,
        StrayFiller,
        PrivateUseRun,
        BareCarriageReturn,
        LeadingMark,
        StackedMarks,
    ];

    /// Returns the class's name, which is stable across versions of this crate.
    ///
    /// ```
    /// assert_eq!(trust8_profile::Class::C0Control.name(), "c0-control");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// Returns the class's number, which is stable across versions of this crate.
    ///
    /// It is the class's bit in [`Profile::bits`](super::Profile::bits).
    ///
    /// ```
    /// assert_eq!(trust8_profile::Class::Nul.code(), 0);
    /// ```
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns what a character of the class is and why to forbid it, as the end of a sentence.
    ///
    /// ```
    /// let reason = trust8_profile::Class::Delete.reason();
    /// assert_eq!(reason, "a control that terminals may take for a command");
    /// ```
    #[must_use]
    pub const fn reason(self) -> &'static str {
        self.words().1
    }

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Nul => ("nul", "NUL, which ends strings in C"),
            Tab => ("tab", "a tab, which separates fields"),
            LineFeed => ("line-feed", "a line feed, which begins another line"),
            FormFeed => ("form-feed", "a form feed, which XML and RFC 9839's assignables leave out"),
            CarriageReturn => ("carriage-return", "a carriage return, which lets text overwrite its line"),
            C0Control => ("c0-control", "a control that terminals may take for a command"),
            Delete => ("delete", "a control that terminals may take for a command"),
            NextLine => ("next-line", "a C1 control that some programs take for a line end"),
            C1Control => ("c1-control", "a C1 control, which terminals may take for a command"),
            FffeFfff => ("fffe-ffff", "a noncharacter, which XML and JSON forbid"),
            Noncharacter => ("noncharacter", "a noncharacter, which is not for interchange"),
            BidiControl => ("bidi-control", "a bidirectional control, which reorders the text that one sees"),
            BidiMark => ("bidi-mark", "a bidirectional mark, which nobody sees"),
            ZeroWidth => {
                ("zero-width", "a character of no width, which hides a difference between two texts")
            }
            Joiner => ("joiner", "a joiner, which nobody sees by itself"),
            Tag => ("tag", "a tag character, which hides text from readers but not from programs"),
            VariationSelector => ("variation-selector", "a variation selector; many of them can hide data"),
            EmojiSelector => ("emoji-selector", "a variation selector of emoji, which nobody sees by itself"),
            Separator => ("separator", "a line end to some programs and not to others"),
            ByteOrderMark => ("byte-order-mark", "a byte order mark inside the text"),
            PrivateUse => ("private-use", "a private-use character, which means something else elsewhere"),
            SoftHyphen => ("soft-hyphen", "a soft hyphen, which is mostly not seen"),
            Invisible => ("invisible", "a character that shows nothing"),
            Slash => ("slash", "a separator of the parts of a path"),
            WindowsReserved => ("windows-reserved", "a character that Windows forbids in names of files"),
            StrayJoiner => ("stray-joiner", "a joiner that joins nothing here, and nobody sees it"),
            StraySelector => (
                "stray-selector",
                "a variation selector that selects nothing here; many of them can hide data",
            ),
            StrayTag => ("stray-tag", "a tag character outside a flag, which hides text from readers"),
            StrayMark => ("stray-mark", "a bidirectional mark without text from right to left"),
            StraySpace => ("stray-space", "a space or hyphen that has no business here, and nobody sees it"),
            StrayFiller => ("stray-filler", "a character that shows nothing, outside its script"),
            PrivateUseRun => {
                ("private-use-run", "one of many private-use characters, which mean something else elsewhere")
            }
            BareCarriageReturn => (
                "bare-carriage-return",
                "a carriage return or form feed inside a line, which readers may not see",
            ),
            LeadingMark => ("leading-mark", "a byte order mark at the start, which nobody sees"),
            StackedMarks => ("stacked-marks", "one of many marks on a letter, which cover other lines"),
        }
    }
}
