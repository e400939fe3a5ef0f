/* Random input to this library and to three others: glib's g_utf8_validate_len, libunistring's u8_check, and ICU's
 * u_strFromUTF8. They must agree on what is UTF-8, and on where it stops being UTF-8 as far as they say that. */
#include <glib.h>
#include <unicode/ustring.h>
#include <unistr.h>

#include "check.h"

static void check_glib(const uint8_t *bytes, size_t len, const trust8_error *error) {
    const char *end;
    const bool valid = g_utf8_validate_len((const char *)bytes, len, &end);
    /* glib refuses a zero byte. */
    const uint8_t *const zero = (const uint8_t *)memchr(bytes, 0, (size_t)error->valid_up_to);
    const size_t expected = zero == NULL ? (size_t)error->valid_up_to : (size_t)(zero - bytes);
    CHECK((size_t)(end - (const char *)bytes) == expected);
    CHECK(valid == (zero == NULL && error->kind == TRUST8_NO_ERROR));
}

static void check_unistring(const uint8_t *bytes, size_t len, const trust8_error *error) {
    const uint8_t *const wrong = u8_check(bytes, len);
    CHECK((wrong == NULL) == (error->kind == TRUST8_NO_ERROR));
    CHECK(wrong == NULL || (size_t)(wrong - bytes) == error->valid_up_to);
}

static void check_icu(const uint8_t *bytes, size_t len, const trust8_error *error) {
    UChar theirs[6000], ours[6000];
    int32_t units = 0;
    UErrorCode status = U_ZERO_ERROR;
    u_strFromUTF8(theirs, 6000, &units, (const char *)bytes, (int32_t)len, &status);
    CHECK(!!U_SUCCESS(status) == (error->kind == TRUST8_NO_ERROR));
    trust8_conversion done;
    CHECK(trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, bytes, len, ours, sizeof ours, &done) == !!U_SUCCESS(status));
    CHECK(done.read == error->valid_up_to);
    if (U_SUCCESS(status)) CHECK(done.written == 2 * (uint64_t)units && memcmp(ours, theirs, (size_t)done.written) == 0);

    /* With replacements there is no error, and both put as many. */
    status = U_ZERO_ERROR;
    u_strFromUTF8WithSub(theirs, 6000, &units, (const char *)bytes, (int32_t)len, 0xFFFD, NULL, &status);
    CHECK(U_SUCCESS(status));
    CHECK(trust8_convert(TRUST8_UTF8, TRUST8_UTF16, TRUST8_LOSSY, bytes, len, ours, sizeof ours, &done));
    CHECK(done.written == 2 * (uint64_t)units && memcmp(ours, theirs, (size_t)done.written) == 0);
}

void compare_with_other_libraries(void) {
    for (size_t i = 0; i < 200000 / scale; i++) {
        const size_t len = random_below(i % 50 == 0 ? 5000 : 150);
        uint8_t *const bytes = (uint8_t *)malloc(len + (len == 0));
        random_text(bytes, len);
        trust8_error error;
        trust8_validate(bytes, len, &error);
        check_glib(bytes, len, &error);
        check_unistring(bytes, len, &error);
        check_icu(bytes, len, &error);
        free(bytes);
    }
}
