// Variables of the environment.
#pragma once

#include <charconv>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace corsika_runtime {

/// The value of a variable; empty where it is not set.
inline std::string_view environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

/// Whether a value switches something on.
inline bool is_on(std::string_view value) { return !value.empty() && value != "0"; }

/// The whole of `text` as a number.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

[[noreturn]] inline void refuse(std::string_view name, std::string_view value, const std::string& give) {
  throw std::invalid_argument(std::string(name) + " cannot be '" + std::string(value) + "'; give " + give);
}

}  // namespace corsika_runtime
