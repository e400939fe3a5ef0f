/* Loops over strings, as a C program writes them: each calls a function of a library for each string, and returns the sum of
 * what it says. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>
#include <unicode/ustring.h>
#include <unistr.h>

#include "trust8.h"

typedef struct string {
    const uint8_t *data;
    size_t len;
} string;

/* The sum of a value for each string `s`. */
#define LOOP(name, value)                                   \
    size_t name(const string *s, size_t count) {            \
        size_t sum = 0;                                     \
        for (const string *end = s + count; s < end; s++) { \
            trust8_error error;                             \
            (void)error;                                    \
            sum += (value);                                 \
        }                                                   \
        return sum;                                         \
    }

LOOP(loop_is_utf8, trust8_is_utf8(s->data, s->len))
LOOP(loop_validate, trust8_validate(s->data, s->len, &error))
LOOP(loop_count_chars, trust8_count_chars(s->data, s->len))
LOOP(loop_glib, g_utf8_validate_len((const char *)s->data, s->len, NULL) != 0)
LOOP(loop_unistring, u8_check(s->data, s->len) == NULL)

/* All strings are pieces of one stream. */
size_t loop_push(const string *pieces, size_t count) {
    trust8_validator validator;
    trust8_validator_init(&validator);
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        trust8_error error;
        sum += trust8_validator_push(&validator, pieces[i].data, pieces[i].len, &error);
    }
    return sum;
}

size_t loop_to_utf16(const string *strings, size_t count, uint16_t *out, size_t cap) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        trust8_conversion done;
        trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, strings[i].data, strings[i].len, out, 2 * cap, &done);
        sum += (size_t)done.written / 2;
    }
    return sum;
}

/* ICU has no function that only validates. Returns the number of units that it wrote, or of strings if `valid_only` is set. */
size_t loop_icu(const string *strings, size_t count, uint16_t *out, size_t cap, bool valid_only) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t units = 0;
        UErrorCode status = U_ZERO_ERROR;
        u_strFromUTF8((UChar *)out, (int32_t)cap, &units, (const char *)strings[i].data, (int32_t)strings[i].len, &status);
        if (U_SUCCESS(status)) sum += valid_only ? 1 : (size_t)units;
    }
    return sum;
}
