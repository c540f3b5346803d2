// The release of a tree.
#pragma once
#include <filesystem>
#include <string>

namespace corsika_patches {

/// Reads the release, as 7.7410, from configure.ac, VERSION, or corsika.F; empty where the tree does not say.
/// Throws Error where it is outside 7.4 to 7.8.
std::string read_release(const std::filesystem::path& tree);

}  // namespace corsika_patches
