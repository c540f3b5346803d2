// Structures as JSON objects. A structure names its members once, in a function members(structure, use) that
// calls use(key, member)(key, member)... for all; writing and reading go through it, so they cannot differ.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

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

/// JSON as our files hold it: bytes that are no UTF-8 are replaced.
inline std::string text_of(const nlohmann::ordered_json& json, int indent = 2) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace overlay

/// Records, and lists of them. Reading throws nlohmann::json::exception or support::Error where a member is
/// missing or of another type.
template <overlay::Record T>
struct nlohmann::adl_serializer<T, void> {
  static void to_json(auto& json, const T& record) {
    members(const_cast<T&>(record),
            overlay::Members{[&](const char* key, const auto& member) { json[key] = member; }});
  }
  static void from_json(const auto& json, T& record) {
    members(record, overlay::Members{[&](const char* key, auto& member) {
              using Member = std::remove_reference_t<decltype(member)>;
              const auto& value = json.at(key);
              if constexpr (std::integral<Member> && !std::same_as<Member, bool>)
                if (!value.is_number_integer() ||
                    (value.is_number_unsigned() ? !std::in_range<Member>(value.template get<std::uint64_t>())
                                                : !std::in_range<Member>(value.template get<std::int64_t>())))
                  throw support::Error("a whole number is missing or too large");
              value.get_to(member);
            }});
  }
};
