/* Counts and places against loops over bytes. */
#include "check.h"

void test_counts(void) {
    for (size_t i = 0; i < 3000 / scale + 50; i++) {
        const size_t len = random_below(i % 20 == 0 ? 5000 : 200);
        uint8_t *const bytes = (uint8_t *)malloc(len + 1);
        random_text(bytes, len);
        for (size_t at = 0; at < len; at++) {
            if (bytes[at] == 'z') bytes[at] = '\n';
        }
        trust8_summary expected, found;
        memset(&expected, 0, sizeof expected);
        const bool valid = oracle(bytes, len, &expected.error);
        expected.bytes = expected.error.valid_up_to;
        for (size_t at = 0; at < expected.bytes; at++) {
            const uint8_t byte = bytes[at];
            if ((byte & 0xC0) == 0x80) continue;
            const size_t length = byte < 0x80 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
            expected.chars++;
            expected.utf16_len += length == 3 ? 2 : 1;
            expected.newlines += byte == '\n';
            expected.chars_by_len[length]++;
        }
        CHECK(trust8_inspect(bytes, len, &found) == valid);
        CHECK(found.bytes == expected.bytes && found.chars == expected.chars);
        CHECK(found.utf16_len == expected.utf16_len && found.newlines == expected.newlines);
        CHECK(memcmp(found.chars_by_len, expected.chars_by_len, sizeof found.chars_by_len) == 0);
        CHECK(same_error(&found.error, &expected.error));
        CHECK(trust8_count_chars(bytes, len) == (valid ? expected.chars : TRUST8_NONE));
        CHECK(trust8_utf16_len(bytes, len) == (valid ? expected.utf16_len : TRUST8_NONE));

        const size_t offset = random_below(len + 2);
        trust8_location place;
        CHECK(trust8_locate(bytes, len, offset, &place));
        const size_t stop = offset < len ? offset : len;
        size_t line = 1, start = 0;
        for (size_t at = 0; at < stop; at++) {
            if (bytes[at] == '\n') line++, start = at + 1;
        }
        CHECK(place.line == line && place.byte_column == stop - start + 1);
        CHECK(place.column >= 1 && place.column <= place.byte_column);
        free(bytes);
    }
    trust8_location place;
    CHECK(trust8_locate("na\xC3\xAFve\ncaf\xC3\xA9, th\xC3\xA9\n", 19, 14, &place));
    CHECK(place.line == 2 && place.column == 7 && place.byte_column == 8);
    CHECK(trust8_locate("a\xFF\xFE" "b", 4, UINT64_MAX, &place));
    CHECK(place.line == 1 && place.column == 5 && place.byte_column == 5);
}
