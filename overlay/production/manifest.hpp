// The run manifest, of a published run: what was run, on what, and what it left. Text alone; results.hpp
// writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "overlay/production/plan.hpp"

namespace overlay {

/// One output of a run.
struct PublishedFile {
  std::string name;       ///< in the run folder: "telescope.dat"
  std::string published;  ///< beside the manifest: "660000.telescope.dat.zst"; empty for telescope data that
                          ///< went into a pipe
  std::uint64_t bytes = 0;         ///< as the program wrote it
  std::uint64_t packed_bytes = 0;  ///< as it is kept
  std::string sha256;              ///< of the program's bytes
  std::string content_sha256;      ///< content_digest()
  std::uint64_t events = 0;        ///< that end in it
};

/// What a run took.
struct RunCost {
  std::string began, ended;  ///< UTC, 2026-11-22T20:15:00Z
  double wall_s = 0, user_s = 0, system_s = 0;
  double startup_cpu_s = 0;  ///< CPU time until the first shower began; 0 where the log does not say
  long peak_rss_kib = 0;
  std::uint64_t scratch_bytes = 0;  ///< of its outputs, as the program wrote them
  double cpu_s() const { return user_s + system_s; }
};

/// The run manifest. results/NNN/RUN.json holds it; it appears after all files that it names.
struct RunManifest {
  std::int64_t run = 0;
  std::string production;   ///< its name
  std::string plan_sha256;  ///< plan_digest()
  std::string attempt;      ///< names the attempt that published it
  std::vector<SequenceStart> starts;
  std::size_t setting = 0;
  long showers = 0;
  std::string card_sha256, program, program_sha256, flags, compilers, corsika_version, overlay_version;
  std::string host, processor, kernel, system, tunables;
  std::string node_class;  ///< measured_class(); empty where it was not measured
  RunCost cost;
  std::vector<PublishedFile> files;
  std::map<std::string, std::string> cherenkov,
      generator;  ///< the stage's and the generator's counters, as printed
};

/// The manifest as JSON. Its last line is `"sha256"`, of all that stands before.
std::string manifest_text(const RunManifest& manifest);

/// Reads a manifest. Throws support::Error where it is no manifest of this format or a byte of it has
/// changed.
RunManifest read_manifest(const std::filesystem::path& file);

/// How the outputs of two manifests of one run differ, by their content; empty where they agree.
std::string content_difference(const RunManifest& a, const RunManifest& b);

}  // namespace overlay
