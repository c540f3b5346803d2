// Reads rules from TOML: which keys there are, and what they must be.
#include "corsika-patches/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "support/error.hpp"

namespace corsika_patches {
namespace {

/// The keys of each table. Behind one stands what it must be: ! a text, and there; ' a text; * a list of
/// texts; # a whole number; ? true or false; % a table of texts; @ tables with keys of their own.
const std::map<std::string, const char*> kKeys = {
    {"generator", "name! flag! file! state@ call_sites@ routine@"},
    {"state", "header! guards* commons* left_alone* build_products* most_sequences# reserved!"},
    {"call_sites",
     "routine! header! longest# highest_sequence# common_include! draw_include! light_sequence# "
     "light_routines*"},
    {"routine", "names* kind' required? include! shapes*"},
    {"stage",
     "name! flag! always* options* needed* not_covered* by_bunch* limited@ light_option@ wrap@ call_before@ "
     "macro@ "
     "replace@ if_block@ wrap_file@ header@"},
    {"limited", "option! by_bunch? needed* not_covered*"},
    {"light_option", "option! file! routine! has! call! blocks* variables*"},
    {"wrap",
     "file! routine! stock! step! end! not_covered_routine! covered_macro! by_bunch_macro! options_routine! "
     "include! roles* "
     "standard_include' "
     "standard_arguments* standard_only*"},
    {"call_before", "file! routine! stock! call! macro!"},
    {"macro", "name! file! routine! option! has' lacks'"},
    {"replace", "file! routine! stock! head! arguments# include' names* not_covered* shapes* in_place_of'"},
    {"if_block", "file! routine! statement! macro! lines* locals* shapes*"},
    {"wrap_file", "file! functions* arguments% names_include! include! words*"},
    {"header", "file! names*"},
};

bool all_texts(const support::Toml& node) {
  const auto& table = node.table();
  return node.is_list()
             ? node.texts().size() == node.list().size()
             : std::all_of(table.begin(), table.end(), [](const auto& each) { return each.second.text(); });
}

bool is_of_kind(const support::Toml& node, char kind) {
  switch (kind) {
    case '!':
      return !node.text().value_or("").empty();
    case '#':
      return node.whole().has_value();
    case '?':
      return node.flag().has_value();
    case '*':
      return node.is_list() && all_texts(node);
    case '%':
      return node.is_table() && all_texts(node);
    case '@':
      return node.is_list() || node.is_table();
    default:
      return node.text().has_value();
  }
}

/// Refuses a misspelt key, too: it is an error, not a rule that does nothing.
void check(const support::Toml& table, const std::string& name, const std::string& where) {
  std::set<std::string> known;
  std::istringstream words(kKeys.at(name));
  for (std::string word; words >> word;) {
    const char kind = word.back();
    word.pop_back();
    known.insert(word);
    const auto& node = table[word];
    if ((node || kind == '!') && !is_of_kind(node, kind))
      throw support::Error(
          fmt::format("{}: '{}' is missing, or is not what it must be; see rules/*.toml", where, word));
    if (kind != '@') continue;
    for (const auto& each : node.is_table() ? support::Toml::List{node} : node.list())
      check(each, word, fmt::format("{}: [[{}]]", where, word));
  }
  for (const auto& [key, value] : table.table())
    if (!known.contains(key))
      throw support::Error(
          fmt::format("{}: unknown key '{}'; see rules/*.toml for those that there are", where, key));
}

}  // namespace

std::set<std::string> Rule::set(std::string_view key) const {
  const auto texts = list(key);
  return {texts.begin(), texts.end()};
}

std::map<std::string, std::string> Rule::texts(std::string_view key) const {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : (*table_)[key].table()) out[name] = value.text().value_or("");
  return out;
}

std::vector<Rule> Rule::each(std::string_view key) const {
  std::vector<Rule> out;
  for (const auto& element : (*table_)[key].list())
    out.push_back(Rule(std::shared_ptr<const support::Toml>(table_, &element)));
  return out;
}

RuleSet load_rules(const std::filesystem::path& path) {
  const auto file = std::make_shared<const support::Toml>(support::Toml::read(path));
  const bool stage = static_cast<bool>((*file)["wrap"]);
  check(*file, stage ? "stage" : "generator", path.string());
  const Rule rules(file);
  if (!stage && (!(*file)["state"] || rules.each("routine").empty()))
    throw support::Error(fmt::format("{}: no [state], or no [[routine]] in it", path.string()));
  for (const auto& routine : rules.each("routine"))
    if (const auto kind = routine.text("kind");
        routine.list("names").empty() ||
        (kind.empty() ? routine.list("shapes").empty()
                      : kind != "function" && kind != "vector" && kind != "rmmard"))
      throw support::Error(fmt::format(
          "{}: a [[routine]] needs names, and shapes or a kind: function, vector or rmmard", path.string()));
  return {rules, rules.text("name"), rules.text("flag"), stage};
}

std::filesystem::path default_rules() { return std::filesystem::path(CORSIKA_PATCHES_RULES) / "ranmar.toml"; }

std::vector<std::filesystem::path> all_default_rules() {
  return {default_rules(), std::filesystem::path(CORSIKA_PATCHES_RULES) / "cherenkov.toml"};
}

}  // namespace corsika_patches
