// Checks that with the patch's macros off nothing has changed in a Fortran file.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "corsika_patches/edits.h"
#include "corsika_patches/fixed_form.h"

namespace corsika_patches {

/// Combinations of macros of the option guards around the blocks of a file, and in them:
/// - no macro;
/// - each macro by itself;
/// - all macros;
/// - for each block that replaces more than 12 stock lines (a routine, not a call site): all subsets of its
///   macros, or only their whole set if there are more than 6.
///
/// Macros around every block are in all combinations but the empty one.
std::set<std::set<std::string>> guard_combinations(const FixedFormSource& source,
                                                   const std::vector<Block>& blocks);

/// Preprocesses a stock and a patched file (cpp -P, __RANMARLIB__ and __CHERENKOVLIB__ not defined) for all
/// combinations of guard_combinations() and compares the texts. Gives the number of combinations; throws
/// Error with the first that differs.
int compare_preprocessed(const std::filesystem::path& stock, const std::filesystem::path& patched,
                         const FixedFormSource& source, const std::vector<Block>& blocks);

}  // namespace corsika_patches
