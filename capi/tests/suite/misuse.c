/* What can be seen of a misuse is an error. What is not a misuse works: NULL with the length 0, and NULL for answers. */
#include <pthread.h>

#include "check.h"

static void test_nothing(void) {
    trust8_error error;
    trust8_validator validator;
    trust8_conversion done;
    trust8_column_error column;
    CHECK(trust8_is_utf8(NULL, 0) && trust8_validate(NULL, 0, &error) && error.kind == 0);
    CHECK(trust8_lossy_len(NULL, 0) == 0 && trust8_lossy(NULL, 0, NULL, 0) == 0);
    CHECK(trust8_inspect(NULL, 0, NULL) && trust8_count_chars(NULL, 0) == 0 && trust8_utf16_len(NULL, 0) == 0);
    CHECK(trust8_locate(NULL, 0, 0, NULL));
    trust8_validator_init(&validator);
    CHECK(trust8_validator_push(&validator, NULL, 0, NULL) && trust8_validator_finish(&validator, NULL));
    CHECK(trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, NULL, 0, NULL, 0, &done) && done.read == 0 && done.written == 0);
    CHECK(trust8_convert_len(TRUST8_UTF8, TRUST8_UTF16, 0, NULL, 0) == 0);
    CHECK(trust8_validate_offsets32(NULL, 0, NULL, 0, &column) && trust8_validate_offsets64(NULL, 0, NULL, 0, NULL));
    CHECK(trust8_validate_views(NULL, 0, NULL, 0, &column));
    CHECK(trust8_explain(NULL, NULL, 0, NULL, 0) > 0);
}

static void test_pointers(void) {
    trust8_error error;
    trust8_validator validator;
    trust8_conversion done;
    trust8_column_error column;
    trust8_summary summary;
    const char text[] = "text";
    CHECK(!trust8_is_utf8(NULL, 1));
    CHECK(!trust8_validate(NULL, 1, &error) && error.kind == TRUST8_MISUSE);
    CHECK(!trust8_validate(text, SIZE_MAX, &error) && error.kind == TRUST8_MISUSE);
    CHECK(trust8_lossy_len(NULL, 1) == TRUST8_NONE && trust8_lossy(text, 4, NULL, 4) == TRUST8_NONE);
    CHECK(!trust8_inspect(NULL, 1, &summary) && summary.error.kind == TRUST8_MISUSE && summary.chars == 0);
    CHECK(trust8_count_chars(NULL, 1) == TRUST8_NONE && trust8_utf16_len(NULL, 1) == TRUST8_NONE);
    CHECK(!trust8_locate(NULL, 1, 0, NULL));
    trust8_validator_init(NULL);
    trust8_validator_init(&validator);
    CHECK(!trust8_validator_push(NULL, text, 4, &error) && error.kind == TRUST8_MISUSE);
    CHECK(!trust8_validator_push(&validator, NULL, 4, &error) && error.kind == TRUST8_MISUSE);
    CHECK(trust8_validator_push(&validator, text, 4, &error) && error.valid_up_to == 4);
    CHECK(!trust8_validator_finish(NULL, &error) && error.kind == TRUST8_MISUSE);
    CHECK(!trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, text, 4, NULL, 8, &done) && done.kind == TRUST8_MISUSE);
    CHECK(!trust8_validate_offsets32(text, 4, NULL, 2, &column) && column.error.kind == TRUST8_MISUSE);
    CHECK(trust8_explain(&error, text, 4, NULL, 9) == TRUST8_NONE);
    CHECK(!trust8_kernel_use(NULL) && !trust8_kernel_use("abacus") && trust8_kernel_name(99) == NULL);

    int64_t offsets[3] = {0, 0, 0};
    const char *const odd = (const char *)offsets + 1;
    CHECK(!trust8_validate_offsets32(text, 4, (const int32_t *)(const void *)odd, 2, &column));
    CHECK(column.error.kind == TRUST8_MISUSE);
    const trust8_slice wrong = {NULL, 1};
    CHECK(!trust8_validate_views(text, 0, &wrong, 1, &column) && column.error.kind == TRUST8_MISUSE);
}

static void test_numbers(void) {
    trust8_conversion done;
    trust8_converter converter;
    trust8_error error;
    char out[16];
    CHECK(!trust8_convert(0, TRUST8_UTF8, 0, "a", 1, out, 16, &done) && done.kind == TRUST8_MISUSE);
    CHECK(!trust8_convert(TRUST8_UTF8, 99, 0, "a", 1, out, 16, &done) && done.kind == TRUST8_MISUSE);
    CHECK(!trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 2, "a", 1, out, 16, &done) && done.kind == TRUST8_MISUSE);
    CHECK(!trust8_convert(TRUST8_CESU8, TRUST8_WTF8, 0, "a", 1, out, 16, &done) && done.kind == TRUST8_MISUSE);
    CHECK(trust8_convert_len(TRUST8_UTF8, 9, 0, "a", 1) == TRUST8_NONE);
    CHECK(!trust8_converter_init(&converter, TRUST8_CESU8, TRUST8_UTF8, 0));
    CHECK(!trust8_converter_push(&converter, "a", 1, out, 16, &done) && done.kind == TRUST8_MISUSE);
    CHECK(!trust8_converter_init(NULL, TRUST8_UTF8, TRUST8_UTF16, 0));
    CHECK(!trust8_validate_dialect(TRUST8_UTF16, "a", 1, &error) && error.kind == TRUST8_MISUSE);
    CHECK(trust8_encoding_name(0) == NULL && trust8_encoding_name(9) == NULL && trust8_encoding_name(UINT32_MAX) == NULL);
}

static void test_overlap(void) {
    char memory[64];
    trust8_conversion done;
    memset(memory, 'a', sizeof memory);
    CHECK(trust8_lossy(memory, 32, memory + 31, 32) == TRUST8_NONE);
    CHECK(trust8_lossy(memory + 31, 32, memory, 32) == TRUST8_NONE);
    CHECK(trust8_lossy(memory, 32, memory + 32, 32) == 32);
    CHECK(!trust8_convert(TRUST8_UTF8, TRUST8_UTF8, 0, memory, 8, memory, 64, &done) && done.kind == TRUST8_MISUSE);
}

/* A state without an error has eight bytes that a push leaves alone or counts with, then four of a mark, then the last four bytes
 * of the text. Here the mark is right and the last bytes are any: there is an answer, which may mean nothing, but from there on the
 * state is sound. */
static void check_forged(const uint8_t *bytes) {
    for (size_t len = 0; len <= 600; len = 3 * len + 1) {
        static const char text[] = "caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9";
        uint8_t *const piece = (uint8_t *)malloc(len + (len == 0));
        for (size_t i = 0; i < len; i++) piece[i] = (uint8_t)text[i % (sizeof text - 1)];
        trust8_validator validator;
        trust8_error error;
        trust8_validator_init(&validator);
        memcpy((uint8_t *)&validator + 12, bytes, 4);
        if (random_below(2) == 0) memcpy(&validator, bytes + 4, 8);
        const bool pushed = trust8_validator_push(&validator, piece, len, &error);
        CHECK(pushed == (error.kind == TRUST8_NO_ERROR));
        const bool again = trust8_validator_push(&validator, "\xFF", 1, &error);
        CHECK(!again && error.kind != TRUST8_NO_ERROR);
        CHECK(!trust8_validator_finish(&validator, NULL));
        free(piece);
    }
}

/* A state that trust8_validator_init has not written, or that a failed push has not. */
static void test_forgotten_init(void) {
    trust8_validator validator;
    trust8_error error;
    memset(&validator, 0, sizeof validator);
    CHECK(!trust8_validator_push(&validator, "text", 4, &error) && error.kind == TRUST8_MISUSE);
    CHECK(!trust8_validator_push(&validator, "text", 4, NULL) && !trust8_validator_finish(&validator, NULL));
    memset(&validator, 0xFF, sizeof validator);
    CHECK(!trust8_validator_push(&validator, "text", 4, &error) && error.kind == TRUST8_MISUSE);
    memset(&validator, 0, sizeof validator);
    CHECK(!trust8_validator_finish(&validator, &error) && error.kind == TRUST8_MISUSE);
    /* It can be used again. */
    trust8_validator_init(&validator);
    CHECK(trust8_validator_push(&validator, "text", 4, &error) && trust8_validator_finish(&validator, &error));
    /* An error whose bytes were changed is not one that a push has written. */
    CHECK(!trust8_validator_push(&validator, "\xFF", 1, &error) && error.kind == TRUST8_INVALID_BYTE);
    ((uint8_t *)&validator)[12] = 'a';
    CHECK(!trust8_validator_push(&validator, "text", 4, &error) && error.kind == TRUST8_MISUSE);
}

/* Structs with any contents: no answer is wrong in itself, and nothing but the structs is touched. */
static void test_hostile_structs(void) {
    for (size_t i = 0; i < 20000 / scale + 200; i++) {
        union {
            trust8_validator validator;
            trust8_converter converter;
            trust8_error error;
            uint8_t bytes[64];
        } any;
        trust8_error error;
        trust8_conversion done;
        char out[40], message[300];
        for (size_t at = 0; at < sizeof any; at++) {
            any.bytes[at] = random_below(3) == 0 ? (uint8_t)random_number() : (uint8_t)random_below(5);
        }
        CHECK(trust8_explain(&any.error, "some text", 9, message, sizeof message) < sizeof message);
        trust8_validator copy = any.validator;
        CHECK(!trust8_validator_finish(&copy, &error) && error.kind == TRUST8_MISUSE);
        for (size_t len = 0; len <= 9; len++) {
            CHECK(!trust8_validator_push(&copy, "caf\xC3\xA9 au lait", len, &error) && error.kind == TRUST8_MISUSE);
            copy = any.validator;
        }
        check_forged(any.bytes);
        any.converter.from %= 9;
        any.converter.to %= 9;
        any.converter.flags %= 2;
        any.converter.kind = 0;
        const bool converted = trust8_converter_push(&any.converter, "caf\xC3\xA9!!!", 8, out, sizeof out, &done);
        CHECK(converted == (done.kind == 0) && done.written <= sizeof out && done.read <= 8);
        trust8_converter_finish(&any.converter, out, sizeof out, &done);
        CHECK(done.written <= sizeof out);
    }
}

void test_misuse(void) {
    test_nothing();
    test_pointers();
    test_numbers();
    test_overlap();
    test_forgotten_init();
    test_hostile_structs();
}

static void *validate_often(void *unused) {
    static const char valid[] = "na\xC3\xAFve \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80 and so on, beyond a vector or two of text";
    size_t wrong = 0;
    for (size_t i = 0; i < 100000 / scale + 100; i++) {
        trust8_error error;
        wrong += !trust8_is_utf8(valid, sizeof valid - 1);
        wrong += trust8_validate(valid, sizeof valid - 3 - i % 40, &error) != (error.kind == 0);
    }
    (void)unused;
    return wrong == 0 ? NULL : &failures;
}

/* Threads validate while the kernel changes under them. */
static void test_threads(void) {
    pthread_t threads[3];
    for (size_t i = 0; i < 3; i++) CHECK(pthread_create(&threads[i], NULL, validate_often, NULL) == 0);
    for (size_t i = 0; i < 1000; i++) trust8_kernel_use(trust8_kernel_name(i % trust8_kernel_count()));
    for (size_t i = 0; i < 3; i++) {
        void *wrong = NULL;
        CHECK(pthread_join(threads[i], &wrong) == 0 && wrong == NULL);
    }
    trust8_kernel_use(trust8_kernel_name(0));
}

void test_once(void) {
    CHECK(trust8_abi() == TRUST8_ABI);
    CHECK(strlen(trust8_version()) >= 5);
    CHECK(strcmp(trust8_kernel_name(trust8_kernel_count() - 1), "scalar") == 0);
    CHECK(strcmp(trust8_kernel_current(), trust8_kernel_name(0)) == 0);
    test_threads();
}

/* The sizes are part of the binary interface. */
typedef char sizes_stay[sizeof(trust8_error) == 16 && sizeof(trust8_validator) == 16 && sizeof(trust8_conversion) == 24 &&
                                sizeof(trust8_converter) == 32 && sizeof(trust8_summary) == 80 &&
                                sizeof(trust8_location) == 24 && sizeof(trust8_column_error) == 24 &&
                                sizeof(trust8_slice) == 2 * sizeof(void *)
                            ? 1
                            : -1];
