// The patcher: what the program corsika-patch and other components call.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corsika_patches/call_sites.h"
#include "corsika_patches/insertions.h"
#include "corsika_patches/ranmar_shape.h"
#include "corsika_patches/source_digest.h"
#include "corsika_patches/tree_scan.h"

/// All functions throw Error (one line: what is wrong, where, what to do), and then the tree is as it was.
namespace corsika_patches {

struct PatchOptions {
  std::filesystem::path tree;
  std::vector<std::filesystem::path> rules;  ///< empty: those that come with the project
  bool dry_run = false;                      ///< writes nothing; the result holds the diff
  bool inline_sites = true;                  ///< inline draws into call sites
  /// Options of the build that the stage is judged for, as SLANT or __SLANT__; empty: those that the rules
  /// name.
  std::vector<std::string> build;
  std::optional<std::filesystem::path> manifest;  ///< where to leave the manifest
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

struct FileRecord {
  std::string path;  ///< relative to the tree
  std::string sha256_before, sha256_after;
};

/// What became of the rules of the Cherenkov stage, which insert lines.
struct InsertionRecord {
  std::string rules;
  Insertions insertions;
};

struct PatchResult {
  enum class Outcome { patched, already_patched, reversed, not_patched } outcome = Outcome::patched;
  bool recovered = false;  ///< an interrupted patch was finished or undone first
  std::string release;     ///< empty where the tree does not say
  std::vector<RoutineRecord> routines;
  std::vector<FileRecord> files;
  std::vector<CallSite> sites;
  std::vector<InsertionRecord> stages;
  std::vector<LeftAlone> left_alone;
  std::vector<SourceDigest> sources;  ///< of the stock tree
  std::vector<std::string> notes;
  std::string diff;  ///< unified, of what was (or would be) changed
};

/// Patches a tree, whole or not at all. On a patched tree: patches again if rules or options have changed,
/// else does nothing.
PatchResult patch_tree(const PatchOptions& options);

/// Takes our blocks out again; edits outside of them stay. Refuses where one inside was edited.
PatchResult reverse_tree(const PatchOptions& options);

/// What the rules find in a tree, patched or not; also routines that they would refuse (reason says why).
std::vector<RoutineRecord> read_traits(const PatchOptions& options);

/// The same of the rules of the Cherenkov stage.
std::vector<InsertionRecord> read_insertions(const PatchOptions& options);

/// A routine's stock text, cut out of a tree that may be patched.
struct ExtractedUnit {
  std::string text;  ///< from its head, with the conditionals that cut through it, to its END
  std::string file;
  int line = 0;                         ///< of the head, counted from 1, in the stock file
  std::string kind;                     ///< the rule's
  std::vector<std::string> conditions;  ///< option guards around it, as written behind #if, outermost first
  RanmarTraits traits;
};

/// `occurrence` counts from 0 among the routines of that name.
ExtractedUnit extract_unit(const std::filesystem::path& tree, const std::string& name, int occurrence = 0);

/// Compares the patched files of both trees. Fortran files: cpp -P with both macros (__RANMARLIB__,
/// __CHERENKOVLIB__) undefined, for the combinations of guard_combinations(). C files: the text without our
/// blocks. Gives the number of comparisons; throws Error with the first that differs.
int verify_off(const std::filesystem::path& stock, const std::filesystem::path& patched,
               const std::vector<std::filesystem::path>& rules = {});

}  // namespace corsika_patches
