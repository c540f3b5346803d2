// Searches for code that still reads the generator's state. Reads the tree and writes nothing.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "corsika_patches/rules.h"

namespace corsika_patches {

/// A file that the scan looked at and that stays as it is, with the reason.
struct LeftAlone {
  std::string file;
  std::string what;
};

/// By file, the lines (from 0) that replacements stand for.
using ReplacedLines = std::map<std::string, std::vector<std::pair<int, int>>>;

/// All sources and headers of a tree by their names' endings, relative to it, by path; not in hidden folders.
/// Throws Error.
std::vector<std::string> sources_in(const std::filesystem::path& tree);

/// Whether a file is fixed-form Fortran by its name's ending.
bool is_fixed_form(const std::string& path);

/// Looks through all sources of a tree for anything that would still read the generator's state once the
/// replaced lines are gone: the state's COMMON, the macro that asks for it, a further copy of the generator
/// that uses this COMMON. Throws Error that names file, routine and line.
///
/// Programs that CORSIKA does not link and packages' generators with a state of their own are listed.
std::vector<LeftAlone> scan_tree(const std::filesystem::path& tree, const RuleSet& rules,
                                 const ReplacedLines& replaced);

}  // namespace corsika_patches
