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
#include "support/toml.hpp"

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

OptionNeeds OptionNeeds::load() {
  const auto file = support::Toml::read(profiles_folder() / "models.toml");
  OptionNeeds models;
  for (const auto& [key, entry] : file.table()) {
    if (!entry.is_table()) continue;
    if (key == "run_folder") {
      models.run_folder = entry["files"].texts();
      models.folders_beside = entry["beside"].texts();
    } else
      models.options[key] = {entry["tables"].texts(), entry["package"].text().value_or("")};
  }
  return models;
}

std::vector<std::string> missing_parts(const OptionNeeds& models, const fs::path& tree,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> missing;
  auto check = [&](const std::string& option) {
    const auto needs = models.options.find(option);
    if (needs == models.options.end()) return;
    const std::string who = option == "always" ? "every run" : option;
    for (const auto& table : needs->second.tables)
      if (!has_data(tree / "run", {table}))
        missing.push_back(fmt::format("table run/{} ({} needs it)", table, who));
    const auto& package = needs->second.package;
    if (package.empty()) return;
    if (!has_data(tree / package, {"*.tar.gz", "*.tgz", "*.f", "*.F", "iact.c"}))
      missing.push_back(fmt::format("package {}/ ({} needs it)", package, who));
    else
      for (const auto& file : matching_files(tree / package, {"*"}))
        if (fs::is_regular_file(file) && is_pointer(file))
          missing.push_back(fmt::format("{}/{}, of which there is only a pointer ({} needs it)", package,
                                        file.filename().string(), who));
  };
  check("always");
  for (const auto& option : options) check(option);
  return missing;
}

std::vector<std::string> resolve_alternatives(const OptionNeeds& models, const fs::path& tree,
                                              const std::vector<std::string>& options,
                                              std::vector<std::string>& notes) {
  std::vector<std::string> settled;
  for (const auto& option : options) {
    std::stringstream alternatives(option);
    std::vector<std::string> names;
    for (std::string name; std::getline(alternatives, name, '|');) names.push_back(name);
    std::string choice = names.empty() ? option : names.back();
    std::string reason;
    for (const auto& name : names) {
      std::vector<std::string> lacks;
      for (const auto& part : missing_parts(models, tree, {name}))
        if (part.find("(every run") == std::string::npos) lacks.push_back(part);
      if (lacks.empty()) {
        choice = name;
        break;
      }
      reason += (reason.empty() ? "" : ", ") + lacks.front();
    }
    if (names.size() > 1)
      notes.push_back(choice == names.front() ? fmt::format("{}: its tables are at hand", choice)
                                              : fmt::format("{} stands in for {}: {} is not at hand", choice,
                                                            names.front(), reason));
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
