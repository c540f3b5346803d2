// What the Cherenkov stage does in a patched program, and why it may: docs/cherenkov.md#covered-known-proven.
#pragma once

#include <filesystem>
#include <string>

namespace overlay {

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
/// `works` is false and `why` says that nobody has proven it. Throws support::Error where a file cannot be
/// read.
CherenkovStage stage_of_build(const std::filesystem::path& folder, bool asked);

/// SHA-256 over the paths and digests of all sources and headers in include/ and in folders of `tree` with a
/// compiled source. `manifest`: the patcher's text. Throws support::Error.
std::string sources_digest(const std::string& manifest, const std::filesystem::path& tree);

/// Whether profiles/known-sources.toml lists such a digest.
bool is_known(const std::string& sources);

}  // namespace overlay
