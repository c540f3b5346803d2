// Builds of one profile with one set of flags: their steps, what these leave, and what the Cherenkov stage
// does in a patched program, and why it may: docs/cherenkov.md#covered-known-proven.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "overlay/build/source.hpp"
#include "overlay/build/toolchain.hpp"
#include "overlay/proof/proof.hpp"

namespace overlay {

/// File in the folder of a patched build: the digest of what was compiled (sources_digest).
constexpr const char* kSourcesDigest = "sources.txt";

/// The first line of a file; empty where there is none.
std::string first_line_of(const std::filesystem::path& file);

/// Moves what no step made out of `folder`/tree/run: outputs of runs that were started there, a user's
/// programs. Returns the new folder beside tree/ that holds it, empty where there was nothing. Throws
/// filesystem_error where it cannot be moved.
std::filesystem::path keep_foreign_files(const std::filesystem::path& folder);

/// Notes in `folder`/run.list what stands in `folder`/tree/run, for keep_foreign_files(). Throws Error.
void list_run_folder(const std::filesystem::path& folder);

/// One folder of builds.
struct BuildPlan {
  std::filesystem::path base;  ///< folder of this profile and these flags
  std::filesystem::path out;   ///< --out
  std::string title;           ///< for messages: release, profile, flags
  const SourceTree* source = nullptr;
  const OurLibrary* library = nullptr;  ///< null where nothing is patched
  CompilerFlags flags;
  bool stage = true;                 ///< whether the Cherenkov stage may be in patched builds
  std::vector<std::string> options;  ///< of the profile
  std::vector<std::string> builds;   ///< what to make, of known_builds()
  ProofConditions conditions;        ///< of proofs of the Cherenkov stage, without `sources`
  int jobs = 1;
};

/// Makes what is missing or old in plan.base, several builds at a time, and nothing else; waits where another
/// overlay works there. A build's folder has tree/, the steps' logs, run.list, settings.json (what it is made
/// of), program.txt (the program's path) and, where patched, manifest.json. The stage is put to work where
/// the sources are known or proven. Throws Error; where the disk is full, what this call began is taken away
/// again.
void make_builds(const BuildPlan& plan);

/// Of one patched build.
struct CherenkovStage {
  /// whole: the stage takes CORSIKA's loop over the bunches of a step. bunches: the loop is CORSIKA's; the
  /// stage is asked for each bunch. none: nothing of it is called.
  std::string covered = "none";
  std::string reason;   ///< one line: why not the whole loop, with what to do
  std::string sources;  ///< digest of what was compiled; empty where nothing is covered
  bool works = false;   ///< the tree is known or proven; else the stage stays off
  std::string why;      ///< "known", "proven (N steps, DATE)", "not proven: REASON"

  bool is_covered() const { return covered != "none"; }
  /// "whole loop, known", "bunch by bunch, proven (12 steps, DATE): REASON", "whole loop, not proven:
  /// REASON", "not covered: REASON".
  std::string text() const;
};

/// Looks at what was compiled and at what the patcher said: `folder` holds tree/, sources.txt and
/// manifest.json of a patched build; `asked`: whether the stage was to be in. Knows known trees; of others
/// `works` is false and `why` says that nobody has proven it. Throws Error where a file cannot be read.
CherenkovStage stage_of_build(const std::filesystem::path& folder, bool asked);

/// SHA-256 over the paths and digests of all sources and headers in include/ and in folders of `tree` with a
/// compiled source. `manifest`: the patcher's text. Throws Error.
std::string sources_digest(const std::string& manifest, const std::filesystem::path& tree);

/// Whether profiles/known-sources.toml lists such a digest.
bool is_known(const std::string& sources);

}  // namespace overlay
