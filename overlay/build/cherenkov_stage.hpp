// What the Cherenkov stage does in a patched program, and why it may: docs/cherenkov.md#covered-known-proven.
// A proof is a record that N steps were compared with CORSIKA's, on one tree built in one way, and none
// differed; or why there is none. Writes the files of proofs alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace overlay {

constexpr std::uint64_t kProofSteps =
    4'000'000;  ///< with light, in a proof where nobody asks for another number

struct Proof {
  // The conditions that it holds for: other sources, options, compilers, flags or stages need another one.
  std::string stage;              ///< this project's Cherenkov library that was linked: version and checksum
  std::string sources;            ///< digest of what was compiled (cherenkov_stage.hpp)
  std::set<std::string> options;  ///< as the profile asks for them, by coconut's names
  std::string compiler;           ///< versions of gfortran and gcc
  std::string flags;              ///< FFLAGS and CFLAGS of the timed builds

  // What came of it.
  std::string failure;  ///< one line: why it is none; empty where all was equal
  std::string made;     ///< date and time, UTC
  nlohmann::json more;  ///< what else its file tells: of what it was made, and where
  nlohmann::json runs =
      nlohmann::json::array();                 ///< name (energy, zenith angle, ...), steps and card of each
  std::uint64_t steps = 0;                     ///< of all runs
  std::uint64_t left_out = 0;                  ///< runs whose card the program refuses; in no file
  std::map<std::string, std::uint64_t> kinds;  ///< steps, bunches and hits by kind, of all runs
  std::map<std::string, double> cpu_s;         ///< CPU time of all runs: stock, check, stage
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Proof, stage, sources, options, compiler, flags, failure, made, more, runs,
                                   steps, kinds, cpu_s)

/// The proof as a file holds it.
std::string proof_text(const Proof& proof);

/// The proof in a file, also one that failed, where it is of such a build. Nothing where the file is no
/// proof. `wanted`: the conditions.
std::optional<Proof> read_proof(const std::filesystem::path& file, const Proof& wanted);

/// What is remembered of such a build, also that its proof failed: beside the builds in `folder`, or in the
/// user's own list. That is a folder of proofs, $XDG_CONFIG_HOME/overlay/proofs, by default below ~/.config.
std::optional<Proof> proof_for(const Proof& wanted, const std::filesystem::path& folder);

/// Puts a proof beside the builds in `folder`, and where it can into the user's own list, in the place of
/// earlier ones of the same build. Returns the file beside the builds. Throws support::Error.
std::filesystem::path remember(const Proof& proof, const std::filesystem::path& folder);

/// Of one patched build.
struct CherenkovStage {
  /// whole: the stage takes CORSIKA's loop over the bunches of a step. bunches: the loop is CORSIKA's; the
  /// stage is asked for each bunch. none: nothing of it is called.
  std::string covered = "none";
  std::string reason;  ///< one line: why not the whole loop, with what to do
  bool works = false;  ///< the tree is known or proven; else the stage stays off
  std::string why;     ///< "known", "proven (N steps, DATE)", "not proven: REASON"

  bool is_covered() const { return covered != "none"; }
  /// "whole loop, known", "bunch by bunch, proven (12 steps, DATE): REASON", "whole loop, not proven:
  /// REASON", "not covered: REASON".
  std::string text() const;
};

/// Looks at what was compiled and at what the patcher said: `folder` holds tree/ and manifest.json
/// of a patched build; `asked`: whether the stage was to be in. `conditions`, of a proof, gets
/// the digest of what was compiled, where something is covered. Throws support::Error where a file cannot be
/// read.
CherenkovStage stage_of_build(const std::filesystem::path& folder, bool asked, Proof& conditions);

/// SHA-256 over the paths and digests of all sources and headers in include/ and in folders of `tree` with a
/// compiled source. `manifest`: the patcher's.
std::string sources_digest(const nlohmann::json& manifest, const std::filesystem::path& tree);

}  // namespace overlay
