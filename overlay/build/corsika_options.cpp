// Settles options, atmosphere and data files by what a tree holds. Reads only.
#include "corsika_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "overlay/build/coconut.hpp"
#include "overlay/build/models.hpp"
#include "overlay/card/card.hpp"
#include "support/process.hpp"

namespace overlay {
namespace fs = std::filesystem;

void settle_profile(BuildSet& set, const SourceTree& source) {
  const auto models = OptionNeeds::load();
  set.profile.options = resolve_alternatives(models, source.folder, set.profile.options, set.notes);
  const auto missing = missing_parts(models, source.folder, set.profile.options);
  if (!missing.empty())
    throw support::Error("missing in {}: {}; put it there, or take another profile", source.folder.string(),
                         support::join(missing, ", "));
  const auto menus = read_menus(source.folder);
  for (const auto& name : set.profile.options)
    if (menus.find(name) == nullptr)
      throw support::Error("release {} has no option {}; correct the options of profile {}", source.version,
                           name, set.profile.name);
}

Atmosphere settle_atmosphere(BuildSet& set, const SourceTree& source, const std::string& own_card,
                             const fs::path& extra) {
  Atmosphere atmosphere;
  auto& profile = set.profile;
  if (!own_card.empty() || profile.atmosphere == 0) {
    atmosphere.number = Card(own_card).atmosphere();
    if (atmosphere.number != 0) atmosphere.table = find_atmosphere(atmosphere.number, source.folder, extra);
  } else {
    atmosphere = {profile.atmosphere, find_atmosphere(profile.atmosphere, source.folder, extra)};
    if (!atmosphere.table.empty()) {
      set.notes.push_back(fmt::format("atmosphere {}: {}", atmosphere.number, atmosphere.table.string()));
    } else if (profile.atmosphere_fallback != 0) {
      set.notes.push_back(
          fmt::format("atmosphere {} (of the package) stands in for {}: atmprof{}.dat is not at hand "
                      "(--atmosphere-dir DIR)",
                      profile.atmosphere_fallback, atmosphere.number, atmosphere.number));
      profile.atmosphere = profile.atmosphere_fallback;
      atmosphere = {profile.atmosphere, find_atmosphere(profile.atmosphere, source.folder, extra)};
    }
  }
  if (atmosphere.number != 0 && atmosphere.table.empty())
    throw support::Error(
        "missing table atmprof{}.dat; give the folder that holds it with --atmosphere-dir, or "
        "take one of the package's with --atmosphere 6",
        atmosphere.number);
  return atmosphere;
}

void gather_data_files(BuildSet& set, const fs::path& tree, const Atmosphere& atmosphere) {
  if (set.standin) {
    if (fs::is_directory(tree / "data"))
      for (const auto& entry : fs::directory_iterator(tree / "data"))
        set.data_files[entry.path().filename().string()] = fs::canonical(entry.path());
    return;
  }
  const auto models = OptionNeeds::load();
  for (const auto& entry : fs::directory_iterator(tree / "run"))
    for (const auto& wildcard : models.run_folder)
      if (matches(entry.path().filename().string(), wildcard) && is_data_file(entry.path()))
        set.data_files[entry.path().filename().string()] = fs::canonical(entry.path());
  for (const auto& folder : models.folders_beside)
    if (fs::is_directory(tree / folder)) set.folders_beside[folder] = fs::canonical(tree / folder);
  if (atmosphere.number == 0) return;
  // By now a table that was in an archive is out of it.
  set.data_files[fmt::format("atmprof{}.dat", atmosphere.number)] =
      atmosphere.table.extension() == ".dat" ? atmosphere.table
                                             : find_atmosphere(atmosphere.number, tree, {});
}

void note_added_options(BuildSet& set, const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / "selected.txt", error)) return;
  std::istringstream selected(support::read_file(folder / "selected.txt"));
  std::vector<std::string> added;
  const auto& options = set.profile.options;
  for (std::string name; std::getline(selected, name);)
    if (!name.empty() && std::find(options.begin(), options.end(), name) == options.end())
      added.push_back(name);
  if (!added.empty()) set.notes.push_back("coconut added " + support::join(added, ", "));
}

}  // namespace overlay
