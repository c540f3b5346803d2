// The state of a run: see the header.
#include "overlay/production/verify_run.hpp"

#include <fmt/format.h>

#include "overlay/production/attempts.hpp"
#include "overlay/production/packed_file.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace overlay {
namespace fs = std::filesystem;
namespace {

/// Why a manifest is not that of this run; empty where it is.
std::string wrong_manifest(const ProductionPlan& plan, const RunManifest& manifest, const std::string& digest,
                           std::int64_t run) {
  if (manifest.run != run) return fmt::format("its manifest is that of run {}", manifest.run);
  if (manifest.plan_sha256 != digest) return "its manifest is of another production, or of an earlier plan";
  if (manifest.starts != planned_run(plan, run).starts) return "its manifest has other seeds than the plan";
  if (manifest.showers != plan.showers)
    return fmt::format("its manifest has {} showers; the plan has {}", manifest.showers, plan.showers);
  if (manifest.files.empty()) return "its manifest names no file";
  return {};
}

std::string wrong_file(const fs::path& results, const PublishedFile& file, VerifyDepth depth) {
  if (file.published.empty()) return {};  // light that went into a pipe
  const fs::path path = results / file.published;
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error) return fmt::format("{} is missing", file.published);
  if (bytes != file.packed_bytes)
    return fmt::format("{} has {} bytes instead of {}", file.published, bytes, file.packed_bytes);
  if (depth == VerifyDepth::sizes) return {};
  try {
    if (unpacked_sha256(path) != file.sha256)
      return fmt::format("{} holds other bytes than were published", file.published);
  } catch (const support::Error& problem) {
    return fmt::format("{} cannot be unpacked whole", file.published);
  }
  return {};
}

}  // namespace

RunState verify_run(const ProductionPlan& plan, const fs::path& folder, const std::string& digest,
                    std::int64_t run, VerifyDepth depth) {
  RunState state;
  const fs::path place = folder / manifest_path(plan, run);
  std::error_code error;
  if (!fs::exists(place, error)) {
    if (const auto why = poisoned(folder, run)) {
      state.kind = RunState::Kind::poisoned;
      state.reason = *why;
    }
    return state;
  }
  state.kind = RunState::Kind::rejected;
  try {
    RunManifest manifest = read_manifest(place);
    state.reason = wrong_manifest(plan, manifest, digest, run);
    for (const PublishedFile& file : manifest.files)
      if (state.reason.empty()) state.reason = wrong_file(place.parent_path(), file, depth);
    if (!state.reason.empty()) return state;
    state.kind = RunState::Kind::published;
    state.manifest = std::move(manifest);
  } catch (const support::Error& problem) {
    state.reason = problem.what();
  }
  return state;
}

void set_aside(const ProductionPlan& plan, const fs::path& folder, std::int64_t run,
               const std::string& reason) {
  const fs::path results = folder / results_folder(plan, run), place = folder / manifest_path(plan, run);
  std::error_code error;
  if (!fs::exists(place, error)) return;
  const fs::path aside =
      folder / quarantine_folder(run) / fmt::format("published-{}", support::random_name(4));
  fs::create_directories(aside, error);
  // The manifest first: without it the run is missing, whatever else is there. Another process may have moved
  // it.
  fs::rename(place, aside / "manifest.json", error);
  if (error && fs::exists(place))
    throw support::Error(fmt::format("cannot move {} to {} ({}); move it by hand", place.string(),
                                     aside.string(), error.message()));
  const std::string start = run_name(run) + ".";
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(results, error))
    if (entry.path().filename().string().starts_with(start)) files.push_back(entry.path());
  for (const fs::path& file : files) fs::rename(file, aside / file.filename(), error);
  support::write_file(aside / "reason.txt", reason + "\n");
}

}  // namespace overlay
