// Finds our own library, includes and patcher in the build of this checkout.
#include "overlay/build/our_library.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "overlay/build/checkout.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

constexpr const char* kBlanks = " \t";

bool has_blanks(const fs::path& path) { return path.string().find_first_of(kBlanks) != std::string::npos; }

/// A link in `out` that leads to a folder, without blanks.
fs::path without_blanks(const fs::path& folder, const fs::path& out) {
  if (!has_blanks(folder)) return folder;
  auto link = out / "links" / support::sha256_of_text(folder.string()).substr(0, 12);
  std::error_code error;
  fs::create_directories(link.parent_path(), error);
  if (!error && fs::read_symlink(link, error) != folder) {
    // A link of a name of its own is renamed into place, so that nobody meets half a link.
    auto fresh = link;
    fresh += "." + support::random_name();
    error.clear();
    fs::create_directory_symlink(folder, fresh, error);
    if (!error) fs::rename(fresh, link, error);
  }
  if (error) throw support::Error("cannot make the link {} ({})", link.string(), error.message());
  return link;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

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

OurLibrary find_our_library(const fs::path& root, const fs::path& includes, const std::string& gpu,
                            const fs::path& out) {
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

  auto line = library.link_line;
  if (has_blanks(root)) replace_all(line, root.string() + "/", without_blanks(root, out).string() + "/");
  const auto words = words_of(line);
  library.link_words = libtool_safe(words);
  library.includes = without_blanks(includes, out);

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
