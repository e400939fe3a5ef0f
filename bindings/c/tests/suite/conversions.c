/* Conversions: every pair of encodings against an encoder that writes one character at a time; in pieces; into buffers that are
 * too small; with errors and replacements. */
#include "check.h"

enum { MOST = 300 };

/* Writes a character and returns its length in bytes, or 0 if the encoding lacks it. */
static size_t put(uint32_t encoding, uint32_t character, uint8_t *out) {
    const uint16_t one = 1;
    const bool little = *(const uint8_t *)&one == 1;
    if (encoding == TRUST8_UTF16) encoding = little ? TRUST8_UTF16LE : TRUST8_UTF16BE;
    if (encoding == TRUST8_UTF32) encoding = little ? TRUST8_UTF32LE : TRUST8_UTF32BE;
    uint32_t units[2] = {character, 0};
    size_t count = 1, size = 1;
    bool swap = false;
    switch (encoding) {
    case TRUST8_LATIN1:
        if (character > 0xFF) return 0;
        break;
    case TRUST8_UTF16BE:
        swap = true; /* fall through */
    case TRUST8_UTF16LE:
        size = 2;
        if (character > 0xFFFF) {
            count = 2;
            units[0] = 0xD7C0 + (character >> 10);
            units[1] = 0xDC00 + (character & 0x3FF);
        }
        break;
    case TRUST8_UTF32BE:
        swap = true; /* fall through */
    case TRUST8_UTF32LE:
        size = 4;
        break;
    case TRUST8_CESU8:
    case TRUST8_MUTF8:
        if (character > 0xFFFF) {
            const size_t high = put_utf8(0xD7C0 + (character >> 10), out);
            return high + put_utf8(0xDC00 + (character & 0x3FF), out + high);
        }
        if (character == 0 && encoding == TRUST8_MUTF8) {
            memcpy(out, "\xC0\x80", 2);
            return 2;
        }
        return put_utf8(character, out);
    default:
        return put_utf8(character, out);
    }
    for (size_t unit = 0; unit < count; unit++) {
        for (size_t byte = 0; byte < size; byte++) {
            out[unit * size + (swap ? size - 1 - byte : byte)] = (uint8_t)(units[unit] >> (8 * byte));
        }
    }
    return count * size;
}

/* A text in one encoding, and where each character ends. */
struct text {
    uint8_t bytes[MOST * 6];
    size_t len, count;
    size_t ends[MOST];
};

static void encode(struct text *text, uint32_t encoding, const uint32_t *characters, size_t count) {
    text->len = 0;
    text->count = count;
    for (size_t i = 0; i < count; i++) {
        text->len += put(encoding, characters[i], text->bytes + text->len);
        text->ends[i] = text->len;
    }
}

/* Returns how many bytes of `from` the characters have that fit into `cap` bytes of `to`. */
static size_t fits(const struct text *from, const struct text *to, size_t cap, size_t *written) {
    size_t read = 0;
    *written = 0;
    for (size_t i = 0; i < to->count && to->ends[i] <= cap; i++) {
        read = from->ends[i];
        *written = to->ends[i];
    }
    return read;
}

static void check_whole(uint32_t from, uint32_t to, const struct text *text, const struct text *expected) {
    trust8_conversion done;
    CHECK(trust8_convert_len(from, to, 0, text->bytes, text->len) == expected->len);
    CHECK(trust8_convert_len(from, to, TRUST8_LOSSY, text->bytes, text->len) == expected->len);
    const size_t caps[] = {expected->len, expected->len + 9, expected->len == 0 ? 0 : expected->len - 1,
                           random_below(expected->len + 1)};
    for (size_t i = 0; i < 4; i++) {
        uint8_t *const out = (uint8_t *)malloc(caps[i] + (caps[i] == 0));
        for (uint32_t flags = 0; flags <= (TRUST8_LOSSY | TRUST8_VALID); flags++) {
            size_t written;
            const size_t read = fits(text, expected, caps[i], &written);
            const bool all = caps[i] >= expected->len;
            CHECK(trust8_convert(from, to, flags, text->bytes, text->len, out, caps[i], &done) == all);
            CHECK(done.kind == (all ? TRUST8_NO_ERROR : TRUST8_TOO_SMALL));
            CHECK(done.read == read && done.written == written && done.value == 0);
            CHECK(memcmp(out, expected->bytes, written) == 0);
        }
        free(out);
    }
}

/* Pushes pieces of random length into buffers of random length. */
static void check_pieces(uint32_t from, uint32_t to, const struct text *text, const struct text *expected) {
    trust8_converter converter;
    trust8_conversion done;
    uint8_t out[MOST * 6];
    size_t at = 0, written = 0;
    CHECK(trust8_converter_init(&converter, from, to, random_below(2) == 0 ? 0 : TRUST8_LOSSY));
    while (at < text->len) {
        const size_t piece = random_below(text->len - at < 20 ? text->len - at + 1 : 20);
        const size_t cap = random_below(30) + 4;
        uint8_t *const memory = (uint8_t *)malloc(cap), *const copy = (uint8_t *)malloc(piece + 1);
        memcpy(copy, text->bytes + at, piece);
        const bool all = trust8_converter_push(&converter, copy, piece, memory, cap, &done);
        CHECK(all ? done.read == piece : done.kind == TRUST8_TOO_SMALL);
        CHECK(done.written <= cap && written + done.written <= expected->len);
        memcpy(out + written, memory, (size_t)done.written);
        at += (size_t)done.read;
        written += (size_t)done.written;
        free(copy);
        free(memory);
    }
    CHECK(trust8_converter_finish(&converter, NULL, 0, &done) && done.written == 0);
    CHECK(converter.position == text->len);
    CHECK(written == expected->len && memcmp(out, expected->bytes, written) == 0);
}

static void random_characters(uint32_t *characters, size_t count, uint32_t limit) {
    static const uint32_t limits[] = {0x80, 0x100, 0x800, 0x10000, 0x110000};
    const uint32_t most = limits[random_below(5)] < limit ? limits[random_below(5)] : limit;
    for (size_t i = 0; i < count; i++) {
        const uint32_t character = (uint32_t)random_below(random_below(3) == 0 ? limit : most < limit ? most : limit);
        characters[i] = character >= 0xD800 && character < 0xE000 ? 0xFFFD : character;
    }
}

static void test_pairs(void) {
    static struct text text, expected;
    uint32_t characters[MOST];
    for (uint32_t from = TRUST8_UTF8; from <= TRUST8_WTF8; from++) {
        for (uint32_t to = TRUST8_UTF8; to <= TRUST8_WTF8; to++) {
            if (trust8_encoding_name(from) == NULL || trust8_encoding_name(to) == NULL) continue;
            const bool dialects = from >= TRUST8_RFC2279 || to >= TRUST8_RFC2279;
            if (dialects && (from == TRUST8_UTF8) == (to == TRUST8_UTF8)) continue;
            if (dialects && from != TRUST8_UTF8 && to != TRUST8_UTF8) continue;
            const bool latin1 = from == TRUST8_LATIN1 || to == TRUST8_LATIN1;
            for (size_t i = 0; i < 200 / scale + 5; i++) {
                const size_t count = random_below(MOST);
                random_characters(characters, count, latin1 ? 0x100 : 0x110000);
                encode(&text, from, characters, count);
                encode(&expected, to, characters, count);
                check_whole(from, to, &text, &expected);
                if (!dialects) check_pieces(from, to, &text, &expected);
            }
        }
    }
}

/* An error in the input: where the conversion stops, and what replaces it. */
static void check_error(uint32_t from, uint32_t to, const char *text, size_t len, size_t read, uint8_t kind, uint32_t value,
                        const char *lossy, size_t lossy_len) {
    uint8_t out[64];
    trust8_conversion done;
    CHECK(!trust8_convert(from, to, 0, text, len, out, sizeof out, &done));
    CHECK(done.read == read && done.kind == kind && done.value == value);
    CHECK(done.written <= lossy_len && memcmp(out, lossy, (size_t)done.written) == 0);
    CHECK(trust8_convert_len(from, to, TRUST8_LOSSY, text, len) == lossy_len);
    CHECK(trust8_convert(from, to, TRUST8_LOSSY, text, len, out, lossy_len, &done));
    CHECK(done.read == len && done.written == lossy_len && memcmp(out, lossy, lossy_len) == 0);
    CHECK(!trust8_convert(from, to, TRUST8_LOSSY, text, len, out, lossy_len - 1, &done));
    CHECK(done.kind == TRUST8_TOO_SMALL && memcmp(out, lossy, (size_t)done.written) == 0);
    if (from >= TRUST8_RFC2279 || to >= TRUST8_RFC2279) return;
    for (size_t cut = 0; cut <= len; cut++) {
        trust8_converter converter;
        CHECK(trust8_converter_init(&converter, from, to, 0));
        bool ok = trust8_converter_push(&converter, text, cut, out, sizeof out, &done);
        /* What comes before an error is converted first. */
        for (size_t at = cut; ok && at < len; at += (size_t)done.read) {
            ok = trust8_converter_push(&converter, text + at, len - at, out, sizeof out, &done);
        }
        ok = ok && trust8_converter_finish(&converter, out, sizeof out, &done);
        CHECK(!ok && done.kind == kind && done.value == value && converter.position == read);
        CHECK(!trust8_converter_push(&converter, "x", 1, out, sizeof out, &done) && done.kind == kind);
        CHECK(!trust8_converter_finish(&converter, out, sizeof out, &done) && done.kind == kind);
    }
}

static void test_errors(void) {
    check_error(TRUST8_UTF8, TRUST8_UTF16LE, "a\xFF" "b", 3, 1, TRUST8_INVALID_BYTE, 0, "a\0\xFD\xFF" "b\0", 6);
    check_error(TRUST8_UTF8, TRUST8_UTF8, "a\xE2\x82", 3, 1, TRUST8_INCOMPLETE, 0, "a\xEF\xBF\xBD", 4);
    check_error(TRUST8_UTF16LE, TRUST8_UTF8, "a\0\x3D\xD8" "b\0", 6, 2, TRUST8_LONE_HIGH_SURROGATE, 0xD83D,
                "a\xEF\xBF\xBD" "b", 5);
    check_error(TRUST8_UTF16BE, TRUST8_UTF8, "\xDC\x01\0b", 4, 0, TRUST8_LONE_LOW_SURROGATE, 0xDC01, "\xEF\xBF\xBD" "b", 4);
    check_error(TRUST8_UTF16BE, TRUST8_UTF8, "\0a\0", 3, 2, TRUST8_INCOMPLETE, 0, "a\xEF\xBF\xBD", 4);
    check_error(TRUST8_UTF32BE, TRUST8_UTF16BE, "\0\0\xD8\0", 4, 0, TRUST8_SURROGATE, 0xD800, "\xFF\xFD", 2);
    check_error(TRUST8_UTF32LE, TRUST8_UTF8, "\0\0\x11\0", 4, 0, TRUST8_TOO_LARGE, 0x110000, "\xEF\xBF\xBD", 3);
    check_error(TRUST8_UTF8, TRUST8_LATIN1, "5 \xE2\x82\xAC", 5, 2, TRUST8_UNMAPPABLE, 0x20AC, "5 ?", 3);
    check_error(TRUST8_CESU8, TRUST8_UTF8, "a\xF0\x9F\x98\x80", 5, 1, TRUST8_FOUR_BYTES, 0x1F600, "a\xEF\xBF\xBD", 4);
    check_error(TRUST8_MUTF8, TRUST8_UTF8, "a\0b", 3, 1, TRUST8_NUL, 0, "a\xEF\xBF\xBD" "b", 5);
    check_error(TRUST8_WTF8, TRUST8_UTF8, "a\xED\xA0\x80", 4, 1, TRUST8_INEXPRESSIBLE, 0xD800, "a\xEF\xBF\xBD", 4);
    check_error(TRUST8_RFC2279, TRUST8_UTF8, "\xFD\xBF\xBF\xBF\xBF\xBF", 6, 0, TRUST8_INEXPRESSIBLE, 0x7FFFFFFF,
                "\xEF\xBF\xBD", 3);
    check_error(TRUST8_UTF8, TRUST8_CESU8, "a\xC0", 2, 1, TRUST8_OVERLONG, 0, "a\xEF\xBF\xBD", 4);
}

static void test_dialects(void) {
    trust8_error error;
    CHECK(trust8_validate_as(TRUST8_UTF8, "\xE2\x82\xAC", 3, &error) && error.valid_up_to == 3);
    CHECK(trust8_validate_as(TRUST8_CESU8, "\xED\xA0\xBD\xED\xB8\x80", 6, NULL));
    CHECK(!trust8_validate_as(TRUST8_UTF8, "\xED\xA0\xBD\xED\xB8\x80", 6, &error) && error.kind == TRUST8_SURROGATE);
    CHECK(trust8_validate_as(TRUST8_MUTF8, "a\xC0\x80", 3, NULL));
    CHECK(trust8_validate_as(TRUST8_WTF8, "a\xED\xA0\xBD", 4, NULL));
    CHECK(!trust8_validate_as(TRUST8_WTF8, "a\xED\xA0\xBD\xED\xB8\x80", 7, &error));
    CHECK(error.kind == TRUST8_SURROGATE_PAIR && error.valid_up_to == 1 && error.error_len == 6);
    CHECK(trust8_validate_as(TRUST8_RFC2279, "\xFC\x84\x80\x80\x80\x80", 6, NULL));
    CHECK(!trust8_validate_as(TRUST8_RFC2279, "\xC0\xAF", 2, &error) && error.kind == TRUST8_OVERLONG);
    CHECK(trust8_encoding_by_name("CESU-8") == TRUST8_CESU8 && trust8_encoding_by_name("latin1") == TRUST8_LATIN1);
    CHECK(trust8_encoding_by_name("utf16le") == TRUST8_UTF16LE && trust8_encoding_by_name("UTF 8") == TRUST8_UTF8);
    CHECK(trust8_encoding_by_name("UTF_16_BE") == TRUST8_UTF16BE && trust8_encoding_by_name("utf-8\xFF") == 0);
    CHECK(trust8_profile_by_name("File Name") == TRUST8_PROFILE_FILE_NAME && trust8_profile_by_name("files") == UINT64_MAX);
    CHECK(trust8_profile_by_name("file_name") == TRUST8_PROFILE_FILE_NAME && trust8_profile_by_name("scalars") == 0);
    /* All classes of a preset without one. */
    CHECK(!trust8_profile_validate(TRUST8_PROFILE_SOURCE & ~TRUST8_PROFILE_POSTGRES, "a\rb", 3, NULL));
    trust8_run runs[2];
    CHECK(trust8_profile_runs(TRUST8_PROFILE_SOURCE, "a\xE2\x80\x8B\xE2\x80\x8B\xFF", 8, runs, 2) == 2);
    CHECK(runs[0].offset == 1 && runs[0].len == 6 && runs[0].characters == 2 && runs[0].kind == TRUST8_FORBIDDEN);
    CHECK(strcmp(trust8_class_name(runs[0].first_class), "stray-space") == 0 && runs[1].kind == TRUST8_INVALID_BYTE);
    CHECK(trust8_encoding_by_name("ebcdic") == 0 && trust8_encoding_by_name(NULL) == 0);
    for (uint32_t number = 0; number < 40; number++) {
        const char *const name = trust8_encoding_name(number);
        if (name == NULL) continue;
        const uint32_t same = trust8_encoding_by_name(name);
        CHECK(strcmp(trust8_encoding_name(same), name) == 0);
    }
}

/* Text that is only validated: every text of up to four bytes of these, in every encoding, against a conversion. */
static void test_validate_as(void) {
    static const uint8_t bytes[] = {0x00, 0x41, 0x7F, 0x80, 0xC3, 0xA9, 0xD8, 0xDC, 0xED, 0xFF};
    static const uint32_t encodings[] = {1, 2, 3, 4, 5, 6, 7, 8, TRUST8_RFC2279, TRUST8_CESU8, TRUST8_MUTF8, TRUST8_WTF8};
    const size_t count = sizeof bytes, each = sizeof encodings / sizeof *encodings;
    char out[256];
    for (size_t i = 0; i < count * count * count * count * 4; i++) {
        uint8_t text[8] = {0};
        size_t rest = i, len = 1 + rest % 4;
        rest /= 4;
        for (size_t at = 0; at < len; at++, rest /= count) text[at] = bytes[rest % count];
        /* What is left over would be the same text again. */
        if (rest > 0) continue;
        uint32_t accepted = 0;
        for (size_t n = 0; n < each; n++) {
            trust8_error error;
            const bool valid = trust8_validate_as(encodings[n], text, len, &error);
            CHECK(valid == (error.kind == TRUST8_NO_ERROR) && (!valid || error.valid_up_to == len));
            if (valid && (encodings[n] == TRUST8_UTF8 || encodings[n] >= TRUST8_RFC2279)) accepted |= 1u << encodings[n];
            if (encodings[n] > TRUST8_UTF32) continue;
            trust8_conversion done;
            const uint32_t to = encodings[n] == TRUST8_UTF8 ? TRUST8_UTF16 : TRUST8_UTF8;
            CHECK(trust8_convert(encodings[n], to, 0, text, len, out, sizeof out, &done) == valid);
            CHECK(done.kind == error.kind && done.read == error.valid_up_to);
            /* An error has a length, unless the text ends inside a character. */
            CHECK(valid || error.kind == TRUST8_INCOMPLETE ? error.error_len == 0 : error.error_len > 0);
            CHECK(error.valid_up_to + error.error_len <= len);
        }
        CHECK(trust8_diagnose(text, len) == accepted);
        bool ascii = true;
        for (size_t at = 0; at < len; at++) ascii &= text[at] < 0x80;
        CHECK(trust8_is_ascii(text, len) == ascii);
    }
    CHECK(trust8_is_ascii(NULL, 0) && !trust8_is_ascii(NULL, 1) && trust8_diagnose(NULL, 1) == 0);
    for (size_t len = 0; len < 300; len++) {
        uint8_t text[300];
        memset(text, 'a', sizeof text);
        CHECK(trust8_is_ascii(text, len));
        text[len / 2] = 0x80;
        CHECK(trust8_is_ascii(text, len) == (len == 0));
    }
    /* Lone surrogates become U+FFFD. */
    trust8_conversion done;
    CHECK(trust8_convert(TRUST8_UTF16LE, TRUST8_UTF16LE, TRUST8_LOSSY, "\0\xD8" "a\0", 4, out, 4, &done));
    CHECK(memcmp(out, "\xFD\xFF" "a\0", 4) == 0);
}

void test_conversions(void) {
    test_pairs();
    test_errors();
    test_dialects();
    test_validate_as();
}
