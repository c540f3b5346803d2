// What options need in a tree, by profiles/models.toml. Reads only.
#include "overlay/build/models.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "overlay/build/profile.hpp"
#include "support/error.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// What Git LFS (lines of "key value", `version` first) or git-annex (the name of an object) leaves of a
/// file.
bool is_pointer(const fs::path& file) {
  std::error_code error;
  if (fs::file_size(file, error) >= 1024 || error) return false;
  std::string text = support::read_file(file);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // some editors' mark of UTF-8
  return text.starts_with("/annex/objects/") || text.starts_with("version http");
}

bool has_data(const fs::path& folder, const std::vector<std::string>& wildcards) {
  const auto files = matching_files(folder, wildcards);
  return std::any_of(files.begin(), files.end(), is_data_file);
}

}  // namespace

bool matches(const std::string& name, const std::string& wildcard) {
  return fnmatch(wildcard.c_str(), name.c_str(), 0) == 0;
}

std::vector<fs::path> matching_files(const fs::path& folder, const std::vector<std::string>& wildcards) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (std::any_of(wildcards.begin(), wildcards.end(), [&](const std::string& wildcard) {
          return matches(entry.path().filename().string(), wildcard);
        }))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool is_data_file(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) == 0 || error) return false;
  return !is_pointer(file);
}

support::Toml read_models() { return support::Toml::read(profiles_folder() / "models.toml"); }

std::vector<std::string> missing_parts(const support::Toml& models, const fs::path& tree,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> missing;
  const auto check = [&](const std::string& option, const char* who) {
    for (const auto& table : models[option]["tables"].texts())
      if (!has_data(tree / "run", {table}))
        missing.push_back(fmt::format("table run/{} ({} needs it)", table, who));
    const auto package = models[option]["package"].text();
    if (!package) return;
    if (!has_data(tree / *package, {"*.tar.gz", "*.tgz", "*.f", "*.F", "iact.c"}))
      missing.push_back(fmt::format("package {}/ ({} needs it)", *package, who));
    else
      for (const auto& file : matching_files(tree / *package, {"*"}))
        if (fs::is_regular_file(file) && is_pointer(file))
          missing.push_back(fmt::format("{}/{}, of which there is only a pointer ({} needs it)", *package,
                                        file.filename().string(), who));
  };
  check("always", "every run");
  for (const auto& option : options) check(option, option.c_str());
  return missing;
}

std::vector<std::string> resolve_alternatives(const support::Toml& models, const fs::path& tree,
                                              const std::vector<std::string>& options,
                                              std::vector<std::string>& notes) {
  std::vector<std::string> settled;
  for (const auto& option : options) {
    const auto first = option.substr(0, option.find('|'));
    std::stringstream alternatives(option);
    std::string choice = option, reason;
    for (std::string name; std::getline(alternatives, name, '|');) {
      choice = name;
      auto lacks = missing_parts(models, tree, {choice});
      std::erase_if(lacks, [](const auto& part) { return part.find("(every run") != std::string::npos; });
      if (lacks.empty()) break;
      reason += (reason.empty() ? "" : ", ") + lacks.front();
    }
    if (first != option)
      notes.push_back(choice == first
                          ? fmt::format("{}: its tables are at hand", choice)
                          : fmt::format("{} stands in for {}: {} is not at hand", choice, first, reason));
    settled.push_back(choice);
  }
  return settled;
}

fs::path find_atmosphere(int number, const fs::path& tree, const fs::path& extra) {
  const auto name = fmt::format("atmprof{}.dat", number);
  std::vector<fs::path> folders;
  if (!extra.empty()) folders.push_back(extra);
  if (const char* set = std::getenv("CORSIKA_ATMOSPHERES")) folders.push_back(set);
  folders.push_back(tree / "run");
  folders.push_back(tree / "bernlohr");
  for (const auto& folder : folders)
    if (is_data_file(folder / name)) return fs::absolute(folder / name);
  for (const auto& archive : matching_files(tree / "bernlohr", {"*.tar.gz"})) {
    const auto list = support::run({.argv = {"tar", "--list", "--file", archive.string()}});
    std::stringstream lines(list.output);
    for (std::string line; std::getline(lines, line);)
      if (line == name || line.ends_with("/" + name)) return archive;
  }
  return {};
}

}  // namespace overlay
