// Tables that a program makes at its first run in a folder and reads in later ones. Reads run folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace overlay {

/// Names of the files that a run wrote and that the next run in the same folder would read, sorted.
std::vector<std::string> tables_in(const std::filesystem::path& folder);

}  // namespace overlay
