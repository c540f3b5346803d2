// Structures as JSON objects. A structure names its members once, in a function members(structure, use) that
// calls use(key, member)(key, member)... for all; writing and reading go through it, so they cannot differ.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/error.hpp"

namespace overlay {

/// Calls `use` for one member after the other.
template <class Use>
struct Members {
  const Use& use;
  template <class Member>
  const Members& operator()(const char* key, Member& member) const {
    use(key, member);
    return *this;
  }
};
template <class Use>
Members(const Use&) -> Members<Use>;

template <class T>
concept Record = requires(T& value) {
  members(value, Members{[](const char*, auto&) {}});
};
template <class T>
concept Records = requires(T& value) {
  value.emplace_back();
  requires Record<typename T::value_type>;
};

/// A record, a list of records, or a value that the JSON library knows.
template <class T>
nlohmann::ordered_json json_of(const T& value) {
  if constexpr (Record<T>) {
    auto object = nlohmann::ordered_json::object();
    members(const_cast<T&>(value),
            Members{[&](const char* key, const auto& member) { object[key] = json_of(member); }});
    return object;
  } else if constexpr (Records<T>) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& each : value) list.push_back(json_of(each));
    return list;
  } else {
    return value;
  }
}

/// Reads what json_of() wrote. Throws nlohmann::ordered_json::exception or support::Error where a member is
/// missing or of another type.
template <class T>
void read_record(const nlohmann::ordered_json& text, T& value) {
  if constexpr (Record<T>) {
    members(value, Members{[&](const char* key, auto& member) { read_record(text.at(key), member); }});
  } else if constexpr (Records<T>) {
    if (!text.is_array()) throw support::Error("a list is missing");
    for (const auto& each : text) read_record(each, value.emplace_back());
  } else {
    if constexpr (std::integral<T> && !std::same_as<T, bool>)
      if (!text.is_number_integer() ||
          (text.is_number_unsigned() ? !std::in_range<T>(text.get<std::uint64_t>())
                                     : !std::in_range<T>(text.get<std::int64_t>())))
        throw support::Error("a whole number is missing or too large");
    text.get_to(value);
  }
}

/// JSON as our files hold it: bytes that are no UTF-8 are replaced.
inline std::string text_of(const nlohmann::ordered_json& json, int indent = 2) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace overlay
