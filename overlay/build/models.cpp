// What options need in a tree, by profiles/models.toml. Reads only.
#include "overlay/build/models.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

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

/// Pointers among the files of a folder.
std::vector<std::string> pointers_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error) && is_pointer(entry.path()))
      names.push_back(entry.path().filename().string());
  return names;
}

bool any_file(const fs::path& folder, const std::string& wildcard) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (matches(entry.path().filename().string(), wildcard) && is_data_file(entry.path())) return true;
  return false;
}

bool has_package(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto name = entry.path().filename().string();
    for (const char* wildcard : {"*.tar.gz", "*.tgz", "*.f", "*.F", "iact.c"})
      if (matches(name, wildcard) && is_data_file(entry.path())) return true;
  }
  return false;
}

/// The archive of a package, where a folder still holds one.
fs::path archive_in(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (matches(entry.path().filename().string(), "*.tar.gz")) return entry.path();
  return {};
}

}  // namespace

bool matches(const std::string& name, const std::string& wildcard) {
  return fnmatch(wildcard.c_str(), name.c_str(), 0) == 0;
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
      if (!any_file(tree / "run", table))
        missing.push_back(fmt::format("table run/{} ({} needs it)", table, who));
    if (const auto& package = needs->second.package; !package.empty() && !has_package(tree / package))
      missing.push_back(fmt::format("package {}/ ({} needs it)", package, who));
    else if (!package.empty())
      for (const auto& name : pointers_in(tree / package))
        missing.push_back(
            fmt::format("{}/{}, of which there is only a pointer ({} needs it)", package, name, who));
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
  if (auto archive = archive_in(tree / "bernlohr"); !archive.empty()) {
    const auto list = support::run({.argv = {"tar", "--list", "--file", archive.string()}});
    std::stringstream lines(list.output);
    for (std::string line; std::getline(lines, line);)
      if (line == name || line.ends_with("/" + name)) return archive;
  }
  return {};
}

}  // namespace overlay
