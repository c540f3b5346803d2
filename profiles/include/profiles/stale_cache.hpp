#pragma once

#include <filesystem>

namespace profiles {

/// A CMake build folder that was set up from another source folder than `source`, say by another checkout of
/// this project, cannot be used again: CMake refuses. Deletes its CMakeCache.txt and CMakeFiles, nothing
/// else, and returns the folder that it was set up from. Returns an empty path where the folder is good, or
/// not there. Throws Error where the files cannot be deleted.
std::filesystem::path forget_other_source(const std::filesystem::path& build_folder,
                                          const std::filesystem::path& source);

}  // namespace profiles
