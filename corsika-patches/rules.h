// What is replaced and inserted, and how it is recognised, as data. What the keys mean is said in the files,
// rules/*.toml.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/toml.hpp"

namespace corsika_patches {

/// A table of a rules file: all of it, or one rule in it. What it has not is empty, or 0.
class Rule {
 public:
  explicit Rule(std::shared_ptr<const support::Toml> table = std::make_shared<const support::Toml>())
      : table_(std::move(table)) {}

  std::string text(std::string_view key) const { return (*table_)[key].text().value_or(""); }
  std::vector<std::string> list(std::string_view key) const { return (*table_)[key].texts(); }
  std::set<std::string> set(std::string_view key) const;
  int number(std::string_view key) const { return static_cast<int>((*table_)[key].whole().value_or(0)); }
  bool flag(std::string_view key) const { return (*table_)[key].flag().value_or(false); }
  std::map<std::string, std::string> texts(std::string_view key) const;
  /// The table [key], and each [[key]].
  Rule table(std::string_view key) const { return Rule({table_, &(*table_)[key]}); }
  std::vector<Rule> each(std::string_view key) const;

 private:
  std::shared_ptr<const support::Toml> table_;
};

/// The rules of one file, of the generator or of the Cherenkov stage.
struct RuleSet {
  Rule rules;
  std::string name;
  std::string macro;  ///< preprocessor macro that turns the replacement on; `flag` in the file
  bool stage = false;
};

/// Reads rules from a TOML file; throws Error with file and line, also where a key is unknown, missing or of
/// another kind.
RuleSet load_rules(const std::filesystem::path& path);

/// The generator's rule file, which comes with the project.
std::filesystem::path default_rules();
/// That one, and the Cherenkov stage's, which needs it.
std::vector<std::filesystem::path> all_default_rules();

}  // namespace corsika_patches
