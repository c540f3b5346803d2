// Checks that with the patch's macros off nothing has changed in a Fortran file.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "corsika_patches/edits.h"
#include "corsika_patches/fixed_form.h"

namespace corsika_patches {

/// Combinations of option guards under which blocks of a file stand: for each replaced routine all subsets of
/// the macros in the conditions around it and in it, each macro around any block alone, and all together.
std::set<std::set<std::string>> guard_combinations(const FixedFormSource& source,
                                                   const std::vector<Block>& blocks);

/// Preprocesses a stock and a patched file (cpp -P, __RANMARLIB__ and __CHERENKOVLIB__ not defined) for all
/// combinations of guard_combinations() and compares the texts. Gives the number of combinations; throws
/// Error with the first that differs.
int compare_preprocessed(const std::filesystem::path& stock, const std::filesystem::path& patched,
                         const FixedFormSource& source, const std::vector<Block>& blocks);

}  // namespace corsika_patches
