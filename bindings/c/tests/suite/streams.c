/* Streams, cut everywhere: the answer is that of the whole, and comes with the byte that decides. */
#include "check.h"

/* Pushes `bytes` in the pieces that end at `cuts`, and checks every answer. */
static void check_pieces(const uint8_t *bytes, size_t len, const size_t *cuts, size_t count) {
    trust8_error expected, found;
    const bool valid = oracle(bytes, len, &expected);
    /* The number of bytes after which an error is certain. */
    const size_t decided = (size_t)expected.valid_up_to + expected.bytes_len;
    const bool fails_early = !valid && expected.kind != TRUST8_INCOMPLETE;
    trust8_validator validator, copy;
    trust8_validator_init(&validator);
    size_t at = 0;
    for (size_t i = 0; i <= count; i++) {
        const size_t end = i < count ? cuts[i] : len;
        /* A separate allocation, so that a read outside of the piece is seen. */
        uint8_t *const piece = (uint8_t *)malloc(end - at + (end == at));
        memcpy(piece, bytes + at, end - at);
        copy = validator;
        const bool pushed = trust8_validator_push(&validator, piece, end - at, &found);
        CHECK(trust8_validator_push(&copy, piece, end - at, NULL) == pushed);
        CHECK(memcmp(&copy, &validator, sizeof copy) == 0);
        free(piece);
        at = end;
        CHECK(pushed == !(fails_early && at >= decided));
        if (!pushed) {
            CHECK(same_error(&found, &expected));
        } else {
            trust8_error prefix;
            oracle(bytes, at, &prefix);
            CHECK(found.kind == TRUST8_NO_ERROR && found.valid_up_to == prefix.valid_up_to);
        }
    }
    CHECK(trust8_validator_finish(&validator, &found) == valid);
    if (!valid) {
        CHECK(same_error(&found, &expected));
        CHECK(!trust8_validator_finish(&validator, NULL));
        CHECK(fails_early != trust8_validator_push(&validator, "", 0, NULL));
    }
}

static size_t count_faults(const uint8_t *bytes, size_t len) {
    size_t count = 0;
    trust8_error error;
    while (!oracle(bytes, len, &error)) {
        count++;
        if (error.kind == TRUST8_INCOMPLETE) break;
        bytes += error.valid_up_to + error.error_len;
        len -= (size_t)error.valid_up_to + error.error_len;
    }
    return count;
}

/* Decodes `bytes` in the pieces that end at `cuts` with every policy: the text is that of the whole, or of what follows its signature. */
static void check_decoded(const uint8_t *bytes, size_t len, const size_t *cuts, size_t count) {
    for (uint32_t number = 2 * TRUST8_REPLACE; number <= 2 * TRUST8_WINDOWS_1252 + 1; number++) {
        const uint32_t policy = number / 2, flag = number % 2 * TRUST8_STRIP_BOM;
        /* Few texts can have a signature. */
        if (flag && (len == 0 || bytes[0] != 0xEF)) continue;
        const size_t mark = flag && len >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        const size_t expected_len = trust8_repair_len(policy, bytes + mark, len - mark);
        uint8_t *const expected = (uint8_t *)malloc(expected_len + 1), *const text = (uint8_t *)malloc(expected_len + 1);
        CHECK(trust8_repair(policy, bytes + mark, len - mark, expected, expected_len) == expected_len);
        trust8_decoder decoder, copy;
        CHECK(trust8_decoder_init(&decoder, policy | flag));
        size_t at = 0, done = 0;
        for (size_t i = 0; i <= count; i++) {
            const size_t end = i < count ? cuts[i] : len;
            uint8_t *const piece = (uint8_t *)malloc(end - at + (end == at));
            memcpy(piece, bytes + at, end - at);
            copy = decoder;
            const size_t written = trust8_decoder_push(&decoder, piece, end - at, text + done, expected_len - done);
            CHECK(written != TRUST8_NONE);
            if (written > 0) {
                uint8_t *const small = (uint8_t *)malloc(written);
                const trust8_decoder before = copy;
                CHECK(trust8_decoder_push(&copy, piece, end - at, small, written - 1) == TRUST8_NONE);
                CHECK(memcmp(&copy, &before, sizeof copy) == 0);
                CHECK(trust8_decoder_push(&copy, piece, end - at, small, written) == written);
                CHECK(memcmp(&copy, &decoder, sizeof copy) == 0 && memcmp(small, text + done, written) == 0);
                free(small);
            }
            free(piece);
            done += written;
            at = end;
        }
        done += trust8_decoder_finish(&decoder, text + done, expected_len - done);
        CHECK(done == expected_len && memcmp(text, expected, done) == 0);
        CHECK(trust8_decoder_finish(&decoder, NULL, 0) == 0);
        CHECK(trust8_decoder_replaced(&decoder) == count_faults(bytes, len));
        free(text);
        free(expected);
    }
}

static void check_all_cuts(const uint8_t *bytes, size_t len) {
    for (size_t first = 0; first <= len; first++) {
        check_pieces(bytes, len, &first, 1);
        check_decoded(bytes, len, &first, 1);
        if (len <= 24) {
            for (size_t second = first; second <= len; second++) {
                const size_t cuts[] = {first, second};
                check_pieces(bytes, len, cuts, 2);
            }
        }
    }
    size_t every[256];
    for (size_t piece = 1; piece <= 9 && len <= 256; piece++) {
        size_t count = 0;
        for (size_t at = piece; at < len; at += piece) every[count++] = at;
        check_pieces(bytes, len, every, count);
        check_decoded(bytes, len, every, count);
    }
}

static size_t number;

static void visit(const uint8_t *sequence, size_t len, bool is_end) {
    static const char *const around[][2] = {{"", ""}, {"a", "bcdefgh"}, {"\xE6\x97\xA5", "\xF0\x9F\x98\x80\xC3\xA9"}};
    if (++number % scale != 0) return;
    for (size_t i = 0; i < 3; i++) {
        uint8_t bytes[32];
        size_t n = strlen(around[i][0]);
        memcpy(bytes, around[i][0], n);
        memcpy(bytes + n, sequence, len);
        n += len;
        if (!is_end) {
            memcpy(bytes + n, around[i][1], strlen(around[i][1]));
            n += strlen(around[i][1]);
        }
        check_all_cuts(bytes, n);
    }
}

void test_streams(void) {
    /* Few sequences need every pair of cuts: what differs in a stream is the first byte, and where the fault is. */
    const size_t all = scale;
    scale *= 4;
    each_malformed(visit);
    scale = all;
    static const char *const marked[] = {"\xEF\xBB\xBF", "\xEF\xBB\xBFname;\xFF", "\xEF\xBB\xBF\xEF\xBB\xBF\xEF\xBB", "\xEF\xBB\xC3\xA9"};
    for (size_t i = 0; i < 4; i++) check_all_cuts((const uint8_t *)marked[i], strlen(marked[i]));
    for (size_t i = 0; i < 300 / scale + 20; i++) {
        uint8_t bytes[200];
        const size_t len = random_below(sizeof bytes);
        random_text(bytes, len);
        check_all_cuts(bytes, len);
    }
    /* Long pieces. */
    for (size_t i = 0; i < 200 / scale + 5; i++) {
        uint8_t bytes[4000];
        random_text(bytes, sizeof bytes);
        size_t cuts[3] = {random_below(sizeof bytes), 0, 0};
        cuts[1] = cuts[0] + random_below(sizeof bytes - cuts[0]);
        cuts[2] = cuts[1] + random_below(sizeof bytes - cuts[1]);
        check_pieces(bytes, sizeof bytes, cuts, 3);
        check_decoded(bytes, sizeof bytes, cuts, 3);
    }
}
