// The state of all runs of a production, from its folder. Reads several runs at a time; writes nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "overlay/production/attempts.hpp"
#include "overlay/production/plan.hpp"
#include "overlay/production/verify_run.hpp"

namespace overlay {

/// A run and what there is of it.
struct ScannedRun {
  std::int64_t number = 0;
  RunState state;
  std::vector<Attempt> attempts;  ///< that failed or are at work
};

/// Hands every run of the plan, in order, to `visit`, one call after the other. Files are
/// read only of runs that have a manifest or an attempt. Returns one line for each manifest in results/ of a
/// run that the plan does not have there. Throws what `visit` throws, and support::Error where a folder
/// cannot be read.
std::vector<std::string> scan_runs(const ProductionPlan& plan, const std::filesystem::path& folder,
                                   VerifyDepth depth, const std::function<void(const ScannedRun&)>& visit);

}  // namespace overlay
