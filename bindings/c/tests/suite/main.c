/* Runs all tests on every kernel that can be chosen here. The exit code is 0 if none failed. */
#include "check.h"

unsigned failures;
size_t scale = 1;

static uint64_t state = 0x9E3779B97F4A7C15u;

uint64_t random_number(void) {
    uint64_t mixed = state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

size_t random_below(size_t limit) {
    return (size_t)(random_number() % limit);
}

bool same_error(const trust8_error *a, const trust8_error *b) {
    return a->valid_up_to == b->valid_up_to && a->error_len == b->error_len && a->kind == b->kind &&
           a->bytes_len == b->bytes_len && a->reserved == b->reserved && memcmp(a->bytes, b->bytes, 4) == 0;
}

/* Returns the kind of the sequence at the start of `rest`, or 0 for a character. Sets the length of either, and how many bytes
 * prove it. */
static uint8_t read_one(const uint8_t *rest, size_t left, size_t *len, size_t *seen) {
    const uint8_t lead = rest[0];
    *len = *seen = 1;
    if (lead < 0x80) return TRUST8_NO_ERROR;
    if (lead < 0xC0) return TRUST8_UNEXPECTED_CONTINUATION;
    if (lead < 0xC2) return TRUST8_OVERLONG;
    if (lead >= 0xF8) return TRUST8_INVALID_BYTE;
    if (lead >= 0xF5) return TRUST8_TOO_LARGE;
    const size_t whole = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    while (*len < whole) {
        if (*len == left) return TRUST8_INCOMPLETE;
        const uint8_t next = rest[*len];
        *seen = *len + 1;
        if (next < 0x80 || next > 0xBF) return TRUST8_TRUNCATED;
        if (*len == 1) {
            if ((lead == 0xE0 && next < 0xA0) || (lead == 0xF0 && next < 0x90)) return TRUST8_OVERLONG;
            if (lead == 0xED && next > 0x9F) return TRUST8_SURROGATE;
            if (lead == 0xF4 && next > 0x8F) return TRUST8_TOO_LARGE;
        }
        ++*len;
    }
    return TRUST8_NO_ERROR;
}

bool oracle(const uint8_t *bytes, size_t len, trust8_error *error) {
    size_t at = 0, length, seen;
    memset(error, 0, sizeof *error);
    while (at < len) {
        const uint8_t kind = read_one(bytes + at, len - at, &length, &seen);
        if (kind != TRUST8_NO_ERROR) {
            error->kind = kind;
            error->error_len = kind == TRUST8_INCOMPLETE ? 0 : (uint8_t)length;
            error->bytes_len = (uint8_t)seen;
            memcpy(error->bytes, bytes + at, seen);
            break;
        }
        at += length;
    }
    error->valid_up_to = at;
    return at == len;
}

size_t put_utf8(uint32_t character, uint8_t *out) {
    const uint8_t last = (uint8_t)(0x80 | (character & 0x3F));
    if (character < 0x80) {
        out[0] = (uint8_t)character;
        return 1;
    }
    if (character < 0x800) {
        out[0] = (uint8_t)(0xC0 | character >> 6);
        out[1] = last;
        return 2;
    }
    if (character < 0x10000) {
        out[0] = (uint8_t)(0xE0 | character >> 12);
        out[1] = (uint8_t)(0x80 | (character >> 6 & 0x3F));
        out[2] = last;
        return 3;
    }
    out[0] = (uint8_t)(0xF0 | character >> 18);
    out[1] = (uint8_t)(0x80 | (character >> 12 & 0x3F));
    out[2] = (uint8_t)(0x80 | (character >> 6 & 0x3F));
    out[3] = last;
    return 4;
}

void random_text(uint8_t *bytes, size_t len) {
    static const uint32_t characters[] = {'a', 0xE9, 0x20AC, 0x1F600, 'z', 0x7FF, 0xD7FF, 0x10FFFF};
    const size_t kinds = random_below(9);
    size_t at = 0;
    while (at < len) {
        uint8_t character[4];
        const size_t which = kinds < 5 ? kinds : random_below(kinds);
        const size_t n = put_utf8(characters[which < 8 ? which : 0], character);
        for (size_t i = 0; i < n && at < len; i++) bytes[at++] = character[i];
    }
    while (len > 0 && random_below(2) == 0) bytes[random_below(len)] = (uint8_t)random_number();
}

static const uint8_t classes[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
                                  0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF};

static void extend(uint8_t *sequence, size_t len, void (*visit)(const uint8_t *, size_t, bool)) {
    for (size_t i = 0; i < sizeof classes; i++) {
        size_t length, seen;
        sequence[len] = classes[i];
        const uint8_t kind = read_one(sequence, len + 1, &length, &seen);
        if (kind == TRUST8_NO_ERROR) continue;
        visit(sequence, len + 1, kind == TRUST8_INCOMPLETE);
        if (kind == TRUST8_INCOMPLETE) extend(sequence, len + 1, visit);
    }
}

void each_malformed(void (*visit)(const uint8_t *, size_t, bool)) {
    uint8_t sequence[4];
    extend(sequence, 0, visit);
}

int main(void) {
    const char *setting = getenv("TRUST8_TEST_SCALE");
    if (setting != NULL && atoi(setting) > 0) scale = (size_t)atoi(setting);
    size_t tested = 0;
    for (size_t i = 0; i < trust8_kernel_count(); i++) {
        if (!trust8_kernel_use(trust8_kernel_name(i))) continue;
        tested++;
        printf("%s\n", trust8_kernel_current());
        test_validation();
        test_streams();
        test_columns();
        test_counts();
        test_conversions();
        test_misuse();
#ifdef OTHER_LIBRARIES
        compare_with_other_libraries();
#endif
    }
    CHECK(tested > 0);
    trust8_kernel_use(trust8_kernel_name(0));
    test_once();
    printf("%u checks failed\n", failures);
    return failures != 0;
}
