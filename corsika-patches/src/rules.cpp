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

/// A table of a rules file. It notes which keys are read.
class Table {
 public:
  Table(const support::Toml& table, std::string where) : table_(table), where_(std::move(where)) {}

  std::string text(std::string_view key, std::string fallback = {}) const {
    const auto& node = at(key);
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
    const auto& node = at(key);
    const auto texts = node.texts();
    if (node && (!node.is_list() || texts.size() != node.list().size()))
      throw support::Error(fmt::format("{}: '{}' must be a list of strings", where_, key));
    return texts;
  }
  std::set<std::string> set(std::string_view key) const {
    const auto texts = list(key);
    return {texts.begin(), texts.end()};
  }
  std::map<std::string, std::string> texts(std::string_view key) const {
    std::map<std::string, std::string> out;
    for (const auto& [name, value] : at(key).table()) out[name] = value.text().value_or("");
    return out;
  }
  bool flag(std::string_view key) const { return at(key).flag().value_or(false); }
  int number(std::string_view key, int fallback) const {
    return static_cast<int>(at(key).whole().value_or(fallback));
  }
  /// What `read` makes of each [[key]].
  template <typename Read>
  auto each(const char* key, Read&& read) const {
    std::vector<decltype(read(*this))> out;
    for (const auto& element : at(key).list())
      if (element.is_table()) out.push_back(whole(element, fmt::format("[[{}]]", key), read));
    return out;
  }
  /// What `read` makes of [key]; nothing where it is not there.
  template <typename Read>
  auto one(const char* key, Read&& read) const {
    std::optional<decltype(read(*this))> out;
    if (at(key).is_table()) out = whole(at(key), fmt::format("[{}]", key), read);
    return out;
  }
  /// Refuses keys that nothing reads: a misspelt key is an error, not a rule that does nothing.
  void refuse_unread() const {
    for (const auto& [key, value] : table_.table())
      if (!read_.contains(key))
        throw support::Error(
            fmt::format("{}: unknown key '{}'; see rules/ranmar.toml for those that there are", where_, key));
  }

 private:
  const support::Toml& at(std::string_view key) const {
    read_.emplace(key);
    return table_[key];
  }
  template <typename Read>
  auto whole(const support::Toml& element, const std::string& name, Read&& read) const {
    const Table table(element, where_ + ": " + name);
    auto out = read(table);
    table.refuse_unread();
    return out;
  }

  const support::Toml& table_;
  std::string where_;
  mutable std::set<std::string, std::less<>> read_;
};

RoutineRule routine(const Table& table) {
  RoutineRule rule;
  rule.names = table.list("names");
  if (rule.names.empty()) table.needed("names");
  rule.rule = table.text("rule", rule.names.front());
  rule.kind = table.needed("kind");
  rule.files = table.list("files");
  if (rule.files.empty()) rule.files = {"src/corsika.F"};
  rule.required = table.flag("required");
  rule.include = table.needed("include");
  rule.digests = table.list("shapes");
  rule.results = table.list("results");
  rule.sequences = table.list("sequences");
  static constexpr std::array kinds = {"function", "vector", "rmmard", "rmmaqd", "g900gt", "g900st"};
  if (std::find(kinds.begin(), kinds.end(), rule.kind) == kinds.end())
    throw support::Error(
        fmt::format("rule {}: unknown kind '{}'; use function, vector, rmmard, rmmaqd, g900gt or g900st",
                    rule.rule, rule.kind));
  return rule;
}

WrapRule wrap(const Table& t) {
  WrapRule rule{t.needed("file"),
                t.needed("routine"),
                t.needed("stock"),
                t.needed("step"),
                t.needed("end"),
                t.needed("not_covered"),
                t.needed("options_include"),
                t.needed("covered"),
                t.needed("include"),
                t.list("roles"),
                t.text("standard_include"),
                t.list("standard_arguments")};
  if (rule.stock.size() > rule.routine.size())  // the head's lines must not become longer
    throw support::Error(fmt::format("rule {}: 'stock' cannot be longer than 'routine'", rule.routine));
  return rule;
}

StageRules stage(const Table& top) {
  StageRules rules;
  rules.always = top.set("always");
  rules.options = top.set("options");
  rules.needed = top.set("needed");
  rules.not_covered = top.set("not_covered");
  rules.by_bunch = top.set("by_bunch");
  rules.whole_with = top.texts("whole_with");
  rules.options.insert(rules.always.begin(), rules.always.end());
  rules.options.insert(rules.needed.begin(), rules.needed.end());
  rules.limited = top.each("limited", [](const Table& t) {
    return LimitedOption{t.needed("option"), t.set("needed"), t.set("not_covered")};
  });
  rules.wraps = top.each("wrap", wrap);
  rules.calls_before = top.each("call_before", [](const Table& t) {
    return CallBeforeRule{t.needed("file"), t.needed("routine"), t.needed("stock"), t.needed("call"),
                          t.needed("macro")};
  });
  rules.replaced = top.each("replace", [](const Table& t) {
    return ReplaceRule{t.needed("file"),         t.needed("routine"),  t.needed("stock"), t.needed("head"),
                       t.number("arguments", 0), t.text("include"),    t.list("names"),   t.list("beside"),
                       t.list("called_by"),      t.list("not_covered")};
  });
  rules.macros = top.each("macro", [](const Table& t) {
    return MacroRule{t.needed("name"),   t.needed("file"), t.needed("routine"),
                     t.needed("option"), t.text("has"),    t.text("lacks")};
  });
  rules.if_blocks = top.each("if_block", [](const Table& t) {
    return IfBlockRule{t.needed("file"), t.needed("routine"), t.needed("statement"), t.needed("macro"),
                       t.list("lines"),  t.list("locals"),    t.list("shapes")};
  });
  rules.files = top.each("wrap_file", [](const Table& t) {
    return WrapFileRule{t.needed("file"),          t.list("functions"), t.texts("arguments"),
                        t.needed("names_include"), t.needed("include"), t.list("words")};
  });
  top.one("header", [&](const Table& t) {
    rules.header_names = t.list("names");
    return rules.header = t.needed("file");
  });
  return rules;
}

StateRule state(const Table& t) {
  return {t.needed("header"),   t.list("guards"),         t.list("commons"),
          t.list("left_alone"), t.list("build_products"), t.number("most_sequences", 64),
          t.text("reserved")};
}

CallSiteRule call_sites(const Table& t) {
  return {t.needed("routine"),
          t.list("files"),
          t.needed("header"),
          t.number("longest", 4),
          t.number("highest_sequence", 8),
          t.needed("common_include"),
          t.needed("draw_include"),
          t.number("light_sequence", 0),
          t.list("light_routines")};
}

}  // namespace

RuleSet load_rules(const std::filesystem::path& path) {
  const auto root = support::Toml::read(path);
  const Table top(root, path.string());
  RuleSet rules;
  rules.name = top.needed("name");
  rules.macro = top.needed("flag");
  if (root["wrap"]) {
    rules.stage = stage(top);
  } else {
    const auto found = top.one("state", state);
    if (!found) throw support::Error(fmt::format("{}: table [state] is missing", path.string()));
    rules.state = *found;
    rules.routines = top.each("routine", routine);
    if (rules.routines.empty()) throw support::Error(fmt::format("{}: no [[routine]] in it", path.string()));
    rules.call_sites = top.one("call_sites", call_sites);
  }
  top.refuse_unread();
  return rules;
}

std::filesystem::path default_rules() { return std::filesystem::path(CORSIKA_PATCHES_RULES) / "ranmar.toml"; }

std::vector<std::filesystem::path> all_default_rules() {
  return {default_rules(), std::filesystem::path(CORSIKA_PATCHES_RULES) / "cherenkov.toml"};
}

}  // namespace corsika_patches
