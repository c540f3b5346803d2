// Finds our own library, includes and patcher in the build of this checkout.
#include "overlay/build/our_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "overlay/build/workplace.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// A shared library named by its path comes out of libtool before everything that needs it, and the linker
/// then drops it; as -l it stays in its place.
std::string libtool_safe(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (auto word : words) {
    const auto name = fs::path(word).filename().string();
    const auto so = name.find(".so");
    if (word.starts_with('/') && name.starts_with("lib") && so != std::string::npos) {
      result.push_back("-L" + fs::path(word).parent_path().string());
      word = "-l" + name.substr(3, so - 3);
    }
    result.push_back(word);
  }
  return support::join(result);
}

}  // namespace

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

OurLibrary find_our_library(const fs::path& root, const fs::path& includes, const std::string& gpu) {
  for (const auto& folder : {root, includes})
    if (folder.string().find_first_of(" \t") != std::string::npos)
      throw support::Error("make and libtool cannot take the blanks in {}; move this checkout",
                           folder.string());
  OurLibrary library;
  library.patcher = root / "bin" / "corsika-patch";
  const auto line_file = root / "fortran-bindings" / (gpu == "off" ? "link-line-cpu.txt" : "link-line.txt");
  std::error_code error;
  for (const auto& needed : {library.patcher, line_file})
    if (!fs::is_regular_file(needed, error))
      throw support::Error(
          "{} is not there; build the project first (scripts/overlay does), or ask for stock builds only",
          needed.string());
  library.link_line = support::read_file(line_file);
  std::replace(library.link_line.begin(), library.link_line.end(), '\n', ' ');
  library.link_line.erase(library.link_line.find_last_not_of(' ') + 1);
  library.with_cuda = library.link_line.find("device_cuda") != std::string::npos;

  const auto words = words_of(library.link_line);
  library.link_words = libtool_safe(words);
  library.includes = includes;

  // The patcher with its rules; the library with its includes.
  std::string patcher = support::sha256_of_file(library.patcher);
  const auto rules = source_root() / "corsika-patches" / "rules";
  if (fs::is_directory(rules, error)) patcher += support::sha256_of_tree(rules);
  library.patcher_fingerprint = support::sha256_of_text(patcher);
  std::string parts = support::sha256_of_tree(includes);
  for (const auto& word : words) {
    if (!word.starts_with('/')) continue;
    if (!fs::is_regular_file(word, error))
      throw support::Error("{} is not there; build the project first (scripts/overlay does)", word);
    parts += support::sha256_of_file(word);
  }
  library.library_fingerprint = support::sha256_of_text(parts);
  return library;
}

}  // namespace overlay
