/* Columns, hostile ones above all: the answers are those of a check row by row. */
#include "check.h"

static void check_offsets(const uint8_t *values, size_t values_len, const int64_t *offsets, size_t count) {
    trust8_column_error expected, found;
    memset(&expected, 0, sizeof expected);
    for (size_t i = 0; i < count && expected.error.kind == 0; i++) {
        expected.row = i == 0 ? 0 : i - 1;
        if (offsets[i] < 0) {
            expected.error.kind = TRUST8_NEGATIVE_OFFSET;
        } else if ((uint64_t)offsets[i] > values_len) {
            expected.error.kind = TRUST8_OFFSET_OUT_OF_RANGE;
        } else if (i > 0 && offsets[i] < offsets[i - 1]) {
            expected.error.kind = TRUST8_DECREASING_OFFSET;
        } else if (i > 0 &&
                   oracle(values + offsets[i - 1], (size_t)(offsets[i] - offsets[i - 1]), &expected.error)) {
            memset(&expected.error, 0, sizeof expected.error);
        }
    }
    const bool valid = expected.error.kind == 0;
    if (valid) expected.row = 0;
    int32_t *const narrow = (int32_t *)malloc(count * sizeof *narrow + 1);
    for (size_t i = 0; i < count; i++) narrow[i] = (int32_t)offsets[i];
    CHECK(trust8_validate_offsets32(values, values_len, narrow, count, &found) == valid);
    CHECK(found.row == expected.row && same_error(&found.error, &expected.error));
    CHECK(trust8_validate_offsets64(values, values_len, offsets, count, &found) == valid);
    CHECK(found.row == expected.row && same_error(&found.error, &expected.error));
    CHECK(trust8_validate_offsets64(values, values_len, offsets, count, NULL) == valid);
    free(narrow);
}

static void test_offsets(void) {
    for (size_t i = 0; i < 3000 / scale + 50; i++) {
        const size_t values_len = random_below(500), rows = random_below(i % 20 == 0 ? 3000 : 40);
        uint8_t *const values = (uint8_t *)malloc(values_len + 1);
        int64_t *const offsets = (int64_t *)malloc((rows + 1) * sizeof *offsets);
        random_text(values, values_len);
        size_t at = 0;
        for (size_t row = 0; row <= rows; row++) {
            offsets[row] = (int64_t)at;
            at += random_below(2 * values_len / (rows + 1) + 2);
            if (at > values_len) at = values_len;
            /* Most offsets are where a character begins. */
            while (random_below(8) != 0 && at < values_len && (values[at] & 0xC0) == 0x80) at++;
        }
        if (random_below(3) == 0) {
            static const int64_t hostile[] = {-1, INT32_MIN, INT32_MAX, 0, 1, 501};
            offsets[random_below(rows + 1)] = hostile[random_below(6)];
        }
        check_offsets(values, values_len, offsets, rows + 1);
        check_offsets(values, values_len, offsets, 0);
        free(offsets);
        free(values);
    }
}

static uint32_t word(const uint8_t *view, size_t which) {
    const uint8_t *const bytes = view + 4 * which;
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void put_word(uint8_t *view, size_t which, size_t number) {
    for (size_t i = 0; i < 4; i++) view[4 * which + i] = (uint8_t)(number >> (8 * i));
}

static uint8_t wrong_view(const uint8_t *view, const trust8_slice *buffers, size_t count, trust8_error *error) {
    const uint32_t len = word(view, 0);
    memset(error, 0, sizeof *error);
    if (len <= 12) {
        for (size_t i = len; i < 12; i++) {
            if (view[4 + i] != 0) return TRUST8_NON_ZERO_PADDING;
        }
        return oracle(view + 4, len, error) ? 0 : error->kind;
    }
    if (word(view, 2) >= count) return TRUST8_NO_SUCH_BUFFER;
    const trust8_slice buffer = buffers[word(view, 2)];
    if ((uint64_t)word(view, 3) + len > buffer.len) return TRUST8_VIEW_OUT_OF_RANGE;
    const uint8_t *const text = (const uint8_t *)buffer.data + word(view, 3);
    if (memcmp(text, view + 4, 4) != 0) return TRUST8_WRONG_PREFIX;
    return oracle(text, len, error) ? 0 : error->kind;
}

static void test_views(void) {
    for (size_t i = 0; i < 2000 / scale + 50; i++) {
        uint8_t first[300], second[100];
        random_text(first, sizeof first);
        random_text(second, sizeof second);
        const trust8_slice buffers[] = {{first, sizeof first}, {second, sizeof second}, {NULL, 0}};
        const size_t rows = random_below(300);
        /* Not aligned. */
        uint8_t *const memory = (uint8_t *)malloc(16 * rows + 1), *const views = memory + 1;
        for (size_t row = 0; row < rows; row++) {
            uint8_t *const view = views + 16 * row;
            const size_t len = random_below(24);
            memset(view, 0, 16);
            put_word(view, 0, len);
            if (len <= 12) {
                random_text(view + 4, len);
                if (!trust8_is_utf8(view + 4, len) && random_below(100) != 0) memset(view + 4, 'a', len);
            } else {
                const size_t at = random_below(76);
                put_word(view, 2, random_below(2));
                put_word(view, 3, at);
                memcpy(view + 4, (word(view, 2) == 0 ? first : second) + at, 4);
                trust8_error error;
                if (wrong_view(view, buffers, 3, &error) != 0 && random_below(50) != 0) memset(view, 0, 16);
            }
            if (random_below(1000) == 0) view[random_below(16)] = (uint8_t)random_number();
        }
        trust8_column_error expected, found;
        memset(&expected, 0, sizeof expected);
        for (size_t row = 0; row < rows && expected.error.kind == 0; row++) {
            const uint8_t kind = wrong_view(views + 16 * row, buffers, 3, &expected.error);
            if (kind == 0) {
                memset(&expected, 0, sizeof expected);
            } else {
                expected.row = row;
                expected.error.kind = kind;
            }
        }
        const bool valid = expected.error.kind == 0;
        CHECK(trust8_validate_views(views, rows, buffers, 3, &found) == valid);
        CHECK(found.row == expected.row && same_error(&found.error, &expected.error));
        free(memory);
    }
}

static bool is_misuse(bool ok, const trust8_column_error *error) {
    return !ok && error->error.kind == TRUST8_MISUSE;
}

/* A bitmap that lies in what is read is a misuse. */
static void test_overlap(void) {
    union {
        int32_t narrow[8];
        int64_t wide[4];
        uint8_t bytes[32];
    } memory;
    static const int32_t narrow[] = {0, 1};
    static const int64_t wide[] = {0, 1};
    static const uint8_t valid = 1;
    uint8_t views[48] = {0};
    uint8_t *const aligned = views + (16 - (uintptr_t)views % 16) % 16;
    const trust8_slice slice = {memory.bytes, 4};
    trust8_column_error error;
    memset(&memory, 0, sizeof memory);
    for (size_t at = 0; at < 4; at++) {
        uint8_t *const bitmap = memory.bytes + at;
        CHECK(is_misuse(trust8_invalid_rows32(memory.bytes, 4, narrow, 2, NULL, 0, bitmap, 1, NULL, &error), &error));
        CHECK(is_misuse(trust8_invalid_rows64(memory.bytes, 4, wide, 2, NULL, 0, bitmap, 1, NULL, &error), &error));
        CHECK(is_misuse(trust8_invalid_rows32("a", 1, memory.narrow, 2, NULL, 0, bitmap, 1, NULL, &error), &error));
        CHECK(is_misuse(trust8_invalid_rows64("a", 1, memory.wide, 2, NULL, 0, bitmap, 1, NULL, &error), &error));
        CHECK(is_misuse(trust8_invalid_rows_views(aligned, 1, &slice, 1, NULL, 0, bitmap, 1, NULL, &error), &error));
        CHECK(is_misuse(trust8_invalid_rows_views(aligned, 1, NULL, 0, NULL, 0, aligned + at, 1, NULL, &error), &error));
    }
    memory.bytes[0] = valid;
    CHECK(is_misuse(trust8_invalid_rows32("a", 1, narrow, 2, memory.bytes, 0, memory.bytes, 1, NULL, &error), &error));
    CHECK(is_misuse(trust8_invalid_rows64("a", 1, wide, 2, memory.bytes, 0, memory.bytes, 1, NULL, &error), &error));
    CHECK(is_misuse(trust8_invalid_rows_views(aligned, 1, NULL, 0, memory.bytes, 0, memory.bytes, 1, NULL, &error), &error));
    CHECK(memory.bytes[0] == valid);
    /* Side by side is no overlap. */
    CHECK(trust8_invalid_rows32("a", 1, narrow, 2, memory.bytes, 0, memory.bytes + 1, 1, NULL, &error));
    CHECK(trust8_invalid_rows_views(aligned, 1, &slice, 1, NULL, 0, memory.bytes + 4, 1, NULL, &error));
}

/* All wrong rows in a bitmap, with and without nulls, and with a bitmap that is too small by one byte. */
static void test_invalid_rows(void) {
    for (size_t i = 0; i < 1000 / scale + 50; i++) {
        uint8_t values[600], views[16 * 301] = {0};
        const size_t rows = random_below(300), bytes = (rows + 7) / 8;
        int32_t narrow[301] = {0};
        int64_t wide[301] = {0};
        size_t at = 0;
        random_text(values, sizeof values);
        uint8_t *const aligned = views + (16 - (uintptr_t)views % 16) % 16;
        for (size_t row = 0; row < rows; row++) {
            const size_t len = random_below(3);
            put_word(aligned + 16 * row, 0, len);
            memcpy(aligned + 16 * row + 4, values + at, len);
            at += len;
            narrow[row + 1] = (int32_t)at;
            wide[row + 1] = (int64_t)at;
        }
        uint8_t validity[40], expected[38] = {0};
        for (size_t byte = 0; byte < sizeof validity; byte++) validity[byte] = (uint8_t)random_number();
        const uint8_t *const nulls = random_below(2) == 0 ? NULL : validity;
        const size_t before = random_below(18);
        size_t wrong = 0;
        for (size_t row = 0; row < rows; row++) {
            trust8_error error;
            if (nulls != NULL && (nulls[(before + row) / 8] >> (before + row) % 8 & 1) == 0) continue;
            if (oracle(values + wide[row], (size_t)(wide[row + 1] - wide[row]), &error)) continue;
            expected[row / 8] = (uint8_t)(expected[row / 8] | 1u << row % 8);
            wrong++;
        }
        for (int layout = 0; layout < 3; layout++) {
            for (size_t missing = 0; missing < 2 && missing <= bytes; missing++) {
                uint8_t *const bitmap = (uint8_t *)malloc(bytes + 1);
                size_t count = 999;
                trust8_column_error error;
                const bool ok =
                    layout == 0 ? trust8_invalid_rows32(values, sizeof values, narrow, rows + 1, nulls, before, bitmap,
                                                        bytes - missing, &count, &error)
                    : layout == 1 ? trust8_invalid_rows64(values, sizeof values, wide, rows + 1, nulls, before, bitmap,
                                                          bytes - missing, &count, &error)
                                  : trust8_invalid_rows_views(aligned, rows, NULL, 0, nulls, before, bitmap, bytes - missing,
                                                              &count, &error);
                CHECK(ok == (missing == 0));
                CHECK(error.error.kind == (ok ? TRUST8_NO_ERROR : TRUST8_TOO_SMALL));
                CHECK(count == (ok ? wrong : 0));
                CHECK(!ok || memcmp(bitmap, expected, bytes) == 0);
                free(bitmap);
            }
        }
    }
    const int32_t decreasing[] = {0, 2, 1};
    uint8_t bitmap[1];
    trust8_column_error error;
    CHECK(!trust8_invalid_rows32("abc", 3, decreasing, 3, NULL, 0, bitmap, 1, NULL, &error));
    CHECK(error.row == 1 && error.error.kind == TRUST8_DECREASING_OFFSET);
    CHECK(!trust8_invalid_rows64(NULL, 3, NULL, 0, NULL, 0, bitmap, 1, NULL, &error) && error.error.kind == TRUST8_MISUSE);
    CHECK(trust8_invalid_rows64(NULL, 0, NULL, 0, NULL, 0, NULL, 0, NULL, NULL));
    /* The sum of the offset and the rows has no number. */
    CHECK(is_misuse(trust8_invalid_rows32("abc", 3, decreasing, 2, bitmap, SIZE_MAX, bitmap, 1, NULL, &error), &error));
    test_overlap();
}

void test_columns(void) {
    test_offsets();
    test_views();
    test_invalid_rows();
}
