// trust8 for C++17 and later: the functions of trust8.h with the types of the standard library. It defines no macros. Only
// functions that return a string allocate, and then the string may throw std::bad_alloc; and only `result::value` throws by itself.
// A misuse of trust8.h is an error, an empty string, or no answer.
//
//     if (auto text = trust8::validate(bytes))
//         use(*text);
//     else
//         std::cerr << text.error().message(bytes) << '\n';
#pragma once

#if __cplusplus < 201703L && !(defined _MSVC_LANG && _MSVC_LANG >= 201703L)
#error "trust8.hpp needs C++17 or later, such as -std=c++17; trust8.h works with every C++"
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#endif

#include "trust8.h"

namespace trust8 {

// What `bytes` asks of a type.
namespace detail {
template <class T> struct is_byte : std::false_type {};
template <> struct is_byte<char> : std::true_type {};
template <> struct is_byte<unsigned char> : std::true_type {};
template <> struct is_byte<std::byte> : std::true_type {};
#ifdef __cpp_char8_t
template <> struct is_byte<char8_t> : std::true_type {};
#endif

template <class C, class = void> struct is_bytes : std::false_type {};
template <class C>
struct is_bytes<C, std::void_t<decltype(std::data(std::declval<const C &>()), std::size(std::declval<const C &>()))>>
    : is_byte<std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<const C &>()))>>> {};

// Whether the bytes go with a container, unlike those of a view.
template <class C> struct owns : std::bool_constant<!std::is_trivially_copyable_v<C>> {};
template <class T, std::size_t N> struct owns<std::array<T, N>> : std::true_type {};

// The units of a string, a view, a literal or a pointer to a terminated string.
template <class Text> using unit_of = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<const Text &>()[0])>>;

// Whether a type is that of a character, and not of any byte.
template <class Unit>
struct is_character
    : std::bool_constant<is_byte<Unit>::value && !std::is_same_v<Unit, unsigned char> && !std::is_same_v<Unit, std::byte>> {};
template <> struct is_character<wchar_t> : std::true_type {};
template <> struct is_character<char16_t> : std::true_type {};
template <> struct is_character<char32_t> : std::true_type {};

// Whether a view of characters can be made of a text.
template <class Text, class = void> struct is_text : std::false_type {};
template <class Text>
struct is_text<Text, std::void_t<unit_of<Text>>>
    : std::bool_constant<is_character<unit_of<Text>>::value &&
                         std::is_constructible_v<std::basic_string_view<unit_of<Text>>, const Text &>> {};

// Returns a string of this length, or an empty one if there is no length.
template <class Text = std::string> Text with_length(std::size_t len) {
    return Text(len == TRUST8_NONE ? 0 : len, typename Text::value_type());
}
} // namespace detail

// A view of bytes: of a string, a vector, a span or another container of char, unsigned char, char8_t or std::byte, or of a string
// with a terminator, which does not count.
class bytes {
public:
    constexpr bytes() noexcept = default;
    constexpr bytes(std::string_view text) noexcept : data_(text.data()), size_(text.size()) {}
    constexpr bytes(const char *text) noexcept : bytes(std::string_view(text)) {}
#ifdef __cpp_char8_t
    bytes(const char8_t *text) noexcept : bytes(std::basic_string_view<char8_t>(text)) {}
#endif
    template <class C, std::enable_if_t<detail::is_bytes<C>::value && !std::is_array_v<C>, int> = 0>
    constexpr bytes(const C &container) noexcept : data_(std::data(container)), size_(std::size(container)) {}

    constexpr const void *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    std::string_view view() const noexcept { return {static_cast<const char *>(data_), size_}; }

private:
    const void *data_ = nullptr;
    std::size_t size_ = 0;
};

// Where and why an input is not what it must be.
class error {
public:
    constexpr explicit error(const trust8_error &plain) noexcept : plain_(plain) {}

    // The number of valid bytes before the ill-formed sequence.
    [[nodiscard]] constexpr std::uint64_t valid_up_to() const noexcept { return plain_.valid_up_to; }
    // The length of the ill-formed sequence, or 0 if the input ends inside a character.
    [[nodiscard]] constexpr std::size_t length() const noexcept { return plain_.error_len; }
    // The number of the rule that is broken, such as TRUST8_OVERLONG.
    [[nodiscard]] constexpr std::uint8_t kind() const noexcept { return plain_.kind; }
    // The name of the rule, such as "overlong".
    [[nodiscard]] std::string_view name() const noexcept { return trust8_kind_name(plain_.kind); }
    // A message for people. With the input that gave the error, it begins with the line and the column.
    [[nodiscard]] std::string message(bytes input = {}) const {
        std::string text = detail::with_length(trust8_explain(&plain_, input.data(), input.size(), nullptr, 0));
        trust8_explain(&plain_, input.data(), input.size(), text.data(), text.size() + 1);
        return text;
    }
    [[nodiscard]] constexpr const trust8_error &plain() const noexcept { return plain_; }

private:
    trust8_error plain_;
};

// A value or an error, as std::expected has it. Without a value, `*` and `->` are undefined, and `value()` throws
// std::bad_variant_access; with one, `error()` is undefined.
template <class T, class E = error> class [[nodiscard]] result {
public:
    result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }
    const T &operator*() const & noexcept { return *std::get_if<0>(&state_); }
    T &operator*() & noexcept { return *std::get_if<0>(&state_); }
    T &&operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
    const T *operator->() const noexcept { return std::get_if<0>(&state_); }
    [[nodiscard]] const T &value() const & { return std::get<0>(state_); }
    [[nodiscard]] T &value() & { return std::get<0>(state_); }
    [[nodiscard]] T &&value() && { return std::get<0>(std::move(state_)); }
    [[nodiscard]] T value_or(T other) const & { return has_value() ? **this : std::move(other); }
    [[nodiscard]] T value_or(T other) && { return std::move(has_value() ? **this : other); }
    [[nodiscard]] const E &error() const noexcept { return *std::get_if<1>(&state_); }

private:
    std::variant<T, E> state_;
};

[[nodiscard]] inline bool is_utf8(bytes input) noexcept { return trust8_is_utf8(input.data(), input.size()); }

// Returns a view of the input itself, if it is UTF-8.
inline result<std::string_view> validate(bytes input) noexcept {
    trust8_error plain;
    if (trust8_validate(input.data(), input.size(), &plain)) return input.view();
    return error(plain);
}

// The view would outlive a string, a vector or an array that is a temporary.
template <class C, std::enable_if_t<detail::is_bytes<C>::value && detail::owns<C>::value, int> = 0>
result<std::string_view> validate(const C &&) = delete;

// Returns the next error from the byte `at` on, which is 0 at first and moves on, or nothing at the end:
// `for (std::size_t at = 0; auto error = trust8::next_error(text, at);)`.
[[nodiscard]] inline std::optional<error> next_error(bytes input, std::size_t &at) noexcept {
    trust8_error plain;
    if (trust8_next_error(input.data(), input.size(), &at, &plain)) return error(plain);
    return std::nullopt;
}

// Returns the number of ASCII bytes before the first other byte.
[[nodiscard]] inline std::size_t ascii_up_to(bytes input) noexcept { return trust8_ascii_up_to(input.data(), input.size()); }

// Returns the number of the encoding that a text seems to have, such as TRUST8_UTF16LE, or 0.
[[nodiscard]] inline std::uint32_t detect(bytes input) noexcept { return trust8_detect(input.data(), input.size()); }

// Validates text that arrives in pieces. It can be copied.
class validator {
public:
    validator() noexcept { trust8_validator_init(&state_); }
    // Returns the error as soon as it is certain, and from then on.
    [[nodiscard]] std::optional<error> push(bytes piece) noexcept {
        trust8_error plain;
        if (trust8_validator_push(&state_, piece.data(), piece.size(), &plain)) return std::nullopt;
        return error(plain);
    }
    [[nodiscard]] std::optional<error> finish() const noexcept {
        trust8_error plain;
        if (trust8_validator_finish(&state_, &plain)) return std::nullopt;
        return error(plain);
    }

private:
    trust8_validator state_;
};

// Returns text with each ill-formed sequence replaced by U+FFFD.
[[nodiscard]] inline std::string lossy(bytes input) {
    std::string text = detail::with_length(trust8_lossy_len(input.data(), input.size()));
    trust8_lossy(input.data(), input.size(), text.data(), text.size());
    return text;
}

// Decodes text in pieces, and replaces what is not UTF-8 as a policy says, such as TRUST8_ESCAPE. It can be copied. An
// unknown policy makes empty texts.
class decoder {
public:
    explicit decoder(std::uint32_t policy = TRUST8_REPLACE) noexcept { static_cast<void>(trust8_decoder_init(&state_, policy)); }
    // Returns the text that the piece completes.
    [[nodiscard]] std::string push(bytes piece) {
        std::string text(4 * piece.size() + 12, '\0');
        return resized(text, trust8_decoder_push(&state_, piece.data(), piece.size(), text.data(), text.size()));
    }
    // Returns what replaces a character that is not complete.
    [[nodiscard]] std::string finish() {
        std::string text(12, '\0');
        return resized(text, trust8_decoder_finish(&state_, text.data(), text.size()));
    }
    [[nodiscard]] std::uint64_t replaced() const noexcept { return trust8_decoder_replaced(&state_); }

private:
    static std::string resized(std::string &text, std::size_t len) {
        text.resize(len == TRUST8_NONE ? 0 : len);
        return std::move(text);
    }
    trust8_decoder state_{};
};

// Returns text repaired by a policy, such as TRUST8_DROP. An unknown policy makes an empty text.
[[nodiscard]] inline std::string repair(std::uint32_t policy, bytes input) {
    std::string text = detail::with_length(trust8_repair_len(policy, input.data(), input.size()));
    trust8_repair(policy, input.data(), input.size(), text.data(), text.size());
    return text;
}

// Counts what the text consists of. The `error` of the result has the kind 0 if the bytes are UTF-8.
[[nodiscard]] inline trust8_summary inspect(bytes input) noexcept {
    trust8_summary summary;
    trust8_inspect(input.data(), input.size(), &summary);
    return summary;
}

[[nodiscard]] inline trust8_location locate(bytes input, std::uint64_t offset) noexcept {
    trust8_location location;
    trust8_locate(input.data(), input.size(), offset, &location);
    return location;
}

// The row of a column that is wrong, and why.
struct column_error {
    std::uint64_t row;
    error reason;
};

#ifdef __cpp_lib_span
// Returns the first wrong row of a column with Arrow's offsets, or nothing if all are valid.
[[nodiscard]] inline std::optional<column_error> validate_offsets(bytes values, std::span<const std::int32_t> offsets) noexcept {
    trust8_column_error plain;
    if (trust8_validate_offsets32(values.data(), values.size(), offsets.data(), offsets.size(), &plain)) return std::nullopt;
    return column_error{plain.row, error(plain.error)};
}

[[nodiscard]] inline std::optional<column_error> validate_offsets(bytes values, std::span<const std::int64_t> offsets) noexcept {
    trust8_column_error plain;
    if (trust8_validate_offsets64(values.data(), values.size(), offsets.data(), offsets.size(), &plain)) return std::nullopt;
    return column_error{plain.row, error(plain.error)};
}
#endif

// Where and why text can't be converted.
struct conversion_error {
    std::uint64_t valid_up_to; // in units of the input
    std::uint8_t kind;
    std::uint32_t value;
    [[nodiscard]] std::string_view name() const noexcept { return trust8_kind_name(kind); }
};

// How to convert.
enum class flags : std::uint32_t {
    none = 0,
    // Replace what can't be converted.
    lossy = TRUST8_LOSSY,
    // The text is known to be well-formed; if not, the behaviour is undefined.
    valid = TRUST8_VALID,
};
constexpr flags operator|(flags a, flags b) noexcept { return flags(std::uint32_t(a) | std::uint32_t(b)); }

// The encoding of a string's units.
template <class Unit> constexpr std::uint32_t encoding_of =
    sizeof(Unit) == 1 ? TRUST8_UTF8 : sizeof(Unit) == 2 ? TRUST8_UTF16 : TRUST8_UTF32;

// Converts between strings, views and literals of char, char8_t, char16_t, char32_t and wchar_t: `convert<std::u16string>(text)`.
template <class To, class From, std::enable_if_t<detail::is_text<From>::value, int> = 0>
result<To, conversion_error> convert(const From &from, flags how = flags::none) {
    using from_unit = detail::unit_of<From>;
    using unit = typename To::value_type;
    const std::basic_string_view<from_unit> text(from);
    const std::uint32_t source = encoding_of<from_unit>, target = encoding_of<unit>, bits = std::uint32_t(how);
    const std::size_t len = text.size() * sizeof(from_unit), needed = trust8_convert_len(source, target, bits, text.data(), len);
    To out = detail::with_length<To>(needed == TRUST8_NONE ? needed : needed / sizeof(unit));
    trust8_conversion done;
    if (trust8_convert(source, target, bits, text.data(), len, out.data(), out.size() * sizeof(unit), &done)) {
        out.resize(static_cast<std::size_t>(done.written) / sizeof(unit));
        return out;
    }
    return conversion_error{done.read / sizeof(from_unit), done.kind, done.value};
}

inline result<std::u16string, conversion_error> to_utf16(bytes text) { return convert<std::u16string>(text.view()); }
inline result<std::u32string, conversion_error> to_utf32(bytes text) { return convert<std::u32string>(text.view()); }
inline result<std::string, conversion_error> to_utf8(std::u16string_view text) { return convert<std::string>(text); }
inline result<std::string, conversion_error> to_utf8(std::u32string_view text) { return convert<std::string>(text); }

// The same with U+FFFD in place of what can't be converted, so that there is no error.
[[nodiscard]] inline std::u16string to_utf16_lossy(bytes text) {
    return convert<std::u16string>(text.view(), flags::lossy).value_or({});
}
[[nodiscard]] inline std::u32string to_utf32_lossy(bytes text) {
    return convert<std::u32string>(text.view(), flags::lossy).value_or({});
}
[[nodiscard]] inline std::string to_utf8_lossy(std::u16string_view text) {
    return convert<std::string>(text, flags::lossy).value_or({});
}
[[nodiscard]] inline std::string to_utf8_lossy(std::u32string_view text) {
    return convert<std::string>(text, flags::lossy).value_or({});
}

// Returns UTF-16 with U+FFFD in place of each lone surrogate.
[[nodiscard]] inline std::u16string to_well_formed(std::u16string_view text) {
    return convert<std::u16string>(text, flags::lossy).value_or({});
}

} // namespace trust8
