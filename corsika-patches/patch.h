// The patcher: what the program corsika-patch and other components call.
#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "corsika-patches/program_units.h"
#include "corsika-patches/rules.h"
#include "corsika-patches/text.h"

/// All functions throw Error (one line: what is wrong, where, what to do). None writes in the tree.
namespace corsika_patches {

using Json = nlohmann::ordered_json;

struct PatchOptions {
  std::filesystem::path tree;                ///< stock
  std::vector<std::filesystem::path> rules;  ///< empty: those that come with the project
  /// Options of the build that the stage is judged for, as SLANT or __SLANT__; empty: those that the rules
  /// name.
  std::vector<std::string> build;
};

struct PatchResult {
  /// What was done. release (or null), routines[], stages[], files[], sites[], sources[]. An element of
  /// routines, sites or stages says under `action` what became of it, and under `reason` why.
  Json manifest;
  std::map<std::string, std::string> texts;  ///< of the files that are patched, with the patch, by path
};

/// What a patch makes of a tree.
PatchResult plan_patch(const PatchOptions& options);

/// Makes a copy of `tree` with the patch in it. `out` must not be there; it gets its name when all is
/// written, `manifest` (where not empty, and not there either) just before it.
void write_patched(const PatchResult& result, const std::filesystem::path& tree,
                   const std::filesystem::path& out, const std::filesystem::path& manifest);
/// The manifest as it is written.
std::string manifest_text(const PatchResult& result);
/// The patch as a unified diff, made by the program diff.
std::string unified_diff(const PatchResult& result, const std::filesystem::path& tree);

/// The routines of a file that [[routine]]s name, as elements of the manifest, and units without those that
/// are replaced.
struct ReplacedRoutines {
  Json list = Json::array();
  std::vector<ProgramUnit> others;
};
/// Reads them and adds what replaces them to `blocks`.
ReplacedRoutines replace_routines(const std::string& name, const SourceFile& file, const RuleSet& rules,
                                  std::vector<Block>& blocks);

/// Finds every call of the generator in these units and inlines those where that is certain to be right: a
/// whole statement without a label, literal length and sequence, an array whose rank and type are known and
/// whose elements can be named, in a unit that includes the header of [call_sites], after which the
/// declarations of an inlined draw go. Returns them as elements of the manifest.
Json inline_call_sites(const std::string& name, const SourceFile& file, const std::vector<ProgramUnit>& units,
                       const HeaderBlocks& header, const RuleSet& rules, std::vector<Block>& blocks);

}  // namespace corsika_patches
