// The patcher: what the program corsika-patch and other components call.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "corsika_patches/call_sites.h"
#include "corsika_patches/insertions.h"
#include "corsika_patches/ranmar_shape.h"
#include "corsika_patches/source_digest.h"
#include "corsika_patches/tree_scan.h"

/// All functions throw Error (one line: what is wrong, where, what to do). None writes in the tree.
namespace corsika_patches {

struct PatchOptions {
  std::filesystem::path tree;                ///< stock
  std::vector<std::filesystem::path> rules;  ///< empty: those that come with the project
  bool inline_sites = true;                  ///< inline draws into call sites
  /// Options of the build that the stage is judged for, as SLANT or __SLANT__; empty: those that the rules
  /// name.
  std::vector<std::string> build;
};

/// What became of one routine.
struct RoutineRecord {
  std::string name;  ///< all its names, joined by a slash
  std::string file;
  std::string rule;
  std::string kind;
  std::string action;  ///< replaced, or left alone
  std::string include;
  std::string reason;                   ///< why it was left alone
  int line = 0;                         ///< counted from 1, in the stock file
  std::vector<std::string> conditions;  ///< option guards around it, outermost first
  RanmarTraits traits;                  ///< of routines that are recognised by their shape (rules.h)
  std::string digest;                   ///< of routines that are recognised by a digest of their body
};

/// A file that is patched.
struct FileRecord {
  std::string path;  ///< relative to the tree
  std::string sha256_before, sha256_after;
  std::string text;  ///< with the patch
};

/// What became of the rules of the Cherenkov stage, which insert lines.
struct InsertionRecord {
  std::string rules;
  Insertions insertions;
};

struct PatchResult {
  std::string release;  ///< empty where the tree does not say
  std::vector<RoutineRecord> routines;
  std::vector<FileRecord> files;
  std::vector<CallSite> sites;
  std::vector<InsertionRecord> stages;
  std::vector<LeftAlone> left_alone;
  std::vector<SourceDigest> sources;  ///< of the stock tree
  std::vector<std::string> notes;
};

/// What a patch makes of a tree.
PatchResult plan_patch(const PatchOptions& options);

/// Makes a copy of `tree` with the patch in it. `out` must not be there; it gets its name when all is
/// written, `manifest` (where not empty, and not there either) just before it.
void write_patched(const PatchResult& result, const std::filesystem::path& tree,
                   const std::filesystem::path& out, const std::filesystem::path& manifest);

/// The patch as a unified diff, made by the program diff.
std::string unified_diff(const PatchResult& result, const std::filesystem::path& tree);

/// What was done, as JSON: release, routines[], stages[], files[], sites_summary, sites[], left_alone[],
/// sources[], notes[].
std::string manifest_json(const PatchResult& result);

/// What the rules find in a tree; also routines that they would refuse (reason says why).
std::vector<RoutineRecord> read_traits(const PatchOptions& options);

/// The same of the rules of the Cherenkov stage.
std::vector<InsertionRecord> read_insertions(const PatchOptions& options);

}  // namespace corsika_patches
