#include "profiles/stale_cache.hpp"

#include <fstream>
#include <string>

#include "profiles/error.hpp"

namespace profiles {
namespace fs = std::filesystem;

fs::path forget_other_source(const fs::path& build_folder, const fs::path& source) {
  const auto cache = build_folder / "CMakeCache.txt";
  const std::string key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  std::ifstream stream(cache);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(key)) continue;
    fs::path home = line.substr(key.size());
    std::error_code error;
    if (home.lexically_normal() == source.lexically_normal() || fs::equivalent(home, source, error))
      return {};
    error.clear();
    fs::remove(cache, error);
    if (!error) fs::remove_all(build_folder / "CMakeFiles", error);
    if (error)
      throw Error("cannot delete " + cache.string() + " (" + error.message() + "); give --out DIR elsewhere");
    return home;
  }
  return {};
}

}  // namespace profiles
