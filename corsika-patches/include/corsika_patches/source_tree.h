// What the rules find in a tree: its files, routines, call sites and insertions, and the blocks that follow.
// Reads only.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "corsika_patches/edits.h"
#include "corsika_patches/fixed_form.h"
#include "corsika_patches/patch.h"
#include "corsika_patches/program_units.h"
#include "corsika_patches/rules.h"

namespace corsika_patches {

/// One source file of the tree.
struct SourceFile {
  TextFile text;
  std::unique_ptr<FixedFormSource> source;  ///< of Fortran
  std::vector<ProgramUnit> units;
  std::vector<Block> blocks;
};

/// One tree under some rules. Blocks gather in its files as routines(), call_sites() and insertions() are
/// called, in that order. All throw Error where the tree is not as the rules need it.
class SourceTree {
 public:
  SourceTree(std::filesystem::path tree, std::vector<RuleSet> rules);

  std::map<std::string, SourceFile>& files() { return files_; }

  /// Finds and reads every routine that the rules name. With `lenient`, what would be refused becomes a
  /// reason.
  std::vector<RoutineRecord> routines(bool lenient);
  /// Finds the calls of the generator and inlines them where that is certain to be right.
  std::vector<CallSite> call_sites(bool do_inline);
  /// Lines that stand beside stock text; a rule set whose lines do not all fit is left out and says why.
  std::vector<InsertionRecord> insertions(const std::set<std::string>& build);
  /// Throws Error where anything would still read the generator's state; lists what is left alone.
  std::vector<LeftAlone> scan() const;
  /// Digests of all sources and headers that a build may compile.
  std::vector<SourceDigest> digests() const;

 private:
  std::set<std::string> target_files() const;
  void load(const std::string& name);
  bool read_units(const RuleSet& rules, const RoutineRule& rule, const std::string& name, SourceFile& file,
                  bool lenient, std::vector<RoutineRecord>& out);
  void check_sequences(const RuleSet& rules) const;

  std::filesystem::path tree_;
  std::vector<RuleSet> rules_;
  std::map<std::string, SourceFile> files_;
};

}  // namespace corsika_patches
