// Reads rules from TOML: which keys there are, and what they must be.
#include "corsika_patches/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "support/error.hpp"
#include "support/toml.hpp"

namespace corsika_patches {
namespace {

class Table {
 public:
  Table(const support::Toml& table, std::string where) : table_(table), where_(std::move(where)) {}

  /// Refuses keys that nothing reads: a misspelt key is an error, not a rule that does nothing.
  void allow(std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : table_.table())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        throw support::Error(
            fmt::format("{}: unknown key '{}'; see rules/ranmar.toml for those that there are", where_, key));
  }
  std::string text(std::string_view key, std::string fallback = {}) const {
    const auto& node = table_[key];
    if (!node) return fallback;
    if (const auto value = node.text()) return *value;
    throw support::Error(fmt::format("{}: '{}' must be a string", where_, key));
  }
  std::string needed(std::string_view key) const {
    auto value = text(key);
    if (value.empty()) throw support::Error(fmt::format("{}: '{}' is missing", where_, key));
    return value;
  }
  std::vector<std::string> list(std::string_view key) const {
    const auto& node = table_[key];
    const auto texts = node.texts();
    if (node && (!node.is_list() || texts.size() != node.list().size()))
      throw support::Error(fmt::format("{}: '{}' must be a list of strings", where_, key));
    return texts;
  }
  std::map<std::string, std::string> texts(std::string_view key) const {
    std::map<std::string, std::string> out;
    for (const auto& [name, value] : table_[key].table()) out[name] = value.text().value_or("");
    return out;
  }
  bool flag(std::string_view key) const { return table_[key].flag().value_or(false); }
  int number(std::string_view key, int fallback) const {
    return static_cast<int>(table_[key].whole().value_or(fallback));
  }

 private:
  const support::Toml& table_;
  std::string where_;
};

RoutineRule routine(const Table& table) {
  table.allow({"rule", "names", "language", "kind", "files", "required", "include", "shapes", "results",
               "sequences"});
  RoutineRule rule;
  rule.names = table.list("names");
  if (rule.names.empty()) table.needed("names");
  rule.rule = table.text("rule", rule.names.front());
  rule.language = table.text("language", "fortran");
  rule.kind = table.needed("kind");
  rule.files = table.list("files");
  if (rule.files.empty()) rule.files = {"src/corsika.F"};
  rule.required = table.flag("required");
  rule.include = table.needed("include");
  rule.digests = table.list("shapes");
  rule.results = table.list("results");
  rule.sequences = table.list("sequences");
  static constexpr std::array kinds = {"function", "vector", "rmmard", "rmmaqd", "g900gt", "g900st"};
  if (rule.language != "fortran")
    throw support::Error(fmt::format("rule {}: language '{}' is not supported; this version knows fortran",
                                     rule.rule, rule.language));
  if (std::find(kinds.begin(), kinds.end(), rule.kind) == kinds.end())
    throw support::Error(
        fmt::format("rule {}: unknown kind '{}'; use function, vector, rmmard, rmmaqd, g900gt or g900st",
                    rule.rule, rule.kind));
  return rule;
}

std::set<std::string> set_of(const Table& table, std::string_view key) {
  const auto list = table.list(key);
  return {list.begin(), list.end()};
}

WrapRule wrap(const Table& table) {
  table.allow({"file", "routine", "stock", "step", "end", "not_covered", "options_include", "covered",
               "include", "roles", "standard_include", "standard_arguments"});
  WrapRule rule{table.needed("file"),
                table.needed("routine"),
                table.needed("stock"),
                table.needed("step"),
                table.needed("end"),
                table.needed("not_covered"),
                table.needed("options_include"),
                table.needed("covered"),
                table.needed("include"),
                table.list("roles"),
                table.text("standard_include"),
                table.list("standard_arguments")};
  if (rule.stock.size() > rule.routine.size())  // the head's lines must not become longer
    throw support::Error(fmt::format("rule {}: 'stock' cannot be longer than 'routine'", rule.routine));
  return rule;
}

StageRules stage(const support::Toml& root, const Table& top, const std::string& path) {
  StageRules rules;
  rules.always = set_of(top, "always");
  rules.options = set_of(top, "options");
  rules.needed = set_of(top, "needed");
  rules.not_covered = set_of(top, "not_covered");
  rules.by_bunch = set_of(top, "by_bunch");
  rules.whole_with = top.texts("whole_with");
  rules.options.insert(rules.always.begin(), rules.always.end());
  rules.options.insert(rules.needed.begin(), rules.needed.end());
  const auto each = [&](const char* key, const auto& read) {
    for (const auto& element : root[key].list())
      if (element.is_table()) read(Table(element, path + ": [[" + key + "]]"));
  };
  each("limited", [&](const Table& table) {
    table.allow({"option", "needed", "not_covered"});
    rules.limited.push_back({table.needed("option"), set_of(table, "needed"), set_of(table, "not_covered")});
  });
  each("wrap", [&](const Table& table) { rules.wraps.push_back(wrap(table)); });
  each("call_before", [&](const Table& table) {
    table.allow({"file", "routine", "stock", "call", "macro"});
    rules.calls_before.push_back({table.needed("file"), table.needed("routine"), table.needed("stock"),
                                  table.needed("call"), table.needed("macro")});
  });
  each("replace", [&](const Table& table) {
    table.allow({"file", "routine", "stock", "head", "arguments", "include", "names", "beside", "called_by",
                 "not_covered"});
    rules.replaced.push_back({table.needed("file"), table.needed("routine"), table.needed("stock"),
                              table.needed("head"), table.number("arguments", 0), table.text("include"),
                              table.list("names"), table.list("beside"), table.list("called_by"),
                              table.list("not_covered")});
  });
  each("macro", [&](const Table& table) {
    table.allow({"name", "file", "routine", "option", "has", "lacks"});
    rules.macros.push_back({table.needed("name"), table.needed("file"), table.needed("routine"),
                            table.needed("option"), table.text("has"), table.text("lacks")});
  });
  each("if_block", [&](const Table& table) {
    table.allow({"file", "routine", "statement", "macro", "lines", "locals", "shapes"});
    rules.if_blocks.push_back({table.needed("file"), table.needed("routine"), table.needed("statement"),
                               table.needed("macro"), table.list("lines"), table.list("locals"),
                               table.list("shapes")});
  });
  each("wrap_file", [&](const Table& table) {
    table.allow({"file", "functions", "names_include", "include", "words"});
    rules.files.push_back({table.needed("file"), table.list("functions"), table.needed("names_include"),
                           table.needed("include"), table.list("words")});
  });
  if (root["header"].is_table()) {
    const Table table(root["header"], path + ": [header]");
    table.allow({"file", "names"});
    rules.header = table.needed("file");
    rules.header_names = table.list("names");
  }
  return rules;
}

}  // namespace

RuleSet load_rules(const std::filesystem::path& path) {
  const auto root = support::Toml::read(path);
  const Table top(root, path.string());
  top.allow({"name",      "flag",        "state",   "routine",  "call_sites", "always",      "options",
             "needed",    "not_covered", "limited", "by_bunch", "wrap",       "call_before", "replace",
             "wrap_file", "header",  "macro",    "whole_with", "if_block"});
  RuleSet rules;
  rules.name = top.needed("name");
  rules.macro = top.needed("flag");
  if (root["wrap"]) {
    rules.stage = stage(root, top, path.string());
    return rules;
  }
  if (root["state"].is_table()) {
    const Table table(root["state"], path.string() + ": [state]");
    table.allow(
        {"header", "guards", "commons", "left_alone", "build_products", "most_sequences", "reserved"});
    rules.state = {table.needed("header"),   table.list("guards"),         table.list("commons"),
                   table.list("left_alone"), table.list("build_products"), table.number("most_sequences", 64),
                   table.text("reserved")};
  } else {
    throw support::Error(fmt::format("{}: table [state] is missing", path.string()));
  }
  for (const auto& element : root["routine"].list())
    if (element.is_table())
      rules.routines.push_back(routine(Table(element, path.string() + ": [[routine]]")));
  if (rules.routines.empty()) throw support::Error(fmt::format("{}: no [[routine]] in it", path.string()));
  if (root["call_sites"].is_table()) {
    const Table table(root["call_sites"], path.string() + ": [call_sites]");
    table.allow({"routine", "files", "header", "longest", "highest_sequence", "common_include",
                 "draw_include", "light_sequence", "light_routines"});
    CallSiteRule rule;
    rule.routine = table.needed("routine");
    rule.files = table.list("files");
    rule.header = table.needed("header");
    rule.longest = table.number("longest", 4);
    rule.highest_sequence = table.number("highest_sequence", 8);
    rule.common_include = table.needed("common_include");
    rule.draw_include = table.needed("draw_include");
    rule.light_sequence = table.number("light_sequence", 0);
    rule.light_routines = table.list("light_routines");
    rules.call_sites = std::move(rule);
  }
  return rules;
}

std::filesystem::path default_rules() { return std::filesystem::path(CORSIKA_PATCHES_RULES) / "ranmar.toml"; }

std::vector<std::filesystem::path> all_default_rules() {
  return {default_rules(), std::filesystem::path(CORSIKA_PATCHES_RULES) / "cherenkov.toml"};
}

}  // namespace corsika_patches
