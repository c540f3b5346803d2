// Finds the tables that a run left, by the names that profiles/models.toml gives.
#include "overlay/run/run_tables.hpp"

#include <algorithm>

#include "overlay/build/models.hpp"

namespace overlay {

std::vector<std::string> tables_in(const std::filesystem::path& folder) {
  const OptionNeeds models = OptionNeeds::load();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const auto fits = [&](const std::string& wildcard) { return matches(name, wildcard); };
    if (!entry.is_symlink() && entry.is_regular_file() &&
        std::any_of(models.run_folder.begin(), models.run_folder.end(), fits))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace overlay
