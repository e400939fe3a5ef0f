/* What the test programs share: checks that count failures, random numbers, and the oracle. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trust8.h"

/* How many checks failed. */
extern unsigned failures;
/* Where inputs are plentiful, one input in this many is tested: the variable TRUST8_TEST_SCALE. */
extern size_t scale;

#define CHECK(condition) \
    do { \
        if (!(condition) && failures++ < 20) \
            fprintf(stderr, "%s:%d: kernel %s: %s\n", __FILE__, __LINE__, trust8_kernel_current(), #condition); \
    } while (0)

uint64_t random_number(void);
/* Returns a number below `limit`. */
size_t random_below(size_t limit);

/* The oracle: RFC 3629 byte by byte. Returns whether the bytes are UTF-8; if not, fills the error as trust8_validate must. */
bool oracle(const uint8_t *bytes, size_t len, trust8_error *error);

bool same_error(const trust8_error *a, const trust8_error *b);

/* Writes a character in UTF-8 and returns its length. */
size_t put_utf8(uint32_t character, uint8_t *out);

/* Fills `bytes` with random text of `len` bytes, of one of several kinds, and perhaps spoils some of it. */
void random_text(uint8_t *bytes, size_t len);

/* Calls `visit` for each malformed sequence: every class of bytes in every place up to the byte that decides. `is_end` says
 * that the sequence is malformed only at the end of the input. */
void each_malformed(void (*visit)(const uint8_t *sequence, size_t len, bool is_end));

void test_validation(void);
void test_streams(void);
void test_columns(void);
void test_counts(void);
void test_conversions(void);
void test_misuse(void);
void test_once(void);
/* Only in the program that is linked with the other libraries. */
void compare_with_other_libraries(void);

#endif
