// trust8 for C++17 and later: the functions of trust8.h with the types of the standard library. It defines no macros. Only
// functions that return a string allocate, and then the string may throw std::bad_alloc; and only `result::value` throws by itself.
//
//     if (auto text = trust8::validate(bytes))
//         use(*text);
//     else
//         std::cerr << text.error().message(bytes) << '\n';
#pragma once

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
        std::string text(trust8_explain(&plain_, input.data(), input.size(), nullptr, 0), '\0');
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
    [[nodiscard]] T value_or(T other) const { return has_value() ? **this : std::move(other); }
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
    std::string text(trust8_lossy_len(input.data(), input.size()), '\0');
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
    const std::size_t len = trust8_repair_len(policy, input.data(), input.size());
    std::string text(len == TRUST8_NONE ? 0 : len, '\0');
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

// The encoding of a string's units.
template <class Unit> constexpr std::uint32_t encoding_of =
    sizeof(Unit) == 1 ? TRUST8_UTF8 : sizeof(Unit) == 2 ? TRUST8_UTF16 : TRUST8_UTF32;

// Converts between strings of char, char16_t and char32_t (or wchar_t): `convert<std::u16string>(text)`.
template <class To, class From>
result<To, conversion_error> convert(std::basic_string_view<From> text, std::uint32_t flags = 0) {
    using unit = typename To::value_type;
    const std::uint32_t from = encoding_of<From>, to = encoding_of<unit>;
    const std::size_t bytes = text.size() * sizeof(From);
    To out(trust8_convert_len(from, to, flags, text.data(), bytes) / sizeof(unit), unit());
    trust8_conversion done;
    if (trust8_convert(from, to, flags, text.data(), bytes, out.data(), out.size() * sizeof(unit), &done)) {
        out.resize(static_cast<std::size_t>(done.written) / sizeof(unit));
        return out;
    }
    return conversion_error{done.read / sizeof(From), done.kind, done.value};
}

inline result<std::u16string, conversion_error> to_utf16(bytes text) { return convert<std::u16string>(text.view()); }
inline result<std::u32string, conversion_error> to_utf32(bytes text) { return convert<std::u32string>(text.view()); }
inline result<std::string, conversion_error> to_utf8(std::u16string_view text) { return convert<std::string>(text); }
inline result<std::string, conversion_error> to_utf8(std::u32string_view text) { return convert<std::string>(text); }

// The same with U+FFFD in place of what can't be converted, so that there is no error.
[[nodiscard]] inline std::u16string to_utf16_lossy(bytes text) { return *convert<std::u16string>(text.view(), TRUST8_LOSSY); }
[[nodiscard]] inline std::u32string to_utf32_lossy(bytes text) { return *convert<std::u32string>(text.view(), TRUST8_LOSSY); }
[[nodiscard]] inline std::string to_utf8_lossy(std::u16string_view text) { return *convert<std::string>(text, TRUST8_LOSSY); }
[[nodiscard]] inline std::string to_utf8_lossy(std::u32string_view text) { return *convert<std::string>(text, TRUST8_LOSSY); }

// Returns UTF-16 with U+FFFD in place of each lone surrogate.
[[nodiscard]] inline std::u16string to_well_formed(std::u16string_view text) {
    return *convert<std::u16string>(text, TRUST8_LOSSY);
}

} // namespace trust8
