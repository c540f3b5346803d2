// The release of a tree.
#pragma once
#include <filesystem>
#include <string>

namespace corsika_patches {

/// The release of a tree.
struct Release {
  std::string name;    ///< "7.7410"; empty where the tree does not say
  std::string source;  ///< file that says so
};

/// Reads the release from configure.ac, VERSION, or corsika.F; throws Error where it is outside 7.4 to 7.8.
Release read_release(const std::filesystem::path& tree);

}  // namespace corsika_patches
