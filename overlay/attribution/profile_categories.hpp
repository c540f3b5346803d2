// The parts of a program that time is counted into: data/categories.json or a list of the user's.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "overlay/attribution/program_file.hpp"

namespace overlay {

/// Where in the code one sample was taken, as far as symbols and line tables tell.
struct Place {
  std::string object;         ///< file name of the program or library, without folders
  std::string kind;           ///< program, library, kernel
  std::string symbol;         ///< function in the symbol table; may be empty
  std::vector<Frame> frames;  ///< innermost first; empty without a line table
};

/// A part of the program that time is counted into. What the members mean stands in data/categories.json.
struct ProfileCategory {
  std::string name, title;
  bool accelerated = false;
  std::string accelerated_with;  ///< accelerated only while this part of the patch is on
  bool helper_threads = false;
  std::set<std::string> symbols, not_draws, kinds;
  std::vector<std::string> prefixes, demangled, files, folders, objects;

  bool holds_symbol(const std::string& symbol) const;
  bool holds(const Place& place) const;
};

/// All categories, in the order in which they are tried.
class CategoryList {
 public:
  /// Reads JSON text. Throws support::Error that names `origin`.
  CategoryList(const std::string& json, const std::string& origin);
  /// The project's own list.
  static CategoryList standard();
  /// The user's list, a file.
  static CategoryList from_file(const std::filesystem::path& file);

  const std::vector<ProfileCategory>& categories() const { return categories_; }
  /// The first category that holds the place; null where none does.
  const ProfileCategory* find(const Place& place) const;
  /// Turns on the categories that are accelerated with `part`.
  void accelerate(const std::string& part);
  /// The category called "generator". Throws support::Error where the list has none.
  const ProfileCategory& generator() const;

 private:
  std::vector<ProfileCategory> categories_;
};

/// A function's plain name: without what the compiler appends (.constprop.0, .cold, ...) and without
/// Fortran's trailing underscore, in lower case.
std::string plain_name(const std::string& symbol);

/// The C++ name behind a mangled one, else the symbol itself.
std::string demangled(const std::string& symbol);

}  // namespace overlay
