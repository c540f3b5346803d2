// Lines of ours beside stock text. Changes no file: gives blocks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "corsika_patches/edits.h"
#include "corsika_patches/fixed_form.h"
#include "corsika_patches/program_units.h"
#include "corsika_patches/rules.h"

/// Lines that stand beside stock text: how a stage of its own is called from CORSIKA.
namespace corsika_patches {

/// A file of the tree without our blocks.
struct StockFile {
  const TextFile* text = nullptr;
  const FixedFormSource* source = nullptr;  ///< of Fortran files
  const std::vector<ProgramUnit>* units = nullptr;
};

struct Insertions {
  std::map<std::string, std::vector<Block>> blocks;  ///< by file
  struct Site {
    std::string rule, file, include;
    int line = 0;  ///< before this stock line, counted from 1
  };
  std::vector<Site> sites;
  /// Digest of each routine that the rules must know, and whether they do.
  struct Seen {
    std::string routine, file, digest;
    int line = 0;
    bool known = false;
  };
  std::vector<Seen> seen;
  std::string left_out;  ///< why there are no blocks; empty where there are
};

/// Where the lines of a rule set go. All of them or none: where a file, a routine or a name is missing, or a
/// routine does what the rules do not know, `left_out` says so and there are no blocks.
Insertions plan_insertions(const RuleSet& rules, const std::map<std::string, StockFile>& files);

}  // namespace corsika_patches
