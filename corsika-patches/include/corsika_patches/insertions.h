// Which lines put the Cherenkov stage in the place of routines of CORSIKA. Changes no file: returns
// what to insert, as Blocks (edits.h).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "corsika_patches/edits.h"
#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"
#include "corsika_patches/rules.h"

namespace corsika_patches {

/// A file of the tree without our blocks.
struct StockFile {
  const TextFile* text = nullptr;
  const FixedFormSource* source = nullptr;          ///< of Fortran files
  const std::vector<ProgramUnit>* units = nullptr;  ///< of Fortran files
};

/// The lines of the stage, and what it covers of a build (docs/cherenkov.md#covered-known-proven).
struct Insertions {
  std::map<std::string, std::vector<Block>> blocks;  ///< by file
  struct Site {
    std::string rule, file, include;
    int line = 0;  ///< before this stock line, counted from 1
  };
  std::vector<Site> sites;
  std::map<std::string, std::string> digests;  ///< by routine, of its [[if_block]]
  std::string covered;                         ///< whole, bunches (CORSIKA's loop goes on), or none
  std::string reason;  ///< one line: why it is not the whole loop, and what to do; may be empty
  /// True if the stage is left out of this tree: there are no blocks.
  bool left_out() const { return blocks.empty(); }
};

/// Where the lines of a rule set go, for a build with these options (macros, as __SLANT__; empty: those that
/// the rules name). All of them or none: where a file, a routine, a name or an argument is missing, nothing
/// is covered, `reason` says why, and there are no blocks.
Insertions plan_insertions(const RuleSet& rules, const std::map<std::string, StockFile>& files,
                           const std::set<std::string>& build);

}  // namespace corsika_patches
