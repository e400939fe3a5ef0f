/* trust8: is it UTF-8, and if not, where and why?
 *
 * The answers are exact, and the same on every CPU. The library selects AVX-512 (from Ice Lake and
 * Zen 4 on), AVX2, SSE4.2, NEON or scalar code at run time. It allocates nothing, has no state
 * except that choice, and needs no C++ runtime.
 *
 *     trust8_error error;
 *     if (!trust8_validate(data, len, &error)) {
 *         char message[256];
 *         trust8_explain(&error, data, len, message, sizeof message);
 *         fputs(message, stderr);
 *     }
 *
 * A caller must guarantee, for every function:
 *
 * - A pointer with a length points to that many bytes (or units, if the type says so) of readable
 *   memory. A pointer with a capacity points to that many bytes of writable memory, which need not
 *   be initialised. Nobody writes to the memory while the function runs.
 * - A pointer to a struct that the function fills may be NULL, if you don't need that answer.
 * - What the function writes has no byte in common with anything else that it is given. So the
 *   struct of an answer does not lie in the input, in the output, in another answer, or in the
 *   state of a stream or a conversion. Such a state lies neither in the input nor in the output.
 * - A string is terminated by a zero byte.
 * - With the flag TRUST8_VALID, text in UTF-8 is UTF-8.
 *
 * Beyond that, a caller need not guarantee anything:
 *
 * - NULL with the length 0 is the empty text.
 * - These are errors of the kind TRUST8_MISUSE, and nothing worse: NULL with another length; a
 *   length above PTRDIFF_MAX; a number that names no encoding; a flag that does not exist; an
 *   output buffer that overlaps the input; an answer that overlaps the output, the state, or the
 *   input of a conversion; an array of integers that is not aligned; and the state of a stream or a
 *   conversion whose contents show that no function of this library has written it.
 * - All functions may be called from any thread at any time. Two threads must not use one
 *   trust8_validator, trust8_decoder or trust8_converter at the same time.
 *
 * The header needs C99 or C++. Byte values in it are hexadecimal.
 */

/* header.py has written this file from the comments in src/, which are the place to change it. */

#ifndef TRUST8_H
#define TRUST8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions -------------------------------------------------------------------------------- */

/* A program that was compiled with this header runs with every library of the same TRUST8_ABI and
 * of the same or a later version. The number grows when a function is removed or changes its
 * parameters or its meaning, or when a struct changes its size. It is part of the shared library's
 * soname. A new function, a new kind of error or a new encoding does not change it.
 */

/* The number of the binary interface in this header. */
#define TRUST8_ABI 1u

/* Returns the TRUST8_ABI of the library. It differs from the header's number only if a program
 * bypassed the soname when it was linked.
 */
uint32_t trust8_abi(void);

/* Returns the library's version, such as "0.1.0". */
const char *trust8_version(void);

/* ---- Errors ---------------------------------------------------------------------------------- */

/* A kind is the number of a rule. Kinds 1 to 7 are the rules of UTF-8 (RFC 3629). Other encodings
 * share these rules or have their own. A number never changes its meaning, and later versions may
 * add numbers.
 */

/* There is no error. */
#define TRUST8_NO_ERROR 0
/* A continuation byte, 80 to BF, where a character must begin. */
#define TRUST8_UNEXPECTED_CONTINUATION 1
/* A byte that never appears: F8 to FF. */
#define TRUST8_INVALID_BYTE 2
/* A character in more bytes than it needs, such as C0 AF. */
#define TRUST8_OVERLONG 3
/* A surrogate, U+D800 to U+DFFF, which is not a character. */
#define TRUST8_SURROGATE 4
/* A character above U+10FFFF. */
#define TRUST8_TOO_LARGE 5
/* A character that another one interrupts. */
#define TRUST8_TRUNCATED 6
/* The input ends inside a character, so more input might complete it. */
#define TRUST8_INCOMPLETE 7
/* UTF-16: the first half of a surrogate pair without the second one. */
#define TRUST8_LONE_HIGH_SURROGATE 8
/* UTF-16: the second half of a surrogate pair without the first one. */
#define TRUST8_LONE_LOW_SURROGATE 9
/* The target encoding lacks the character. */
#define TRUST8_UNMAPPABLE 10
/* WTF-8: a surrogate pair as two sequences of three bytes. */
#define TRUST8_SURROGATE_PAIR 11
/* CESU-8 and Modified UTF-8: a sequence of four bytes. */
#define TRUST8_FOUR_BYTES 12
/* Modified UTF-8: a byte 00. */
#define TRUST8_NUL 13
/* A code point that UTF-8 can't express. */
#define TRUST8_INEXPRESSIBLE 14
/* A character that the profile forbids. */
#define TRUST8_FORBIDDEN 16
/* Columns: an offset is negative. */
#define TRUST8_NEGATIVE_OFFSET 32
/* Columns: an offset is smaller than the previous one. */
#define TRUST8_DECREASING_OFFSET 33
/* Columns: an offset is beyond the end of the values. */
#define TRUST8_OFFSET_OUT_OF_RANGE 34
/* Columns: a view holds a string, and its bytes after the string are not zero. */
#define TRUST8_NON_ZERO_PADDING 35
/* Columns: a view names a buffer that does not exist. */
#define TRUST8_NO_SUCH_BUFFER 36
/* Columns: a view reaches beyond the end of its buffer. */
#define TRUST8_VIEW_OUT_OF_RANGE 37
/* Columns: the first four bytes of a string differ from those in its view. */
#define TRUST8_WRONG_PREFIX 38
/* Columns: the validity bitmap has no bit for a row. */
#define TRUST8_SHORT_VALIDITY 39
/* The output is too small. */
#define TRUST8_TOO_SMALL 64
/* The arguments are not what the function takes. */
#define TRUST8_MISUSE 255
/* Returned by size_t functions in place of TRUST8_MISUSE: SIZE_MAX. */
#define TRUST8_NONE SIZE_MAX

/* The first error of an input. */
typedef struct trust8_error {
  /* The number of valid bytes from the start of the input or stream. The ill-formed sequence begins
   * there.
   */
  uint64_t valid_up_to;
  /* The length of the ill-formed sequence. One U+FFFD replaces it, and the text continues after it.
   * It is 0 if the input ends inside a character, and if there is no sequence.
   */
  uint8_t error_len;
  /* The broken rule: TRUST8_NO_ERROR (0) or another kind. */
  uint8_t kind;
  /* The number of bytes in bytes. */
  uint8_t bytes_len;
  /* Zero. */
  uint8_t reserved;
  /* The bytes that prove an error of UTF-8: the sequence, and the next byte if it decides. */
  uint8_t bytes[4];
} trust8_error;

/* Returns the kind's name, such as "overlong", or "unknown". */
const char *trust8_kind_name(uint8_t kind);

/* Writes a message for people to buf, such as "line 2, column 4: invalid UTF-8 at byte 12: FF never
 * appears in UTF-8; ...".
 *
 * The message is ASCII. As with snprintf, it is truncated to fit, and it is terminated unless cap
 * is 0. The result is the length of the whole message without the terminator. If data is the input
 * that gave the error, the message begins with the line and the column. It may be NULL: the message
 * of a stream has only the byte. NULL with another length than 0, or one above PTRDIFF_MAX, gives a
 * message too, though the result is TRUST8_NONE.
 */
size_t trust8_explain(const trust8_error *error, const void *data, size_t len, char *buf,
                      size_t cap);

/* ---- Text in memory -------------------------------------------------------------------------- */

/* Returns whether the bytes are UTF-8, as RFC 3629 defines it. */
bool trust8_is_utf8(const void *data, size_t len);

/* Returns whether the bytes are UTF-8. If they are not, error has the position of the first
 * ill-formed sequence and the broken rule. If they are, its kind is 0 and its valid_up_to is len.
 */
bool trust8_validate(const void *data, size_t len, trust8_error *error);

/* Finds the next error of a text, from the byte at *at on, which is 0 at first. Returns false if
 * there is none. The error counts from the start of the text, and *at moves to the byte after the
 * ill-formed sequence, or to the end of the text:
 *
 *     size_t at = 0;
 *     while (trust8_next_error(data, len, &at, &error)) printf("%s\n", trust8_kind_name(error.kind));
 *
 * An at that is NULL, or an *at above len, is a misuse, for which the result is false.
 */
bool trust8_next_error(const void *data, size_t len, size_t *at, trust8_error *error);

/* ---- Profiles -------------------------------------------------------------------------------- */

/* A profile is a set of classes of forbidden characters: bit n is class n. The presets are
 * constants. Any other set is possible too, and then each call takes some microseconds more.
 */

/* The characters of XML 1.0. */
#define TRUST8_PROFILE_XML UINT64_C(0x000000229)
/* The unicode assignables of RFC 9839: no legacy controls and no noncharacters. */
#define TRUST8_PROFILE_ASSIGNABLES UINT64_C(0x0000007E9)
/* The strings of I-JSON (RFC 7493): no noncharacters. */
#define TRUST8_PROFILE_I_JSON UINT64_C(0x000000600)
/* The text of PostgreSQL: no NUL. */
#define TRUST8_PROFILE_POSTGRES UINT64_C(0x000000001)
/* Text that is shown in a terminal. */
#define TRUST8_PROFILE_TERMINAL UINT64_C(0x57E0C09E9)
/* Source code: nothing that hides code from a reader. */
#define TRUST8_PROFILE_SOURCE UINT64_C(0x5FE0C0FE1)
/* Text for a language model: nothing that hides text from a reader. */
#define TRUST8_PROFILE_PROMPT UINT64_C(0x5FE0C0FE9)
/* A file name, without folders. */
#define TRUST8_PROFILE_FILE_NAME UINT64_C(0x7FE8C0FFF)

/* Returns the classes of the preset with this name, or UINT64_MAX if there is none. The names are
 * "scalars" (no classes), "xml", "assignables", "i-json", "postgres", "terminal", "source",
 * "prompt" and "file-name".
 */
uint64_t trust8_profile_by_name(const char *name);

/* Returns the name of a class, such as "c0-control", or NULL if there is no such class. */
const char *trust8_class_name(uint8_t number);

/* Returns the number of a character's class, or 255 if it has none that does not depend on the
 * characters around it.
 */
uint8_t trust8_class_of(uint32_t character);

/* Returns whether the bytes are UTF-8 without a character of these classes. If not, error is the
 * first error. For a forbidden character, its kind is TRUST8_FORBIDDEN, and its bytes are those of
 * the character.
 *
 * A bit without a class is a misuse.
 */
bool trust8_profile_validate(uint64_t classes, const void *data, size_t len, trust8_error *error);

/* Some bytes that a profile refuses: an ill-formed sequence, or characters that follow each other. */
typedef struct trust8_run {
  /* The number of bytes before them. */
  uint64_t offset;
  /* The number of bytes. */
  uint64_t len;
  /* The number of characters: 1 for an ill-formed sequence. */
  uint64_t characters;
  /* TRUST8_FORBIDDEN, or the rule of UTF-8 that the sequence breaks. */
  uint8_t kind;
  /* The class of the first character, or 255 for an ill-formed sequence. */
  uint8_t first_class;
  /* Zeros. */
  uint8_t reserved[6];
} trust8_run;

/* Finds all that trust8_profile_validate refuses, in order. Forbidden characters that follow each
 * other are one run: 400 variation selectors in a row are one finding. Writes the first cap runs to
 * runs, which may be NULL if cap is 0. Returns the number of all, or TRUST8_NONE for a misuse.
 */
size_t trust8_profile_runs(uint64_t classes, const void *data, size_t len, trust8_run *runs,
                           size_t cap);

/* ---- Streams --------------------------------------------------------------------------------- */

/* A stream is text that arrives in pieces, which may end anywhere, even inside a character. The
 * state is a plain struct. It lives in the caller's memory, can be copied with =, and needs no
 * clean-up.
 */

/* The state of a stream. The meaning of the numbers is not part of the interface, and may differ in
 * another version. They contain a checksum. A struct that trust8_validator_init has not written, or
 * that was changed since, is rejected.
 */
typedef struct trust8_validator {
  /* The state. */
  uint64_t state[2];
} trust8_validator;

/* Begins a stream, or resets it. */
void trust8_validator_init(trust8_validator *validator);

/* Takes the next piece of the stream. Returns false as soon as the stream is certainly not UTF-8:
 * for the very piece with the byte that proves it. From then on, every push returns the same error.
 *
 * The error counts from the start of the stream, so it may be in an earlier piece. If the result is
 * true, the kind of error is 0, and its valid_up_to is the number of bytes that are whole
 * characters.
 */
bool trust8_validator_push(trust8_validator *validator, const void *piece, size_t len,
                           trust8_error *error);

/* Ends the stream. Returns false if it ends inside a character, or if a push has returned false.
 * The state does not change.
 */
bool trust8_validator_finish(const trust8_validator *validator, trust8_error *error);

/* ---- Lossy text and repairs ------------------------------------------------------------------ */

/* Any bytes become text: one U+FFFD replaces each ill-formed sequence, as in web browsers, or a
 * policy selects the replacement.
 */

/* Returns the length of the lossy text, in bytes: len if the bytes are UTF-8, and never more than
 * three times as many. Returns TRUST8_NONE for a misuse.
 */
size_t trust8_lossy_len(const void *data, size_t len);

/* Writes the lossy text to out, without a terminator. Returns its length, or TRUST8_NONE if it does
 * not fit: then the contents of out are unspecified. trust8_lossy_len returns a sufficient
 * capacity.
 */
size_t trust8_lossy(const void *data, size_t len, void *out, size_t cap);

/* A policy: each ill-formed sequence becomes U+FFFD, as in trust8_lossy. */
#define TRUST8_REPLACE 1u
/* A policy: each ill-formed sequence becomes U+FFFD, as in Java, where a surrogate becomes one and
 * not three.
 */
#define TRUST8_JAVA 2u
/* A policy: ill-formed sequences are dropped. */
#define TRUST8_DROP 3u
/* A policy: each byte of an ill-formed sequence becomes \xNN, with two upper-case digits. */
#define TRUST8_ESCAPE 4u
/* A policy: each byte of an ill-formed sequence becomes its character in windows-1252. */
#define TRUST8_WINDOWS_1252 5u

/* Returns the output length of trust8_repair: at most four times len. Returns TRUST8_NONE for a
 * misuse, such as a number that names no policy.
 */
size_t trust8_repair_len(uint32_t policy, const void *data, size_t len);

/* Writes the text repaired by a policy to out, without a terminator. Returns its length, or
 * TRUST8_NONE if it does not fit: then the contents of out are unspecified.
 */
size_t trust8_repair(uint32_t policy, const void *data, size_t len, void *out, size_t cap);

/* The state of a decoder of text in pieces. The meaning of the numbers is not part of the
 * interface, and may differ in another version. They contain a checksum, as in trust8_validator.
 */
typedef struct trust8_decoder {
  /* The state. */
  uint64_t state[2];
} trust8_decoder;

/* A flag for trust8_decoder_init, beside a policy: the signature EF BB BF is removed if the text
 * begins with it.
 */
#define TRUST8_STRIP_BOM 0x100u

/* Begins text in pieces, which a policy repairs: TRUST8_REPLACE, or another one, also with
 * TRUST8_STRIP_BOM. Returns false for a misuse, such as a number that names no policy.
 */
bool trust8_decoder_init(trust8_decoder *decoder, uint32_t policy);

/* Writes the repaired text that the next piece completes to out, without a terminator. Returns its
 * length. The texts of all pieces, and that of trust8_decoder_finish, together are what
 * trust8_repair makes of the whole, wherever it is cut, without a signature if it is removed.
 *
 * A capacity of four times len, and 12 more, is always enough. If the text does not fit, or for a
 * misuse, the result is TRUST8_NONE, the contents of out are unspecified, and the state does not
 * change.
 */
size_t trust8_decoder_push(trust8_decoder *decoder, const void *piece, size_t len, void *out,
                           size_t cap);

/* Ends the text: writes to out what replaces a character that is not complete, at most 12 bytes,
 * and returns its length. The next piece begins a new text. The result is TRUST8_NONE as for
 * trust8_decoder_push.
 */
size_t trust8_decoder_finish(trust8_decoder *decoder, void *out, size_t cap);

/* Returns how many ill-formed sequences the text had so far, or UINT64_MAX for a misuse. Under
 * every policy, these are what TRUST8_REPLACE replaces with one U+FFFD each.
 */
uint64_t trust8_decoder_replaced(const trust8_decoder *decoder);

/* ---- Counts and places ----------------------------------------------------------------------- */

/* The counts of a text. If the bytes are not UTF-8, the counts are those of the valid text before
 * the error.
 */
typedef struct trust8_summary {
  /* The number of bytes counted: all, or those before the error. */
  uint64_t bytes;
  /* The number of characters (Unicode scalar values). */
  uint64_t chars;
  /* The number of 16-bit units in UTF-16. */
  uint64_t utf16_len;
  /* The number of line feeds. */
  uint64_t newlines;
  /* The numbers of characters with one, two, three and four bytes. */
  uint64_t chars_by_len[4];
  /* The first error. Its kind is 0 if there is none. */
  trust8_error error;
} trust8_summary;

/* Validates the bytes and counts their contents in one pass. Returns whether they are UTF-8. */
bool trust8_inspect(const void *data, size_t len, trust8_summary *summary);

/* Returns the number of characters, or TRUST8_NONE if the bytes are not UTF-8. */
size_t trust8_count_chars(const void *data, size_t len);

/* Returns the number of 16-bit units that the text has in UTF-16, or TRUST8_NONE if the bytes are
 * not UTF-8.
 */
size_t trust8_utf16_len(const void *data, size_t len);

/* Returns the number of bytes that are not continuations (80 to BF), or TRUST8_NONE for a misuse.
 * That is the number of characters of UTF-8, which is not validated: in other bytes, an ill-formed
 * sequence counts as one or as none.
 *
 * trust8_convert_len does not validate either: from TRUST8_UTF8 to TRUST8_UTF16, half of its result
 * is the number of units.
 */
size_t trust8_count_starts(const void *data, size_t len);

/* The line and the column of a byte. All numbers count from 1. */
typedef struct trust8_location {
  /* The number of line feeds before the byte, plus one. */
  uint64_t line;
  /* The number of characters before the byte in its line, plus one. An ill-formed sequence counts
   * as one character.
   */
  uint64_t column;
  /* The number of bytes before the byte in its line, plus one. */
  uint64_t byte_column;
} trust8_location;

/* Finds the line and the column of the byte at offset. An offset of len or more is the end of the
 * text. Returns false for a misuse.
 */
bool trust8_locate(const void *data, size_t len, uint64_t offset, trust8_location *location);

/* ---- Columns --------------------------------------------------------------------------------- */

/* A column is the memory of many strings, as laid out by Arrow: all values one after the other, and
 * offsets or views that assign parts to rows. All rows are checked in one pass. Offsets and views
 * may be hostile.
 */

/* The first row with an error. */
typedef struct trust8_column_error {
  /* The index of the row, from 0. If there is no error, it is 0. */
  uint64_t row;
  /* The error. An error of UTF-8 is that of the row itself: valid_up_to counts from the row's
   * start.
   */
  trust8_error error;
} trust8_column_error;

/* Some bytes: a buffer for views. */
typedef struct trust8_slice {
  /* The first byte. */
  const void *data;
  /* The number of bytes. */
  size_t len;
} trust8_slice;

/* Checks each row of a column with 32-bit offsets (Arrow's Utf8): row n is values[offsets[n]] up to
 * values[offsets[n + 1]]. offsets_count is the number of rows plus one; 0 and 1 mean no rows.
 */
bool trust8_validate_offsets32(const void *values, size_t values_len, const int32_t *offsets,
                               size_t offsets_count, trust8_column_error *error);

/* Like trust8_validate_offsets32, for a column with 64-bit offsets (Arrow's LargeUtf8). */
bool trust8_validate_offsets64(const void *values, size_t values_len, const int64_t *offsets,
                               size_t offsets_count, trust8_column_error *error);

/* Checks each string of a column of views (Arrow's Utf8View). views is count times 16 bytes, with
 * little-endian numbers, and need not be aligned. Views refer to the buffers by index. Bytes that
 * several views name are read again for each, because this library allocates nothing: limit the sum
 * of the lengths of views that you do not trust. The same applies to the function
 * trust8_invalid_rows_views.
 */
bool trust8_validate_views(const void *views, size_t count, const trust8_slice *buffers,
                           size_t buffers_count, trust8_column_error *error);

/* Finds all rows of a column with 32-bit offsets that are not UTF-8, and writes a bitmap in which
 * their bits are 1. Row 0 has the lowest bit of the first byte; bits after the last row are 0.
 * bitmap has bitmap_len bytes, at least one bit for each row.
 *
 * validity may be NULL. Otherwise, it is a bitmap in which validity_offset other bits (Arrow's
 * offset of an array) precede the bit of row 0. Rows whose bit is 0 are null, and their contents
 * are ignored. Returns false if offsets are wrong, with the first wrong one in error. count gets
 * the number of rows that are not UTF-8.
 */
bool trust8_invalid_rows32(const void *values, size_t values_len, const int32_t *offsets,
                           size_t offsets_count, const uint8_t *validity, size_t validity_offset,
                           uint8_t *bitmap, size_t bitmap_len, size_t *count,
                           trust8_column_error *error);

/* Like trust8_invalid_rows32, for a column with 64-bit offsets. */
bool trust8_invalid_rows64(const void *values, size_t values_len, const int64_t *offsets,
                           size_t offsets_count, const uint8_t *validity, size_t validity_offset,
                           uint8_t *bitmap, size_t bitmap_len, size_t *count,
                           trust8_column_error *error);

/* Like trust8_invalid_rows32, for a column of views. The views must be aligned to 16 bytes. */
bool trust8_invalid_rows_views(const void *views, size_t views_count, const trust8_slice *buffers,
                               size_t buffers_count, const uint8_t *validity,
                               size_t validity_offset, uint8_t *bitmap, size_t bitmap_len,
                               size_t *count, trust8_column_error *error);

/* ---- Encodings ------------------------------------------------------------------------------- */

/* A number names an encoding. Text is bytes in every encoding, and all lengths and positions are
 * numbers of bytes.
 */

/* UTF-8, as RFC 3629 defines it. */
#define TRUST8_UTF8 1u
/* UTF-16, the low byte of each unit first. */
#define TRUST8_UTF16LE 2u
/* UTF-16, the high byte of each unit first. */
#define TRUST8_UTF16BE 3u
/* UTF-32, the lowest byte of each unit first. */
#define TRUST8_UTF32LE 4u
/* UTF-32, the highest byte of each unit first. */
#define TRUST8_UTF32BE 5u
/* ISO-8859-1: each byte is the character with its number. */
#define TRUST8_LATIN1 6u
/* UTF-16 in the machine's byte order: char16_t. */
#define TRUST8_UTF16 7u
/* UTF-32 in the machine's byte order: char32_t. */
#define TRUST8_UTF32 8u
/* A relative of UTF-8: as RFC 2279 defined it, in up to six bytes and with surrogates. */
#define TRUST8_RFC2279 16u
/* A relative of UTF-8: CESU-8, with surrogate pairs in place of four bytes. */
#define TRUST8_CESU8 17u
/* A relative of UTF-8: Java's Modified UTF-8, which is CESU-8 with C0 80 in place of 00. */
#define TRUST8_MUTF8 18u
/* A relative of UTF-8: WTF-8, with lone surrogates, for file names on Windows. */
#define TRUST8_WTF8 19u

/* Returns the name of the encoding with this number, such as "utf-16le", or NULL if there is none. */
const char *trust8_encoding_name(uint32_t encoding);

/* Returns the number of the encoding with this name, or 0 if there is none. The names are those
 * returned by trust8_encoding_name, and "latin1". Case, hyphens, underscores and spaces make no
 * difference in any name that a function takes: "UTF_16LE" is "utf-16le".
 */
uint32_t trust8_encoding_by_name(const char *name);

/* ---- Conversions ----------------------------------------------------------------------------- */

/* Text is converted between any two encodings from 1 to 8, and between UTF-8 and its relatives. It
 * is validated on the way. A conversion writes as many whole characters as fit, so a text can be
 * converted part by part through a small buffer:
 *
 *     do {
 *         done = trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, in, len, out, sizeof out, &result);
 *         use(out, result.written);
 *         in += result.read, len -= result.read;
 *     } while (!done && result.kind == TRUST8_TOO_SMALL);
 *
 * From an encoding into itself, TRUST8_LOSSY makes malformed text well-formed.
 */

/* A flag: replace what can't be converted, by U+FFFD, or by '?' if the target lacks that. */
#define TRUST8_LOSSY 1u
/* A flag for text that is known to be well-formed, such as text that was validated: UTF-8 is not
 * validated again. If it is not UTF-8, the behaviour is undefined. A function may ignore this flag.
 * A trust8_converter does not have it.
 */
#define TRUST8_VALID 2u

/* How far a conversion has come, and why it stopped there. */
typedef struct trust8_conversion {
  /* The number of bytes of the input that were converted. If the input is wrong, this is the
   * position of the error.
   */
  uint64_t read;
  /* The number of bytes that were written to the start of the output. They are whole characters. */
  uint64_t written;
  /* The wrong unit, number or character, if the kind has one; otherwise 0. */
  uint32_t value;
  /* Why the conversion stopped: TRUST8_NO_ERROR at the end of the input, TRUST8_TOO_SMALL if the
   * next character does not fit, or another kind.
   */
  uint8_t kind;
  /* Zeros. */
  uint8_t reserved[3];
} trust8_conversion;

/* Converts text. Returns true if all of it was converted. Otherwise result has the position and the
 * reason. If the output was too small, call the function again with the rest of the input and the
 * output.
 */
bool trust8_convert(uint32_t from, uint32_t to, uint32_t flags, const void *text, size_t len,
                    void *out, size_t cap, trust8_conversion *result);

/* Returns the length of the converted text, or TRUST8_NONE for a misuse. If the text is wrong and
 * the flag TRUST8_LOSSY is not set, the length is at least that of the text before the error.
 */
size_t trust8_convert_len(uint32_t from, uint32_t to, uint32_t flags, const void *text, size_t len);

/* The state of a conversion of text that arrives in pieces. It lives in the caller's memory, and
 * needs no clean-up.
 */
typedef struct trust8_converter {
  /* The number of bytes of the text that have been converted so far. */
  uint64_t position;
  /* The encoding of the text. */
  uint32_t from;
  /* The encoding of the output. */
  uint32_t to;
  /* The flags. */
  uint32_t flags;
  /* The wrong unit, number or character, after an error. */
  uint32_t value;
  /* The kind of the error, or 0. */
  uint8_t kind;
  /* The number of bytes in pending. */
  uint8_t pending_len;
  /* Zeros. */
  uint8_t reserved[2];
  /* The first bytes of a character whose other bytes have not arrived yet. */
  uint8_t pending[4];
} trust8_converter;

/* Begins a conversion in pieces, between two encodings from 1 to 8. Returns false for a misuse. */
bool trust8_converter_init(trust8_converter *converter, uint32_t from, uint32_t to, uint32_t flags);

/* Converts as much of the next piece of the text as fits. Returns true if the whole piece was read;
 * if a character is cut off at its end, the converter keeps that part. After TRUST8_TOO_SMALL, push
 * the rest of the piece. After any other error, every call returns that error. In result, read and
 * written are those of this call, and an error is at the converter's position.
 */
bool trust8_converter_push(trust8_converter *converter, const void *piece, size_t len, void *out,
                           size_t cap, trust8_conversion *result);

/* Ends the text. If it ends inside a character, that is an error of the kind TRUST8_INCOMPLETE or
 * of a lone surrogate. With TRUST8_LOSSY, a replacement is written instead, for which four bytes of
 * output are enough.
 */
bool trust8_converter_finish(trust8_converter *converter, void *out, size_t cap,
                             trust8_conversion *result);

/* ---- Validation in other encodings ----------------------------------------------------------- */

/* Returns whether the bytes are well-formed in this encoding. If they are not, error is the first
 * error. In UTF-16 and UTF-32 its length is that of the wrong unit, and trust8_explain finds no
 * lines: give it NULL.
 */
bool trust8_validate_as(uint32_t encoding, const void *data, size_t len, trust8_error *error);

/* Returns the set of UTF-8 and its relatives in which the bytes are well-formed: bit n is set for
 * the encoding n. A misuse has no bits.
 */
uint32_t trust8_diagnose(const void *data, size_t len);

/* Returns whether all bytes are ASCII. */
bool trust8_is_ascii(const void *data, size_t len);

/* Returns the number of ASCII bytes before the first other byte, or TRUST8_NONE for a misuse. */
size_t trust8_ascii_up_to(const void *data, size_t len);

/* Returns the encoding of a text that does not name it: TRUST8_UTF8, TRUST8_UTF16LE,
 * TRUST8_UTF16BE, TRUST8_UTF32LE, TRUST8_UTF32BE, or 0 if it seems to be another one, or binary.
 *
 * A byte order mark decides. Without one, the bytes are well-formed in the encoding. It is UTF-8 if
 * fewer than a quarter of them are control characters that are rare in text, and none is NUL.
 * Otherwise UTF-32 must be free of these, and at least 97 of 100 characters of UTF-16 must be
 * common ones, in one byte order more than in the other. UTF-8 with a NUL is not recognised. A text
 * of a few characters can be taken for another one.
 */
uint32_t trust8_detect(const void *data, size_t len);

/* ---- Kernels --------------------------------------------------------------------------------- */

/* A kernel is an implementation for one instruction set. All kernels return the same results. */

/* Returns the number of kernels that this CPU can run. */
size_t trust8_kernel_count(void);

/* Returns the name of the kernel with this index, from 0, best first, such as "avx2". The last one
 * is "scalar". Returns NULL if there is no such kernel.
 */
const char *trust8_kernel_name(size_t index);

/* Returns the name of the kernel that all functions use. */
const char *trust8_kernel_current(void);

/* Makes all functions use the kernel with this name, in all threads: for tests and measurements.
 * Returns false and changes nothing if this CPU can't run the kernel. The same applies if the
 * target of the library needs no choice, such as AArch64, and this is not the target's kernel.
 */
bool trust8_kernel_use(const char *name);

#ifdef __cplusplus
}
#endif

#endif
