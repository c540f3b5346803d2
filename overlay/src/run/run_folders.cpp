// Run folders of a comparison: makes them, runs programs in them, deletes them. Touches nothing but its own
// folders under `BuildSet::out`/runs.
#include "overlay/run/run_folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace overlay {
namespace fs = std::filesystem;

RunFolders::RunFolders(const BuildSet& set, RunSettings settings)
    : set_(set), settings_(std::move(settings)), progress_(settings_.planned) {
  folder_ = set.out / "runs" / set.profile.name;
  std::error_code error;
  fs::remove_all(folder_, error);
  if (!error) fs::create_directories(folder_, error);
  if (error)
    throw support::Error(
        fmt::format("cannot make the run folder {} ({}); give a folder that you may write to with "
                    "--out DIR",
                    folder_.string(), error.message()));
}

CompletedRun RunFolders::run(const RunRequest& request) {
  if (settings_.check) settings_.check();
  const std::string name = fmt::format("{}-{}", request.build, request.what);
  const std::string& like = request.like.empty() ? request.build : request.like;
  RunSpec spec;
  spec.label = request.build;
  spec.executable = set_.programs.at(request.build).executable;
  spec.folder = prepare_run_dir(set_, request.build, request.card, folder_ / name);
  spec.errors = folder_ / (name + ".err");
  spec.core = settings_.core;
  spec.timeout_s = settings_.timeout_s > 0 ? settings_.timeout_s
                   : slowest_s_ > 0        ? std::max(120.0, 20 * slowest_s_)
                                           : 0;
  spec.check = settings_.check;
  spec.environment = request.environment;
  spec.environment.insert(kLinesAtOnce);
  spec.first_shower = first_shower_marks();
  CompletedRun run;
  run.promised = promised_outputs(request.card, set_.profile.options, set_.profile.outputs);
  if (!request.sampler.empty()) {
    run.samples = folder_ / (name + ".samples");
    spec.environment["LD_PRELOAD"] = request.sampler.string();
    spec.environment["CPU_SAMPLER_OUT"] = run.samples.string();
  }
  progress_.begin(like, fmt::format("{} {}", request.build, request.what));
  run.result = run_program(spec);
  progress_.end(run.result.wall_s, run.result.cpu_s());
  if (like == "stock") slowest_s_ = std::max(slowest_s_, run.result.wall_s);
  return run;
}

void RunFolders::drop(const CompletedRun& run) const {
  if (settings_.keep) return;
  std::error_code ignored;
  fs::remove_all(run.result.folder, ignored);
  fs::remove(run.result.errors, ignored);
  if (!run.samples.empty()) fs::remove(run.samples, ignored);
}

}  // namespace overlay
