// Reads lists of categories and finds the category of a place. The only unit of attribution that reads JSON.
#include "overlay/attribution/profile_categories.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "overlay/attribution/elf_symbols.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {

extern const char* const kCategoriesJson;  // made from data/categories.json

namespace {

bool matches_any(const std::vector<std::string>& patterns, const std::string& text) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  });
}

template <typename Container>
Container strings(const nlohmann::json& category, const char* key) {
  const auto list = category.value(key, std::vector<std::string>{});
  return Container(list.begin(), list.end());
}

}  // namespace

bool ProfileCategory::holds_symbol(const std::string& symbol) const {
  if (symbol.empty() || symbol == "??") return false;
  const std::string plain = plain_name(symbol);
  if (symbols.count(plain) != 0) return true;
  if (std::any_of(prefixes.begin(), prefixes.end(),
                  [&](const std::string& prefix) { return plain.rfind(prefix, 0) == 0; }))
    return true;
  if (demangled.empty()) return false;
  const std::string full = overlay::demangled(symbol);
  return std::any_of(demangled.begin(), demangled.end(),
                     [&](const std::string& part) { return full.find(part) != std::string::npos; });
}

bool ProfileCategory::holds(const Place& place) const {
  if (kinds.count(place.kind) != 0 || matches_any(objects, place.object) || holds_symbol(place.symbol))
    return true;
  for (const Frame& frame : place.frames) {
    // A function that was inlined into another category's function still belongs to its own category.
    if (accelerated && holds_symbol(frame.function)) return true;
    if (frame.file.empty() || frame.file[0] == '?') continue;
    const std::size_t slash = frame.file.rfind('/');
    if (matches_any(files, slash == std::string::npos ? frame.file : frame.file.substr(slash + 1)))
      return true;
    for (const std::string& folder : folders)
      if (frame.file.find("/" + folder + "/") != std::string::npos || frame.file.rfind(folder + "/", 0) == 0)
        return true;
  }
  return false;
}

CategoryList::CategoryList(const std::string& json, const std::string& origin) {
  try {
    const nlohmann::json document = nlohmann::json::parse(json);
    for (const auto& entry : document.at("categories")) {
      ProfileCategory category;
      category.name = entry.at("name");
      category.title = entry.value("title", category.name);
      category.accelerated = entry.value("accelerated", false);
      category.accelerated_with = entry.value("accelerated_with", "");
      category.helper_threads = entry.value("helper_threads", false);
      category.symbols = strings<std::set<std::string>>(entry, "symbols");
      category.not_draws = strings<std::set<std::string>>(entry, "not_draws");
      category.kinds = strings<std::set<std::string>>(entry, "kinds");
      category.prefixes = strings<std::vector<std::string>>(entry, "prefixes");
      category.demangled = strings<std::vector<std::string>>(entry, "demangled");
      category.files = strings<std::vector<std::string>>(entry, "files");
      category.folders = strings<std::vector<std::string>>(entry, "folders");
      category.objects = strings<std::vector<std::string>>(entry, "objects");
      categories_.push_back(category);
    }
  } catch (const nlohmann::json::exception& error) {
    throw support::Error(fmt::format("cannot read the list of categories {}: {}", origin, error.what()));
  }
  generator();
}

CategoryList CategoryList::standard() { return CategoryList(kCategoriesJson, "categories.json"); }

CategoryList CategoryList::from_file(const std::filesystem::path& file) {
  return CategoryList(support::read_file(file), file.string());
}

std::size_t CategoryList::find(const Place& place) const {
  return static_cast<std::size_t>(std::find_if(categories_.begin(), categories_.end(),
                                               [&](const ProfileCategory& s) { return s.holds(place); }) -
                                  categories_.begin());
}

void CategoryList::accelerate(const std::string& part) {
  for (ProfileCategory& category : categories_)
    if (category.accelerated_with == part) category.accelerated = true;
}

const ProfileCategory& CategoryList::generator() const {
  for (const ProfileCategory& category : categories_)
    if (category.name == "generator") return category;
  throw support::Error("the list of categories has none called generator; add one");
}

}  // namespace overlay
