/* Whole texts: examples, attacks, every malformed sequence everywhere, and random text against the oracle. */
#include "check.h"

/* Checks everything that is said of some bytes. They lie at the end of an allocation, so that AddressSanitizer and Valgrind
 * see a read after them. */
static void check_bytes(const uint8_t *bytes, size_t len) {
    trust8_error expected, found;
    const bool valid = oracle(bytes, len, &expected);
    CHECK(trust8_is_utf8(bytes, len) == valid);
    CHECK(trust8_validate(bytes, len, &found) == valid);
    CHECK(same_error(&found, &expected));
    CHECK(trust8_validate(bytes, len, NULL) == valid);
}

static void test_examples(void) {
    static const struct {
        const char *bytes;
        size_t len;
        uint64_t valid_up_to;
        uint8_t kind, error_len;
    } examples[] = {
        /* RFC 3629, section 7 */
        {"\x41\xE2\x89\xA2\xCE\x91\x2E", 7, 7, 0, 0},
        {"\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4", 9, 9, 0, 0},
        {"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", 9, 9, 0, 0},
        {"\xEF\xBB\xBF\xF0\xA3\x8E\xB4", 7, 7, 0, 0},
        /* section 10 */
        {"\xC0\x80", 2, 0, TRUST8_OVERLONG, 1},
        {"\x2F\xC0\xAE\x2E\x2F", 5, 1, TRUST8_OVERLONG, 1},
        {"\xED\xA1\x8C\xED\xBE\xB4", 6, 0, TRUST8_SURROGATE, 1},
        /* other attacks, and each kind */
        {"/\xE0\x80\xAF", 4, 1, TRUST8_OVERLONG, 1},
        {"/\xF0\x80\x80\xAF", 5, 1, TRUST8_OVERLONG, 1},
        {"\xF4\x90\x80\x80", 4, 0, TRUST8_TOO_LARGE, 1},
        {"a\xF5\x80\x80\x80", 5, 1, TRUST8_TOO_LARGE, 1},
        {"\xF8\x88\x80\x80\x80", 5, 0, TRUST8_INVALID_BYTE, 1},
        {"ab\x80", 3, 2, TRUST8_UNEXPECTED_CONTINUATION, 1},
        {"\"\xE2\x82\"", 4, 1, TRUST8_TRUNCATED, 2},
        {"\xF0\x9F\x98", 3, 0, TRUST8_INCOMPLETE, 0},
        {"a\0b", 3, 3, 0, 0},
        {"", 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        trust8_error error;
        const bool valid = trust8_validate(examples[i].bytes, examples[i].len, &error);
        CHECK(valid == (examples[i].kind == 0));
        CHECK(error.valid_up_to == examples[i].valid_up_to);
        CHECK(error.kind == examples[i].kind);
        CHECK(error.error_len == examples[i].error_len);
        check_bytes((const uint8_t *)examples[i].bytes, examples[i].len);
    }
}

enum { OFFSETS = 131, AFTER = 70 };

/* Puts one malformed sequence at every offset from 0 to 130, with one kind of text before it and after it, and with the other
 * kinds where inputs are plentiful. Sanitizers and emulators, which get a large scale, try only some offsets. */
static void visit(const uint8_t *sequence, size_t len, bool is_end) {
    static const char *const texts[] = {"plain", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    static size_t number, sequences;
    const size_t first = sequences++;
    uint8_t *const end = (uint8_t *)malloc(OFFSETS + 4 + AFTER) + OFFSETS + 4 + AFTER;
    for (size_t text = 0; text < 4; text++) {
        const size_t unit = strlen(texts[text]);
        for (size_t offset = 0; offset < OFFSETS; offset++) {
            const bool always = scale <= 8 && text == (first + offset) % 4;
            if (++number % scale != 0 && !always) continue;
            const size_t after = is_end ? 0 : offset % AFTER;
            uint8_t *const bytes = end - offset - len - after;
            /* ASCII fills what the text's characters leave. */
            memset(bytes, 'a', offset + len + after);
            for (size_t at = offset % unit; at < offset; at += unit) memcpy(bytes + at, texts[text], unit);
            memcpy(bytes + offset, sequence, len);
            for (size_t at = 0; at + unit <= after; at += unit) memcpy(bytes + offset + len + at, texts[text], unit);
            trust8_error error;
            CHECK(!trust8_is_utf8(bytes, offset + len + after));
            CHECK(!trust8_validate(bytes, offset + len + after, &error));
            CHECK(error.valid_up_to == offset);
            check_bytes(bytes, offset + len + after);
        }
    }
    free(end - OFFSETS - 4 - AFTER);
}

/* The next error, from the start and from wherever the oracle has found one. */
static void check_next(const uint8_t *bytes, size_t len) {
    size_t at = 0, expected_at = 0;
    for (;;) {
        trust8_error expected, found;
        const bool more = !oracle(bytes + expected_at, len - expected_at, &expected);
        expected.valid_up_to += expected_at;
        expected_at = expected.error_len == 0 ? len : (size_t)expected.valid_up_to + expected.error_len;
        CHECK(trust8_next_error(bytes, len, &at, &found) == more);
        CHECK(same_error(&found, &expected) && at == expected_at);
        if (!more || at != expected_at) break;
    }
    CHECK(!trust8_next_error(bytes, len, &at, NULL) && at == len);
    size_t ascii = 0, starts = 0;
    while (ascii < len && bytes[ascii] < 0x80) ascii++;
    for (size_t i = 0; i < len; i++) starts += (bytes[i] & 0xC0) != 0x80;
    CHECK(trust8_ascii_up_to(bytes, len) == ascii && trust8_count_starts(bytes, len) == starts);
}

static void test_random(void) {
    for (size_t i = 0; i < 30000 / scale + 100; i++) {
        const size_t len = random_below(i % 50 == 0 ? 5000 : 300);
        uint8_t *const bytes = (uint8_t *)malloc(len + (len == 0));
        random_text(bytes, len);
        check_bytes(bytes, len);
        check_next(bytes, len);
        free(bytes);
    }
}

static void test_messages(void) {
    static const char bytes[] = "one\ntw\xC3\xB6 \xFF";
    static const char expected[] =
        "line 2, column 5: invalid UTF-8 at byte 9: FF never appears in UTF-8; expected a first byte (00 to 7F, C2 to F4)";
    const size_t whole = sizeof expected - 1;
    trust8_error error;
    char message[200];
    CHECK(!trust8_validate(bytes, sizeof bytes - 1, &error));
    for (size_t cap = 0; cap < sizeof message; cap++) {
        char *const exact = (char *)malloc(cap + (cap == 0));
        memset(exact, '#', cap);
        CHECK(trust8_explain(&error, bytes, sizeof bytes - 1, exact, cap) == whole);
        const size_t length = cap <= whole ? (cap == 0 ? 0 : cap - 1) : whole;
        CHECK(memcmp(exact, expected, length) == 0);
        CHECK(cap == 0 || exact[length] == '\0');
        free(exact);
    }
    CHECK(trust8_explain(&error, NULL, 0, message, sizeof message) == whole - strlen("line 2, column 5: "));
    CHECK(strncmp(message, "invalid UTF-8 at byte 9: FF", 27) == 0);
    CHECK(trust8_validate("ok", 2, &error));
    CHECK(trust8_explain(&error, "ok", 2, message, sizeof message) == 8 && strcmp(message, "no error") == 0);
    CHECK(!trust8_validate_as(TRUST8_CESU8, "\xF0\x9F\x98\x80", 4, &error));
    trust8_explain(&error, NULL, 0, message, sizeof message);
    CHECK(strcmp(message, "invalid text at byte 0: four-bytes") == 0);
    CHECK(strcmp(trust8_kind_name(TRUST8_OVERLONG), "overlong") == 0);
    CHECK(strcmp(trust8_kind_name(200), "unknown") == 0);
}

/* What each policy makes of some bytes, and that it needs no more room than it says. */
static void check_repair(uint32_t policy, const char *bytes, size_t len, const char *expected) {
    char out[128];
    const size_t expected_len = strlen(expected);
    CHECK(trust8_repair_len(policy, bytes, len) == expected_len);
    CHECK(trust8_repair(policy, bytes, len, out, expected_len) == expected_len && memcmp(out, expected, expected_len) == 0);
    CHECK(expected_len == 0 || trust8_repair(policy, bytes, len, out, expected_len - 1) == TRUST8_NONE);
}

static void test_repair(void) {
    static const char text[] = "a\xED\xA0\x80\x80" "caf\xE9, \xF0\x9F\x98";
    const size_t len = sizeof text - 1;
    check_repair(TRUST8_REPLACE, text, len, 
        "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" "caf\xEF\xBF\xBD, \xEF\xBF\xBD");
    check_repair(TRUST8_JAVA, text, len, "a\xEF\xBF\xBD\xEF\xBF\xBD" "caf\xEF\xBF\xBD, \xEF\xBF\xBD");
    check_repair(TRUST8_JAVA, "\xED\xA0", 2, "\xEF\xBF\xBD");
    check_repair(TRUST8_JAVA, "\xED\xA0z", 3, "\xEF\xBF\xBDz");
    check_repair(TRUST8_JAVA, "\xED\xA0\xED\xB0\x80", 5, "\xEF\xBF\xBD\xEF\xBF\xBD");
    check_repair(TRUST8_DROP, text, len, "acaf, ");
    check_repair(TRUST8_ESCAPE, text, len, "a\\xED\\xA0\\x80\\x80" "caf\\xE9, \\xF0\\x9F\\x98");
    check_repair(TRUST8_WINDOWS_1252, text, len,
        "a\xC3\xAD\xC2\xA0\xE2\x82\xAC\xE2\x82\xAC" "caf\xC3\xA9, \xC3\xB0\xC5\xB8\xCB\x9C");
    for (uint32_t policy = TRUST8_REPLACE; policy <= TRUST8_WINDOWS_1252; policy++) {
        check_repair(policy, "", 0, "");
        check_repair(policy, "caf\xC3\xA9", 5, "caf\xC3\xA9");
    }
    for (uint32_t policy = 0; policy <= 6; policy += 6) {
        char out[8];
        CHECK(trust8_repair_len(policy, "a", 1) == TRUST8_NONE && trust8_repair(policy, "a", 1, out, 8) == TRUST8_NONE);
    }
}

static void test_lossy(void) {
    for (size_t i = 0; i < 5000 / scale + 50; i++) {
        const size_t len = random_below(400);
        uint8_t *const bytes = (uint8_t *)malloc(len + 1), *const expected = (uint8_t *)malloc(3 * len + 1);
        random_text(bytes, len);
        size_t at = 0, expected_len = 0;
        while (at < len) {
            trust8_error error;
            const bool valid = oracle(bytes + at, len - at, &error);
            memcpy(expected + expected_len, bytes + at, (size_t)error.valid_up_to);
            expected_len += (size_t)error.valid_up_to;
            at += (size_t)error.valid_up_to;
            if (valid) break;
            memcpy(expected + expected_len, "\xEF\xBF\xBD", 3);
            expected_len += 3;
            at = error.error_len == 0 ? len : at + error.error_len;
        }
        CHECK(trust8_lossy_len(bytes, len) == expected_len);
        uint8_t *const exact = (uint8_t *)malloc(expected_len + (expected_len == 0));
        CHECK(trust8_lossy(bytes, len, exact, expected_len) == expected_len);
        CHECK(memcmp(exact, expected, expected_len) == 0);
        CHECK(trust8_repair(TRUST8_REPLACE, bytes, len, exact, expected_len) == expected_len);
        CHECK(memcmp(exact, expected, expected_len) == 0);
        CHECK(trust8_is_utf8(exact, expected_len));
        if (expected_len > 0) {
            uint8_t *const small = (uint8_t *)malloc(expected_len - 1 + (expected_len == 1));
            CHECK(trust8_lossy(bytes, len, small, expected_len - 1) == TRUST8_NONE);
            free(small);
        }
        free(exact);
        free(expected);
        free(bytes);
    }
}

void test_validation(void) {
    test_examples();
    each_malformed(visit);
    test_random();
    test_messages();
    test_lossy();
    test_repair();
}
