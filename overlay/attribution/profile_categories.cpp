// Reads lists of categories and finds the category of a place.
#include "overlay/attribution/profile_categories.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {

extern const char* const kCategoriesJson;  // made from data/categories.json

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProfileCategory, name, title, accelerated, accelerated_with,
                                                helper_threads, symbols, not_draws, kinds, prefixes,
                                                demangled, files, folders, objects)

namespace {

bool matches_any(const std::vector<std::string>& patterns, const std::string& text) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return fnmatch(pattern.c_str(), text.c_str(), 0) == 0; });
}

}  // namespace

bool ProfileCategory::holds_symbol(const std::string& symbol) const {
  const std::string plain = plain_name(symbol);
  if (symbols.contains(plain) ||
      std::ranges::any_of(prefixes, [&](const auto& prefix) { return plain.starts_with(prefix); }))
    return true;
  if (demangled.empty()) return false;
  const std::string full = overlay::demangled(symbol);
  return std::ranges::any_of(demangled,
                             [&](const auto& part) { return full.find(part) != std::string::npos; });
}

bool ProfileCategory::holds(const Place& place) const {
  if (kinds.contains(place.kind) || matches_any(objects, place.object) || holds_symbol(place.symbol))
    return true;
  return std::ranges::any_of(place.frames, [&](const Frame& frame) {
    // A function that was inlined into another category's function still belongs to its own category.
    if (accelerated && holds_symbol(frame.function)) return true;
    return matches_any(files, std::filesystem::path(frame.file).filename().string()) ||
           std::ranges::any_of(folders, [&](const auto& folder) {
             return ("/" + frame.file).find("/" + folder + "/") != std::string::npos;
           });
  });
}

CategoryList::CategoryList(const std::string& json, const std::string& origin) {
  try {
    categories_ = nlohmann::json::parse(json).at("categories").get<std::vector<ProfileCategory>>();
  } catch (const nlohmann::json::exception& error) {
    throw support::Error(fmt::format("cannot read the list of categories {}: {}", origin, error.what()));
  }
  for (ProfileCategory& category : categories_)
    if (category.title.empty()) category.title = category.name;
  generator();
}

CategoryList CategoryList::standard() { return CategoryList(kCategoriesJson, "categories.json"); }

CategoryList CategoryList::from_file(const std::filesystem::path& file) {
  return CategoryList(support::read_file(file), file.string());
}

const ProfileCategory* CategoryList::find(const Place& place) const {
  const auto found =
      std::ranges::find_if(categories_, [&](const auto& category) { return category.holds(place); });
  return found == categories_.end() ? nullptr : &*found;
}

void CategoryList::accelerate(const std::string& part) {
  for (ProfileCategory& category : categories_)
    if (category.accelerated_with == part) category.accelerated = true;
}

const ProfileCategory& CategoryList::generator() const {
  const auto found = std::ranges::find(categories_, "generator", &ProfileCategory::name);
  if (found == categories_.end())
    throw support::Error("the list of categories has none called generator; add one");
  return *found;
}

std::string plain_name(const std::string& symbol) {
  std::string name = symbol.substr(0, symbol.find('.', 1));
  if (name.size() > 1 && name.back() == '_') name.pop_back();
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.substr(0, symbol.find('.')).c_str(), nullptr, nullptr, nullptr), &std::free);
  return text ? text.get() : symbol;
}

}  // namespace overlay
