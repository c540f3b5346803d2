// TOML files as plain values. Reads only; toml++ stays in toml.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace support {

/// A value of a TOML file, or nothing: looking up what is not there gives nothing, at any depth. Dates and
/// times count as nothing.
class Toml {
 public:
  using List = std::vector<Toml>;
  using Table = std::map<std::string, Toml, std::less<>>;

  Toml() = default;
  explicit Toml(std::variant<std::monostate, std::string, std::int64_t, double, bool, List, Table> value)
      : value_(std::move(value)) {}

  /// The table that a file holds. Throws Error where it cannot be read, and `WHAT FILE, line N: reason` where
  /// it is no TOML.
  static Toml read(const std::filesystem::path& file, const std::string& what = "");

  explicit operator bool() const { return value_.index() != 0; }
  bool is_list() const { return std::holds_alternative<List>(value_); }
  bool is_table() const { return std::holds_alternative<Table>(value_); }

  /// What stands under a key of a table.
  const Toml& operator[](std::string_view key) const;
  /// Empty where this is no list, or no table.
  const List& list() const;
  const Table& table() const;

  /// The value, where it is of that kind. A whole number counts as a number, too; a number without a
  /// fraction as a whole one.
  std::optional<std::string> text() const;
  std::optional<std::int64_t> whole() const;
  std::optional<double> number() const;
  std::optional<bool> flag() const;
  /// The texts of a list; other elements are left out.
  std::vector<std::string> texts() const;

 private:
  std::variant<std::monostate, std::string, std::int64_t, double, bool, List, Table> value_;
};

/// The table that a file holds, as JSON. Throws as Toml::read() does.
std::string toml_as_json(const std::filesystem::path& file, const std::string& what);

}  // namespace support
