// The C++ wrapper: each function once, with its errors.
#include <array>
#if __has_include(<ranges>)
#include <ranges>
#endif
#include <cstdio>
#include <utility>
#include <vector>

#include "trust8.hpp"
#include "trust8.hpp"

using namespace std::literals;

static unsigned failures;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            failures++; \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
        } \
    } while (0)

static void test_slices() {
    CHECK(trust8::is_utf8("na\xC3\xAFve"sv));
    CHECK(trust8::is_utf8({}));
    const auto text = trust8::validate("na\xC3\xAFve"sv);
    CHECK(text && *text == "na\xC3\xAFve" && text->size() == 6);
    const auto input = "one\ntwo \xC0\xAF"sv;
    const auto wrong = trust8::validate(input);
    CHECK(!wrong && wrong.value_or("none"sv) == "none");
    CHECK(wrong.error().valid_up_to() == 8 && wrong.error().length() == 1);
    CHECK(wrong.error().kind() == TRUST8_OVERLONG && wrong.error().name() == "overlong");
    const auto message = "invalid UTF-8 at byte 8: C0 begins an overlong form of an ASCII character; "
                         "expected a first byte (00 to 7F, C2 to F4)"s;
    CHECK(wrong.error().message() == message);
    CHECK(wrong.error().message(input) == "line 2, column 5: " + message);
    CHECK(trust8::lossy("na\xEFve"sv) == "na\xEF\xBF\xBDve" && trust8::lossy({}).empty());
    CHECK(trust8::repair(TRUST8_ESCAPE, "na\xEFve"sv) == "na\\xEFve" && trust8::repair(9, "a"sv).empty());
    const auto summary = trust8::inspect("\xE6\x97\xA5\n\xF0\x9F\x8C\x8D"sv);
    CHECK(summary.error.kind == 0 && summary.chars == 3 && summary.utf16_len == 4 && summary.newlines == 1);
    CHECK(trust8::locate(input, 8).line == 2 && trust8::locate(input, 8).column == 5);
}

static void test_decoder() {
    trust8::decoder decoder;
    CHECK(decoder.push("na\xC3"sv) == "na" && decoder.push("\xAFve\xFF\xE2"sv) == "\xC3\xAFve\xEF\xBF\xBD");
    CHECK(decoder.finish() == "\xEF\xBF\xBD" && decoder.finish().empty() && decoder.replaced() == 2);
    trust8::decoder escapes(TRUST8_ESCAPE);
    CHECK(escapes.push("\xF0\x9F\x98"sv).empty() && escapes.finish() == "\\xF0\\x9F\\x98");
    trust8::decoder none(9);
    CHECK(none.push("a"sv).empty() && none.finish().empty());
}

template <class T, class = void> static constexpr bool can_validate = false;
template <class T> static constexpr bool can_validate<T, std::void_t<decltype(trust8::validate(std::declval<T>()))>> = true;

/* A view of what a temporary owned is no result. */
static_assert(can_validate<std::string &> && can_validate<const std::string &> && !can_validate<std::string>);
static_assert(!can_validate<const std::string> && !can_validate<std::vector<unsigned char>>);
static_assert(can_validate<std::array<char, 2> &> && !can_validate<std::array<char, 2>> && !can_validate<const std::array<std::byte, 2>>);
// Clang 14 does not understand this header of GCC 12.
#if defined(__cpp_lib_ranges) && !defined(__clang__)
static_assert(can_validate<std::ranges::subrange<const char *>>);
#endif
static_assert(can_validate<std::vector<unsigned char> &> && can_validate<std::string_view> && can_validate<const char *>);
static_assert(!can_validate<std::u16string &> && !can_validate<std::vector<int> &> && !can_validate<int>);

static void test_kinds_of_bytes() {
    const std::vector<unsigned char> vector = {0xC3, 0xA9};
    const std::array<std::byte, 2> array = {std::byte{0xC3}, std::byte{0xA9}};
    const std::string string = "\xC3\xA9";
    const char literal[] = "\xC3\xA9";
    const char *const pointer = literal;
    CHECK(trust8::is_utf8(vector) && trust8::is_utf8(array) && trust8::is_utf8(string) && trust8::is_utf8(pointer));
    CHECK(trust8::is_utf8(std::string(string)) && !trust8::is_utf8(std::vector<unsigned char>{0xFF}));
    CHECK(trust8::is_utf8("\xC3\xA9") && trust8::inspect("\xC3\xA9").bytes == 2 && trust8::inspect(literal).bytes == 2);
    CHECK(trust8::validate(vector) && *trust8::validate(vector) == string && trust8::lossy(vector) == string);
    CHECK(*trust8::to_utf16(vector) == u"\u00E9" && trust8::to_utf32_lossy(array) == U"\u00E9");
#ifdef __cpp_char8_t
    const std::u8string text = u8"\u00E9";
    CHECK(trust8::is_utf8(text) && trust8::is_utf8(u8"\u00E9") && trust8::inspect(u8"\u00E9").bytes == 2);
    CHECK(trust8::validate(text) && !can_validate<std::u8string> && *trust8::to_utf16(text) == u"\u00E9");
#endif
#ifdef __cpp_lib_span
    CHECK(trust8::is_utf8(std::span(array)) && trust8::is_utf8(std::span<const std::byte>(array).first(0)));
    CHECK(!trust8::is_utf8(std::as_bytes(std::span(array)).first(1)) && can_validate<std::span<const std::byte>>);
#endif
}

static void test_value() {
    auto text = trust8::to_utf16("ab"sv);
    CHECK(text.value() == u"ab" && std::as_const(text).value().size() == 2);
    const std::u16string moved = std::move(text).value();
    CHECK(moved == u"ab");
    bool has_thrown = false;
    try {
        (void)trust8::validate("\xFF"sv).value();
    } catch (const std::bad_variant_access &) {
        has_thrown = true;
    }
    CHECK(has_thrown);
}

static void test_streams() {
    trust8::validator validator;
    CHECK(!validator.push("na\xC3"sv));
    auto copy = validator;
    CHECK(!validator.push("\xAFve"sv) && !validator.finish());
    CHECK(copy.finish() && copy.finish()->kind() == TRUST8_INCOMPLETE);
    const auto error = copy.push("ve"sv);
    CHECK(error && error->kind() == TRUST8_TRUNCATED && error->valid_up_to() == 2);
    CHECK(copy.push("more"sv)->kind() == TRUST8_TRUNCATED);
}

static void test_columns() {
#ifdef __cpp_lib_span
    const auto values = "OsloTroms\xC3\xB8"sv;
    const std::int32_t offsets[] = {0, 4, 11};
    const std::int64_t wrong[] = {0, 4, 10};
    CHECK(!trust8::validate_offsets(values, offsets));
    const auto error = trust8::validate_offsets(values, wrong);
    CHECK(error && error->row == 1 && error->reason.kind() == TRUST8_INCOMPLETE && error->reason.valid_up_to() == 5);
#endif
}

static void test_conversions() {
    CHECK(*trust8::to_utf16("5 \xE2\x82\xAC \xF0\x9F\x98\x80"sv) == u"5 \u20AC \U0001F600");
    CHECK(*trust8::to_utf32("5 \xE2\x82\xAC \xF0\x9F\x98\x80"sv) == U"5 \u20AC \U0001F600");
    CHECK(*trust8::to_utf8(u"5 \u20AC \U0001F600"sv) == "5 \xE2\x82\xAC \xF0\x9F\x98\x80");
    CHECK(*trust8::to_utf8(U"5 \u20AC \U0001F600"sv) == "5 \xE2\x82\xAC \xF0\x9F\x98\x80");
    CHECK(trust8::to_utf16({})->empty());
    // The conversion moves out of a temporary.
    std::u16string moved = *trust8::to_utf16("moved"sv);
    CHECK(moved == u"moved");
    const char16_t lone[] = {u'a', 0xD83D, u'b'};
    const auto error = trust8::to_utf8(std::u16string_view(lone, 3));
    CHECK(!error && error.error().valid_up_to == 1 && error.error().kind == TRUST8_LONE_HIGH_SURROGATE);
    CHECK(error.error().value == 0xD83D && error.error().name() == "lone-high-surrogate");
    CHECK(trust8::to_utf8_lossy(std::u16string_view(lone, 3)) == "a\xEF\xBF\xBD" "b");
    CHECK(trust8::to_well_formed(std::u16string_view(lone, 3)) == u"a\uFFFDb" && trust8::to_well_formed(u"ab") == u"ab");
    CHECK(trust8::to_utf16_lossy("a\xFF"sv) == u"a\uFFFD" && trust8::to_utf32_lossy("a\xFF"sv) == U"a\uFFFD");
    CHECK(trust8::to_utf8_lossy(U"a\uFFFD"sv) == "a\xEF\xBF\xBD");
}

/* The example in the header, with everything that is text. */
static void test_convert() {
    const std::string text = "caf\xC3\xA9";
    CHECK(*trust8::convert<std::u16string>(text) == u"caf\u00E9");
    CHECK(*trust8::convert<std::u16string>(std::string_view(text)) == u"caf\u00E9");
    CHECK(*trust8::convert<std::u16string>("caf\xC3\xA9") == u"caf\u00E9" && *trust8::convert<std::u16string>(text.c_str()) == u"caf\u00E9");
    CHECK(*trust8::convert<std::u32string>(u"\U0001F600") == U"\U0001F600" && *trust8::convert<std::string>(U"\u00E9"s) == "\xC3\xA9");
    CHECK(*trust8::convert<std::string>(*trust8::convert<std::wstring>(text)) == text);
    CHECK(*trust8::convert<std::u16string>("a\xFF", trust8::flags::lossy) == u"a\uFFFD");
    CHECK(*trust8::convert<std::u16string>(text, trust8::flags::lossy | trust8::flags::valid) == u"caf\u00E9");
    const auto wrong = trust8::convert<std::u16string>("a\xFF");
    CHECK(!wrong && wrong.error().valid_up_to == 1 && wrong.error().kind == TRUST8_INVALID_BYTE);
    CHECK(trust8::convert<std::u16string>("a\xFF").value_or(u"none") == u"none");
#ifdef __cpp_char8_t
    CHECK(*trust8::convert<std::u16string>(u8"\u00E9") == u"\u00E9" && *trust8::convert<std::u8string>(u"\u00E9") == u8"\u00E9");
#endif
}

template <class From, class Flags, class = void> static constexpr bool can_convert = false;
template <class From, class Flags>
static constexpr bool can_convert<
    From, Flags, std::void_t<decltype(trust8::convert<std::u16string>(std::declval<From>(), std::declval<Flags>()))>> = true;
static_assert(can_convert<std::string, trust8::flags> && !can_convert<std::string, unsigned> && !can_convert<int *, trust8::flags>);

/* Nothing but `value()` throws, whatever it is given. */
static void test_misuse() {
    const trust8::bytes nowhere(std::string_view(static_cast<const char *>(nullptr), 3));
    CHECK(!trust8::is_utf8(nowhere) && trust8::validate(nowhere).error().kind() == TRUST8_MISUSE);
    CHECK(trust8::lossy(nowhere).empty() && trust8::repair(TRUST8_DROP, nowhere).empty());
    CHECK(trust8::to_utf16(nowhere).error().kind == TRUST8_MISUSE && trust8::to_utf16_lossy(nowhere).empty());
    CHECK(trust8::validate("\xFF"sv).error().message(nowhere).empty());
    const auto unknown = trust8::convert<std::u16string>("a", static_cast<trust8::flags>(99));
    CHECK(!unknown && unknown.error().kind == TRUST8_MISUSE);
    std::size_t after = 9;
    CHECK(!trust8::next_error("a", after) && after == 9);
}

static void test_errors() {
    std::vector<std::uint64_t> places;
    for (std::size_t at = 0; const auto error = trust8::next_error("\xFF" "ab\xC0\xE2\x82", at);) places.push_back(error->valid_up_to());
    CHECK((places == std::vector<std::uint64_t>{0, 3, 4}));
    CHECK(trust8::ascii_up_to("caf\xC3\xA9") == 3 && trust8::ascii_up_to({}) == 0);
    CHECK(trust8::detect("h\0e\0l\0l\0o\0"sv) == TRUST8_UTF16LE && trust8::detect("caf\xE9") == 0);
}

int main() {
    test_slices();
    test_decoder();
    test_kinds_of_bytes();
    test_value();
    test_streams();
    test_columns();
    test_conversions();
    test_convert();
    test_misuse();
    test_errors();
    std::printf("%u checks failed\n", failures);
    return failures != 0;
}
