// The one unit that includes toml++, whose headers take most of a unit's compile time.
#include "support/toml.hpp"

#include <toml++/toml.h>

#include <cmath>
#include <sstream>

#include "support/error.hpp"
#include "support/files.hpp"

namespace support {
namespace {

Toml value_of(const toml::node& node) {
  if (const auto* array = node.as_array()) {
    Toml::List list;
    for (const auto& element : *array) list.push_back(value_of(element));
    return Toml(std::move(list));
  }
  if (const auto* inner = node.as_table()) {
    Toml::Table table;
    for (const auto& [key, value] : *inner) table.emplace(std::string(key.str()), value_of(value));
    return Toml(std::move(table));
  }
  if (const auto* text = node.as_string()) return Toml(text->get());
  if (const auto* whole = node.as_integer()) return Toml(whole->get());
  if (const auto* number = node.as_floating_point()) return Toml(number->get());
  if (const auto* flag = node.as_boolean()) return Toml(flag->get());
  return {};
}

toml::table parsed(const std::filesystem::path& file, const std::string& what) try {
  return toml::parse(read_file(file));
} catch (const toml::parse_error& problem) {
  throw Error("{}{}{}, line {}: {}", what, what.empty() ? "" : " ", file.string(),
              problem.source().begin.line, problem.description());
}

}  // namespace

Toml Toml::read(const std::filesystem::path& file, const std::string& what) {
  return value_of(parsed(file, what));
}

std::string toml_as_json(const std::filesystem::path& file, const std::string& what) {
  std::ostringstream text;
  text << toml::json_formatter{parsed(file, what)};
  return text.str();
}

const Toml& Toml::operator[](std::string_view key) const {
  static const Toml nothing;
  const auto found = table().find(key);
  return found == table().end() ? nothing : found->second;
}

const Toml::List& Toml::list() const {
  static const List none;
  const auto* list = std::get_if<List>(&value_);
  return list != nullptr ? *list : none;
}

const Toml::Table& Toml::table() const {
  static const Table none;
  const auto* table = std::get_if<Table>(&value_);
  return table != nullptr ? *table : none;
}

std::optional<std::string> Toml::text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  return std::nullopt;
}

std::optional<std::int64_t> Toml::whole() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return *whole;
  const auto* number = std::get_if<double>(&value_);
  if (number == nullptr || std::trunc(*number) != *number || std::fabs(*number) >= 0x1p63)
    return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<double> Toml::number() const {
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
  return std::nullopt;
}

std::optional<bool> Toml::flag() const {
  if (const auto* flag = std::get_if<bool>(&value_)) return *flag;
  return std::nullopt;
}

std::vector<std::string> Toml::texts() const {
  std::vector<std::string> result;
  for (const Toml& element : list())
    if (const auto* text = std::get_if<std::string>(&element.value_)) result.push_back(*text);
  return result;
}

}  // namespace support
