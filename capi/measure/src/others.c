/* The calls of other libraries whose names or types Rust can't know without their headers. */
#include <stdbool.h>
#include <stdint.h>

#include <glib.h>
#include <unicode/ustring.h>
#include <unistr.h>

bool others_glib(const uint8_t *bytes, size_t len) {
    return g_utf8_validate_len((const char *)bytes, len, NULL);
}

bool others_unistring(const uint8_t *bytes, size_t len) {
    return u8_check(bytes, len) == NULL;
}

/* ICU has no function that only validates. Returns the number of units that it wrote, or SIZE_MAX. */
size_t others_icu(const uint8_t *bytes, size_t len, uint16_t *out, size_t cap) {
    int32_t units = 0;
    UErrorCode status = U_ZERO_ERROR;
    u_strFromUTF8((UChar *)out, (int32_t)cap, &units, (const char *)bytes, (int32_t)len, &status);
    return U_SUCCESS(status) ? (size_t)units : SIZE_MAX;
}
