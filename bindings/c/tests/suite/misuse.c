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
    CHECK(trust8_repair_len(TRUST8_DROP, NULL, 1) == TRUST8_NONE && trust8_repair(TRUST8_DROP, text, 4, NULL, 4) == TRUST8_NONE);
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
    /* The example in the header prints this message. */
    char message[8] = {'?', '?', '?', '?', '?', '?', '?', '?'};
    CHECK(trust8_explain(&error, NULL, 1, message, sizeof message) == TRUST8_NONE && strcmp(message, "misuse:") == 0);
    CHECK(trust8_explain(&error, text, SIZE_MAX, message, 4) == TRUST8_NONE && strcmp(message, "mis") == 0);
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
    CHECK(!trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 4, "a", 1, out, 16, &done) && done.kind == TRUST8_MISUSE);
    CHECK(!trust8_convert(TRUST8_CESU8, TRUST8_WTF8, 0, "a", 1, out, 16, &done) && done.kind == TRUST8_MISUSE);
    CHECK(trust8_convert_len(TRUST8_UTF8, 9, 0, "a", 1) == TRUST8_NONE);
    CHECK(!trust8_converter_init(&converter, TRUST8_CESU8, TRUST8_UTF8, 0));
    CHECK(!trust8_converter_init(&converter, TRUST8_UTF8, TRUST8_UTF16, TRUST8_VALID));
    CHECK(!trust8_converter_push(&converter, "a", 1, out, 16, &done) && done.kind == TRUST8_MISUSE);
    CHECK(!trust8_converter_init(NULL, TRUST8_UTF8, TRUST8_UTF16, 0));
    CHECK(!trust8_validate_as(9, "a", 1, &error) && error.kind == TRUST8_MISUSE);
    CHECK(trust8_encoding_name(0) == NULL && trust8_encoding_name(9) == NULL && trust8_encoding_name(UINT32_MAX) == NULL);
}

static void test_decoder(void) {
    char text[16];
    trust8_decoder decoder, copy;
    CHECK(!trust8_decoder_init(NULL, TRUST8_REPLACE) && !trust8_decoder_init(&decoder, 0) && !trust8_decoder_init(&decoder, 6) && !trust8_decoder_init(&decoder, TRUST8_STRIP_BOM));
    memset(&decoder, 0, sizeof decoder);
    CHECK(trust8_decoder_push(&decoder, "a", 1, text, 16) == TRUST8_NONE && trust8_decoder_replaced(&decoder) == UINT64_MAX);
    CHECK(trust8_decoder_init(&decoder, TRUST8_ESCAPE));
    CHECK(trust8_decoder_push(NULL, "a", 1, text, 16) == TRUST8_NONE && trust8_decoder_finish(NULL, text, 16) == TRUST8_NONE);
    CHECK(trust8_decoder_push(&decoder, NULL, 1, text, 16) == TRUST8_NONE);
    CHECK(trust8_decoder_push(&decoder, "a", 1, NULL, 16) == TRUST8_NONE);
    CHECK(trust8_decoder_push(&decoder, "a", 1, &decoder, 16) == TRUST8_NONE);
    CHECK(trust8_decoder_push(&decoder, &decoder, 4, text, 16) == TRUST8_NONE);
    CHECK(trust8_decoder_finish(&decoder, &decoder, 16) == TRUST8_NONE);
    CHECK(trust8_decoder_push(&decoder, text, 4, text + 3, 13) == TRUST8_NONE);
    CHECK(trust8_decoder_push(&decoder, NULL, 0, NULL, 0) == 0 && trust8_decoder_replaced(&decoder) == 0);
    CHECK(trust8_decoder_push(&decoder, "\xE2\x82", 2, NULL, 0) == 0);
    for (size_t bit = 0; bit < 8 * sizeof decoder; bit++) {
        copy = decoder;
        ((uint8_t *)&copy)[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(trust8_decoder_push(&copy, "a", 1, text, 16) == TRUST8_NONE && trust8_decoder_finish(&copy, text, 16) == TRUST8_NONE);
    }
    CHECK(trust8_decoder_finish(&decoder, text, 7) == TRUST8_NONE);
    CHECK(trust8_decoder_finish(&decoder, text, 8) == 8 && memcmp(text, "\\xE2\\x82", 8) == 0);
}

static void test_overlap(void) {
    char memory[64];
    trust8_conversion done;
    memset(memory, 'a', sizeof memory);
    CHECK(trust8_lossy(memory, 32, memory + 31, 32) == TRUST8_NONE);
    CHECK(trust8_lossy(memory + 31, 32, memory, 32) == TRUST8_NONE);
    CHECK(trust8_lossy(memory, 32, memory + 32, 32) == 32);
    CHECK(trust8_repair(TRUST8_DROP, memory, 32, memory + 31, 32) == TRUST8_NONE);
    CHECK(!trust8_convert(TRUST8_UTF8, TRUST8_UTF8, 0, memory, 8, memory, 64, &done) && done.kind == TRUST8_MISUSE);
}

/* An answer that lies in what a function uses for something else. */
static void test_answers_apart(void) {
    union {
        char bytes[96];
        trust8_conversion done;
        trust8_converter converter;
        trust8_validator validator;
        trust8_column_error column;
        trust8_error error;
        size_t count;
    } memory;
    trust8_conversion done;
    trust8_converter converter;
    char out[32];
    memset(&memory, 'a', sizeof memory);
    CHECK(!trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, "text", 4, &memory, 96, &memory.done));
    CHECK(memory.done.kind == TRUST8_MISUSE && memory.done.written == 0);
    memset(&memory, 'a', sizeof memory);
    CHECK(!trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, &memory, 8, out, 32, &memory.done));
    CHECK(memory.done.kind == TRUST8_MISUSE);
    /* Side by side is apart. */
    memset(&memory, 'a', sizeof memory);
    CHECK(trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, "text", 4, memory.bytes + 24, 72, &memory.done));
    CHECK(memory.done.written == 8);

    CHECK(trust8_converter_init(&converter, TRUST8_UTF8, TRUST8_UTF16, 0));
    CHECK(!trust8_converter_push(&converter, "text", 4, &memory, 96, &memory.done) && memory.done.kind == TRUST8_MISUSE);
    CHECK(!trust8_converter_finish(&converter, &memory, 96, &memory.done) && memory.done.kind == TRUST8_MISUSE);
    CHECK(trust8_converter_init(&memory.converter, TRUST8_UTF8, TRUST8_UTF16, 0));
    CHECK(!trust8_converter_push(&memory.converter, "text", 4, memory.bytes + 16, 80, &done) && done.kind == TRUST8_MISUSE);
    CHECK(!trust8_converter_push(&memory.converter, memory.bytes + 16, 4, out, 32, &done) && done.kind == TRUST8_MISUSE);
    CHECK(!trust8_converter_finish(&memory.converter, memory.bytes, 96, &done) && done.kind == TRUST8_MISUSE);
    CHECK(!trust8_converter_push(&memory.converter, "text", 4, out, 32, &memory.done) && memory.done.kind == TRUST8_MISUSE);

    trust8_validator_init(&memory.validator);
    CHECK(!trust8_validator_push(&memory.validator, "text", 4, &memory.error) && memory.error.kind == TRUST8_MISUSE);
    trust8_validator_init(&memory.validator);
    CHECK(!trust8_validator_push(&memory.validator, "a", 1, &memory.error) && memory.error.kind == TRUST8_MISUSE);
    trust8_validator_init(&memory.validator);
    CHECK(!trust8_validator_finish(&memory.validator, &memory.error) && memory.error.kind == TRUST8_MISUSE);

    static const int32_t offsets[] = {0, 2, 4};
    size_t count;
    CHECK(!trust8_invalid_rows32("text", 4, offsets, 3, NULL, 0, (uint8_t *)memory.bytes, 96, &count, &memory.column));
    CHECK(memory.column.error.kind == TRUST8_MISUSE);
    CHECK(!trust8_invalid_rows32("text", 4, offsets, 3, NULL, 0, (uint8_t *)memory.bytes, 96, &memory.count, NULL));
    /* The error is read before its message is written. */
    trust8_error error;
    CHECK(!trust8_validate("\xFF", 1, &memory.error) && !trust8_validate("\xFF", 1, &error));
    char message[96];
    CHECK(trust8_explain(&memory.error, "\xFF", 1, memory.bytes, 96) == trust8_explain(&error, "\xFF", 1, message, 96));
    CHECK(strcmp(memory.bytes, message) == 0);
}

/* States of a conversion that no function has written. */
static void test_changed_converters(void) {
    trust8_converter sound;
    trust8_conversion done;
    char out[64];
    CHECK(trust8_converter_init(&sound, TRUST8_UTF8, TRUST8_UTF16, 0));
    CHECK(trust8_converter_push(&sound, "ab\xE2\x82", 4, out, sizeof out, &done) && sound.pending_len == 2);
    for (unsigned kind = 1; kind < 256; kind++) {
        /* Kinds that an error of UTF-8 has, which all have the value 0. */
        const bool exists = kind <= TRUST8_INCOMPLETE;
        trust8_converter changed = sound;
        changed.kind = (uint8_t)kind;
        changed.value = exists ? 17 : 0;
        CHECK(!trust8_converter_push(&changed, "text", 4, out, sizeof out, &done) && done.kind == TRUST8_MISUSE);
        CHECK(!trust8_converter_finish(&changed, out, sizeof out, &done) && done.kind == TRUST8_MISUSE);
    }
    for (size_t i = 0; i < 6; i++) {
        trust8_converter changed = sound;
        if (i == 0) changed.reserved[1] = 1;
        if (i == 1) changed.pending[3] = 'x';
        if (i == 2) changed.pending_len = 5;
        if (i == 3) changed.pending[1] = 'x';
        if (i == 4) changed.position = UINT64_MAX - 3;
        if (i == 5) changed.value = 1;
        CHECK(!trust8_converter_push(&changed, "\xAC", 1, out, sizeof out, &done) && done.kind == TRUST8_MISUSE);
        CHECK(!trust8_converter_finish(&changed, out, sizeof out, &done) && done.kind == TRUST8_MISUSE);
    }
    /* What was pending leaves nothing there. */
    CHECK(trust8_converter_push(&sound, "\xAC", 1, out, sizeof out, &done) && sound.pending_len == 0);
    CHECK(memcmp(sound.pending, "\0\0\0\0", 4) == 0);
    /* An error stays, whatever its kind and encoding. */
    static const struct {
        uint32_t from, to;
        const char *text;
        size_t len;
        uint8_t kind;
    } errors[] = {
        {TRUST8_UTF8, TRUST8_UTF16, "a\xED\xA0", 3, TRUST8_SURROGATE},
        {TRUST8_UTF8, TRUST8_UTF16, "a\xF4\x90", 3, TRUST8_TOO_LARGE},
        {TRUST8_UTF8, TRUST8_LATIN1, "a\xE2\x82\xAC", 4, TRUST8_UNMAPPABLE},
        {TRUST8_UTF16LE, TRUST8_UTF8, "\x3D\xD8" "a\0", 4, TRUST8_LONE_HIGH_SURROGATE},
        {TRUST8_UTF16LE, TRUST8_UTF8, "\0\xDC" "a\0", 4, TRUST8_LONE_LOW_SURROGATE},
        {TRUST8_UTF32LE, TRUST8_UTF8, "\0\xD8\0\0", 4, TRUST8_SURROGATE},
        {TRUST8_UTF32LE, TRUST8_UTF8, "\0\0\x11\0", 4, TRUST8_TOO_LARGE},
        {TRUST8_UTF16LE, TRUST8_UTF8, "a", 1, TRUST8_INCOMPLETE},
        {TRUST8_UTF16LE, TRUST8_UTF8, "\x3D\xD8", 2, TRUST8_LONE_HIGH_SURROGATE},
        {TRUST8_UTF8, TRUST8_UTF16, "a\xE2", 2, TRUST8_INCOMPLETE},
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        CHECK(trust8_converter_init(&sound, errors[i].from, errors[i].to, 0));
        /* In pieces of one byte, so that there are bytes that wait. */
        for (size_t at = 0; at < errors[i].len; at++) {
            trust8_converter_push(&sound, errors[i].text + at, 1, out, sizeof out, &done);
        }
        for (size_t again = 0; again < 3; again++) {
            CHECK(!trust8_converter_finish(&sound, out, sizeof out, &done) && done.kind == errors[i].kind);
            CHECK(again == 0 || (!trust8_converter_push(&sound, "b", 1, out, sizeof out, &done) && done.kind == errors[i].kind));
        }
    }
}

/* Pushes a piece of every kind into a state that no function has written, and ends the stream there. */
static void check_refused(const trust8_validator *changed) {
    static const char *const pieces[] = {"", "a", "\x80", ("\x80" "bcdefgh"), "abcdefgh", "abcdefghijklmnopqrstuvwxyz",
                                         "caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9 caf\xC3\xA9"};
    trust8_error error;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        trust8_validator validator = *changed;
        CHECK(!trust8_validator_push(&validator, pieces[i], strlen(pieces[i]), &error) && error.kind == TRUST8_MISUSE);
        CHECK(!trust8_validator_push(&validator, "text", 4, &error) && error.kind == TRUST8_MISUSE);
    }
    CHECK(!trust8_validator_finish(changed, &error) && error.kind == TRUST8_MISUSE);
}

/* States with a changed part, after texts of several kinds. */
static void test_changed_states(void) {
    static const char *const texts[] = {"", "a", "text", "caf\xC3\xA9", "12\xE2\x82", "\xF0\x9F\x98"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        trust8_validator validator;
        trust8_validator_init(&validator);
        CHECK(trust8_validator_push(&validator, texts[i], strlen(texts[i]), NULL));
        for (size_t bit = 0; bit < 8 * sizeof validator; bit++) {
            trust8_validator changed = validator;
            ((uint8_t *)&changed)[bit / 8] ^= (uint8_t)(1 << bit % 8);
            check_refused(&changed);
        }
        /* The last four bytes of the text. Kernels differ in the parts that they look at. */
        trust8_validator changed = validator;
        memcpy((uint8_t *)&changed + 12, "\x41\x41\xE1\x41", 4);
        check_refused(&changed);
        /* A count that the next piece would make small again. */
        const uint64_t pushed = UINT64_MAX - 3;
        changed = validator;
        memcpy(&changed, &pushed, sizeof pushed);
        check_refused(&changed);
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
    test_decoder();
    test_overlap();
    test_answers_apart();
    test_changed_converters();
    test_changed_states();
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
typedef char sizes_stay[sizeof(trust8_error) == 16 && sizeof(trust8_validator) == 16 && sizeof(trust8_decoder) == 16 && sizeof(trust8_conversion) == 24 &&
                                sizeof(trust8_converter) == 32 && sizeof(trust8_summary) == 80 &&
                                sizeof(trust8_location) == 24 && sizeof(trust8_column_error) == 24 &&
                                sizeof(trust8_slice) == 2 * sizeof(void *)
                            ? 1
                            : -1];
