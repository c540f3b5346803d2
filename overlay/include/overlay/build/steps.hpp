// Steps of one build, which the superbuild calls.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace overlay {

/// One step of one build, called by the superbuild: copy, configure, patch or make. `folder` holds
/// settings.json, and gets tree/, the steps' logs, program.txt (the program's path) and, where patched,
/// manifest.json. Throws Error.
void run_step(const std::string& step, const std::filesystem::path& folder);

/// Copies a tree, times and links included, whole or not at all. Generated files of autotools get times in
/// the order that make expects, so that no autotools are needed.
void copy_tree(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace overlay
